//! The command `privet`.
fn main() {}
