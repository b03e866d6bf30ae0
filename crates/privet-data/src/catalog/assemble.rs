//! From the files of a benchmark to a dataset: read them, then apply the variant's [`Recipe`].

use std::path::Path;

use super::{BenchmarkSelection, LocatedBenchmark, PublicBounds, Recipe, facebook100, tables};
use crate::declared::Schema;
use crate::formats::{self, Bundle, ReadOptions, musae};
use crate::{
    Bounds, BoundsOrigin, Dataset, Direction, FactOrigin, Labels, LoadedData, NodeId, Notice,
    Result, SelfLoops, SourceLocation,
};

pub(super) fn load(located: &LocatedBenchmark, options: &ReadOptions) -> Result<LoadedData> {
    if !located.is_complete() {
        return Err(located.absence());
    }
    let BenchmarkSelection { variant, .. } = located.selection;
    // Every count in the papers is of undirected edges, also where the files hold arcs.
    let direction = options.direction.unwrap_or(Direction::Undirected);
    let reading = ReadOptions {
        format: Some(variant.format),
        member: variant.member.map(str::to_owned),
        direction: Some(direction),
        ..options.clone()
    };
    let bundle = open(located, options)?;
    let mut loaded = match schema(variant.recipe, variant.name)? {
        Some(schema) => LoadedData::Nodes(schema.read(folder(located)?, &options.limits)?),
        None => formats::read_bundle(&bundle, &reading)?,
    };
    if let LoadedData::Nodes(data) = loaded {
        let data = apply(variant.recipe, data, &bundle, &reading)?;
        loaded = LoadedData::Nodes(with_bounds(data, variant.bounds)?);
    }
    let mut notices = file_notices(located);
    if direction == Direction::Undirected && options.self_loops == SelfLoops::Drop {
        let differences = variant.counts.differences(&loaded);
        notices.extend(differences.into_iter().map(|text| Notice::new(bundle.place(), text)));
    }
    let name = located.selection.to_string();
    Ok(match loaded {
        // A published benchmark: its ids, columns and classes are public.
        LoadedData::Nodes(data) => {
            LoadedData::Nodes(data.all_stated().with_name(name).with_notices(notices))
        }
        LoadedData::Graphs(set) => {
            let set = set.with_ids_origin(FactOrigin::Stated);
            LoadedData::Graphs(set.with_name(name).with_notices(notices))
        }
    })
}

/// Archives are opened; of a folder only the files that the catalog names are offered to the
/// reader, because there may be a second target or another packing beside them.
fn open(located: &LocatedBenchmark, options: &ReadOptions) -> Result<Bundle> {
    let first = located.present().next().ok_or_else(|| located.absence())?;
    if [".zip", ".tar.gz"].iter().any(|ending| first.file.path.ends_with(ending)) {
        return Bundle::from_path(&first.path, options.limits);
    }
    Ok(Bundle::from_files(
        folder(located)?,
        located.present().map(|here| here.file.name()),
        options.limits,
    ))
}

/// Where its first file lies.
fn folder(located: &LocatedBenchmark) -> Result<&Path> {
    let first = located.files.iter().find(|file| file.is_present());
    let first = first.ok_or_else(|| located.absence())?;
    Ok(first.path.parent().unwrap_or(Path::new("")))
}

/// The declared schema of a recipe that has one.
fn schema(recipe: Recipe, variant: &str) -> Result<Option<Schema>> {
    match recipe {
        Recipe::Students => facebook100::schema(variant).map(Some),
        Recipe::Table { edges } => tables::schema(variant, edges).map(Some),
        Recipe::AsRead | Recipe::SplitTargetAt(_) | Recipe::LargestClasses(_) => Ok(None),
    }
}

fn apply(recipe: Recipe, data: Dataset, bundle: &Bundle, reading: &ReadOptions) -> Result<Dataset> {
    match recipe {
        Recipe::AsRead | Recipe::Table { .. } => Ok(data),
        Recipe::SplitTargetAt(threshold) => {
            let target = musae::read_target(bundle, reading)?;
            let labels = musae::threshold_labels(data.ids(), &target, threshold)?;
            let text =
                format!("two classes made of the target: {}", labels.class_names().join(", "));
            Ok(data.with_labels(labels)?.with_notices([Notice::new(bundle.place(), text)]))
        }
        Recipe::LargestClasses(count) => largest_classes(&data, count),
        Recipe::Students => labelled(&data),
    }
}

/// The nodes that have a class, and the edges among them.
fn labelled(data: &Dataset) -> Result<Dataset> {
    let has_class = |node: &NodeId| data.labels().is_some_and(|all| all.class(*node).is_some());
    let nodes: Vec<NodeId> = data.graph().nodes().filter(has_class).collect();
    data.induced(&nodes)
}

