//! [`Collector`]: what all requests share.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use privet::collected::{Collection, promise};
use privet::privacy::Card;
use privet::privacy::fault::{self, Fault};
use privet_protocol::{CheckedTask, Report, SealedTask, TaskName};

use crate::error::{Error, Result};
use crate::intake::{Intake, ReportOutcome, Submission};
use crate::metrics::Metrics;
use crate::pages::{TaskAccess, TaskProgress};
use crate::rate::RateLimiter;
use crate::refusal::Refusal;
use crate::session::Sessions;
use crate::settings::CollectorSettings;
use crate::store::{CollectorStore, TaskAddition};
use crate::token;
use axum::http::StatusCode;

/// A clock: seconds since 1970.
pub type Clock = fn() -> u64;

/// The service behind all requests.
#[derive(Debug, Clone)]
pub struct Collector {
    shared: Arc<CollectorState>,
}

#[derive(Debug)]
struct CollectorState {
    store: CollectorStore,
    intake: Intake,
    tasks: RwLock<HashMap<TaskName, Arc<KnownTask>>>,
    now: Clock,
    rate: RateLimiter,
    metrics: Arc<Metrics>,
    sessions: Sessions,
    settings: CollectorSettings,
}

/// A task that was opened once: it never changes, but that it is closed.
#[derive(Debug)]
pub struct KnownTask {
    /// What rows call it.
    pub number: i64,
    /// As its collector signed it.
    pub sealed: SealedTask,
    /// Opened.
    pub asked: CheckedTask,
    /// What it promises.
    pub card: Card,
    /// Who can take part, an id a line.
    pub people: Bytes,
    /// Who may send a report.
    pub entry: TaskAccess,
}

impl Collector {
    /// A service on a store, and the writer that has to run beside it; it ends when the service is gone.
    ///
    /// # Errors
    /// If the store cannot be opened.
    pub async fn open(
        settings: CollectorSettings,
        now: Clock,
    ) -> Result<(Self, impl Future<Output = CollectorStore> + Send)> {
        let store = CollectorStore::open(&settings.store).await?;
        let metrics = Arc::new(Metrics::new()?);
        let failures = metrics.clone();
        let (intake, writer) = Intake::new(store.clone(), now, move |error| {
            failures.store_failed();
            crate::log::failure("batch", error);
        });
        let shared = CollectorState {
            store,
            intake,
            tasks: RwLock::default(),
            now,
            rate: RateLimiter::new(settings.rate),
            metrics,
            sessions: Sessions::default(),
            settings,
        };
        Ok((Self { shared: Arc::new(shared) }, writer))
    }

