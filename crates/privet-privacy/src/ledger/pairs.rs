//! What all releases of neighbour lists together tell about one edge: `relationship-dp`, computed from the entries
//! alone.
//!
//! # Idea
//! In an undirected graph the edge `{i, j}` is a bit of two lists. An attacker who sees both reports may see two noisy copies
//! of it, so a promise about *edges* is weaker than the promise about one list (`edge-ldp`), whatever is done with the
//! reports afterwards. How much weaker depends on what is *sent*, which the mechanism knows and the ledger writes
//! down; how a collector merges reports is post-processing and cannot lower the figure.
//!
//! # Guarantee
//! For each release, let `shown` bound the loss about a pair in the report of the user who answers for it, and
//! `beside` that in the report of the other user ([`PairCost`]). For two users `a`, `b` the whole ledger tells at most
//!
//! `max(Σ shown_a + Σ beside_b, Σ shown_b + Σ beside_a)`, sums over releases.
//!
//! *Proof.* The edge is a bit of the lists of `a` and `b` and of no other, and reports are independent given the lists:
//! the losses of the two reports add, and so do those of releases one after the other. Ids decide who answers for a
//! pair, in every release alike; which of the two is not fixed by the entry, so the larger is taken. ∎
//! That figure is for the worst two users who are both protected.
//!
//! A user who publishes a list publishes every edge in it, so the loss about an edge between that user and any other is
//! infinite, whatever the other user chose. It is a line of its own ([`RelationshipEnds::WithPublisher`]), before the
//! figure for two protected users; where at most one user is protected there is no such pair and no second line.

use serde::{Deserialize, Serialize};

use super::account::{HistoryGroup, groups};
use super::entry::LedgerEntry;
use crate::accountant;
use crate::card::Conversion;
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, Loss};
use crate::unit::Relation;

/// What one release tells about one pair of users.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairCost {
    /// Through the report of the user who answers for the pair.
    pub shown: Epsilon,
    /// Through the report of the other user.
    pub beside: Epsilon,
}

impl PairCost {
    /// The list itself is published.
    pub(super) const PUBLISHED: Self = Self { shown: Epsilon::INFINITE, beside: Epsilon::INFINITE };

    /// Both users report the pair.
    pub fn told_by_both(list: Epsilon) -> Self {
        Self { shown: list, beside: list }
    }

    /// One user reports the pair, and the other's report does not depend on it.
    pub fn told_by_one(list: Epsilon) -> Self {
        Self { shown: list, beside: Epsilon::ZERO }
    }
}

/// Which pairs of users a figure for relationships is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RelationshipEnds {
    /// Any two users: none of them published a list.
    #[default]
    AnyTwo,
    /// A user who published their list, and any other user.
    WithPublisher,
    /// Two users of whom neither published their list, where others did.
    TwoPrivate,
}

impl RelationshipEnds {
    /// Whether the figure is about all pairs, which needs no words.
    pub fn is_any_two(&self) -> bool {
        *self == Self::AnyTwo
    }
}

/// What all entries together tell about an edge: a line for edges with a user who publishes, if there are such users,
/// then one for edges between protected users. Empty where no list of an undirected graph was reported.
///
/// # Errors
/// If an event has no theorem.
pub fn relationship(entries: &[LedgerEntry]) -> Result<Vec<Conversion>> {
    let charges = || entries.iter().flat_map(|entry| &entry.charges);
    if !charges().any(|charge| charge.pair.is_some()) {
        return Ok(Vec::new());
    }
    let (publishers, private): (Vec<_>, Vec<_>) =
        groups(entries).into_iter().partition(HistoryGroup::opted_out);
    let mut lines = Vec::new();
    if !publishers.is_empty() && !fault::on(Fault::PublishedPairsLeftOut) {
        lines.push(Conversion {
            relation: Relation::RelationshipDp,
            between: RelationshipEnds::WithPublisher,
            loss: Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO },
            theorem: cite("the edge stands in the list that the user published"),
        });
    }
    // A private user without a second one has relationships with publishers only.
    let one_alone = matches!(private.as_slice(), [only] if only.users.count() == Some(1));
    if private.is_empty() || (one_alone && !lines.is_empty()) {
        return Ok(lines);
    }
    let mut sums = Vec::new();
    for group in &private {
        sums.push((sum(group)?, group.users.count() == Some(1)));
    }
    let between = match publishers.is_empty() {
        true => RelationshipEnds::AnyTwo,
        false => RelationshipEnds::TwoPrivate,
    };
    let loss = Loss { epsilon: worst(&sums), delta: Delta::ZERO };
    let theorem = cite(reason(&private));
    lines.push(Conversion { relation: Relation::RelationshipDp, between, loss, theorem });
    Ok(lines)
}

