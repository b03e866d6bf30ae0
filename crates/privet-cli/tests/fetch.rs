//! Downloads from a server on this machine that cuts, corrupts, redirects and lies.
#![expect(clippy::unwrap_used, reason = "clippy knows no test outside a function marked #[test]")]

mod server;

use std::path::{Path, PathBuf};
use std::time::Duration;

use privet::data::catalog::{
    self, BenchmarkCounts, BenchmarkFile, CatalogBenchmark, FileNeed, FileOrigin, PublicBounds,
    Recipe,
};
use privet::data::catalog::{BenchmarkVariant, CountSource, FileChecksum};
use privet::data::formats::Format;
use privet_cli::fetch::{Existing, FetchError, FetchOptions, FetchReport, Progress, fetch};
use server::{Manner, Server};

const PATH: &str = "made_up/numbers.txt";

/// About 300 kB that no two places of repeat.
fn content() -> Vec<u8> {
    (0..50_000).flat_map(|number: u32| format!("{number}\n").into_bytes()).collect()
}

fn checksum(bytes: &[u8]) -> &'static str {
    let mut checksum = FileChecksum::default();
    checksum.update(bytes);
    checksum.finish().leak()
}

/// An entry with one file, and perhaps one that is not served.
fn entry(files: Vec<BenchmarkFile>) -> &'static CatalogBenchmark {
    let counts = BenchmarkCounts {
        nodes: None,
        edges: None,
        features: None,
        nonzeros: None,
        classes: None,
        graphs: None,
        source: CountSource::Quoted,
    };
    let variant = BenchmarkVariant {
        name: "text",
        about: "",
        format: Format::EdgeList,
        member: None,
        layouts: vec![&*files.leak()].leak(),
        counts,
        bounds: PublicBounds::Unstated,
        recipe: Recipe::AsRead,
    };
    Box::leak(Box::new(CatalogBenchmark {
        name: "made_up",
        aliases: &[],
        title: "",
        papers: &[],
        published: "",
        licence: "",
        note: "",
        variants: vec![variant].leak(),
    }))
}

fn numbers() -> BenchmarkFile {
    let bytes = content();
    BenchmarkFile {
        path: PATH,
        bytes: Some(bytes.len() as u64),
        sha256: Some(checksum(&bytes)),
        origin: FileOrigin::ByHand("made by a test"),
        need: FileNeed::Required,
    }
}

struct Case {
    folder: tempfile::TempDir,
    server: Server,
    options: FetchOptions,
    events: Vec<String>,
}

impl Case {
    fn new(manners: &[Manner]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(|path| (path == PATH).then(content), manners.to_vec());
        let options = FetchOptions {
            mirror: Some(format!("{}/", server.address)),
            attempts: 1,
            patience: Duration::from_secs(5),
            ..FetchOptions::new(folder.path())
        };
        Self { folder, server, options, events: Vec::new() }
    }

