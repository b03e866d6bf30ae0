//! [`CollectorStore`]: where tasks and reports are kept. A file of SQLite, or a PostgreSQL server: the queries are the same.
//!
//! A batch of reports is kept in one transaction (`batch.rs`): first the tasks it is for are touched, which waits for other
//! writers and finds out whether they are open, then rows go in, and a row that is there already is looked at.
//! So what was acknowledged is on disk, a closed task never grows, and two servers on one store never count twice.

mod batch;
mod schema;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use sqlx::any::{AnyPoolOptions, AnyRow};
use sqlx::{AnyConnection, AnyPool, Connection as _, Executor as _, Row as _};

use crate::error::{Error, Result};

/// What keeps the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreEngine {
    /// A file; nothing to install.
    Sqlite,
    /// A server.
    Postgres,
}

/// Tasks, reports, invitations, administrators.
#[derive(Debug, Clone)]
pub struct CollectorStore {
    pool: AnyPool,
    engine: StoreEngine,
}

/// A task as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptTask {
    /// What rows call it.
    pub number: i64,
    /// The task as its collector signed it, in JSON.
    pub sealed: String,
    /// Who can take part, an id a line.
    pub people: Vec<u8>,
    /// Whether a code is needed.
    pub invited: bool,
    /// Whether it is closed.
    pub closed: bool,
}

/// What became of a task that was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskAddition {
    /// It is there now.
    New,
    /// It was there.
    Again,
}

/// Reports that are read at once.
const PAGE: i64 = 2048;

impl CollectorStore {
    /// The store at an address: a path, `sqlite:PATH` or `postgres://USER:PASSWORD@HOST/NAME`. Tables are made, or brought
    /// up to date.
    ///
    /// # Errors
    /// If it cannot be reached, or a newer program made it.
    pub async fn open(address: &str) -> Result<Self> {
        Self::with_connections(address, 8).await
    }

    async fn with_connections(address: &str, most: u32) -> Result<Self> {
        sqlx::any::install_default_drivers();
        // Before a connection is tried: a mistyped path must not become a new, empty store.
        let (engine, url) = url(address)?;
        let pool = AnyPoolOptions::new()
            .max_connections(most)
            // After that a refusal is better: the sender tries again.
            .acquire_timeout(std::time::Duration::from_secs(2))
            .after_connect(move |connection, _| Box::pin(prepare(connection, engine)))
            .connect(&url)
            .await?;
        let store = Self { pool, engine };
        store.migrate().await?;
        Ok(store)
    }

    async fn migrate(&self) -> Result<()> {
        let mut step = self.pool.begin().await?;
        // The first statement writes, so that two programs that start together do this one after the other.
        step.execute("CREATE TABLE IF NOT EXISTS privet_schema (version BIGINT NOT NULL)").await?;
        // SQLite locks the whole file at the first write; PostgreSQL is told to.
        if self.engine == StoreEngine::Postgres {
            step.execute("LOCK TABLE privet_schema IN EXCLUSIVE MODE").await?;
        }
        let row = sqlx::query("SELECT COALESCE(MAX(version), 0) FROM privet_schema");
        let found: i64 = row.fetch_one(&mut *step).await?.try_get(0)?;
        // An older program would not keep what a newer schema promises.
        if found > schema::NEWEST {
            return Err(Error::Newer { found, expected: schema::NEWEST });
        }
        // Each statement brings an older schema one step further.
        for statement in schema::after(found, self.engine) {
            step.execute(&*statement).await?;
        }
        if found < schema::NEWEST {
            let insert = sqlx::query("INSERT INTO privet_schema (version) VALUES ($1)");
            insert.bind(schema::NEWEST).execute(&mut *step).await?;
        }
        Ok(step.commit().await?)
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// If it does not.
    pub async fn check(&self) -> Result<()> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Adds a task. Its name is the hash of its content, so adding it twice adds the same.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn add_task(
        &self,
        name: &str,
        sealed: &str,
        people: &[u8],
        invited: bool,
    ) -> Result<TaskAddition> {
        let mut connection = self.pool.acquire().await?;
        let added = add(&mut connection, (name, sealed, invited), people).await;
        // A connection with an open transaction must not return to the pool.
        batch::retire_after_error(&added, &mut connection);
        added
    }

    /// The task of a name.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn task(&self, name: &str) -> Result<Option<KeptTask>> {
        let select = "SELECT number, sealed, ids, invited, closed FROM tasks
             JOIN people ON people.task = tasks.number WHERE name = $1";
        let row = sqlx::query(select).bind(name).fetch_optional(&self.pool).await?;
        row.as_ref().map(kept_task).transpose()
    }

