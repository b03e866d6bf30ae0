//! [`Newcomers`]: people who were not there, whom they know among themselves, and whom among people about whom something
//! was released. What was released may be used by anybody, so it costs nothing; who is known by name is what the newcomers
//! themselves say.

use std::path::Path;

use crate::data::declared::{EdgeTable, PeopleTable, Schema};
use crate::data::formats::Limits;
use crate::graph::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Graph, GraphBuilder, IdInterner, NodeId,
};
use crate::{Error, Result};

/// People in rows: newcomers first, then people about whom something was released.
#[derive(Debug, Clone)]
pub struct Newcomers {
    /// Their ids.
    pub ids: Vec<String>,
    /// Their records as the preprocessing makes them, or as they were released.
    pub rows: DenseMatrix,
    /// Who is connected to whom.
    pub graph: Graph,
    /// How many of them are new.
    pub new: usize,
}

impl Newcomers {
    /// Reads a table of people in the order of their ids, the connections that somebody knows of, and what was released
    /// about others. Records about anybody else are left out. Who is in both is new: the later record counts.
    ///
    /// # Errors
    /// If a table is not as declared, or what was released has no features, or other columns.
    pub fn read(
        preprocessing: &PeopleTable,
        people: &Path,
        table: Option<String>,
        edges: Option<&EdgeTable>,
        released: Option<&Dataset>,
    ) -> Result<Self> {
        let people = PeopleTable {
            file: people.to_string_lossy().into_owned(),
            table,
            label: None,
            classes: None,
            separator: None,
            whether: None,
            ..preprocessing.clone()
        };
        let limits = Limits::default();
        let schema = Schema { people, edges: Vec::new(), graphs: None };
        let dataset = schema.read(Path::new(""), &limits)?;
        let new = dataset.graph().node_count();
        let mut all = IdInterner::default();
        let mut ids: Vec<String> = dataset.ids().iter().map(|id| id.to_string()).collect();
        for id in &ids {
            all.intern(id);
        }
        let mut rows = own_rows(&dataset).unwrap_or_else(|| DenseMatrix::zeros(new, 0));
        let mut pairs: Vec<[NodeId; 2]> = Vec::new();
        let directed = edges.is_some_and(|table| table.directed)
            || released.is_some_and(|them| them.graph().direction() == Direction::Directed);
        if let Some(released) = released {
            let theirs = released_rows(released, rows.columns())?;
            let mut values = rows.into_values();
            let columns = theirs.columns();
            let mut place = Vec::with_capacity(theirs.rows());
            for node in released.graph().nodes() {
                let id = released.ids().get(node);
                let at = all.intern_id(id);
                if at as usize == ids.len() {
                    ids.push(id.to_string());
                    values.extend_from_slice(theirs.row(node as usize));
                }
                place.push(at);
            }
            rows = DenseMatrix::new(ids.len(), columns, values)?;
            let both_ways = directed && released.graph().direction() == Direction::Undirected;
            for (one, other) in released.graph().edges() {
                let pair = [place[one as usize], place[other as usize]];
                pairs.push(pair);
                if both_ways {
                    pairs.push([pair[1], pair[0]]);
                }
            }
        }
        if let Some(table) = edges {
            let found = table.read_pairs(Path::new(""), &all, &limits)?;
            if directed && !table.directed {
                pairs.extend(found.iter().map(|&[one, other]| [other, one]));
            }
            pairs.extend(found);
        }
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let (graph, _) = GraphBuilder::from_pairs(ids.len(), direction, pairs).build()?;
        Ok(Self { ids, rows, graph, new })
    }
}

/// Rows of features as they are.
pub(crate) fn own_rows(people: &Dataset) -> Option<DenseMatrix> {
    match people.features()?.matrix() {
        FeatureMatrix::Dense(rows) => Some(rows.clone()),
        FeatureMatrix::Sparse(rows) => Some(rows.to_dense()),
    }
}

fn released_rows(released: &Dataset, columns: usize) -> Result<DenseMatrix> {
    let Some(rows) = own_rows(released) else {
        let (what, remedy) =
            ("features", "release them, too: without them there is nothing to answer by");
        return Err(Error::Missing { dataset: released.name().into(), what, remedy });
    };
    match rows.columns() == columns {
        true => Ok(rows),
        false => Err(Error::invalid("columns of what was released", rows.columns(), columns)),
    }
}
