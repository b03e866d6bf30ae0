//! The transaction that keeps a batch, on a real file of SQLite.

use super::*;
use crate::intake::ReportOutcome::{Again, Closed, New, Other};
use crate::intake::{BatchStore as _, Submission};

fn submission(task: i64, place: u32, byte: u8) -> Submission {
    Submission { task, place, bytes: vec![byte; 3].into() }
}

async fn store(folder: &Path) -> CollectorStore {
    let store = CollectorStore::open(&folder.join("a.db").display().to_string()).await.unwrap();
    for name in ["one", "two"] {
        assert_eq!(store.add_task(name, "{}", b"a\nb\n", false).await.unwrap(), TaskAddition::New);
    }
    store
}

#[tokio::test]
async fn each_report_of_a_batch_hears_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store(folder.path()).await;
    let first = [submission(1, 5, 1), submission(2, 5, 2), submission(1, 6, 1)];
    assert_eq!(store.keep(10, &first).await.unwrap(), [New; 3]);
    // Twins within a batch, others than before, another task, a task that is not there.
    let second = [
        submission(1, 7, 1),
        submission(1, 7, 1),
        submission(1, 7, 2),
        submission(1, 5, 1),
        submission(1, 6, 9),
        submission(2, 7, 2),
        submission(9, 1, 1),
    ];
    let outcomes = store.keep(11, &second).await.unwrap();
    assert_eq!(outcomes, [New, Again, Other, Again, Other, New, Closed]);
    assert_eq!(store.hours(1).await.unwrap(), BTreeMap::from([(10, 2), (11, 1)]));
    assert_eq!(store.hours(2).await.unwrap(), BTreeMap::from([(10, 1), (11, 1)]));
    let kept = store.reports_after(1, -1).await.unwrap();
    assert_eq!(kept, [(5, vec![1; 3]), (6, vec![1; 3]), (7, vec![1; 3])]);
    assert_eq!(store.reports_after(1, 6).await.unwrap().len(), 1);
    store.close(1).await.unwrap();
    let after = [submission(1, 5, 1), submission(1, 8, 1), submission(2, 8, 1)];
    assert_eq!(store.keep(12, &after).await.unwrap(), [Closed, Closed, New]);
    assert!(store.is_closed(1).await.unwrap() && !store.is_closed(2).await.unwrap());
}

/// Batches of every size that statements are cut into, and what comes again.
#[tokio::test]
async fn large_batches_are_kept_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store(folder.path()).await;
    let batch: Vec<Submission> = (0..1159).map(|place| submission(1, place * 3, 4)).collect();
    assert_eq!(store.keep(1, &batch[..600]).await.unwrap(), vec![New; 600]);
    let outcomes = store.keep(2, &batch).await.unwrap();
    assert_eq!(outcomes[..600], vec![Again; 600]);
    assert_eq!(outcomes[600..], vec![New; 559]);
    assert_eq!(store.hours(1).await.unwrap().values().sum::<u64>(), 1159);
}

#[tokio::test]
async fn a_store_opens_again_and_a_newer_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let opened = store(folder.path()).await;
    assert_eq!(opened.add_task("one", "{}", b"", true).await.unwrap(), TaskAddition::Again);
    assert_eq!(opened.names().await.unwrap(), ["one", "two"]);
    opened.invite(1, &[(3, [7; 32]), (4, [8; 32])]).await.unwrap();
    opened.invite(1, &[(3, [9; 32])]).await.unwrap();
    assert_eq!(opened.invitation(1, 3).await.unwrap(), Some(vec![9; 32]));
    assert_eq!(opened.invitation(1, 4).await.unwrap(), Some(vec![8; 32]));
    assert_eq!(opened.invitation(2, 3).await.unwrap(), None);
    opened.shut().await;
    let path = folder.path().join("a.db").display().to_string();
    let again = CollectorStore::open(&path).await.unwrap();
    assert_eq!(again.task("two").await.unwrap().unwrap().number, 2);
    assert!(again.task("three").await.unwrap().is_none());
    sqlx::query("UPDATE privet_schema SET version = 99").execute(&again.pool).await.unwrap();
    again.shut().await;
    let error = CollectorStore::open(&path).await.unwrap_err().to_string();
    assert!(error.contains("found version 99"), "{error}");
}

