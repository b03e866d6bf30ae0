//! [`Account`]: what every user has spent, kept as groups of users with the same history.
//!
//! Users in different groups hold different data, so what the whole costs is what the worst-off
//! group was charged (parallel composition); what one group costs is its events one after the other.

use super::entry::{Charge, LedgerEntry};
use super::users::Users;
use crate::accountant;
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, Loss};

/// What one group of users has spent.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupLoss {
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
pub fn spent(entries: &[LedgerEntry], delta: Delta) -> Result<Vec<GroupLoss>> {
    let priced =
        entries.len() - usize::from(fault::on(Fault::LastEntryUnpriced)).min(entries.len());
    let groups = groups(&entries[..priced]);
    let count = groups.len();
    groups.into_iter().map(|group| group.spent(delta, count)).collect()
}

/// Everything that happened to a group of users that [`spent`] names, one event after the other.
pub(crate) fn history(entries: &[LedgerEntry], users: &Users) -> Event {
    let group = groups(entries).into_iter().find(|group| group.users == *users);
    let charges = group.into_iter().flat_map(|group| group.charges);
    Event::Sequence { events: charges.map(|charge| charge.event.clone()).collect() }
}

/// Users with the same history.
pub(super) struct HistoryGroup<'e> {
    pub(super) users: Users,
    pub(super) charges: Vec<&'e Charge>,
}

impl HistoryGroup<'_> {
    /// Whether these users published their data.
    pub(super) fn opted_out(&self) -> bool {
        self.charges.iter().any(|charge| charge.event == Event::NonPrivate)
    }

    /// One of so many groups, which share the time that a price may take.
    fn spent(self, delta: Delta, groups: usize) -> Result<GroupLoss> {
        let opted_out = self.opted_out();
        let Self { users, charges } = self;
        if opted_out {
            let loss = Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO };
            return Ok(GroupLoss { users, loss, accountant: "none", opted_out: true });
        }
        let events = charges.iter().map(|charge| charge.event.clone()).collect();
        let best = accountant::best_among(&Event::Sequence { events }, delta, groups)?;
        let loss = Loss { epsilon: best.value, delta };
        Ok(GroupLoss { users, loss, accountant: best.accountant, opted_out: false })
    }
}

/// Cuts the line of users wherever an entry's set begins or ends; between two cuts all users have
/// the same history, and pieces with equal histories are one group.
pub(super) fn groups(entries: &[LedgerEntry]) -> Vec<HistoryGroup<'_>> {
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
    groups
        .into_iter()
        .map(|(ranges, charges)| HistoryGroup { users: users(ranges), charges })
        .collect()
}

/// Whether two users have the same history, with the same cost for pairs.
fn same_history(one: &[&Charge], other: &[&Charge]) -> bool {
    let same = |(a, b): (&&Charge, &&Charge)| a.event == b.event && a.pair == b.pair;
    one.len() == other.len() && one.iter().zip(other).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::template::CoinFlip;
    use crate::unit::FeatureRow;
    use crate::{Ledger, Loss, Secret};

    /// An entry that charges these users.
    fn entry(people: Option<u64>, users: &[Users]) -> LedgerEntry {
        let limit = Loss::new(2.0, 0.0).unwrap();
        let mut ledger = Ledger::<FeatureRow>::in_memory(limit, NoiseRng::replay(1)).unwrap();
        ledger.release_each(&Secret::new(vec![1.0]), &CoinFlip::new(0.5).unwrap()).unwrap();
        let mut entry = ledger.entries()[0].clone();
        let charge = entry.charges[0].clone();
        let of = |users: &Users| Charge { users: users.clone(), ..charge.clone() };
        (entry.people, entry.charges) = (people, users.iter().map(of).collect());
        entry
    }

    fn sets(entries: &[LedgerEntry]) -> Vec<(Users, usize)> {
        groups(entries).into_iter().map(|group| (group.users, group.charges.len())).collect()
    }

    /// Users with the same history are one group, as few ranges as possible; users without a history are in no group.
    #[test]
    fn groups_are_cut_where_histories_change() {
        let range = |from, to| Users::Ranges(vec![[from, to]]);
        let everyone = entry(None, &[Users::Everyone]);
        assert_eq!(sets(std::slice::from_ref(&everyone)), [(Users::Everyone, 1)]);
        let neighbours = entry(Some(10), &[range(2, 5), range(5, 9)]);
        assert_eq!(sets(std::slice::from_ref(&neighbours)), [(range(2, 9), 1)]);
        let some = entry(Some(10), &[range(3, 4)]);
        // Two histories that begin alike are two.
        let mut louder = entry(Some(10), &[range(5, 9)]);
        louder.charges[0].event = Event::Pure { epsilon: Epsilon::new(0.75).unwrap() };
        let quiet = entry(Some(10), &[range(2, 5)]);
        let histories = sets(&[neighbours.clone(), louder, quiet]);
        assert_eq!(histories, [(range(2, 5), 2), (range(5, 9), 2)]);
        let apart = Users::Ranges(vec![[2, 3], [4, 9]]);
        assert_eq!(sets(&[neighbours, some]), [(apart, 1), (range(3, 4), 2)]);
    }

    /// A line of a file may say anything: sets of users in disorder and impossible events are refused.
    #[test]
    fn impossible_entries_are_refused() {
        assert!(entry(Some(10), &[Users::Ranges(vec![[0, 3], [7, 10]])]).validate().is_ok());
        for ranges in [vec![[3, 3]], vec![[4, 2]], vec![[0, 3], [2, 5]], vec![[8, 11]]] {
            assert!(entry(Some(10), &[Users::Ranges(ranges)]).validate().is_err());
        }
        let mut bad = entry(None, &[Users::Everyone]);
        bad.charges[0].event = Event::Gaussian { noise_multiplier: -1.0 };
        assert!(bad.validate().is_err());
    }
}
