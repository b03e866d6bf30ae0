//! [`Account`]: what every user has spent, kept as groups of users with the same history.
//!
//! Users in different groups hold different data, so what the whole costs is what the worst-off
//! group was charged (parallel composition); what one group costs is its events one after the other.

use super::entry::Entry;
use super::users::Users;
use crate::accountant;
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, Loss};

/// What one group of users has spent.
#[derive(Debug, Clone, PartialEq)]
pub struct Spent {
    /// The users.
    pub users: Users,
    /// The guarantee they are left with.
    pub loss: Loss,
    /// Which accountant says so.
    pub accountant: &'static str,
    /// Whether these users chose to publish their data: an infinite loss of their own making.
    pub opted_out: bool,
}

/// What each group of users has spent, at the given delta.
///
/// # Errors
/// If an event has no theorem.
pub fn spent(entries: &[Entry], delta: Delta) -> Result<Vec<Spent>> {
    groups(entries).into_iter().map(|group| group.spent(delta)).collect()
}

/// Users with the same history.
struct Group {
    users: Users,
    events: Vec<Event>,
}

impl Group {
    fn spent(self, delta: Delta) -> Result<Spent> {
        let Self { users, events } = self;
        if events.contains(&Event::NonPrivate) {
            let loss = Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO };
            return Ok(Spent { users, loss, accountant: "none", opted_out: true });
        }
        let best = accountant::best(&Event::Sequence { events }, delta)?;
        let loss = Loss { epsilon: best.value, delta };
        Ok(Spent { users, loss, accountant: best.accountant, opted_out: false })
    }
}

/// Cuts the line of users wherever an entry's set begins or ends; between two cuts all users have
/// the same history, and pieces with equal histories are one group.
fn groups(entries: &[Entry]) -> Vec<Group> {
    let charges = || entries.iter().flat_map(|entry| &entry.charges);
    let mut cuts: Vec<u64> = charges().flat_map(|charge| charge.users.borders()).collect();
    cuts.push(0);
    cuts.sort_unstable();
    cuts.dedup();
    let mut groups: Vec<(Vec<[u64; 2]>, Vec<Event>)> = Vec::new();
    for (at, &start) in cuts.iter().enumerate() {
        let end = cuts.get(at + 1).copied().unwrap_or(u64::MAX);
        let of_piece = |charge: &&super::Charge| charge.users.contains(start);
        let mut events: Vec<Event> = charges().filter(of_piece).map(|c| c.event.clone()).collect();
        if fault::on(Fault::BestOfManyRuns) {
            events.dedup();
        }
        if events.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|(_, known)| *known == events) {
            Some((ranges, _)) => match ranges.last_mut() {
                Some(last) if last[1] == start => last[1] = end,
                _ => ranges.push([start, end]),
            },
            None => groups.push((vec![[start, end]], events)),
        }
    }
    let everyone = [[0, u64::MAX]];
    let users = |ranges: Vec<[u64; 2]>| {
        if ranges == everyone { Users::Everyone } else { Users::Ranges(ranges) }
    };
    groups.into_iter().map(|(ranges, events)| Group { users: users(ranges), events }).collect()
}