    /// The names of all tasks, the oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn names(&self) -> Result<Vec<String>> {
        let rows = sqlx::query("SELECT name FROM tasks ORDER BY number").fetch_all(&self.pool);
        rows.await?.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Whether a task is closed.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn is_closed(&self, task: i64) -> Result<bool> {
        let select = sqlx::query("SELECT closed FROM tasks WHERE number = $1").bind(task);
        let row = select.fetch_one(&self.pool).await?;
        Ok(row.try_get::<i64, _>(0)? != 0)
    }

    /// Closes a task: no report is taken after this.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn close(&self, task: i64) -> Result<()> {
        let update = sqlx::query("UPDATE tasks SET closed = 1 WHERE number = $1").bind(task);
        update.execute(&self.pool).await?;
        Ok(())
    }

    /// How many reports came in each hour since 1970 that had any.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn hours(&self, task: i64) -> Result<BTreeMap<u64, u64>> {
        let select = "SELECT hour, reports FROM hours WHERE task = $1";
        let rows = sqlx::query(select).bind(task).fetch_all(&self.pool).await?;
        let pair = |row: &AnyRow| {
            Ok((row.try_get::<i64, _>(0)?.unsigned_abs(), row.try_get::<i64, _>(1)?.unsigned_abs()))
        };
        rows.iter().map(pair).collect()
    }

    /// The next reports after a place, in the order of places; none if there are no more.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn reports_after(&self, task: i64, place: i64) -> Result<Vec<(i64, Vec<u8>)>> {
        // Pages by key, not by offset: reports that arrive in between shift nothing.
        let select = "SELECT place, report FROM reports WHERE task = $1 AND place > $2
             ORDER BY place LIMIT $3";
        let rows = sqlx::query(select).bind(task).bind(place).bind(PAGE);
        let rows = rows.fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// Sets the codes of participants, by their hashes. A participant's earlier code is no longer good.
    ///
    /// # Errors
    /// If the store fails; then all old codes hold.
    pub async fn invite(&self, task: i64, codes: &[(u32, [u8; 32])]) -> Result<()> {
        let mut connection = self.pool.acquire().await?;
        let invited = invite_all(&mut connection, (self.engine, task), codes).await;
        batch::retire_after_error(&invited, &mut connection);
        invited
    }

    /// The hash of a participant's code, if there is one.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn invitation(&self, task: i64, place: u32) -> Result<Option<Vec<u8>>> {
        let select = "SELECT hash FROM invitations WHERE task = $1 AND place = $2";
        let query = sqlx::query(select).bind(task).bind(i64::from(place));
        let row = query.fetch_optional(&self.pool).await?;
        row.map(|row| Ok(row.try_get(0)?)).transpose()
    }

    /// Adds an administrator's token, of which only the hash is kept.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn add_administrator(&self, hash: &[u8; 32], label: &str) -> Result<()> {
        let insert =
            "INSERT INTO administrators (hash, label) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        sqlx::query(insert).bind(&hash[..]).bind(label).execute(&self.pool).await?;
        Ok(())
    }

    /// The hashes of all tokens.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn administrators(&self) -> Result<Vec<Vec<u8>>> {
        let rows = sqlx::query("SELECT hash FROM administrators").fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Waits for what is being written, and lets go of the store.
    pub async fn shut(&self) {
        self.pool.close().await;
    }
}

async fn add(
    connection: &mut AnyConnection,
    (name, sealed, invited): (&str, &str, bool),
    people: &[u8],
) -> Result<TaskAddition> {
    let mut step = connection.begin().await?;
    // `WHERE TRUE` because SQLite would read ON CONFLICT as part of the SELECT's join otherwise.
    let insert = "INSERT INTO tasks (number, name, sealed, invited, closed, batches)
         SELECT COALESCE(MAX(number), 0) + 1, $1, $2, $3, 0, 0 FROM tasks WHERE TRUE
         ON CONFLICT (name) DO NOTHING";
    let query = sqlx::query(insert).bind(name).bind(sealed).bind(i64::from(invited));
    // The same sealed task: its name is a hash of it.
    if query.execute(&mut *step).await?.rows_affected() == 0 {
        step.rollback().await?;
        return Ok(TaskAddition::Again);
    }
    let insert = "INSERT INTO people (task, ids) SELECT number, $1 FROM tasks WHERE name = $2";
    sqlx::query(insert).bind(people).bind(name).execute(&mut *step).await?;
    step.commit().await?;
    Ok(TaskAddition::New)
}

