//! [`Newcomers`]: new people, whom they know among themselves, and whom among people about whom something
//! was released. What was released may be used freely, so it costs nothing; who is known by name is what the newcomers
//! themselves say.

use std::path::Path;

use crate::data::declared::{EdgeTable, PeopleReader, PeopleTable};
use crate::graph::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Graph, GraphBuilder, IdInterner, NodeId,
};
use crate::privacy::fault::{self, Fault};
use crate::privacy::unit::DataPart;
use crate::project::InputGuard;
use crate::{Error, Result};

/// How many people are read at a time.
const BATCH: usize = 8192;

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

/// What was found about newcomers.
#[derive(Debug, Clone, PartialEq)]
pub struct NewcomerAnswers {
    /// Who they are, in the order of their table.
    pub ids: Vec<String>,
    /// The probability of every class, one row a person.
    pub probabilities: DenseMatrix,
}

impl Newcomers {
    /// Reads a table of people in the order of its lines, the connections that are known, and what was released
    /// about others. Records about any other person are left out. Who is in both is new: the later record counts.
    ///
    /// # Errors
    /// If a table is not as declared, an id stands in it twice, or it holds records or connections that a project protects;
    /// if what was released has no features, or other columns.
    pub fn read(
        preprocessing: &PeopleTable,
        people: &Path,
        table: Option<String>,
        edges: Option<&EdgeTable>,
        released: Option<&Dataset>,
        guard: &InputGuard,
    ) -> Result<Self> {
        let newcomers = NewcomerRows::read(preprocessing, people, table, guard)?;
        // One directed source makes the joined graph directed.
        let directed = edges.is_some_and(|table| table.directed)
            || released.is_some_and(|them| them.graph().direction() == Direction::Directed);
        let mut gathered = Gathered::new(newcomers, directed);
        if let Some(released) = released {
            gathered.add_released(released)?;
        }
        if let Some(table) = edges {
            // Ends must be known by now: connections are read last.
            let pairs = guard.read_connections(table, &gathered.all, &gathered.ids)?;
            gathered.connect(pairs.into_iter(), table.directed);
        }
        gathered.finish()
    }
}

/// The people of a table, in the order of its lines: the order that answers come in.
struct NewcomerRows {
    ids: Vec<String>,
    rows: Vec<f32>,
    columns: usize,
}

impl NewcomerRows {
    fn read(
        preprocessing: &PeopleTable,
        people: &Path,
        table: Option<String>,
        guard: &InputGuard,
    ) -> Result<Self> {
        let declared = PeopleTable {
            table,
            // Labels of newcomers are not needed, and not read.
            label: None,
            classes: None,
            separator: None,
            whether: None,
            ..preprocessing.clone()
        };
        let readable = PeopleReader::new(&declared).map_err(|mistake| Error::Mistake {
            place: "model.json".into(),
            reason: mistake.to_string(),
        })?;
        let columns = readable.encoder().width();
        let (mut ids, mut rows) = (Vec::new(), Vec::new());
        for batch in guard.open_people(&readable, people, BATCH, &[DataPart::Features])? {
            let batch = batch?;
            ids.extend(batch.ids);
            rows.extend_from_slice(batch.rows.values());
        }
        if fault::on(Fault::AnswersSortedById) {
            let mut order: Vec<usize> = (0..ids.len()).collect();
            order.sort_by_key(|&at| &ids[at]);
            let row = |&at: &usize| rows[at * columns..][..columns].to_vec();
            rows = order.iter().flat_map(row).collect();
            ids.sort();
        }
        Ok(Self { ids, rows, columns })
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
    fn new(newcomers: NewcomerRows, directed: bool) -> Self {
        let NewcomerRows { ids, rows, columns } = newcomers;
        let mut all = IdInterner::default();
        for id in &ids {
            all.intern(id);
        }
        let new = ids.len();
        Self { all, ids, rows, columns, pairs: Vec::new(), directed, new }
    }

    fn add_released(&mut self, released: &Dataset) -> Result<()> {
        let rows = released_rows(released, self.columns)?;
        let mut place = Vec::with_capacity(rows.rows());
        for node in released.graph().nodes() {
            let id = released.ids().get(node);
            // Of a person who is in both, the newcomers' record stays.
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
        // In a directed graph an undirected connection goes both ways.
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
