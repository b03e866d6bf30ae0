//! Thousands of bad days, each the same whenever its seed is: the shipped intake on a store that crashes before or after it
//! commits, fails, and is slow; a network that drops, duplicates and delays requests and answers; devices that do not give
//! up. Time is simulated, so that hours take milliseconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use privet_collector::Error;
use privet_collector::intake::{BatchStore, Busy, Intake, ReportOutcome, Submission};
use tokio::sync::watch;

/// Pseudo-random numbers of a seed.
#[derive(Clone)]
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// What a disk holds; it outlives the process.
#[derive(Debug, Default)]
struct Disk {
    reports: HashMap<u32, Bytes>,
    counted: u64,
    closed: bool,
    /// How many there were when it was closed.
    frozen: Option<u64>,
}

/// A store on that disk, as bad as the day is.
struct BadStore {
    disk: Arc<Mutex<Disk>>,
    chance: Chance,
    trouble: u64,
}

fn failed() -> Error {
    Error::Damaged("simulated".into())
}

impl BatchStore for BadStore {
    async fn keep(&mut self, _: u64, batch: &[Submission]) -> Result<Vec<ReportOutcome>, Error> {
        tokio::time::sleep(Duration::from_millis(1 + self.chance.below(20))).await;
        // The disk is full, or the server behind it is gone: nothing happened.
        if self.chance.happens(self.trouble) {
            return Err(failed());
        }
        let outcomes = commit(&mut self.disk.lock().unwrap(), batch);
        tokio::time::sleep(Duration::from_millis(self.chance.below(5))).await;
        // It was written, and the answer is lost.
        match self.chance.happens(self.trouble) {
            true => Err(failed()),
            false => Ok(outcomes),
        }
    }
}

/// What the store's transaction does, as simply as it can be said.
fn commit(disk: &mut Disk, batch: &[Submission]) -> Vec<ReportOutcome> {
    let mut outcome = |submission: &Submission| {
        if disk.closed {
            return ReportOutcome::Closed;
        }
        match disk.reports.get(&submission.place) {
            Some(bytes) if *bytes == submission.bytes => ReportOutcome::Again,
            Some(_) => ReportOutcome::Other,
            None => {
                disk.reports.insert(submission.place, submission.bytes.clone());
                disk.counted += 1;
                ReportOutcome::New
            }
        }
    };
    batch.iter().map(&mut outcome).collect()
}

/// What a device heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Kept,
    Refused,
    Closed,
}

/// A device that sends until it is told what became of its report.
async fn device(
    place: u32,
    bytes: Bytes,
    service: watch::Receiver<Option<Intake>>,
    mut chance: Chance,
    trouble: u64,
) -> Option<Heard> {
    tokio::time::sleep(Duration::from_millis(chance.below(2_000))).await;
    for _ in 0..200 {
        tokio::time::sleep(Duration::from_millis(1 + chance.below(300))).await;
        let Some(intake) = service.borrow().clone() else { continue };
        let submission = Submission { task: 1, place, bytes: bytes.clone() };
        if chance.happens(trouble) {
            continue; // the request was lost
        }
        if chance.happens(trouble) {
            // The network sent it twice, and the second one late.
            let (late, twin, wait) = (intake.clone(), submission.clone(), chance.below(4_000));
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(wait)).await;
                let _ = late.submit(twin).await;
            });
        }
        let answer = intake.submit(submission).await;
        if chance.happens(trouble) {
            continue; // the answer was lost
        }
        match answer {
            Ok(ReportOutcome::New | ReportOutcome::Again) => return Some(Heard::Kept),
            Ok(ReportOutcome::Other) => return Some(Heard::Refused),
            Ok(ReportOutcome::Closed) => return Some(Heard::Closed),
            Err(Busy) => {}
        }
    }
    None
}

/// One bad day; how many were kept.
async fn day(seed: u64) -> usize {
    let mut chance = Chance(seed);
    let trouble = chance.below(30);
    let disk = Arc::new(Mutex::new(Disk::default()));
    let (sender, service) = watch::channel(None);
    let mut devices = Vec::new();
    for place in 0..40u32 {
        let (service, own) = (service.clone(), Chance(chance.next()));
        let mine = Bytes::from(vec![place as u8, 1]);
        devices.push((
            place,
            mine.clone(),
            tokio::spawn(device(place, mine, service.clone(), own.clone(), trouble)),
        ));
        // Some have a twin that says something else in the same name.
        if chance.happens(20) {
            let other = Bytes::from(vec![place as u8, 2]);
            let own = Chance(chance.next());
            devices.push((
                place,
                other.clone(),
                tokio::spawn(device(place, other, service, own, trouble)),
            ));
        }
    }
    let closes = chance.happens(30).then(|| chance.below(3_000));
    let end = disk.clone();
    let closing = tokio::spawn(async move {
        if let Some(wait) = closes {
            tokio::time::sleep(Duration::from_millis(wait)).await;
            let mut disk = end.lock().unwrap();
            (disk.closed, disk.frozen) = (true, Some(disk.counted));
        }
    });
    // The process is killed and comes back, until every device has its answer.
    let killer = {
        let (disk, mut chance) = (disk.clone(), Chance(chance.next()));
        tokio::spawn(async move {
            loop {
                let store = BadStore { disk: disk.clone(), chance: Chance(chance.next()), trouble };
                let (intake, writer) = Intake::new(store, || 0, |_| {});
                let writer = tokio::spawn(writer);
                sender.send_replace(Some(intake));
                tokio::time::sleep(Duration::from_millis(50 + chance.below(3_000))).await;
                sender.send_replace(None);
                writer.abort();
                tokio::time::sleep(Duration::from_millis(chance.below(200))).await;
            }
        })
    };
    let mut acknowledged = Vec::new();
    for (place, bytes, device) in devices {
        match device.await.unwrap() {
            Some(Heard::Kept) => acknowledged.push((place, bytes)),
            Some(Heard::Closed) => assert!(closes.is_some(), "seed {seed}"),
            Some(Heard::Refused) => {}
            None => panic!("seed {seed}: a device was never served"),
        }
    }
    killer.abort();
    closing.await.unwrap();
    let disk = disk.lock().unwrap();
    for (place, bytes) in &acknowledged {
        assert_eq!(disk.reports.get(place), Some(bytes), "seed {seed}: acknowledged and not there");
    }
    assert_eq!(disk.counted as usize, disk.reports.len(), "seed {seed}: counted twice");
    let frozen = disk.frozen.unwrap_or(disk.counted);
    assert_eq!(frozen, disk.counted, "seed {seed}: grew after it was closed");
    acknowledged.len()
}

fn run(seed: u64) -> usize {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(day(seed))
}

/// A thousand days, or as many as `PRIVET_DAYS` says; the same seed gives the same day.
#[test]
fn no_day_is_bad_enough() {
    let days: u64 =
        std::env::var("PRIVET_DAYS").ok().and_then(|days| days.parse().ok()).unwrap_or(1_000);
    let kept: usize = (0..days).map(run).sum();
    assert!(kept as u64 > 20 * days, "{kept}: most days most are served");
    assert_eq!(run(7), run(7));
}