async fn invite_all(
    connection: &mut AnyConnection,
    (engine, task): (StoreEngine, i64),
    codes: &[(u32, [u8; 32])],
) -> Result<()> {
    let mut step = connection.begin().await?;
    // All in one transaction: after a failure, all old codes hold.
    for some in codes.chunks(batch::ROWS) {
        // A row that is to be changed may stand only once in a statement of PostgreSQL: lengths are not made up.
        let insert = format!(
            "INSERT INTO invitations (task, place, hash) VALUES {}
             ON CONFLICT (task, place) DO UPDATE SET hash = excluded.hash",
            batch::values(engine, some.len())
        );
        let mut query = sqlx::query(&insert);
        for (place, hash) in some {
            query = query.bind(task).bind(i64::from(*place)).bind(&hash[..]);
        }
        query.execute(&mut *step).await?;
    }
    Ok(step.commit().await?)
}

fn kept_task(row: &AnyRow) -> Result<KeptTask> {
    Ok(KeptTask {
        number: row.try_get("number")?,
        sealed: row.try_get("sealed")?,
        people: row.try_get("ids")?,
        invited: row.try_get::<i64, _>("invited")? != 0,
        closed: row.try_get::<i64, _>("closed")? != 0,
    })
}

/// What an address means.
fn url(address: &str) -> Result<(StoreEngine, String)> {
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return match cfg!(feature = "postgres") {
            true => Ok((StoreEngine::Postgres, address.to_owned())),
            false => Err(Error::Address {
                found: "a PostgreSQL server".into(),
                expected: "a file: this build has no PostgreSQL (feature `postgres`)",
            }),
        };
    }
    let path = address.strip_prefix("sqlite:").unwrap_or(address);
    // `//` would begin a host, and `?` settings.
    if path.is_empty() || path.contains(['?', '#', '%']) || path.starts_with("//") {
        let expected = "the path of a file, or postgres://USER:PASSWORD@HOST/NAME";
        return Err(Error::Address { found: format!("'{}'", without_password(address)), expected });
    }
    // A missing folder is a mistyped path more often than a new one.
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such folder");
        return Err(Error::io(folder.display(), missing));
    }
    refuse_other_files(Path::new(path))?;
    Ok((StoreEngine::Sqlite, format!("sqlite:{path}?mode=rwc")))
}

/// SQLite takes a short file for an empty one and writes over it: only what begins as its own is handed to it.
fn refuse_other_files(path: &Path) -> Result<()> {
    const BEGINNING: &[u8; 16] = b"SQLite format 3\0";
    let mut found = Vec::new();
    let read = std::fs::File::open(path)
        .and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut found));
    // An empty file is a new store.
    match read {
        Ok(0) => Ok(()),
        Ok(_) if found == BEGINNING => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io(path.display(), error)),
        Ok(_) => {
            let other = std::io::Error::other("found something else, not a file of SQLite");
            Err(Error::io(path.display(), other))
        }
    }
}

/// An address as it may be shown: what stands between the first colon after `//` and `@` is not.
fn without_password(address: &str) -> String {
    // From the last @: a password may contain one.
    match (address.find("//"), address.rfind('@')) {
        (Some(start), Some(end)) if start < end => {
            format!("{}...{}", &address[..start + 2], &address[end..])
        }
        _ => address.to_owned(),
    }
}

/// Settings of a new connection. SQLite: readers beside one writer, and a commit is on disk before it returns.
async fn prepare(connection: &mut AnyConnection, engine: StoreEngine) -> sqlx::Result<()> {
    if engine == StoreEngine::Sqlite {
        for setting in [
            "journal_mode = WAL",
            "synchronous = FULL",
            "busy_timeout = 10000",
            "cache_size = -16000",
        ] {
            // WAL for readers beside the writer; FULL so that a commit survives a loss of power.
            connection.execute(&*format!("PRAGMA {setting}")).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
            assert_eq!(
                store.add_task(name, "{}", b"a\nb\n", false).await.unwrap(),
                TaskAddition::New
            );
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
        old.execute("INSERT INTO tasks VALUES (1, 'one', '{}', x'610a620a', 1, 0, 5)")
            .await
            .unwrap();
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
}
