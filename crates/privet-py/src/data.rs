//! Graphs about people between numpy's arrays and the library's [`Dataset`](privet::graph::Dataset).

mod build;
mod lent;
mod set;

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use privet::data::formats::Format;
use privet::data::formats::write::{self, Overwrite};
use privet::graph::{self, Direction, Fact, FactOrigin, FeatureMatrix, LoadedData, memory};
use pyo3::prelude::*;

pub(crate) use build::{
    Declared, dataset, declared, pairs, with_column_names, with_dense, with_labels, with_name,
    with_sparse, with_split,
};
pub(crate) use set::GraphSet;

use crate::error::Failure;
use crate::work::not_in_a_fork;

/// One graph and what is known about its nodes: raw data, which its holder may read.
#[pyclass(frozen, module = "privet._native")]
pub(crate) struct Dataset(pub(crate) Arc<graph::Dataset>);

/// Rows of neighbours: offsets, nodes.
type NeighborRows<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// Rows of a sparse matrix: offsets, columns, values.
type Sparse<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>);

#[pymethods]
impl Dataset {
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn node_count(&self) -> usize {
        self.0.graph().node_count()
    }

    #[getter]
    fn edge_count(&self) -> usize {
        self.0.graph().edge_count()
    }

    #[getter]
    fn directed(&self) -> bool {
        self.0.graph().direction() == Direction::Directed
    }

    /// Every arc, row by row; `once` gives an undirected edge once.
    fn edge_index<'py>(&self, py: Python<'py>, once: bool) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let graph = self.0.graph();
        // Two numbers of 8 bytes for each arc, and as many again while both halves are joined.
        memory::ask("arcs", graph.arc_count() as u64, 32, 0).map_err(Failure::from)?;
        let pairs: (Vec<i64>, Vec<i64>) = match once {
            true => graph.edges().map(as_integers).unzip(),
            false => graph.arcs().map(as_integers).unzip(),
        };
        let length = pairs.0.len();
        let mut both = pairs.0;
        both.extend(pairs.1);
        both.into_pyarray(py).reshape([2, length])
    }

    /// Rows of neighbours: where each begins, and who is in it.
    fn csr<'py>(&self, py: Python<'py>) -> PyResult<NeighborRows<'py>> {
        let graph = self.0.graph();
        memory::ask("arcs", graph.arc_count() as u64, 8, 0).map_err(Failure::from)?;
        let offsets: Vec<i64> = graph.offsets().iter().map(|&offset| offset as i64).collect();
        let targets: Vec<i64> = graph.targets().iter().map(|&node| i64::from(node)).collect();
        Ok((offsets.into_pyarray(py), targets.into_pyarray(py)))
    }

    /// Integers, if all ids are; else nothing.
    fn integer_ids<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u64>>> {
        let ids = self.0.ids();
        let integer = |id: graph::Id<'_>| match id {
            graph::Id::Integer(number) => number,
            graph::Id::Text(_) => 0,
        };
        ids.are_integers().then(|| ids.iter().map(integer).collect::<Vec<u64>>().into_pyarray(py))
    }

    /// The ids as text.
    fn text_ids(&self) -> Vec<String> {
        self.0.ids().iter().map(|id| id.to_string()).collect()
    }

    #[getter]
    fn columns(&self) -> Option<usize> {
        self.0.features().map(|features| features.columns())
    }

    #[getter]
    fn column_names(&self) -> Option<Vec<String>> {
        self.0.features()?.names().map(<[String]>::to_vec)
    }

    /// Dense features, if they are dense.
    fn dense<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let Some(FeatureMatrix::Dense(matrix)) = self.0.features().map(|f| f.matrix()) else {
            return Ok(None);
        };
        let values = PyArray1::from_slice(py, matrix.values());
        values.reshape([matrix.rows(), matrix.columns()]).map(Some)
    }

    /// Sparse features, if they are sparse.
    fn sparse<'py>(&self, py: Python<'py>) -> Option<Sparse<'py>> {
        let Some(FeatureMatrix::Sparse(matrix)) = self.0.features().map(|f| f.matrix()) else {
            return None;
        };
        let offsets: Vec<i64> = matrix.offsets().iter().map(|&offset| offset as i64).collect();
        let indices: Vec<i64> = matrix.indices().iter().map(|&column| i64::from(column)).collect();
        let values = PyArray1::from_slice(py, matrix.values());
        Some((offsets.into_pyarray(py), indices.into_pyarray(py), values))
    }

    /// The declared range of every column, if one is declared.
    #[getter]
    fn bounds(&self) -> Option<Vec<(f32, f32)>> {
        let features = self.0.features()?;
        let bounds = features.bounds().filter(|bounds| bounds.is_public())?;
        Some(match bounds.column_count() {
            None => vec![bounds.column(0)],
            Some(columns) => (0..columns).map(|column| bounds.column(column)).collect(),
        })
    }

    /// The class of every node, -1 where there is none; nothing if there are no labels, or several each.
    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let labels = self.0.labels().filter(|labels| !labels.is_multi())?;
        let class = |node| labels.class(node).map_or(-1, i64::from);
        Some(self.0.graph().nodes().map(class).collect::<Vec<i64>>().into_pyarray(py))
    }

    /// The classes of every node, if there can be several.
    fn label_lists(&self) -> Option<Vec<Vec<u32>>> {
        let labels = self.0.labels().filter(|labels| labels.is_multi())?;
        Some(self.0.graph().nodes().map(|node| labels.classes(node).to_vec()).collect())
    }

    #[getter]
    fn class_names(&self) -> Option<Vec<String>> {
        self.0.labels().map(|labels| labels.class_names().to_vec())
    }

    /// Nodes for training, validation and testing, if the publisher says.
    fn split(&self) -> Option<(Vec<u32>, Vec<u32>, Vec<u32>)> {
        let split = self.0.split()?;
        Some((split.train.clone(), split.validation.clone(), split.test.clone()))
    }

    /// Who says what: a fact, and `stated`, `read-off` or `taken-for-public`.
    fn facts(&self) -> Vec<(&'static str, &'static str)> {
        let origin = |fact: Fact| {
            let origin = match self.0.fact_origin(fact)? {
                FactOrigin::Stated => "stated",
                FactOrigin::ReadOff => "read-off",
                FactOrigin::TakenForPublic => "taken-for-public",
            };
            Some((fact.name(), origin))
        };
        Fact::ALL.into_iter().filter_map(origin).collect()
    }

    #[getter]
    fn notices(&self) -> Vec<String> {
        self.0.notices().iter().map(ToString::to_string).collect()
    }

    /// Writes it to a file or folder, and gives the files.
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: Option<&str>,
        overwrite: bool,
    ) -> PyResult<Vec<String>> {
        let format = format.map(Format::from_name).transpose().map_err(Failure::from)?;
        let overwrite = if overwrite { Overwrite::Replace } else { Overwrite::Refuse };
        let data = Arc::clone(&self.0);
        not_in_a_fork()?;
        let written = py.detach(move || {
            write::write(&LoadedData::Nodes((*data).clone()), &path, format, overwrite)
        });
        Ok(written
            .map_err(Failure::from)?
            .into_iter()
            .map(|path| path.display().to_string())
            .collect())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

fn as_integers((from, to): (u32, u32)) -> (i64, i64) {
    (i64::from(from), i64::from(to))
}
