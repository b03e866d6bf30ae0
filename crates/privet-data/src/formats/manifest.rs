//! `dataset.json`: what tables of edges, nodes and features cannot say for themselves: direction,
//! declared bounds, the order of the classes, the split.
//!
//! ```json
//! {"format": "privet-dataset", "version": 1, "name": "people", "direction": "undirected",
//!  "features": {"storage": "dense", "columns": 1, "names": ["age"],
//!               "bounds": {"origin": "declared", "ranges": {"uniform": [0, 120]}}},
//!  "labels": {"kind": "single", "cells": "names", "classes": ["cat", "dog"]},
//!  "split": {"train": ["ada"], "validation": [], "test": ["bob"]}}
//! ```

use std::io::Write;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::assemble::at;
use crate::formats::fact_lines::fact_lines;
use crate::{
    Bounds, BoundsOrigin, Dataset, Direction, FeatureMatrix, Features, FoundValue, Id, IdIndex,
    Labels, NodeId, NodeIds, Result, SourceLocation, Split,
};

/// What the manifest is called beside its tables.
pub(crate) const FILE: &str = "dataset.json";
const FORMAT: &str = "privet-dataset";
/// The version of the manifest.
pub const VERSION: u32 = 1;

/// Stands between the classes of one node in a text cell.
pub(crate) const CLASS_SEPARATOR: char = ';';

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: String,
    version: u32,
    pub name: Option<String>,
    pub direction: Option<Direction>,
    pub features: Option<FeatureManifest>,
    pub labels: Option<LabelManifest>,
    split: Option<SplitManifest>,
    /// What the records said and nobody stated: `ids=read_off`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FeatureManifest {
    pub storage: Storage,
    pub columns: usize,
    names: Option<Vec<String>>,
    bounds: Option<BoundsManifest>,
}

/// Dense features are a wide table (a column each), sparse ones a long table (a row per value).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Storage {
    Dense,
    Sparse,
}

#[derive(Debug, Serialize, Deserialize)]
struct BoundsManifest {
    origin: BoundsOrigin,
    ranges: Ranges,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ranges {
    Uniform([f64; 2]),
    PerColumn(Vec<[f64; 2]>),
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LabelManifest {
    pub kind: LabelKind,
    cells: Cells,
    pub classes: Vec<String>,
}

/// Whether a node may have several classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LabelKind {
    Single,
    Multi,
}

/// What a label cell holds: class names, or their numbers where names would be ambiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Cells {
    Names,
    Numbers,
}

#[derive(Debug, Serialize, Deserialize)]
struct SplitManifest {
    train: Vec<OwnedId>,
    validation: Vec<OwnedId>,
    test: Vec<OwnedId>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum OwnedId {
    Integer(u64),
    Text(String),
}

impl OwnedId {
    fn of(id: Id<'_>) -> Self {
        match id {
            Id::Integer(number) => Self::Integer(number),
            Id::Text(text) => Self::Text(text.into()),
        }
    }

    /// The node of this id; an integer among text ids is one that somebody wrote without quotes.
    fn find(&self, index: &IdIndex<'_>) -> Option<NodeId> {
        match self {
            Self::Integer(number) => index
                .node(Id::Integer(*number))
                .or_else(|| index.node(Id::Text(&number.to_string()))),
            Self::Text(text) => index.node(Id::Text(text)).or_else(|| index.node(Id::parse(text))),
        }
    }
}

impl Manifest {
    /// What is to be said about `dataset`.
    pub fn of(dataset: &Dataset) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            name: Some(dataset.name().into()),
            direction: Some(dataset.graph().direction()),
            features: dataset.features().map(FeatureManifest::of),
            labels: dataset.labels().map(LabelManifest::of),
            split: dataset.split().map(|split| SplitManifest::of(split, dataset.ids())),
            facts: fact_lines(dataset),
        }
    }

    /// The manifest in `bytes`; `None` if they are JSON about something else.
    pub fn parse(place: &SourceLocation, bytes: &[u8]) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Probe {
            format: Option<serde_json::Value>,
            version: Option<serde_json::Value>,
        }
        let bad = |error: serde_json::Error| {
            let line = place.line(error.line() as u64);
            line.malformed(format!("a manifest that cannot be read ({error})"), "Privet's JSON")
        };
        let probe: Probe = serde_json::from_slice(bytes).map_err(bad)?;
        if probe.format.as_ref().and_then(|format| format.as_str()) != Some(FORMAT) {
            return Ok(None);
        }
        if probe.version.as_ref().and_then(serde_json::Value::as_u64) != Some(VERSION.into()) {
            let found = FoundValue::words(format!("version {}", probe.version.unwrap_or_default()));
            let expected = format!("version {VERSION} (is the file newer than this program?)");
            return Err(place.field("version").malformed(found, expected));
        }
        serde_json::from_slice(bytes).map(Some).map_err(bad)
    }

    /// Writes it as indented JSON.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// The split, in terms of nodes.
    pub fn split(&self, ids: &NodeIds, place: &SourceLocation) -> Result<Option<Split>> {
        let Some(split) = &self.split else { return Ok(None) };
        let index = ids.index();
        let nodes = |list: &[OwnedId], name: &str| {
            let find = |id: &OwnedId| {
                let place = place.field(format!("split.{name}"));
                let missing = || place.malformed(format!("{id:?}"), "the id of a node");
                id.find(&index).ok_or_else(missing)
            };
            list.iter().map(find).collect::<Result<Vec<_>>>()
        };
        Ok(Some(Split {
            train: nodes(&split.train, "train")?,
            validation: nodes(&split.validation, "validation")?,
            test: nodes(&split.test, "test")?,
        }))
    }
}

