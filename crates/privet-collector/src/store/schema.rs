//! What the store holds. A new version is added at the end, and nothing above it is ever changed.
//!
//! ```text
//! tasks           a task as it was signed, whether it is open
//! people          who can take part in it
//! reports         one report of one participant of one task: the bytes, and no moment
//! hours           how many reports came in an hour, without their senders
//! invitations     the hash of each participant's code
//! administrators  the hash of each administrator's token
//! ```

use super::StoreEngine;

/// What each version adds. `{bytes}` and `{clustered}` are the two words that SQLite and PostgreSQL spell differently.
const VERSIONS: [&[&str]; 2] = [
    &[
        "CREATE TABLE tasks (
        number BIGINT PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        sealed TEXT NOT NULL,
        people {bytes} NOT NULL,
        invited BIGINT NOT NULL,
        closed BIGINT NOT NULL,
        batches BIGINT NOT NULL
    )",
        "CREATE TABLE reports (
        task BIGINT NOT NULL,
        place BIGINT NOT NULL,
        report {bytes} NOT NULL,
        PRIMARY KEY (task, place)
    ){clustered}",
        "CREATE TABLE hours (
        task BIGINT NOT NULL,
        hour BIGINT NOT NULL,
        reports BIGINT NOT NULL,
        PRIMARY KEY (task, hour)
    )",
        "CREATE TABLE invitations (
        task BIGINT NOT NULL,
        place BIGINT NOT NULL,
        hash {bytes} NOT NULL,
        PRIMARY KEY (task, place)
    ){clustered}",
        "CREATE TABLE administrators (
        hash {bytes} PRIMARY KEY,
        label TEXT NOT NULL
    )",
    ],
    // A batch touches its task's row, and SQLite reads a row whole: with all participants' ids in it that took longer than the batch.
    &[
        "CREATE TABLE people (
        task BIGINT PRIMARY KEY,
        ids {bytes} NOT NULL
    )",
        "INSERT INTO people (task, ids) SELECT number, people FROM tasks",
        "ALTER TABLE tasks DROP COLUMN people",
    ],
];

/// The newest version.
pub const NEWEST: i64 = VERSIONS.len() as i64;

/// The statements that lead from a version to the newest, in an engine's own words.
pub fn after(version: i64, engine: StoreEngine) -> impl Iterator<Item = String> {
    (version + 1..=NEWEST).flat_map(move |version| of_version(version, engine))
}

/// What a version adds.
pub fn of_version(version: i64, engine: StoreEngine) -> impl Iterator<Item = String> {
    let (bytes, clustered) = match engine {
        StoreEngine::Sqlite => ("BLOB", " WITHOUT ROWID"),
        StoreEngine::Postgres => ("BYTEA", ""),
    };
    let place = usize::try_from(version - 1).unwrap_or(0);
    VERSIONS
        .iter()
        .skip(place)
        .take(1)
        .flat_map(|version| version.iter())
        .map(move |statement| statement.replace("{bytes}", bytes).replace("{clustered}", clustered))
}
