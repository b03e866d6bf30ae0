//! The service over real connections: what it answers, what it refuses, and what survives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod attacks;
mod conversation;
#[cfg(feature = "postgres")]
mod postgres;
mod real;
mod service;
mod simulation;
