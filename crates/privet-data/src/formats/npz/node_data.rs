//! What an npz says about its nodes: ids, features with names and bounds, labels, a split.

use super::NpzArrays;
use crate::formats::label_cells::{is_whole, refuse_quantity};
use crate::formats::npy::{NpyArray, NpyItem};
use crate::{
    Bounds, BoundsOrigin, DenseMatrix, FeatureMatrix, Features, FoundValue, Labels, NodeId,
    NodeIds, Result, SourceLocation, Split,
};

/// Under which keys to look for features.
pub(crate) struct FeatureKeys {
    /// What the keys of compressed sparse rows begin with.
    pub sparse: &'static [&'static str],
    /// The keys of whole matrices.
    pub dense: &'static [&'static str],
}

impl FeatureKeys {
    /// Beside a graph.
    pub const OF_GRAPH: Self = Self {
        sparse: &["attr_", "attr_matrix."],
        dense: &["attr_matrix", "features", "x", "node_features"],
    };
    /// In a file of its own: also a matrix as scipy saves it, or an array without a name.
    pub const ALONE: Self = Self {
        sparse: &["attr_", "attr_matrix.", ""],
        dense: &["attr_matrix", "features", "x", "arr_0"],
    };
}

/// The keys of labels, in the order in which they are tried.
pub(crate) const LABELS: [&str; 3] = ["labels", "y", "node_labels"];

pub(super) fn name(arrays: &mut NpzArrays<'_>) -> Result<Option<String>> {
    let Some(array) = arrays.optional("name")?.filter(NpyArray::is_text) else { return Ok(None) };
    Ok(array.texts()?.into_iter().next())
}

/// `node_ids` (integers) or `node_names`; positions if there is neither, or they do not serve.
pub(super) fn ids(arrays: &mut NpzArrays<'_>, node_count: usize) -> Result<NodeIds> {
    for key in ["node_ids", "node_names"] {
        let Some(array) = arrays.optional(key)? else { continue };
        let usable = array.shape() == [node_count] && !matches!(array.item(), NpyItem::Float(_));
        if !usable {
            let shape = array.shape();
            let text = format!("{key} has shape {shape:?}, not one name per node: not used");
            arrays.notice(text);
            continue;
        }
        let ids = if array.is_text() {
            NodeIds::texts(array.texts()?)
        } else {
            NodeIds::integers(array.integers("an id, not negative")?)
        };
        match ids {
            Ok(ids) => return Ok(ids),
            // Duplicate names are common in published files: positions serve as ids then, and a notice says so.
            Err(error) => arrays.notice(format!("{key} not used: {error}")),
        }
    }
    Ok(NodeIds::sequential(node_count))
}

pub(super) fn features(arrays: &mut NpzArrays<'_>, node_count: usize) -> Result<Option<Features>> {
    let Some((place, matrix)) = feature_matrix(arrays, &FeatureKeys::OF_GRAPH)? else {
        return Ok(None);
    };
    let mut features = Features::new(matrix);
    if features.rows() != node_count {
        let expected = format!("{node_count}, one per node");
        return Err(place
            .malformed(FoundValue::words(format!("{} feature rows", features.rows())), expected));
    }
    if let Some(names) = arrays.names("attr_names", features.columns())? {
        features = features.with_names(names).map_err(|error| error.at(&place))?;
    }
    if let Some(bounds) = bounds(arrays)? {
        features = features.with_bounds(bounds).map_err(|error| error.at(&place))?;
    }
    Ok(Some(features))
}

/// The features under the first of the keys, and where they were.
pub(crate) fn feature_matrix(
    arrays: &mut NpzArrays<'_>,
    keys: &FeatureKeys,
) -> Result<Option<(SourceLocation, FeatureMatrix)>> {
    // Sparse first: files with both hold the same matrix twice.
    if let Some(prefix) = arrays.csr_prefix(keys.sparse) {
        let matrix = arrays.csr(prefix)?.into_matrix()?;
        return Ok(Some((arrays.place().clone(), FeatureMatrix::Sparse(matrix))));
    }
    let Some(array) = arrays.first(keys.dense)? else { return Ok(None) };
    let matrix = FeatureMatrix::Dense(dense_matrix(&array)?);
    Ok(Some((array.place().clone(), matrix)))
}

