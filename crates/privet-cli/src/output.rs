//! What a command answers with: results on standard output, for people or as JSON, chatter on standard error, and files.
//!
//! | file | what it does |
//! |---|---|
//! | [`console`] | [`Answer`]: a result; [`Console`]: where it goes |
//! | [`style`], [`table`] | colours, numbers, columns that line up |
//! | [`target`] | a file or folder to write, whole or not at all |
//! | [`cardfile`] | cards beside files |
//! | all others | the answer of the command of this name |

pub mod audit;
pub mod cardfile;
pub mod catalog;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod comparison;
pub mod console;
pub mod count;
pub mod demo;
pub mod embed;
pub mod evaluate;
pub mod facts;
pub mod forecast;
pub mod plan;
pub mod price;
pub mod protect;
pub mod publish;
pub mod reproduce;
pub mod status;
pub mod style;
pub mod table;
pub mod target;
pub mod tune;

pub use console::{Answer, Console};
pub use target::{OutputTarget, WrittenData, refuse_existing, write_whole};
