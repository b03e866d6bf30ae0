//! Temporary.
use crate::error::{Error, Result};
use crate::event::Event;
use crate::loss::{Delta, Epsilon};
/// x
pub struct Proved<T> {
    /// x
    pub value: T,
    /// x
    pub accountant: &'static str,
}
/// x
pub fn best(event: &Event, delta: Delta) -> Result<Proved<Epsilon>> {
    let value = match event {
        Event::Pure { epsilon } => *epsilon,
        Event::Sequence { events } => {
            let mut sum = Epsilon::ZERO;
            for event in events {
                sum = sum + best(event, delta)?.value;
            }
            sum
        }
        other => return Err(Error::NoTheorem { accountant: "basic", event: other.to_string() }),
    };
    Ok(Proved { value, accountant: "basic" })
}