/// A matrix from an array of numbers; one dimension is a single column.
pub(crate) fn dense_matrix(array: &NpyArray) -> Result<DenseMatrix> {
    let (rows, columns) = match *array.shape() {
        [rows, columns] => (rows, columns),
        [rows] => (rows, 1),
        _ => return Err(array.place().malformed("a single value", "one row per node")),
    };
    DenseMatrix::new(rows, columns, array.floats()?).map_err(|error| error.at(array.place()))
}

/// `attr_bounds`: low and high, once or per column; `attr_bounds_origin`: who declared them.
fn bounds(arrays: &mut NpzArrays<'_>) -> Result<Option<Bounds>> {
    // Bounds without an origin are refused: who declared them decides whether a mechanism may use them.
    let Some(array) = arrays.get("attr_bounds")? else { return Ok(None) };
    let origin = arrays.required("attr_bounds_origin")?;
    let names = origin.texts()?;
    let known = |name: &String| serde_json::from_value::<BoundsOrigin>(name.as_str().into()).ok();
    let Some(origin) = names.first().and_then(known) else {
        let found = FoundValue::words(format!("the origin '{}'", names.join(" ").escape_debug()));
        let expected = "declared, format or measured_from_data";
        return Err(origin.place().malformed(found, expected));
    };
    let values = array.floats()?;
    let bounds = match (array.shape(), values.as_slice()) {
        ([2], &[low, high]) => Bounds::uniform(low, high, origin),
        ([_, 2], values) => {
            let ranges = values.as_chunks::<2>().0.iter().map(|&[low, high]| (low, high));
            Bounds::per_column(ranges.collect(), origin)
        }
        (shape, _) => {
            let found = FoundValue::words(format!("the shape {shape:?}"));
            return Err(array.place().malformed(found, "low and high, once or per column"));
        }
    };
    bounds.map(Some).map_err(|error| error.at(array.place()))
}

pub(super) fn labels(arrays: &mut NpzArrays<'_>, node_count: usize) -> Result<Option<Labels>> {
    let Some(array) = arrays.first(&LABELS)? else { return Ok(None) };
    let names = arrays.optional("class_names")?;
    let (labels, notice) = labels_of(&array, names.as_ref(), node_count)?;
    notice.into_iter().for_each(|text| arrays.notice(text));
    Ok(Some(labels))
}

/// Labels from an array: one class per node, or one row of 0 and 1 per node. Class names that do
/// not fit are left out, with a notice.
pub(crate) fn labels_of(
    array: &NpyArray,
    class_names: Option<&NpyArray>,
    node_count: usize,
) -> Result<(Labels, Option<String>)> {
    if array.shape().first() != Some(&node_count) {
        let found = FoundValue::words(format!("labels of shape {:?}", array.shape()));
        return Err(array.place().malformed(found, format!("one per node ({node_count})")));
    }
    let texts = class_names.filter(|names| names.is_text() && names.shape().len() == 1);
    let texts = texts.map(NpyArray::texts).transpose()?;
    let (labels, named) = match *array.shape() {
        // One column of numbers is a list of classes; one column of truth values is a single yes or no.
        [_, columns] if columns != 1 || array.item() == NpyItem::Bool => {
            multi_labels(array, columns, texts)?
        }
        _ if array.is_text() => (Labels::from_names(&array.texts()?), ClassNameSource::Otherwise),
        _ => single_labels(array, texts)?,
    };
    let notice = match (named, class_names) {
        (ClassNameSource::Otherwise, Some(names)) => {
            let (item, shape) = (names.item(), names.shape());
            Some(format!("class_names ({item} of shape {shape:?}) do not fit the labels: not used"))
        }
        _ => None,
    };
    Ok((labels.map_err(|error| error.at(array.place()))?, notice))
}

/// Where the names of the classes are from.
enum ClassNameSource {
    ByNames,
    Otherwise,
}

