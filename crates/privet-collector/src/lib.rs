//! The service that participants' devices send their reports to. It never sees a participant's answer: a report was
//! randomised before it left the device, and the service checks that an honest device could have sent it, keeps it once, and hands all
//! of them on as a dataset with the card that follows from the task alone.
//!
//! ```text
//! GET  /t/NAME                          a page for the person: what is asked, what it costs, what would be sent
//! GET  /api/v1/tasks/NAME               the task as its collector signed it, and whether it is open
//! GET  /api/v1/tasks/NAME/people        who can take part: an id a line, whose place is its number
//! POST /api/v1/tasks/NAME/reports       a report: 201 kept now, 200 kept before, 4xx refused and why, 503 try again
//! POST /api/v1/tasks/NAME/reports/many  reports that an app's own server passes on, each with its length before it
//!
//! with `Authorization: Bearer TOKEN` of an administrator:
//! GET  /api/v1/tasks                    all tasks and their progress
//! POST /api/v1/tasks                    a new task and its people
//! POST /api/v1/tasks/NAME/invitations   single-use codes, one a person
//! POST /api/v1/tasks/NAME/close         no report is taken any more
//! GET  /api/v1/tasks/NAME/reports       all reports, each with its length before it
//! GET  /api/v1/tasks/NAME/export        a dataset with its card
//!
//! GET  /healthz  /metrics  /openapi.json  /admin
//! ```

mod admin;
pub mod api;
pub mod client;
pub mod collector;
pub mod error;
pub mod export;
pub mod intake;
mod log;
pub mod metrics;
pub mod pages;
pub mod rate;
pub mod refusal;
pub mod serve;
mod session;
pub mod settings;
pub mod store;
pub mod token;

pub use collector::Collector;
pub use error::{Error, Result};
pub use pages::{TaskAccess, TaskProgress};
pub use serve::RunningService;
pub use settings::{CollectorSettings, Tls};
