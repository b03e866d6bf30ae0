//! The command from the outside: what it prints, what it writes, how it fails.

mod convert;
mod demo;
mod fetch;
mod generate;
mod help;
mod hostile;
mod info;
mod list;
mod made;
mod ran;
mod real;
#[path = "../server/mod.rs"]
mod server;