    /// Makes the holder of a token an administrator.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn add_administrator(&self, token: &str) -> Result<()> {
        self.store().add_administrator(&token::hash(token), "administrator").await
    }

    /// Whether a token is an administrator's.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn is_administrator(&self, token: &str) -> Result<bool> {
        let known = token::is_one_of(token, &self.store().administrators().await?);
        Ok(known || fault::on(Fault::EveryoneAdministrates))
    }

    /// Adds a task of these people.
    ///
    /// # Errors
    /// If the task is not what its collector signed or is about others, or the store fails.
    pub async fn add_task(
        &self,
        sealed: SealedTask,
        people: &str,
        entry: TaskAccess,
    ) -> Result<(TaskName, TaskAddition), Refusal> {
        let refused = |error: &dyn std::fmt::Display| {
            let expected =
                "a task as `privet collect create` signs it, and its people, an id a line";
            Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, expected)
        };
        // Checks the signature: only what the collector signed is shown to participants.
        let (asked, _) = sealed.open().map_err(|error| refused(&error))?;
        let ids = people.lines().map(str::to_owned).collect();
        // Whether these are the people of the task.
        Collection::new(&sealed, ids).map_err(|error| refused(&error))?;
        let text = serde_json::to_string(&sealed).map_err(|error| refused(&error))?;
        let invited = entry == TaskAccess::Invitation;
        let (store, name) = (self.store(), asked.name.to_string());
        let added = store.add_task(&name, &text, people.as_bytes(), invited).await?;
        let kept = store.task(&name).await?.ok_or_else(Refusal::unknown_task)?;
        // The task itself does not say who may answer, so the same task may come with another entry.
        if kept.invited != invited {
            let expected = "the same entry as before: a task never changes";
            return Err(Refusal::new(
                StatusCode::CONFLICT,
                "this task has another entry",
                expected,
            ));
        }
        crate::log::event(
            "task",
            serde_json::json!({ "name": name, "new": added == TaskAddition::New }),
        );
        Ok((asked.name, added))
    }

    /// The task that an address names.
    ///
    /// # Errors
    /// If there is none, or the store fails.
    pub async fn task(&self, name: &str) -> Result<Arc<KnownTask>, Refusal> {
        let name = TaskName::from_hex(name).ok_or_else(Refusal::unknown_task)?;
        // A task never changes, so it is parsed and its card computed once.
        if let Some(task) = self.known(name) {
            return Ok(task);
        }
        let kept = self.store().task(&name.to_string()).await?;
        let kept = kept.ok_or_else(Refusal::unknown_task)?;
        let damaged =
            |error: &dyn std::fmt::Display| Error::Damaged(format!("task {name}: {error}"));
        let sealed: SealedTask =
            serde_json::from_str(&kept.sealed).map_err(|error| damaged(&error))?;
        let (asked, _) = sealed.open().map_err(|error| damaged(&error))?;
        // The name is the hash of the task: a store that was edited is noticed here.
        if asked.name != name {
            return Err(damaged(&"its name is not its own").into());
        }
        let card = promise(&asked).map_err(Error::from)?;
        let entry = if kept.invited { TaskAccess::Invitation } else { TaskAccess::Open };
        let people = kept.people.into();
        let task = Arc::new(KnownTask { number: kept.number, sealed, asked, card, people, entry });
        let mut tasks = self.shared.tasks.write().unwrap_or_else(PoisonError::into_inner);
        // Two requests may have loaded it: both use the first.
        Ok(tasks.entry(name).or_insert(task).clone())
    }

    fn known(&self, name: TaskName) -> Option<Arc<KnownTask>> {
        let tasks = self.shared.tasks.read().unwrap_or_else(PoisonError::into_inner);
        tasks.get(&name).cloned()
    }

    /// How far a task has come.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn progress(&self, task: &KnownTask) -> Result<TaskProgress> {
        let about = &task.asked.task;
        let hours = self.store().hours(task.number).await?;
        Ok(TaskProgress {
            name: task.asked.name.to_string(),
            title: about.title.clone(),
            people: u64::from(about.people.count),
            reports: hours.values().sum(),
            open: !self.is_over(task) && !self.store().is_closed(task.number).await?,
            entry: task.entry,
            until: about.until,
        })
    }

    /// Takes a report: checks that an honest device could have sent it, and that its sender was invited where that is
    /// asked, and waits until it is durable.
    ///
    /// # Errors
    /// Why it is not taken.
    pub async fn take(
        &self,
        task: &KnownTask,
        bytes: Bytes,
        code: Option<&str>,
    ) -> Result<ReportOutcome, Refusal> {
        // The cheap checks first: no query for a report that no device could have drawn.
        let place = self.place_of(task, &bytes)?;
        let asked = task.entry == TaskAccess::Invitation && !fault::on(Fault::InvitationNotAsked);
        if asked && !self.is_invited(task, place, code).await? {
            let expected = "the invitation of this participant";
            return Err(Refusal::new(StatusCode::FORBIDDEN, "not invited", expected));
        }
        if self.is_over(task) {
            return Ok(ReportOutcome::Closed);
        }
        Ok(self.shared.intake.submit(Submission { task: task.number, place, bytes }).await?)
    }

    /// Takes reports that one sender forwards for many devices, an app's own server for example. Each is judged by itself.
    ///
    /// # Errors
    /// If a task is by invitation, where each comes with a code of its own, or the store fails: then all are to be sent again.
    pub async fn take_all(
        &self,
        task: &KnownTask,
        reports: Vec<Bytes>,
    ) -> Result<Vec<Result<ReportOutcome, Refusal>>, Refusal> {
        if task.entry == TaskAccess::Invitation {
            let expected = "one report a request, with its invitation";
            return Err(Refusal::new(StatusCode::CONFLICT, "this task is by invitation", expected));
        }
        if self.is_over(task) {
            return Ok(vec![Ok(ReportOutcome::Closed); reports.len()]);
        }
        let mut judged = Vec::with_capacity(reports.len());
        let mut submissions = Vec::with_capacity(reports.len());
        for bytes in reports {
            // Refused reports keep their position, so that the sender can tell which they are.
            judged.push(self.place_of(task, &bytes).map(|place| {
                submissions.push(Submission { task: task.number, place, bytes });
            }));
        }
        let mut outcomes = self.shared.intake.submit_all(submissions).await?.into_iter();
        // One outcome for each report that an honest device could have sent.
        Ok(judged
            .into_iter()
            .map(|judged| judged.map(|()| outcomes.next().unwrap_or(ReportOutcome::Closed)))
            .collect())
    }

    /// The sender of a report that an honest device could have drawn.
    fn place_of(&self, task: &KnownTask, bytes: &[u8]) -> Result<u32, Refusal> {
        let report = Report::decode(&task.asked, bytes).map_err(|error| {
            let expected = "a report that a device draws for this task";
            Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, expected)
        })?;
        Ok(report.participant)
    }

    async fn is_invited(&self, task: &KnownTask, place: u32, code: Option<&str>) -> Result<bool> {
        let known = self.store().invitation(task.number, place).await?;
        let code = token::hash(code.unwrap_or_default());
        Ok(known.is_some_and(|known| token::same(&known, &code)))
    }

    /// New codes for participants; those that they had are no longer good.
    ///
    /// # Errors
    /// If an id is not a participant's, the task is open to all, or the store fails.
    pub async fn invite(
        &self,
        task: &KnownTask,
        ids: Option<&[String]>,
    ) -> Result<Vec<(String, String)>, Refusal> {
        if task.entry == TaskAccess::Open {
            let expected = "a task that was made with --invited";
            return Err(Refusal::new(StatusCode::CONFLICT, "this task is open to all", expected));
        }
        let text = std::str::from_utf8(&task.people).unwrap_or_default();
        let wanted: Option<std::collections::HashSet<&str>> =
            ids.map(|ids| ids.iter().map(String::as_str).collect());
        let places = text.lines().zip(0u32..);
        let chosen: Vec<(&str, u32)> = places
            .filter(|(id, _)| wanted.as_ref().is_none_or(|wanted| wanted.contains(id)))
            .collect();
        // Before a code is made: an unknown id must not leave half of the codes changed.
        if wanted.is_some_and(|wanted| wanted.len() > chosen.len()) {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return Err(Refusal::new(
                status,
                "an id is not in the list of participants",
                "ids of the task's people",
            ));
        }
        let mut codes = Vec::with_capacity(chosen.len());
        let mut hashes = Vec::with_capacity(chosen.len());
        for (id, place) in chosen {
            let code = token::random()?;
            // Only hashes reach the store: a stolen store lets no one answer.
            hashes.push((place, token::hash(&code)));
            codes.push((id.to_owned(), code));
        }
        self.store().invite(task.number, &hashes).await?;
        Ok(codes)
    }

    /// Whether a task's last moment has passed.
    fn is_over(&self, task: &KnownTask) -> bool {
        let over = task.asked.task.until.is_some_and(|until| (self.shared.now)() > until);
        over && !fault::on(Fault::LateReportsTaken)
    }

    /// Where everything is kept.
    pub fn store(&self) -> &CollectorStore {
        &self.shared.store
    }

    /// What was counted.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// The limit on requests of one address.
    pub fn rate(&self) -> &RateLimiter {
        &self.shared.rate
    }

    /// Sessions of administrators' browsers.
    pub(crate) fn sessions(&self) -> &Sessions {
        &self.shared.sessions
    }

    /// How it runs.
    pub fn settings(&self) -> &CollectorSettings {
        &self.shared.settings
    }

    /// The time.
    pub fn now(&self) -> u64 {
        (self.shared.now)()
    }
}

/// The system's clock.
pub fn system_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
