//! [`Account`]: what every user has spent, kept as groups of users with the same history.
//!
//! Users in different groups hold different data, so what the whole costs is what the worst-off
//! group was charged (parallel composition); what one group costs is its events one after the other.

use super::entry::{Charge, Entry};
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
    let groups = groups(entries);
    let count = groups.len();
    groups.into_iter().map(|group| group.spent(delta, count)).collect()
}

/// Users with the same history.
pub(super) struct Group<'e> {
    pub(super) users: Users,
    pub(super) charges: Vec<&'e Charge>,
}

impl Group<'_> {
    /// Whether these users published their data.
    pub(super) fn opted_out(&self) -> bool {
        self.charges.iter().any(|charge| charge.event == Event::NonPrivate)
    }

    /// One of so many groups, which share the time that a price may take.
    fn spent(self, delta: Delta, groups: usize) -> Result<Spent> {
        let opted_out = self.opted_out();
        let Self { users, charges } = self;
        if opted_out {
            let loss = Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO };
            return Ok(Spent { users, loss, accountant: "none", opted_out: true });
        }
        let events = charges.iter().map(|charge| charge.event.clone()).collect();
        let best = accountant::best_among(&Event::Sequence { events }, delta, groups)?;
        let loss = Loss { epsilon: best.value, delta };
        Ok(Spent { users, loss, accountant: best.accountant, opted_out: false })
    }
}

/// Cuts the line of users wherever an entry's set begins or ends; between two cuts all users have
/// the same history, and pieces with equal histories are one group.
pub(super) fn groups(entries: &[Entry]) -> Vec<Group<'_>> {
    let charges: Vec<(Users, &Charge)> = entries
        .iter()
        .flat_map(|entry| {
            entry.charges.iter().map(|charge| (charge.users.among(entry.people), charge))
        })
        .collect();
    let mut cuts: Vec<u64> = charges.iter().flat_map(|(users, _)| users.borders()).collect();
    cuts.push(0);
    cuts.sort_unstable();
    cuts.dedup();
    let mut groups: Vec<(Vec<[u64; 2]>, Vec<&Charge>)> = Vec::new();
    for (at, &start) in cuts.iter().enumerate() {
        let end = cuts.get(at + 1).copied().unwrap_or(u64::MAX);
        let of_piece = charges.iter().filter(|(users, _)| users.contains(start));
        let mut of_piece: Vec<&Charge> = of_piece.map(|&(_, charge)| charge).collect();
        if fault::on(Fault::BestOfManyRuns) {
            of_piece.dedup_by(|a, b| a.event == b.event);
        }
        if of_piece.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|(_, known)| same_history(known, &of_piece)) {
            Some((ranges, _)) => match ranges.last_mut() {
                Some(last) if last[1] == start => last[1] = end,
                _ => ranges.push([start, end]),
            },
            None => groups.push((vec![[start, end]], of_piece)),
        }
    }
    let everyone = [[0, u64::MAX]];
    let users = |ranges: Vec<[u64; 2]>| {
        if ranges == everyone { Users::Everyone } else { Users::Ranges(ranges) }
    };
    groups.into_iter().map(|(ranges, charges)| Group { users: users(ranges), charges }).collect()
}

/// Whether the same happened to two users, and told the same about pairs.
fn same_history(one: &[&Charge], other: &[&Charge]) -> bool {
    let same = |(a, b): (&&Charge, &&Charge)| a.event == b.event && a.pair == b.pair;
    one.len() == other.len() && one.iter().zip(other).all(same)
}