impl SplitManifest {
    fn of(split: &Split, ids: &NodeIds) -> Self {
        let owned =
            |nodes: &[NodeId]| nodes.iter().map(|&node| OwnedId::of(ids.get(node))).collect();
        Self {
            train: owned(&split.train),
            validation: owned(&split.validation),
            test: owned(&split.test),
        }
    }
}

impl FeatureManifest {
    fn of(features: &Features) -> Self {
        let storage = match features.matrix() {
            FeatureMatrix::Dense(_) => Storage::Dense,
            FeatureMatrix::Sparse(_) => Storage::Sparse,
        };
        Self {
            storage,
            columns: features.columns(),
            names: features.names().map(<[String]>::to_vec),
            bounds: features.bounds().map(BoundsManifest::of),
        }
    }

    /// Features with the names and bounds that are declared here.
    pub fn describe(&self, matrix: FeatureMatrix, place: &SourceLocation) -> Result<Features> {
        let mut features = Features::new(matrix);
        if let Some(names) = &self.names {
            features = features.with_names(names.clone()).map_err(at(place))?;
        }
        if let Some(bounds) = &self.bounds {
            let bounds = bounds.to_bounds().map_err(at(place))?;
            features = features.with_bounds(bounds).map_err(at(place))?;
        }
        Ok(features)
    }
}

impl BoundsManifest {
    fn of(bounds: &Bounds) -> Self {
        let range = |column: usize| {
            let (low, high) = bounds.column(column);
            [json_number(low), json_number(high)]
        };
        let ranges = match bounds.column_count() {
            None => Ranges::Uniform(range(0)),
            Some(count) => Ranges::PerColumn((0..count).map(range).collect()),
        };
        Self { origin: bounds.origin().clone(), ranges }
    }

    fn to_bounds(&self) -> Result<Bounds> {
        let origin = self.origin.clone();
        match &self.ranges {
            Ranges::Uniform([low, high]) => Bounds::uniform(*low as f32, *high as f32, origin),
            Ranges::PerColumn(ranges) => {
                let ranges = ranges.iter().map(|&[low, high]| (low as f32, high as f32));
                Bounds::per_column(ranges.collect(), origin)
            }
        }
    }
}

/// `value` as the JSON number people expect (0.1, not 0.10000000149011612), provided that it and
/// its neighbours, which a JSON parser may round it to, all come back as `value`.
fn json_number(value: f32) -> f64 {
    let short: f64 = value.to_string().parse().unwrap_or_else(|_| value.into());
    let safe = [short.next_down(), short, short.next_up()].iter().all(|&n| n as f32 == value);
    if safe { short } else { value.into() }
}

impl LabelManifest {
    fn of(labels: &Labels) -> Self {
        let classes = labels.class_names().to_vec();
        let kind = if labels.is_multi() { LabelKind::Multi } else { LabelKind::Single };
        let mut seen = FxHashSet::default();
        let clear = |name: &String| {
            let separates = kind == LabelKind::Multi && name.contains(CLASS_SEPARATOR);
            !name.is_empty() && !separates && !name.contains(char::is_control)
        };
        let all_clear = classes.iter().all(|name| clear(name) && seen.insert(name.clone()));
        Self { kind, cells: if all_clear { Cells::Names } else { Cells::Numbers }, classes }
    }

    /// What a cell says for `class`.
    pub fn cell(&self, class: u32) -> String {
        match self.cells {
            Cells::Names => self.classes[class as usize].clone(),
            Cells::Numbers => class.to_string(),
        }
    }

    /// The class that each cell means.
    pub fn meanings(&self) -> FxHashMap<String, u32> {
        (0..self.classes.len() as u32).map(|class| (self.cell(class), class)).collect()
    }
}