/// A reason, and where its proof stands.
fn cite(reason: &str) -> String {
    format!("{reason} (privet_privacy::ledger::pairs, Guarantee)")
}

/// A group's releases, one after the other. Where the entry does not say what is told about pairs, both users are
/// taken to report them.
fn sum(group: &HistoryGroup<'_>) -> Result<PairCost> {
    let mut sum = PairCost::told_by_both(Epsilon::ZERO);
    for charge in &group.charges {
        let shown_costs = match charge.pair {
            Some(pair) => pair,
            None => PairCost::told_by_both(accountant::best(&charge.event, Delta::ZERO)?.value),
        };
        sum.shown = sum.shown + shown_costs.shown;
        sum.beside = sum.beside + shown_costs.beside;
    }
    Ok(sum)
}

/// The largest over two users; one user alone makes no pair.
fn worst(sums: &[(PairCost, bool)]) -> Epsilon {
    let mut worst = Epsilon::ZERO;
    for (at, (one, alone)) in sums.iter().enumerate() {
        for (other, _) in &sums[if *alone { at + 1 } else { at }..] {
            for epsilon in both_ways(one, other) {
                worst = if epsilon > worst { epsilon } else { worst };
            }
        }
    }
    worst
}

/// The cost by which of the two users answers for the pair.
fn both_ways(one: &PairCost, other: &PairCost) -> [Epsilon; 2] {
    if fault::on(Fault::RelationshipChargedOnce) {
        return [one.shown, other.shown];
    }
    if fault::on(Fault::SmallerBudgetTwice) {
        let smaller = if one.shown < other.shown { one.shown } else { other.shown };
        return [smaller.times(2); 2];
    }
    [one.shown + other.beside, other.shown + one.beside]
}

