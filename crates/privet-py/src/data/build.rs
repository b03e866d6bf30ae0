//! From arrays to a dataset, and what is declared about one.

use std::sync::Arc;

use numpy::{PyArrayLike1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use privet::graph::{
    self, BoundsOrigin, DeclaredColumns, DenseMatrix, Direction, Error, Fact, FactOrigin, Features,
    GraphBuilder, Labels, NodeIds, Notice, SelfLoops, SourceLocation, SparseMatrix, Split,
};
use pyo3::prelude::*;

use super::Dataset;
use super::lent::lent;
use crate::error::Failure;
use crate::work::not_in_a_fork;

/// A sparse matrix: columns in all, offsets, columns, values.
type SparseRows<'py> =
    (usize, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f32>);

/// Ids as they come: numbers or text.
#[derive(FromPyObject)]
pub(crate) enum Ids<'py> {
    Integers(PyReadonlyArray1<'py, u64>),
    Texts(Vec<String>),
}

/// Labels as they come: numbers, or text, empty for none.
#[derive(FromPyObject)]
pub(crate) enum Classes<'py> {
    Integers(PyReadonlyArray1<'py, i64>),
    Texts(Vec<String>),
}

/// One range for all columns, or one each.
#[derive(FromPyObject)]
pub(crate) enum Bounds {
    Uniform((f32, f32)),
    PerColumn(Vec<(f32, f32)>),
}

/// A number of columns, or their names.
#[derive(FromPyObject)]
pub(crate) enum Columns {
    Count(usize),
    Names(Vec<String>),
}

/// Facts that the data's custodian knows without looking at the records.
#[derive(FromPyObject)]
pub(crate) struct Declared {
    #[pyo3(item)]
    nodes: Option<Vec<String>>,
    #[pyo3(item)]
    classes: Option<Vec<String>>,
    #[pyo3(item)]
    columns: Option<Columns>,
    #[pyo3(item)]
    bounds: Option<Bounds>,
    #[pyo3(item)]
    assume_public: Vec<String>,
}

impl Bounds {
    /// As the library knows them.
    ///
    /// # Errors
    /// If they are not finite, or in the wrong order.
    pub(crate) fn declared(self) -> graph::Result<graph::Bounds> {
        let origin = BoundsOrigin::Declared;
        match self {
            Self::Uniform((low, high)) => graph::Bounds::uniform(low, high, origin),
            Self::PerColumn(ranges) => graph::Bounds::per_column(ranges, origin),
        }
    }
}

impl Declared {
    /// Declares it.
    ///
    /// # Errors
    /// If the records contradict it.
    pub(crate) fn of(self, mut data: graph::Dataset) -> graph::Result<graph::Dataset> {
        if let Some(ids) = self.nodes {
            data = data.with_universe(NodeIds::texts(ids)?)?;
        }
        if let Some(names) = self.classes {
            data = data.with_classes(names)?;
        }
        if let Some(columns) = self.columns {
            data = data.with_columns(match columns {
                Columns::Count(count) => DeclaredColumns::Count(count),
                Columns::Names(names) => DeclaredColumns::Names(names),
            })?;
        }
        if let Some(bounds) = self.bounds {
            let none =
                || Error::invalid("range of features", "given", "none: there are no features");
            let features = data.features().cloned().ok_or_else(none)?;
            data = data.with_features(features.with_bounds(bounds.declared()?)?)?;
        }
        for name in &self.assume_public {
            let known = || Fact::ALL.map(Fact::name);
            let fact = Fact::from_name(name);
            data = data
                .taken_for_public(fact.ok_or_else(|| Error::unknown_name("fact", name, known()))?);
        }
        Ok(data)
    }
}

/// A graph of arrays: positions of nodes, and what is known about them.
#[pyfunction]
#[pyo3(signature = (name, sources, targets, node_count, *, directed, self_loops, ids, ids_stated))]
#[expect(clippy::too_many_arguments, reason = "the keywords of one Python function")]
pub(crate) fn dataset(
    name: String,
    sources: PyReadonlyArray1<'_, i64>,
    targets: PyReadonlyArray1<'_, i64>,
    node_count: usize,
    directed: bool,
    self_loops: bool,
    ids: Option<Ids<'_>>,
    ids_stated: bool,
) -> PyResult<Dataset> {
    not_in_a_fork()?;
    let direction = if directed { Direction::Directed } else { Direction::Undirected };
    let loops = if self_loops { SelfLoops::Keep } else { SelfLoops::Drop };
    let pairs = pairs(sources.as_slice()?, targets.as_slice()?, node_count)?;
    let builder = GraphBuilder::from_pairs(node_count, direction, pairs).self_loops(loops);
    let (graph, folded) = builder.build().map_err(Failure::from)?;
    let ids = match ids {
        None => NodeIds::sequential(node_count),
        Some(Ids::Integers(ids)) => {
            NodeIds::integers(ids.as_slice()?.to_vec()).map_err(Failure::from)?
        }
        Some(Ids::Texts(ids)) => NodeIds::texts(ids).map_err(Failure::from)?,
    };
    let notices: Vec<Notice> = Notice::folded(&SourceLocation::file(&name), &folded).collect();
    let data = graph::Dataset::new(name, graph, ids).map_err(Failure::from)?;
    let origin = if ids_stated { FactOrigin::Stated } else { FactOrigin::ReadOff };
    Ok(Dataset(Arc::new(data.with_ids_origin(origin).with_notices(notices))))
}

/// The same with dense features, copied or read where they are: `rows` must be an array that nothing can write to then.
#[pyfunction]
pub(crate) fn with_dense(
    data: &Dataset,
    rows: PyReadonlyArray2<'_, f32>,
    copy: bool,
) -> PyResult<Dataset> {
    let matrix = match copy {
        false => lent(&rows)?,
        true => {
            let (shape, values) = (rows.shape(), Arc::new(rows.as_slice()?.to_vec()));
            DenseMatrix::shared(shape[0], shape[1], values).map_err(Failure::from)?
        }
    };
    data.with(|data| data.with_features(Features::dense(matrix)))
}

/// The same with sparse features.
#[pyfunction]
pub(crate) fn with_sparse(data: &Dataset, rows: SparseRows<'_>) -> PyResult<Dataset> {
    let (columns, offsets, indices, values) = rows;
    let offsets = offsets.as_slice()?.iter().map(|&at| usize::try_from(at));
    let offsets = offsets.collect::<Result<Vec<usize>, _>>().map_err(|_| outside("offset"))?;
    let indices = indices.as_slice()?.iter().map(|&at| u32::try_from(at));
    let indices = indices.collect::<Result<Vec<u32>, _>>().map_err(|_| outside("column"))?;
    let matrix = SparseMatrix::new(columns, offsets, indices, values.as_slice()?.to_vec());
    let matrix = matrix.map_err(Failure::from)?;
    data.with(|data| data.with_features(Features::sparse(matrix)))
}

/// The same with names for its columns.
#[pyfunction]
pub(crate) fn with_column_names(data: &Dataset, names: Vec<String>) -> PyResult<Dataset> {
    let features = data.0.features().cloned();
    let none = || Failure::from(Error::invalid("columns", "named", "none: there are no features"));
    let features = features.ok_or_else(none)?.with_names(names).map_err(Failure::from)?;
    data.with(|data| data.with_features(features))
}

/// The same with one label each; which classes there are is read off them. `missing` marks numbers that are no label.
#[pyfunction]
#[pyo3(signature = (data, labels, missing=None))]
pub(crate) fn with_labels(
    data: &Dataset,
    labels: Classes<'_>,
    missing: Option<PyReadonlyArray1<'_, bool>>,
) -> PyResult<Dataset> {
    let labels = match labels {
        Classes::Texts(names) => Labels::from_names(&names),
        Classes::Integers(numbers) => {
            Labels::from_integers(&known(numbers.as_slice()?, missing.as_ref())?)
        }
    };
    let labels = labels.map_err(Failure::from)?;
    data.with(|data| data.with_labels(labels))
}

/// Numbers, but for those that are marked as missing.
pub(super) fn known(
    numbers: &[i64],
    missing: Option<&PyReadonlyArray1<'_, bool>>,
) -> PyResult<Vec<Option<i64>>> {
    let Some(missing) = missing else { return Ok(numbers.iter().copied().map(Some).collect()) };
    let missing = missing.as_slice()?;
    if missing.len() != numbers.len() {
        let error =
            Error::invalid("marks of missing labels", missing.len(), numbers.len().to_string());
        return Err(Failure::from(error).into());
    }
    let some = |(&number, &gone): (&i64, &bool)| (!gone).then_some(number);
    Ok(numbers.iter().zip(missing).map(some).collect())
}

/// The same with nodes for training, validation and testing.
#[pyfunction]
pub(crate) fn with_split(
    data: &Dataset,
    train: PyArrayLike1<'_, u32>,
    validation: PyArrayLike1<'_, u32>,
    test: PyArrayLike1<'_, u32>,
) -> PyResult<Dataset> {
    let split = Split {
        train: train.as_slice()?.to_vec(),
        validation: validation.as_slice()?.to_vec(),
        test: test.as_slice()?.to_vec(),
    };
    data.with(|data| data.with_split(split))
}

/// The same with facts that are declared.
#[pyfunction]
pub(crate) fn declared(data: &Dataset, facts: Declared) -> PyResult<Dataset> {
    data.with(|data| facts.of(data))
}

/// The same under another name.
#[pyfunction]
pub(crate) fn with_name(data: &Dataset, name: String) -> Dataset {
    Dataset(Arc::new((*data.0).clone().with_name(name)))
}

impl Dataset {
    fn with(
        &self,
        change: impl FnOnce(graph::Dataset) -> graph::Result<graph::Dataset>,
    ) -> PyResult<Self> {
        let data = change((*self.0).clone()).map_err(Failure::from)?;
        Ok(Self(Arc::new(data)))
    }
}

/// Positions that are there.
pub(crate) fn pairs(
    sources: &[i64],
    targets: &[i64],
    node_count: usize,
) -> PyResult<Vec<[u32; 2]>> {
    if sources.len() != targets.len() {
        let error = Error::invalid("number of targets", targets.len(), sources.len().to_string());
        return Err(Failure::from(error).into());
    }
    let node = |at: i64| u32::try_from(at).ok().filter(|&node| (node as usize) < node_count);
    let pair = |(&from, &to): (&i64, &i64)| Some([node(from)?, node(to)?]);
    let all: Option<Vec<[u32; 2]>> = sources.iter().zip(targets).map(pair).collect();
    // Which edge it was is between the caller and the array; messages contain no ids.
    all.ok_or_else(|| outside("end of an edge").into())
}

fn outside(what: &str) -> Failure {
    Error::invalid(what, "one out of range", "a position that is there").into()
}