/// The nodes of the largest classes and the edges among them; classes keep their names and order.
fn largest_classes(data: &Dataset, count: usize) -> Result<Dataset> {
    let Some(labels) = data.labels() else {
        return Err(crate::Error::invalid("labels", "absent", "a class for every node"));
    };
    let sizes = labels.class_sizes();
    let mut classes: Vec<usize> = (0..sizes.len()).collect();
    // Ties (there are none in the benchmarks) go to the lower class, whatever the sort.
    classes.sort_by_key(|&class| (std::cmp::Reverse(sizes[class]), class));
    classes.truncate(count);
    classes.sort_unstable();
    let renumbered = |old: u32| classes.binary_search(&(old as usize)).ok().map(|at| at as u32);
    let class_of = |node| labels.class(node).and_then(renumbered);
    let nodes: Vec<NodeId> =
        data.graph().nodes().filter(|&node| class_of(node).is_some()).collect();
    let names = classes.iter().map(|&class| labels.class_names()[class].clone()).collect();
    let kept = Labels::single(nodes.iter().map(|&node| class_of(node)).collect(), names)?;
    data.induced(&nodes)?.with_labels(kept)
}

/// Bounds that the format implies stay; otherwise public knowledge about the benchmark declares
/// them. Nothing is measured.
fn with_bounds(data: Dataset, known: PublicBounds) -> Result<Dataset> {
    let features = match (known, data.features()) {
        (PublicBounds::Binary | PublicBounds::UnitRange, Some(features))
            if features.bounds().is_none() =>
        {
            features.clone()
        }
        _ => return Ok(data),
    };
    data.with_features(features.with_bounds(Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?)?)
}

/// What the user should know about the files: one is absent, or has an unexpected length.
fn file_notices(located: &LocatedBenchmark) -> Vec<Notice> {
    let place = |path: &Path| SourceLocation::file(path.display().to_string());
    let absent = located
        .missing_optional()
        .map(|missing| Notice::new(&place(&missing.path), "absent; what it holds is left out"));
    let changed = located.present().filter_map(|here| {
        let (found, expected) = (here.bytes?, here.file.bytes?);
        let text =
            format!("has {found} bytes; the published file has {expected}, so this is another");
        (found != expected).then(|| Notice::new(&place(&here.path), text))
    });
    absent.chain(changed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphBuilder, Id, NodeIds};

    fn path_graph(nodes: usize) -> Dataset {
        let edges = (1..nodes as NodeId).map(|node| (node - 1, node));
        let (graph, _) =
            GraphBuilder::new(nodes, Direction::Undirected).edges(edges).build().unwrap();
        Dataset::new("path", graph, NodeIds::sequential(nodes)).unwrap()
    }

    #[test]
    fn the_largest_classes_keep_their_names_and_edges() {
        // Classes a b b c c c c on a path: the two largest are b (nodes 1, 2) and c (3 to 6).
        let names = ["a", "b", "b", "c", "c", "c", "c"];
        let data = path_graph(7).with_labels(Labels::from_names(&names).unwrap()).unwrap();
        let cut = largest_classes(&data, 2).unwrap();
        assert_eq!((cut.graph().node_count(), cut.graph().edge_count()), (6, 5));
        let labels = cut.labels().unwrap();
        assert_eq!(labels.class_names(), ["b", "c"]);
        assert_eq!(labels.class_sizes(), [2, 4]);
        assert_eq!(cut.ids().get(0), Id::Integer(1));
        assert!(largest_classes(&path_graph(2), 1).is_err(), "no labels");
    }

    #[test]
    fn declared_bounds_do_not_replace_the_formats() {
        use crate::{DenseMatrix, Features};
        let features = Features::dense(DenseMatrix::new(2, 1, vec![0.0, 1.0]).unwrap());
        let data = path_graph(2).with_features(features.clone()).unwrap();
        let origin = |data: &Dataset| data.features()?.bounds().map(|b| b.origin().clone());
        let unstated = with_bounds(data.clone(), PublicBounds::Unstated).unwrap();
        assert_eq!(origin(&unstated), None);
        let binary = with_bounds(data.clone(), PublicBounds::Binary).unwrap();
        assert_eq!(origin(&binary), Some(BoundsOrigin::Declared));
        let implied = Bounds::uniform(0.0, 1.0, BoundsOrigin::Format).unwrap();
        let data = data.with_features(features.with_bounds(implied).unwrap()).unwrap();
        let kept = with_bounds(data, PublicBounds::Binary).unwrap();
        assert_eq!(origin(&kept), Some(BoundsOrigin::Format));
    }
}