fn reason(groups: &[HistoryGroup<'_>]) -> &'static str {
    let shown_costs =
        || groups.iter().flat_map(|group| &group.charges).filter_map(|charge| charge.pair);
    if shown_costs().all(|pair| pair.shown == pair.beside) {
        "both users of a pair report it, and the losses add"
    } else if shown_costs().all(|pair| pair.beside == Epsilon::ZERO) {
        "each pair is in the list of one user only, degree included"
    } else if shown_costs().all(|pair| pair.shown != pair.beside && pair.beside != Epsilon::ZERO) {
        "one user reports the pair, but the degrees of both depend on it"
    } else {
        "what both users of a pair report about it adds up, release by release"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::local::{Dprr, LocalLap, LowerHalf, OneSided, Rr};
    use crate::ledger::{UserChoice, UserChoices};
    use crate::noise::NoiseRng;
    use crate::unit::NeighborBit;
    use crate::{Card, Ledger, Secret};
    use privet_data::synthetic::karate_club;
    use privet_graph::Graph;

    fn club() -> Secret<Graph> {
        Secret::new(karate_club().unwrap().graph().clone())
    }

    fn account() -> Ledger<NeighborBit> {
        Ledger::in_memory(Loss::new(100.0, 0.0).unwrap(), NoiseRng::replay(1)).unwrap()
    }

    fn shown_costs(ledger: &Ledger<NeighborBit>) -> f64 {
        relationship(ledger.entries()).unwrap().last().unwrap().loss.epsilon.get()
    }

    fn choose(of_user: impl Fn(usize) -> UserChoice) -> Ledger<NeighborBit> {
        let mechanisms = vec![Rr::new(2.0).unwrap(), Rr::new(0.75).unwrap()];
        let choices = UserChoices::new(mechanisms, (0..34).map(of_user).collect()).unwrap();
        let mut ledger = account();
        ledger.release_chosen(&club(), &choices).unwrap();
        ledger
    }

    #[test]
    fn what_is_sent_decides() {
        let dprr = || Dprr::from_parts(0.5, 1.5).unwrap();
        let mut both = account();
        both.release_each(&club(), &dprr()).unwrap();
        let mut one = account();
        one.release_each(&club(), &OneSided(dprr())).unwrap();
        let mut lower = account();
        lower.release_each(&club(), &LowerHalf(dprr())).unwrap();
        assert_eq!([shown_costs(&both), shown_costs(&one), shown_costs(&lower)], [4.0, 2.0, 2.5]);
        // One release after the other: what each tells adds up.
        both.release_each(&club(), &OneSided(dprr())).unwrap();
        both.release_each(&club(), &LowerHalf(dprr())).unwrap();
        assert_eq!(shown_costs(&both), 8.5);
        let mut cells = account();
        cells.release_each(&club(), &LocalLap::new(1.0).unwrap()).unwrap();
        assert!((shown_costs(&cells) - 1.1).abs() < 1e-9);
    }

    /// The theorem on the card says why the figure is what it is.
    #[test]
    fn the_reason_is_the_one_that_applies() {
        let dprr = || Dprr::from_parts(0.5, 1.5).unwrap();
        let why = |ledger: &Ledger<NeighborBit>| {
            relationship(ledger.entries()).unwrap().remove(0).theorem
        };
        let mut both = account();
        both.release_each(&club(), &dprr()).unwrap();
        assert!(why(&both).contains("both users of a pair report it, and the losses add"));
        let mut one = account();
        one.release_each(&club(), &OneSided(dprr())).unwrap();
        assert!(why(&one).contains("in the list of one user only"), "{}", why(&one));
        let mut lower = account();
        lower.release_each(&club(), &LowerHalf(dprr())).unwrap();
        assert!(why(&lower).contains("the degrees of both depend on it"), "{}", why(&lower));
        one.release_each(&club(), &dprr()).unwrap();
        assert!(why(&one).contains("adds up, release by release"), "{}", why(&one));
        lower.release_each(&club(), &dprr()).unwrap();
        assert!(why(&lower).contains("adds up, release by release"), "{}", why(&lower));
        let open = choose(|_| UserChoice::Public);
        assert!(why(&open).contains("in the list that the user published"), "{}", why(&open));
    }

    #[test]
    fn the_worst_pair_is_of_two_people() {
        let weak_users = |count| move |user| UserChoice::Private(if user < count { 0 } else { 1 });
        assert_eq!(shown_costs(&choose(weak_users(2))), 4.0);
        let all_private = relationship(choose(weak_users(2)).entries()).unwrap();
        assert_eq!(all_private.len(), 1);
        assert!(all_private[0].between.is_any_two());
        assert_eq!(shown_costs(&choose(weak_users(1))), 2.75);
    }

    /// Every relationship of a publisher is published, so its loss is infinite and is the first line.
    #[test]
    fn a2_a_relationship_with_a_publisher_is_not_protected() {
        let lines = |ledger: &Ledger<NeighborBit>| {
            let lines = relationship(ledger.entries()).unwrap();
            lines.iter().map(|line| (line.between, line.loss.epsilon.get())).collect::<Vec<_>>()
        };
        let with_publisher = (RelationshipEnds::WithPublisher, f64::INFINITY);
        let publish = |count| {
            move |user| if user < count { UserChoice::Public } else { UserChoice::Private(1) }
        };
        let two = choose(publish(2));
        assert_eq!(lines(&two), [with_publisher, (RelationshipEnds::TwoPrivate, 1.5)]);
        // The only private person has no relationship but with publishers: no finite figure is true of any.
        assert_eq!(lines(&choose(publish(33))), [with_publisher]);
        assert_eq!(lines(&choose(|_| UserChoice::Public)), [with_publisher]);
        assert_eq!(lines(&choose(|_| UserChoice::Private(1))), [(RelationshipEnds::AnyTwo, 1.5)]);
    }

    /// The card has the figure without being asked for it, and a card without it is not the ledger's.
    #[test]
    fn the_card_says_it_by_itself() {
        let mut ledger = account();
        ledger.release_each(&club(), &Rr::new(1.0).unwrap()).unwrap();
        let mut card = Card::new("lists").with_ledger(&ledger).unwrap();
        assert_eq!(card.guarantees[0].also[0].loss.epsilon.get(), 2.0);
        let ledgers = [ledger.contents().clone()];
        assert!(card.differences(&ledgers).unwrap().is_empty());
        card.guarantees[0].also[0].loss.epsilon = Epsilon::new(1.0).unwrap();
        assert!(!card.differences(&ledgers).unwrap().is_empty());
        card.guarantees[0].also.clear();
        assert!(!card.differences(&ledgers).unwrap().is_empty());
    }

    /// An arc stands in one list only.
    #[test]
    fn directed_graphs_have_no_relationships() {
        let mut ledger = account();
        let arcs = Secret::new(karate_club().unwrap().graph().clone().to_directed());
        ledger.release_each(&arcs, &Rr::new(1.0).unwrap()).unwrap();
        assert_eq!(relationship(ledger.entries()).unwrap(), []);
        // Together with a list of an undirected graph, both are taken to be told twice.
        ledger.release_each(&club(), &Rr::new(1.0).unwrap()).unwrap();
        assert_eq!(shown_costs(&ledger), 4.0);
    }
}
