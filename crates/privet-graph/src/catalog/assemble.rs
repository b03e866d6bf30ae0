//! From the files of a benchmark to a dataset: read them, then apply the variant's [`Recipe`].

use std::path::Path;

use super::{Located, PublicBounds, Recipe, Selection};
use crate::io::{self, Bundle, Input, ReadOptions};
use crate::{
    Bounds, BoundsOrigin, Dataset, Direction, Id, Labels, Loaded, NodeId, Notice, Place, Result,
    SelfLoops,
};

pub(super) fn load(located: &Located, options: &ReadOptions) -> Result<Loaded> {
    if !located.is_complete() {
        return Err(located.absence());
    }
    let Selection { variant, .. } = located.selection;
    // Every count in the papers is of undirected edges, also where the files hold arcs.
    let direction = options.direction.unwrap_or(Direction::Undirected);
    let reading = ReadOptions {
        format: Some(variant.format),
        member: variant.member.map(str::to_owned),
        direction: Some(direction),
        ..options.clone()
    };
    let bundle = open(located, options)?;
    let mut loaded = io::read_bundle(&bundle, &reading)?;
    if let Loaded::Nodes(data) = loaded {
        let data = apply(variant.recipe, data, &bundle, located)?;
        loaded = Loaded::Nodes(with_bounds(data, variant.bounds)?);
    }
    let mut notices = file_notices(located);
    if direction == Direction::Undirected && options.self_loops == SelfLoops::Drop {
        let differences = variant.counts.differences(&loaded);
        notices.extend(differences.into_iter().map(|text| Notice::new(bundle.place(), text)));
    }
    let name = located.selection.to_string();
    Ok(match loaded {
        Loaded::Nodes(data) => Loaded::Nodes(data.with_name(name).with_notices(notices)),
        Loaded::Graphs(set) => Loaded::Graphs(set.with_name(name).with_notices(notices)),
    })
}

/// Archives are opened; of a folder only the files that the catalog names are offered to the
/// reader, because there may be a second target or another packing beside them.
fn open(located: &Located, options: &ReadOptions) -> Result<Bundle> {
    let labels = match located.selection.variant.recipe {
        Recipe::LabelsFrom(path) => Some(path),
        _ => None,
    };
    let read = || located.present().filter(|here| Some(here.file.path) != labels);
    let first = read().next().ok_or_else(|| located.absence())?;
    if [".zip", ".tar.gz"].iter().any(|ending| first.file.path.ends_with(ending)) {
        return Bundle::from_path(&first.path, options.limits);
    }
    let folder = first.path.parent().unwrap_or(Path::new(""));
    Ok(Bundle::from_files(folder, read().map(|here| here.file.name()), options.limits))
}

fn apply(recipe: Recipe, data: Dataset, bundle: &Bundle, located: &Located) -> Result<Dataset> {
    match recipe {
        Recipe::AsRead => Ok(data),
        Recipe::SplitTargetAt(threshold) => {
            let wanted = located.selection.variant.member.unwrap_or_default();
            let found = bundle.find("_target.csv").into_iter().find(|name| name.contains(wanted));
            let found = found.ok_or_else(|| located.absence())?;
            let targets = read_targets(bundle.open(found)?, &data)?;
            let names = vec![format!("at most {threshold}"), format!("above {threshold}")];
            let class = |target: Option<i64>| target.map(|target| u32::from(target > threshold));
            data.with_labels(Labels::single(targets.into_iter().map(class).collect(), names)?)
        }
        Recipe::LabelsFrom(path) => {
            let here = located.present().find(|here| here.file.path == path);
            let here = here.ok_or_else(|| located.absence())?;
            let place = Place::file(here.path.display().to_string());
            let file = std::fs::File::open(&here.path).map_err(|error| place.io(error))?;
            let targets = read_targets(Input::new(place, file), &data)?;
            data.with_labels(Labels::from_integers(&targets)?)
        }
        Recipe::LargestClasses(count) => largest_classes(&data, count),
    }
}

/// The integers of an `id,target` table, in node order.
fn read_targets(input: Input, data: &Dataset) -> Result<Vec<Option<i64>>> {
    let Input { place, reader } = input;
    let index = data.ids().index();
    let mut targets = vec![None; data.ids().len()];
    let mut rows = csv::Reader::from_reader(reader);
    for row in rows.records() {
        let row = row.map_err(|error| unreadable(&place, error))?;
        let here = || place.line(row.position().map_or(0, |position| position.line()));
        let (id, text) = (row.get(0).unwrap_or_default(), row.get(1).unwrap_or_default());
        let Some(node) = index.node(Id::parse(id)) else {
            return Err(here().field("id").malformed(format!("'{id}'"), "the id of a node"));
        };
        let Ok(target) = text.trim().parse() else {
            let expected = "an integer in the second column";
            return Err(here().field("target").malformed(format!("'{text}'"), expected));
        };
        if targets[node as usize].replace(target).is_some() {
            return Err(here().malformed("a second target for this node", "one line per node"));
        }
    }
    Ok(targets)
}

fn unreadable(place: &Place, error: csv::Error) -> crate::Error {
    let line = error.position().map(|position| position.line());
    let place = line.map_or_else(|| place.clone(), |line| place.line(line));
    match error.into_kind() {
        csv::ErrorKind::Io(error) => place.io(error),
        other => place.malformed(format!("{other:?}"), "a line `id,target`"),
    }
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
        (PublicBounds::Binary, Some(features)) if features.bounds().is_none() => features.clone(),
        _ => return Ok(data),
    };
    data.with_features(features.with_bounds(Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?)?)
}

/// What the user should know about the files: one is absent, or has an unexpected length.
fn file_notices(located: &Located) -> Vec<Notice> {
    let place = |path: &Path| Place::file(path.display().to_string());
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
    use crate::{GraphBuilder, NodeIds};

    fn path_graph(nodes: usize) -> Dataset {
        let edges = (1..nodes as NodeId).map(|node| (node - 1, node));
        let (graph, _) =
            GraphBuilder::new(nodes, Direction::Undirected).edges(edges).build().unwrap();
        Dataset::new("path", graph, NodeIds::sequential(nodes)).unwrap()
    }

    fn targets(text: &'static str) -> Result<Vec<Option<i64>>> {
        let input = Input::new(Place::file("target.csv"), text.as_bytes());
        read_targets(input, &path_graph(3))
    }

    #[test]
    fn targets_are_put_in_node_order() {
        assert_eq!(targets("id,target\n2,7\n0,-4\n").unwrap(), [Some(-4), None, Some(7)]);
    }

    #[test]
    fn bad_target_tables_are_errors_that_name_the_line() {
        for (text, expected) in [
            ("id,target\n0,1\n3,1\n", "target.csv, line 3, field id: found '3'; expected the id"),
            ("id,target\n0,x\n", "line 2, field target: found 'x'; expected an integer"),
            ("id,target\n0,1\n0,2\n", "line 3: found a second target"),
            ("id,target\n0,1,2\n", "line 2: found UnequalLengths"),
            ("id\n0\n", "line 2, field target: found ''"),
        ] {
            let told = targets(text).unwrap_err().to_string();
            assert!(told.contains(expected), "{text:?}: {told}");
        }
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
