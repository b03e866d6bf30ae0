//! The command from the outside: what it prints, what it writes, how it fails.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod account;
mod asked_too_much;
mod audit;
mod book;
mod cards;
mod cluster;
mod collect;
mod columns;
mod convert;
mod count;
mod demo;
mod dprr;
mod embed;
mod fetch;
mod figures;
mod generate;
mod guard;
mod help;
mod hetero_rr;
mod hostile;
mod info;
mod labels;
mod large;
mod list;
mod losses;
mod made;
mod membership;
mod misleading;
mod models;
mod neighbours;
mod own_input;
mod plan;
mod project;
mod protect;
mod public_facts;
mod publish;
mod ran;
mod real;
mod reproduce;
mod run_dpar;
mod run_ldp_ge;
#[expect(dead_code, reason = "the manners of the download tests; not all are needed here")]
#[path = "../server/mod.rs"]
mod server;
mod service;
mod streams;
mod tune;
mod two_worlds;
mod verify;
