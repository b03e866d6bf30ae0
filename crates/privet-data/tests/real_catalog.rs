//! Every benchmark of the catalog that is present: checksums, and what loading it gives.
#![expect(clippy::unwrap_used, reason = "clippy knows no test outside a function marked #[test]")]

use std::path::PathBuf;

use privet_data::catalog::{self, BenchmarkSelection, PublicBounds};
use privet_data::formats::ReadOptions;
use privet_graph::{BoundsOrigin, Dataset, LoadedData};

fn data_dir() -> Option<PathBuf> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").map_or_else(|| shared.into(), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no benchmark files at {} (set PRIVET_DATA_DIR)", folder.display());
    None
}

fn selections() -> impl Iterator<Item = BenchmarkSelection> {
    catalog::entries().flat_map(|entry| {
        entry.variants.iter().map(move |variant| BenchmarkSelection { entry, variant })
    })
}

fn load(name: &str, folder: &std::path::Path) -> Option<LoadedData> {
    let choice = catalog::select(name).unwrap();
    let folders = [folder.to_owned()];
    if !choice.locate(&folders).is_complete() {
        println!("skipped: {name} is not in {}", folder.display());
        return None;
    }
    Some(choice.load(&folders, &ReadOptions::default()).unwrap())
}

fn load_nodes(name: &str, folder: &std::path::Path) -> Option<Dataset> {
    load(name, folder).map(|loaded| loaded.into_nodes().unwrap())
}

#[test]
fn files_have_the_lengths_and_checksums_of_the_catalog() {
    let Some(folder) = data_dir() else { return };
    let mut checked = std::collections::BTreeSet::new();
    for choice in selections() {
        for file in choice.variant.layouts.iter().copied().flatten() {
            let path = folder.join(file.path);
            if !path.is_file() || !checked.insert(file.path) {
                continue;
            }
            let bytes = std::fs::metadata(&path).unwrap().len();
            assert!(file.bytes.is_none_or(|expected| expected == bytes), "{}", file.path);
            let found = catalog::sha256_of(&path).unwrap();
            assert!(file.sha256.is_none_or(|expected| expected == found), "{}: {found}", file.path);
        }
    }
    println!("{} files checked", checked.len());
}

/// A folder of graphs that are read as files, as a user's own are: no entry of the catalog describes them.
const READ_AS_FILES: &str = "pgb/";

/// Files of the folder that no entry names would be files that cannot be loaded by name.
#[test]
fn every_file_of_the_folder_is_in_the_catalog() {
    let Some(folder) = data_dir() else { return };
    let Ok(sums) = std::fs::read_to_string(folder.join("SHA256SUMS")) else {
        println!("skipped: {} has no SHA256SUMS", folder.display());
        return;
    };
    let named: std::collections::BTreeMap<_, _> = selections()
        .flat_map(|choice| choice.variant.layouts.iter().copied().flatten())
        .map(|file| (file.path, file.sha256))
        .collect();
    for (sum, path) in sums.lines().filter_map(|line| line.split_once("  ")) {
        let path = path.trim_start_matches("./");
        if path != "README.md" && !path.starts_with(READ_AS_FILES) {
            assert_eq!(named.get(path), Some(&Some(sum)), "{path}");
        }
    }
}

/// The content of a packed file is that of the plain one the catalog says is published.
#[test]
fn packed_files_hold_the_published_bytes() {
    use privet_data::formats::{Bundle, Limits};
    let Some(folder) = data_dir() else { return };
    for choice in selections() {
        let [plain, packed] = choice.variant.layouts else { continue };
        let located = choice.locate(std::slice::from_ref(&folder));
        for here in located.present().filter(|here| packed.iter().any(|f| f.path == here.file.path))
        {
            let bundle = Bundle::from_path(&here.path, Limits::default()).unwrap();
            for file in plain.iter() {
                if !bundle.members().iter().any(|m| m.trim_end_matches(".gz") == file.name()) {
                    continue;
                }
                let member = bundle.members().iter().find(|m| m.starts_with(file.name())).unwrap();
                let bytes = bundle.open(member).unwrap().into_bytes().unwrap();
                let mut checksum = catalog::FileChecksum::default();
                checksum.update(&bytes);
                assert_eq!(Some(bytes.len() as u64), file.bytes, "{}", file.path);
                assert_eq!(Some(&*checksum.finish()), file.sha256, "{}", file.path);
            }
        }
    }
}

