//! A person's own half of local privacy, for a browser: the code of [`privet_protocol::device`], over storage and randomness
//! that the page hands in. Nothing here reads a clock or the network.
//!
//! ```text
//! page                                    module
//! room(n) -> place                        makes room for a question
//! ask(place, n) -> place << 32 | length   a question and its answer, both JSON: [`PageQuestion`], [`answer()`]
//! give_back(place, length)                the room of an answer
//!
//! imports, from "privet":
//! random(place, n) -> 1                   crypto.getRandomValues
//! keep(name, n, line, m) -> 1             makes a line of an account last, before noise is drawn
//! put(name, n, bytes, m) -> 1             makes a report last, before it can leave
//! ```
//! A few numbers and bytes cross the border, so nothing is generated, and no other tool is needed to build it.

mod border;
mod page;
mod questions;
mod report_view;

pub use page::{PageState, PageStorage};
pub use questions::{PageQuestion, answer};
pub use report_view::ReportView;
