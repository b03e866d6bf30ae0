//! [`Newcomers`]: people who were not there, whom they know among themselves, and whom among people about whom something
//! was released. What was released may be used by anybody, so it costs nothing; who is known by name is what the newcomers
//! themselves say.

use std::path::Path;

use crate::data::declared::{EdgeTable, PeopleTable};
use crate::graph::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Graph, GraphBuilder, IdInterner, NodeId,
};
use crate::project::InputGuard;
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
    /// If a table is not as declared, holds records or connections that a project protects, or what was released has no
    /// features, or other columns.
    pub fn read(
        preprocessing: &PeopleTable,
        people: &Path,
        table: Option<String>,
        edges: Option<&EdgeTable>,
        released: Option<&Dataset>,
        guard: &InputGuard,
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
        let newcomers = guard.read_people(people)?;
        let directed = edges.is_some_and(|table| table.directed)
            || released.is_some_and(|them| them.graph().direction() == Direction::Directed);
        let mut gathered = Gathered::new(&newcomers, directed);
        if let Some(released) = released {
            gathered.add_released(released)?;
        }
        if let Some(table) = edges {
            let pairs = guard.read_connections(table, &gathered.all, &gathered.ids)?;
            gathered.connect(pairs.into_iter(), table.directed);
        }
        gathered.finish()
    }
}

/// People and connections that are being put together.
struct Gathered {
    all: IdInterner,
    ids: Vec<String>,
    rows: Vec<f32>,
    columns: usize,
    pairs: Vec<[NodeId; 2]>,
    directed: bool,
    new: usize,
}

impl Gathered {
    fn new(newcomers: &Dataset, directed: bool) -> Self {
        let new = newcomers.graph().node_count();
        let ids: Vec<String> = newcomers.ids().iter().map(|id| id.to_string()).collect();
        let mut all = IdInterner::default();
        for id in &ids {
            all.intern(id);
        }
        let rows = own_rows(newcomers).unwrap_or_else(|| DenseMatrix::zeros(new, 0));
        let (columns, rows) = (rows.columns(), rows.into_values());
        Self { all, ids, rows, columns, pairs: Vec::new(), directed, new }
    }

    fn add_released(&mut self, released: &Dataset) -> Result<()> {
        let rows = released_rows(released, self.columns)?;
        let mut place = Vec::with_capacity(rows.rows());
        for node in released.graph().nodes() {
            let id = released.ids().get(node);
            let at = self.all.intern_id(id);
            if at as usize == self.ids.len() {
                self.ids.push(id.to_string());
                self.rows.extend_from_slice(rows.row(node as usize));
            }
            place.push(at);
        }
        let pairs = released.graph().edges();
        let pairs = pairs.map(|(one, other)| [place[one as usize], place[other as usize]]);
        self.connect(pairs, released.graph().direction() == Direction::Directed);
        Ok(())
    }

    /// Connections that lead one way, or both.
    fn connect(&mut self, pairs: impl Iterator<Item = [NodeId; 2]>, one_way: bool) {
        let from = self.pairs.len();
        self.pairs.extend(pairs);
        if self.directed && !one_way {
            let back: Vec<_> =
                self.pairs[from..].iter().map(|&[one, other]| [other, one]).collect();
            self.pairs.extend(back);
        }
    }

    fn finish(self) -> Result<Newcomers> {
        let Self { ids, rows, columns, pairs, directed, new, .. } = self;
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let (graph, _) = GraphBuilder::from_pairs(ids.len(), direction, pairs).build()?;
        Ok(Newcomers { rows: DenseMatrix::new(ids.len(), columns, rows)?, ids, graph, new })
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
