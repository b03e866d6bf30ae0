use super::*;
use crate::event::Event;
use crate::ledger::{Charge, Ledger, Users};
use crate::mechanism::{MechanismParameters, Status, Theorem};
use crate::noise::{NoiseOrigin, NoiseRng, Numerics};
use crate::template::CoinFlip;
use crate::unit::{FeatureRow, Unit};
use crate::{Epsilon, Secret};

fn header(format: u32) -> LedgerHeader {
    let limit = Loss::new(2.0, 0.0).unwrap();
    LedgerHeader { format, ..LedgerHeader::new(FeatureRow::NAME, FeatureRow::RELATION, limit) }
}

fn entry(event: Event, users: Users) -> LedgerEntry {
    LedgerEntry {
        mechanism: "coin".into(),
        parameters: MechanismParameters::new(),
        charges: vec![Charge { users, event, pair: None }],
        people: Some(4),
        theorem: Theorem { statement: "for this test".into(), proof: "none".into() },
        status: Status::Holds,
        numerics: Numerics::Exact,
        noise: NoiseOrigin::OperatingSystem,
        assumes_public: Vec::new(),
        audited: true,
    }
}

fn good() -> LedgerEntry {
    entry(Event::Pure { epsilon: Epsilon::new(1.0).unwrap() }, Users::Everyone)
}

/// A file whose chain is right, whatever its lines say.
fn file(format: u32, entries: &[LedgerEntry]) -> Vec<u8> {
    let header = header(format);
    let mut chain = chained("", &header).unwrap();
    let mut lines =
        vec![serde_json::to_string(&HeaderLine { chain: chain.clone(), header }).unwrap()];
    for entry in entries {
        chain = chained(&chain, entry).unwrap();
        let line = EntryLine { chain: chain.clone(), entry: entry.clone() };
        lines.push(serde_json::to_string(&line).unwrap());
    }
    (lines.join("\n") + "\n").into_bytes()
}

fn charge(path: &Path, times: usize) {
    let mut ledger: Ledger<FeatureRow> = match path.exists() {
        true => Ledger::open(path, NoiseRng::replay(1)).unwrap(),
        false => Ledger::create(path, header(FORMAT).limit, NoiseRng::replay(1)).unwrap(),
    };
    let coin = CoinFlip::new(0.25).unwrap();
    (0..times).for_each(|_| drop(ledger.release_each(&Secret::new(vec![1.0]), &coin).unwrap()));
}

/// The chain shows that a file was edited, not that a ledger ever wrote it.
#[test]
fn lines_that_no_ledger_writes_are_refused_by_their_number() {
    let line = |bytes: &[u8]| Contents::parse(bytes).map(|found| found.entries.len());
    let refused = |bytes: &[u8]| line(bytes).unwrap_err().0;
    assert_eq!(line(&file(FORMAT, &[good(), good()])), Ok(2));
    assert_eq!(line(&file(1, &[good()])), Ok(1), "the format before this one");
    for unknown in [0, FORMAT + 1] {
        assert_eq!(refused(&file(unknown, &[])), 1, "format {unknown}");
    }
    for none in [&b""[..], b"not a ledger\n"] {
        assert_eq!(refused(none), 1);
    }
    let twice = entry(good().charges[0].event.clone(), Users::Ranges(vec![[0, 2], [1, 3]]));
    let no_noise = entry(Event::Gaussian { noise_multiplier: 0.0 }, Users::Everyone);
    assert_eq!(refused(&file(FORMAT, &[good(), twice])), 3);
    assert_eq!(refused(&file(FORMAT, &[no_noise, good()])), 2);
}

/// Ledgers from before mechanisms of others could be charged have no word about it, and their chains must still hold.
#[test]
fn only_what_was_made_outside_says_so() {
    let outside = LedgerEntry { audited: false, ..good() };
    let text = |entry| String::from_utf8(file(FORMAT, &[entry])).unwrap();
    assert!(!text(good()).contains("audited"), "{}", text(good()));
    assert!(text(outside.clone()).contains(r#""audited":false"#));
    for entry in [good(), outside] {
        let read = Contents::parse(text(entry.clone()).as_bytes()).unwrap();
        assert_eq!(read.entries, [entry]);
    }
}

/// A crash may leave a line that is longer than the next one: nothing of it may stay behind that.
#[test]
fn a_long_torn_line_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    charge(&path, 1);
    let mut bytes = std::fs::read(&path).unwrap();
    let whole = bytes.len();
    bytes.resize(whole + 10_000, b' ');
    std::fs::write(&path, &bytes).unwrap();
    charge(&path, 0);
    assert_eq!(std::fs::read(&path).unwrap(), bytes[..whole]);
}

/// Where a crash came between an entry and its count, the next process to open the ledger writes the count anew: otherwise
/// that entry could be cut off later.
#[test]
fn a_count_that_is_behind_catches_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.ledger");
    charge(&path, 1);
    let shorter = std::fs::read(&path).unwrap();
    let behind = std::fs::read(count::path_of(&path)).unwrap();
    charge(&path, 1);
    let right = std::fs::read(count::path_of(&path)).unwrap();
    std::fs::write(count::path_of(&path), behind).unwrap();
    charge(&path, 0);
    assert_eq!(std::fs::read(count::path_of(&path)).unwrap(), right);
    std::fs::write(&path, shorter).unwrap();
    assert!(EntryStore::open(&path).is_err(), "it lost the second entry");
}
