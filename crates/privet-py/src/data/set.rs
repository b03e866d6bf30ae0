//! Many graphs, each with a class.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use privet::graph::{self, Direction, Error, GraphBuilder, Labels};
use pyo3::prelude::*;

use super::as_integers;
use super::build::{known, pairs};
use crate::error::Failure;
use crate::work::not_in_a_fork;

/// Many graphs.
#[pyclass(frozen, module = "privet._native")]
pub(crate) struct GraphSet(pub(crate) Arc<graph::GraphSet>);

/// Sources, targets and how many nodes.
type Edges<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, usize);

#[pymethods]
impl GraphSet {
    /// Graphs of arrays; classes are numbers, `missing` marks those that are none.
    #[staticmethod]
    #[pyo3(signature = (name, graphs, directed, labels, missing=None))]
    fn build(
        name: String,
        graphs: Vec<Edges<'_>>,
        directed: bool,
        labels: Option<PyReadonlyArray1<'_, i64>>,
        missing: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Self> {
        not_in_a_fork()?;
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let graph = |(sources, targets, nodes): &Edges<'_>| -> PyResult<graph::Graph> {
            let pairs = pairs(sources.as_slice()?, targets.as_slice()?, *nodes)?;
            let built = GraphBuilder::from_pairs(*nodes, direction, pairs).build();
            Ok(built.map_err(Failure::from)?.0)
        };
        let graphs = graphs.iter().map(graph).collect::<PyResult<Vec<_>>>()?;
        let mut set = graph::GraphSet::new(name, graphs);
        if let Some(labels) = labels {
            let raw = known(labels.as_slice()?, missing.as_ref())?;
            let labels = Labels::from_integers(&raw).map_err(Failure::from)?;
            set = set.with_labels(labels).map_err(Failure::from)?;
        }
        Ok(Self(Arc::new(set)))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    #[getter]
    fn node_count(&self) -> usize {
        self.0.node_count()
    }

    #[getter]
    fn edge_count(&self) -> usize {
        self.0.edge_count()
    }

    /// How many nodes each graph has.
    fn sizes(&self) -> Vec<usize> {
        self.0.graphs().iter().map(|graph| graph.node_count()).collect()
    }

    /// The arcs of one graph.
    fn edge_index<'py>(
        &self,
        py: Python<'py>,
        number: usize,
    ) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let none = || Failure::from(Error::invalid("graph", number, "a graph of the set"));
        let graph = self.0.graphs().get(number).ok_or_else(none)?;
        let (mut both, targets): (Vec<i64>, Vec<i64>) = graph.arcs().map(as_integers).unzip();
        let length = both.len();
        both.extend(targets);
        both.into_pyarray(py).reshape([2, length])
    }

    /// The class of every graph, -1 where there is none.
    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let labels = self.0.labels().filter(|labels| !labels.is_multi())?;
        let class = |item| labels.class(item).map_or(-1, i64::from);
        Some((0..self.0.len() as u32).map(class).collect::<Vec<i64>>().into_pyarray(py))
    }

    #[getter]
    fn class_names(&self) -> Option<Vec<String>> {
        self.0.labels().map(|labels| labels.class_names().to_vec())
    }

    #[getter]
    fn notices(&self) -> Vec<String> {
        self.0.notices().iter().map(ToString::to_string).collect()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