/// A store of the first version, with a task and its people, is brought up to date and has lost nothing.
#[tokio::test]
async fn an_older_store_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.db").display().to_string();
    sqlx::any::install_default_drivers();
    let mut old = AnyConnection::connect(&format!("sqlite:{path}?mode=rwc")).await.unwrap();
    old.execute("CREATE TABLE privet_schema (version BIGINT NOT NULL)").await.unwrap();
    old.execute("INSERT INTO privet_schema (version) VALUES (1)").await.unwrap();
    for statement in schema::of_version(1, StoreEngine::Sqlite) {
        old.execute(&*statement).await.unwrap();
    }
    old.execute("INSERT INTO tasks VALUES (1, 'one', '{}', x'610a620a', 1, 0, 5)").await.unwrap();
    old.execute("INSERT INTO reports VALUES (1, 3, x'010203')").await.unwrap();
    old.close().await.unwrap();
    let mut store = CollectorStore::open(&path).await.unwrap();
    let kept = store.task("one").await.unwrap().unwrap();
    assert_eq!((&*kept.people, kept.invited, kept.closed), (&b"a\nb\n"[..], true, false));
    assert_eq!(store.reports_after(1, -1).await.unwrap(), [(3, vec![1, 2, 3])]);
    assert_eq!(
        store.keep(1, &[submission(1, 3, 9), submission(1, 4, 1)]).await.unwrap(),
        [Other, New]
    );
    assert_eq!(store.add_task("two", "{}", b"c\n", false).await.unwrap(), TaskAddition::New);
}

#[tokio::test]
async fn addresses_that_are_none_are_refused_without_their_password() {
    for address in
        ["", "sqlite://host/x", "a?b", "there/is/no/such/folder/a.db", "mysql://a:secret@b/c?d"]
    {
        let error = CollectorStore::open(address).await.unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}

/// What was acknowledged is seen by others at once, whatever failed before. SQLite ends a transaction itself when it cannot
/// write (a trigger does so here), and the driver, which does not know, would nest the next ones in it.
#[tokio::test]
async fn an_acknowledged_report_is_committed_after_any_failure() {
    let folder = tempfile::tempdir().unwrap();
    let other = store(folder.path()).await;
    let ends = "CREATE TRIGGER ends BEFORE INSERT ON reports WHEN NEW.place = 77
         BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END";
    sqlx::query(ends).execute(&other.pool).await.unwrap();
    // One connection: what happens to it happens to its next user.
    let path = folder.path().join("a.db").display().to_string();
    let mut store = CollectorStore::with_connections(&path, 1).await.unwrap();
    assert_eq!(store.keep(1, &[submission(1, 0, 1)]).await.unwrap(), [New]);
    assert!(store.keep(2, &[submission(1, 77, 1)]).await.is_err());
    // Another writer holds the lock for too long.
    sqlx::query("PRAGMA busy_timeout = 50").execute(&store.pool).await.unwrap();
    let mut writer = other.pool.acquire().await.unwrap();
    writer.execute("BEGIN IMMEDIATE").await.unwrap();
    let small: Vec<Submission> = (1..3).map(|place| submission(1, place, 1)).collect();
    assert!(store.keep(3, &small).await.is_err());
    writer.execute("ROLLBACK").await.unwrap();
    // Now the batch is kept.
    assert_eq!(store.keep(4, &small).await.unwrap(), [New; 2]);
    let seen = other.reports_after(1, -1).await.unwrap();
    assert_eq!(seen.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [0, 1, 2]);
}