    fn run(&mut self) -> Result<FetchReport, FetchError> {
        let events = &mut self.events;
        fetch(entry(vec![numbers()]), &self.options, &mut |event| {
            if !matches!(event, Progress::Received { .. }) {
                events.push(format!("{event:?}"));
            }
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(PATH)
    }

    fn part(&self) -> PathBuf {
        self.folder.path().join(format!("{PATH}.part"))
    }

    fn ranges(&self) -> Vec<Option<String>> {
        self.server.requests().into_iter().map(|(_, range)| range).collect()
    }

    fn put(&self, path: &Path, bytes: &[u8]) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn assert_done(&self) {
        assert_eq!(std::fs::read(self.path()).unwrap(), content());
        self.assert_no_part();
    }

    fn assert_nothing(&self) {
        assert!(!self.path().exists());
        self.assert_no_part();
    }

    fn assert_no_part(&self) {
        assert!(!self.part().exists());
    }
}

#[test]
fn a_file_arrives_whole_and_once() {
    let mut case = Case::new(&[]);
    let report = case.run().unwrap();
    case.assert_done();
    assert_eq!(report.downloaded, [case.path()]);
    assert_eq!(report.received, content().len() as u64);
    let report = case.run().unwrap();
    assert_eq!((report.downloaded.len(), report.present), (0, vec![case.path()]));
    assert_eq!(case.server.requests().len(), 1, "the second run asks for nothing");
    assert!(case.events.last().unwrap().starts_with("Present"), "{:?}", case.events);
}

#[test]
fn the_next_run_continues_where_a_connection_was_cut() {
    let mut case = Case::new(&[Manner::CutAfter(100_000)]);
    let told = case.run().unwrap_err().to_string();
    let total = content().len();
    assert!(told.contains(&format!("ended after 100000 of {total} bytes; run the same")), "{told}");
    assert!(!case.path().exists());
    assert_eq!(std::fs::read(case.part()).unwrap(), &content()[..100_000]);
    let report = case.run().unwrap();
    case.assert_done();
    assert_eq!(report.received as usize, total - 100_000);
    assert_eq!(case.ranges(), [None, Some("bytes=100000-".into())]);
}

#[test]
fn one_run_takes_up_a_broken_connection_as_often_as_allowed() {
    let mut case = Case::new(&[Manner::CutAfter(1_000), Manner::CutAfter(2_000)]);
    case.options.attempts = 3;
    case.run().unwrap();
    case.assert_done();
    assert_eq!(case.ranges(), [None, Some("bytes=1000-".into()), Some("bytes=3000-".into())]);
    assert_eq!(case.events.iter().filter(|event| event.starts_with("Retrying")).count(), 2);
}

#[test]
fn a_server_that_ignores_ranges_sends_everything_again() {
    let mut case = Case::new(&[Manner::CutAfter(5_000), Manner::IgnoreRange]);
    case.run().unwrap_err();
    case.run().unwrap();
    case.assert_done();
    assert!(case.events.iter().any(|event| event.contains("resumed_at: 0")), "{:?}", case.events);
}

#[test]
fn corrupted_content_leaves_nothing() {
    let mut case = Case::new(&[Manner::Corrupt]);
    let told = case.run().unwrap_err().to_string();
    case.assert_nothing();
    let expected = checksum(&content());
    assert!(told.contains(&format!("expected {expected}; it was thrown away")), "{told}");
    assert!(told.contains(&format!("put the file at {} by hand", case.path().display())), "{told}");
}

#[test]
fn what_an_earlier_run_left_may_be_wrong_too_long_or_complete() {
    let total = content().len();
    let mut wrong = content();
    wrong[7] ^= 1;
    for (left, ranges) in [
        (wrong[..9_000].to_vec(), vec![Some("bytes=9000-".to_owned()), None]),
        (wrong.clone(), vec![None]),
        (vec![b'x'; total + 1], vec![None]),
        (content(), vec![]),
    ] {
        let mut case = Case::new(&[]);
        case.put(&case.part(), &left);
        case.run().unwrap();
        case.assert_done();
        assert_eq!(case.ranges(), ranges);
    }
}

#[test]
fn a_wrong_range_starts_the_file_over() {
    for manner in [Manner::WrongRange, Manner::Status(416)] {
        let mut case = Case::new(&[manner]);
        case.put(&case.part(), &content()[..10]);
        case.run().unwrap();
        case.assert_done();
        assert_eq!(case.ranges(), [Some("bytes=10-".to_owned()), None]);
    }
}

#[test]
fn a_content_that_stays_wrong_is_not_asked_for_forever() {
    let mut case = Case::new(&[Manner::Corrupt, Manner::Corrupt, Manner::Corrupt]);
    case.put(&case.part(), &content()[..10]);
    let told = case.run().unwrap_err().to_string();
    assert!(told.contains("thrown away"), "{told}");
    case.assert_nothing();
    assert_eq!(case.server.requests().len(), 2, "once for the rest, once from scratch");
}

#[test]
fn a_longer_file_is_not_kept() {
    let mut case = Case::new(&[Manner::Endless]);
    let told = case.run().unwrap_err().to_string();
    assert!(told.contains("more than the"), "{told}");
    case.assert_nothing();
}

#[test]
fn errors_of_the_server_are_told_with_the_address() {
    for (status, words) in [(404, "404 (not found)"), (403, "denied"), (503, "try again later")] {
        let mut case = Case::new(&[Manner::Status(status)]);
        let error = case.run().unwrap_err();
        assert_eq!(error.is_not_found(), status == 404);
        let told = error.to_string();
        assert!(told.starts_with(&format!("{}/{PATH}: ", case.server.address)), "{told}");
        assert!(told.contains(words), "{told}");
        case.assert_nothing();
    }
}

#[test]
fn an_error_does_not_cost_what_was_already_there() {
    let mut case = Case::new(&[Manner::Status(503)]);
    case.put(&case.part(), &content()[..123]);
    case.run().unwrap_err();
    assert_eq!(std::fs::read(case.part()).unwrap().len(), 123);
}

#[test]
fn redirects_are_followed() {
    let mut case = Case::new(&[Manner::Redirect]);
    case.run().unwrap();
    case.assert_done();
    assert_eq!(case.server.requests()[1].0, format!("/moved/{PATH}"));
}

#[test]
fn a_silent_server_is_given_up() {
    let mut case = Case::new(&[Manner::Silent]);
    case.options.patience = Duration::from_millis(200);
    let told = case.run().unwrap_err().to_string();
    assert!(told.contains("said nothing"), "{told}");
    assert_eq!(std::fs::read(case.part()).unwrap(), &content()[..100]);
}

#[test]
fn a_refused_connection_is_told() {
    let mut case = Case::new(&[]);
    // Bound and closed again: no server listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    case.options.mirror = Some(format!("http://127.0.0.1:{port}"));
    let told = case.run().unwrap_err().to_string();
    assert!(told.contains("no connection: the host refuses connections"), "{told}");
    assert!(told.contains("by hand") && told.contains(checksum(&content())), "{told}");
    case.assert_nothing();
}

#[test]
fn another_file_in_the_place_is_kept_unless_forced() {
    let mut case = Case::new(&[]);
    case.put(&case.path(), b"mine");
    let told = case.run().unwrap_err().to_string();
    assert!(told.contains(checksum(b"mine")) && told.contains(checksum(&content())), "{told}");
    assert!(told.contains("--force"), "{told}");
    assert_eq!(std::fs::read(case.path()).unwrap(), b"mine");
    case.options.existing = Existing::Replace;
    case.run().unwrap();
    case.assert_done();
}

#[test]
fn two_downloads_do_not_write_one_file() {
    let mut case = Case::new(&[]);
    case.put(&case.part(), b"");
    let held = std::fs::File::open(case.part()).unwrap();
    held.lock().unwrap();
    let told = case.run().unwrap_err().to_string();
    assert!(told.contains("another download is writing"), "{told}");
    drop(held);
    case.run().unwrap();
    case.assert_done();
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let mut case = Case::new(&[]);
    case.put(&case.folder.path().join("made_up"), b"a file where a folder should be");
    let told = case.run().unwrap_err().to_string();
    assert!(told.contains("numbers.txt.part: cannot write"), "{told}");
}

#[test]
fn files_without_a_checksum_are_never_downloaded() {
    let unseen = |need| BenchmarkFile {
        path: "made_up/unseen.txt",
        bytes: None,
        sha256: None,
        origin: FileOrigin::ByHand("ask Ada"),
        need,
    };
    let case = Case::new(&[]);
    let optional = entry(vec![numbers(), unseen(FileNeed::Optional)]);
    let report = fetch(optional, &case.options, &mut |_| {}).unwrap();
    case.assert_done();
    let left_out = case.folder.path().join("made_up").join("unseen.txt");
    assert_eq!(report.left_out, [(left_out, "ask Ada".to_owned())]);
    let required = entry(vec![unseen(FileNeed::Required)]);
    let told = fetch(required, &case.options, &mut |_| {}).unwrap_err().to_string();
    assert!(told.contains("no verified download") && told.contains("ask Ada"), "{told}");
    assert_eq!(case.server.requests().len(), 1);
}

#[test]
fn nothing_is_asked_where_nothing_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let options = FetchOptions { mirror: None, ..FetchOptions::new(folder.path()) };
    let entry = catalog::find("cnr_2000").unwrap();
    let told = fetch(entry, &options, &mut |_| {}).unwrap_err().to_string();
    assert!(told.contains("put cnr-2000.arcs.tsv.gz into a data folder as large/cnr"), "{told}");
}

/// A mirror of the shared folder serves `cora.content.gz`, the publisher `cora.content`.
#[test]
fn a_mirror_of_a_data_folder_serves_real_benchmarks() {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let shared =
        std::env::var_os("PRIVET_DATA_DIR").map_or_else(|| PathBuf::from(shared), PathBuf::from);
    if !shared.join("cora/linqs/cora.content.gz").is_file() {
        println!("skipped: no benchmark files at {} (set PRIVET_DATA_DIR)", shared.display());
        return;
    }
    let server = Server::start(move |path| std::fs::read(shared.join(path)).ok(), []);
    let folder = tempfile::tempdir().unwrap();
    let mut options =
        FetchOptions { mirror: Some(server.address.clone()), ..FetchOptions::new(folder.path()) };
    for (name, variant, files) in
        [("cora", Some("linqs"), 2), ("cora", None, 8), ("mutag", None, 1)]
    {
        options.variant = variant.map(str::to_owned);
        let entry = catalog::find(name).unwrap();
        let report = fetch(entry, &options, &mut |_| {}).unwrap();
        assert_eq!(report.downloaded.len(), files, "{name}");
        let choice = variant.map_or(entry.primary(), |v| entry.variant(v).unwrap());
        let located = choice.locate(&[folder.path().to_owned()]);
        assert!(located.is_complete());
        located.verify().unwrap();
        // What lies there packed counts as there.
        assert_eq!(fetch(entry, &options, &mut |_| {}).unwrap().present.len(), files, "{name}");
    }
}