fn single_labels(
    array: &NpyArray,
    names: Option<Vec<String>>,
) -> Result<(Result<Labels>, ClassNameSource)> {
    let raw: Vec<i64> = match array.item() {
        NpyItem::Float(_) => whole_classes(array)?,
        _ => array.integers("a class")?,
    };
    let mut classes = Vec::with_capacity(raw.len());
    for (at, &class) in raw.iter().enumerate() {
        classes.push(match class {
            // The usual mark of nodes without a class.
            -1 => None,
            0..=0xffff_fffe => Some(class),
            _ => return Err(array.bad_value(class, at, "a class from 0, or -1 for none")),
        });
    }
    let used = classes.iter().flatten().max().map_or(0, |&class| class as usize + 1);
    // More names than classes in use are fine: a class may be empty.
    let Some(names) = names.filter(|names| names.len() >= used) else {
        return Ok((Labels::from_integers(&classes), ClassNameSource::Otherwise));
    };
    let classes = classes.into_iter().map(|class| class.map(|class| class as u32)).collect();
    Ok((Labels::single(classes, names), ClassNameSource::ByNames))
}

/// Classes that are whole numbers, kept as floating point because some are missing: NaN is no class.
fn whole_classes(array: &NpyArray) -> Result<Vec<i64>> {
    let values = array.doubles();
    let mut distinct: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    // Distinct values decide whether the numbers are classes or a quantity.
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    refuse_quantity(&distinct, array.place())?;
    let class = |(at, &value): (usize, &f64)| match value {
        value if value.is_nan() => Ok(-1),
        value if is_whole(value) => Ok(value as i64),
        value => Err(array.bad_value(value, at, "a class: a whole number")),
    };
    values.iter().enumerate().map(class).collect()
}

fn multi_labels(
    array: &NpyArray,
    columns: usize,
    names: Option<Vec<String>>,
) -> Result<(Result<Labels>, ClassNameSource)> {
    let values = array.floats()?;
    // Probabilities or counts are no labels.
    if let Some(at) = values.iter().position(|&v| v != 0.0 && v != 1.0) {
        return Err(array.bad_value(values[at], at, "0 or 1, as in every table of labels"));
    }
    let present = |row: &[f32]| {
        let classes = (0..).zip(row).filter(|&(_, &value)| value == 1.0);
        classes.map(|(class, _)| class).collect::<Vec<u32>>()
    };
    let classes = match columns {
        // The number of rows was compared with the nodes, so it is safe to believe.
        0 => vec![Vec::new(); array.shape()[0]],
        _ => values.chunks_exact(columns).map(present).collect(),
    };
    match names.filter(|names| names.len() == columns) {
        Some(names) => Ok((Labels::multi(classes, names), ClassNameSource::ByNames)),
        None => {
            let numbers = (0..columns).map(|class| class.to_string()).collect();
            Ok((Labels::multi(classes, numbers), ClassNameSource::Otherwise))
        }
    }
}

/// `split_train` and so on: nodes; or `train_mask` and so on: a truth value per node.
pub(super) fn split(arrays: &mut NpzArrays<'_>, node_count: usize) -> Result<Option<Split>> {
    let parts = ["split_train", "split_validation", "split_test"];
    let masks = super::MASKS;
    let mut found = [const { Vec::new() }; 3];
    if parts.iter().any(|key| arrays.has(key)) {
        for (nodes, key) in found.iter_mut().zip(parts) {
            if let Some(array) = arrays.get(key)? {
                *nodes = array.integers(&format!("a node below {node_count}"))?;
            }
        }
    } else if masks.iter().any(|key| arrays.has(key)) {
        for (nodes, key) in found.iter_mut().zip(masks) {
            // Some have no validation, and then no mask for it.
            let Some(mask) = arrays.get(key)? else { continue };
            if matches!(mask.item(), NpyItem::Float(_)) || mask.shape() != [node_count] {
                arrays.notice(format!("{key} is not one truth value per node: no split was read"));
                return Ok(None);
            }
            let chosen = mask.integers::<u8>("0 or 1")?;
            let chosen = (0..).zip(chosen).filter(|&(_, yes)| yes != 0);
            *nodes = chosen.map(|(node, _)| node).collect::<Vec<NodeId>>();
        }
    } else {
        return Ok(None);
    }
    let [mut train, mut validation, mut test] = found;
    [&mut train, &mut validation, &mut test].into_iter().for_each(|nodes| nodes.sort_unstable());
    Ok(Some(Split { train, validation, test }))
}