#[test]
fn every_benchmark_present_holds_what_the_catalog_says() {
    let Some(folder) = data_dir() else { return };
    let mut failures = Vec::new();
    for choice in selections() {
        let located = choice.locate(std::slice::from_ref(&folder));
        if !located.is_complete() {
            println!("skipped: {choice} is not in {}", folder.display());
            continue;
        }
        let start = std::time::Instant::now();
        match choice.load(std::slice::from_ref(&folder), &ReadOptions::default()) {
            Err(error) => failures.push(format!("{choice}: {error}")),
            Ok(loaded) => {
                println!("{choice}: {:?}", start.elapsed());
                loaded.notices().iter().for_each(|notice| println!("    {notice}"));
                let differences = choice.variant.counts.differences(&loaded);
                failures
                    .extend(differences.into_iter().map(|message| format!("{choice}: {message}")));
                failures.extend(wrong_parts(choice, &loaded));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Name, presence of features, and bounds.
fn wrong_parts(choice: BenchmarkSelection, loaded: &LoadedData) -> Vec<String> {
    let mut wrong = Vec::new();
    let (name, features) = match loaded {
        LoadedData::Nodes(data) => (data.name(), data.features()),
        LoadedData::Graphs(set) => (set.name(), None),
    };
    if name != choice.to_string() {
        wrong.push(format!("{choice}: is called {name}"));
    }
    // Counts with nonzeros come from files that the variant requires.
    if choice.variant.counts.nonzeros.is_some() && features.is_none() {
        wrong.push(format!("{choice}: has no features"));
    }
    let Some(features) = features else { return wrong };
    match (choice.variant.bounds, features.bounds()) {
        (PublicBounds::Unstated, None) => {}
        (PublicBounds::Binary, Some(bounds)) if bounds.is_public() => {
            if bounds.column(0) != (0.0, 1.0) || features.measured_range() != Some((0.0, 1.0)) {
                wrong.push(format!("{choice}: features are not within their bounds"));
            }
        }
        (PublicBounds::UnitRange, Some(bounds)) if bounds.is_public() => {
            let within = |(low, high): (f32, f32)| 0.0 <= low && high <= 1.0;
            if bounds.column(0) != (0.0, 1.0) || !features.measured_range().is_some_and(within) {
                wrong.push(format!("{choice}: features are not within their bounds"));
            }
        }
        (known, found) => wrong.push(format!("{choice}: {known:?} bounds, found {found:?}")),
    }
    wrong
}

#[test]
fn class_sizes_are_those_of_the_publishers() {
    let Some(folder) = data_dir() else { return };
    let expected: [(&str, &[usize]); 10] = [
        ("cora", &[351, 217, 418, 818, 426, 298, 180]),
        ("citeseer", &[249, 590, 668, 701, 596, 508]),
        ("pubmed", &[4_103, 7_739, 7_875]),
        ("ms_academic_phy", &[5_750, 5_045, 17_426, 2_753, 3_519]),
        ("lastfm_asia/top10", &[1_098, 515, 391, 655, 468, 1_303, 570, 257, 254, 1_572]),
        ("facebook/karateclub", &[6_495, 3_327, 5_768, 6_880]),
        ("wikipedia/karateclub", &[8_316, 3_315]),
        ("heterophilous/squirrel_filtered", &[756, 516, 397, 321, 233]),
        ("sklearn/breast_cancer", &[357, 212]),
        ("sklearn/wine_knn", &[59, 71, 48]),
    ];
    for (name, sizes) in expected {
        let Some(data) = load_nodes(name, &folder) else { continue };
        assert_eq!(data.labels().unwrap().class_sizes(), sizes, "{name}");
    }
}

#[test]
fn wikipedia_is_cut_at_its_median() {
    let Some(folder) = data_dir() else { return };
    for (name, threshold, above) in
        [("wikipedia", 1_226, 5_815), ("wikipedia/chameleon", 2_003, 1_137)]
    {
        let Some(data) = load_nodes(name, &folder) else { continue };
        let labels = data.labels().unwrap();
        let names = [format!("at most {threshold}"), format!("above {threshold}")];
        assert_eq!(labels.class_names(), names);
        assert_eq!(labels.class_sizes(), [data.graph().node_count() - above, above], "{name}");
    }
}

#[test]
fn variants_of_one_graph_agree() {
    let Some(folder) = data_dir() else { return };
    let (zip, files) =
        (load_nodes("wikipedia/zip", &folder), load_nodes("wikipedia/musae", &folder));
    if let (Some(zip), Some(files)) = (zip, files) {
        assert_eq!((zip.graph(), zip.labels()), (files.graph(), files.labels()));
    }
    let (stored, deflated) =
        (load_nodes("cs", &folder), load_nodes("ms_academic_cs/coauthor_cs", &folder));
    if let (Some(stored), Some(deflated)) = (stored, deflated) {
        assert_eq!(stored.graph(), deflated.graph());
        assert_eq!(stored.features().map(|f| f.matrix()), deflated.features().map(|f| f.matrix()));
    }
    let (lf, crlf) = (load("reddit_binary", &folder), load("reddit_binary/crlf", &folder));
    if let (Some(LoadedData::Graphs(lf)), Some(LoadedData::Graphs(crlf))) = (lf, crlf) {
        assert_eq!((lf.graphs(), lf.labels()), (crlf.graphs(), crlf.labels()));
    }
}

/// Downloads lie there as published, the shared folder has some of them packed.
#[test]
fn published_and_packed_files_load_alike() {
    use privet_data::formats::{Bundle, Limits};
    let Some(folder) = data_dir() else { return };
    for (name, packed) in
        [("cora/linqs", "cora/linqs/cora.content.gz"), ("ppi", "ppi/ppi_pairs.tar.gz")]
    {
        let Some(expected) = load(name, &folder) else { continue };
        let plain = tempfile::tempdir().unwrap();
        let bundle = Bundle::from_path(&folder.join(packed), Limits::default()).unwrap();
        let inside = plain.path().join(packed).parent().unwrap().to_owned();
        std::fs::create_dir_all(&inside).unwrap();
        for member in bundle.members() {
            let bytes = bundle.open(member).unwrap().into_bytes().unwrap();
            std::fs::write(inside.join(member.trim_end_matches(".gz")), bytes).unwrap();
        }
        let found = load(name, plain.path()).unwrap();
        match (found, expected) {
            (LoadedData::Nodes(found), LoadedData::Nodes(expected)) => {
                assert_eq!(found.graph(), expected.graph());
                assert_eq!((found.ids(), found.labels()), (expected.ids(), expected.labels()));
                assert_eq!(found.features(), expected.features());
            }
            (LoadedData::Graphs(found), LoadedData::Graphs(expected)) => {
                assert_eq!((found.ids(), found.graphs()), (expected.ids(), expected.graphs()));
                assert_eq!(found.splits(), expected.splits());
            }
            _ => panic!("{name}: a single graph and a set"),
        }
    }
}

#[test]
fn lastfm_says_that_its_features_are_absent() {
    let Some(folder) = data_dir() else { return };
    let Some(data) = load_nodes("lastfm", &folder) else { return };
    match data.features() {
        Some(features) => {
            let origin = features.bounds().unwrap().origin();
            assert!(matches!(origin, BoundsOrigin::Format | BoundsOrigin::Declared));
        }
        None => assert!(
            data.notices()
                .iter()
                .any(|message| message.to_string().contains("features.json: absent")),
            "{:?}",
            data.notices()
        ),
    }
}
