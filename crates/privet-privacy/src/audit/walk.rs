//! [`ChoiceWalk`]: a source of randomness that answers every choice with all outcomes, path after path.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use dashu::rational::RBig;

use super::OutcomeLaw;
use super::{of_coin, of_exp, power_of_half, rational, runs, trimmed};
use crate::error::{Error, Result};
use crate::noise::source::{NoiseSource, sealed::Sealed};
use crate::noise::window::PlacedCoin;
use crate::noise::{Bernoulli, RandomWords};

/// More paths than this are a mistake of the caller.
const MOST_PATHS: usize = 20_000_000;

/// Why a walk was left.
enum WalkEnd {
    /// No branch from here on is worth following.
    TooImprobable,
    /// The sampler asked for something that has too many outcomes to walk through.
    Words,
}

fn leave(why: WalkEnd) -> ! {
    resume_unwind(Box::new(why))
}

/// A way through all choices of a sampler. The noise of a release is one walk from user to user.
pub struct ChoiceWalk(Rc<RefCell<ChoicePath>>);

/// The law of an attempt that is repeated until it gives something: of what it gives in the end.
pub(super) fn law<K: Ord>(
    depth: u32,
    attempt: impl FnMut(&mut ChoiceWalk) -> Option<K>,
) -> Result<OutcomeLaw<K>> {
    let (found, accepted) = walk_through(power_of_half(depth), attempt)?;
    Ok(OutcomeLaw::new(normalised(found, accepted).collect()))
}

/// Every path of an attempt: the accepted values with their mass, and all mass that may be accepted.
fn walk_through<K: Ord>(
    smallest: RBig,
    mut attempt: impl FnMut(&mut ChoiceWalk) -> Option<K>,
) -> Result<(BTreeMap<K, RBig>, RBig)> {
    let path = Rc::new(RefCell::new(ChoicePath::new(smallest)));
    let (mut found, mut rejected) = (BTreeMap::new(), RBig::ZERO);
    for _ in 0..MOST_PATHS {
        let mut walk = ChoiceWalk(path.clone());
        // A sampler has no return value for "do not follow this path": a choice leaves it by unwinding.
        let walked = catch_unwind(AssertUnwindSafe(|| attempt(&mut walk)));
        let probability = path.borrow().probability();
        match walked {
            Ok(Some(value)) => *found.entry(value).or_insert(RBig::ZERO) += probability,
            // Rejection sampling: the mass of rejected attempts is taken out, and the rest is divided by what is left.
            Ok(None) => rejected += probability,
            Err(thrown) => match thrown.downcast_ref::<WalkEnd>() {
                Some(WalkEnd::TooImprobable) => {}
                Some(WalkEnd::Words) => {
                    let asked = "random words (Gaussian noise?), not a choice";
                    return Err(Error::range("a sampler to enumerate", asked, "made of choices"));
                }
                None => resume_unwind(thrown),
            },
        }
        if !path.borrow_mut().advance() {
            return Ok((found, RBig::ONE - rejected));
        }
    }
    Err(Error::range("paths of a sampler to enumerate", MOST_PATHS, "fewer: take a smaller toy"))
}

/// Divides by the mass that may be accepted: lower bounds of the conditional law.
fn normalised<K: Ord>(found: BTreeMap<K, RBig>, accepted: RBig) -> impl Iterator<Item = (K, RBig)> {
    found.into_iter().map(move |(value, mass)| (value, trimmed(mass / accepted.clone())))
}

impl ChoiceWalk {
    /// The same walk, for callers that need to own one.
    pub(super) fn handle(&self) -> Self {
        Self(self.0.clone())
    }

    /// Takes the next choice; `options` is asked for only where it is new.
    fn choice(&mut self, options: impl FnOnce() -> ChoiceOptions) -> u64 {
        let mut path = self.0.borrow_mut();
        if path.is_given() {
            return path.follow().0;
        }
        match path.choose(options(), None) {
            Some(chosen) => chosen,
            None => leave(WalkEnd::TooImprobable),
        }
    }

    /// Takes the next choice among values that have to be found out first.
    fn choice_of<T: Clone + 'static>(&mut self, find: impl FnOnce() -> Vec<(T, RBig)>) -> T {
        let given = self.0.borrow().is_given();
        let (chosen, values) = if given {
            self.0.borrow_mut().follow()
        } else {
            let (values, weights): (Vec<T>, Vec<RBig>) = find().into_iter().unzip();
            let values: Rc<dyn Any> = Rc::new(values);
            let options = ChoiceOptions::weighed(weights);
            match self.0.borrow_mut().choose(options, Some(values.clone())) {
                Some(chosen) => (chosen, Some(values)),
                None => leave(WalkEnd::TooImprobable),
            }
        };
        let values = values.as_deref().and_then(|values| values.downcast_ref::<Vec<T>>());
        match values.and_then(|values| values.get(chosen as usize)) {
            Some(value) => value.clone(),
            // A sampler that makes other choices on the same path is not a function of its choices.
            None => leave(WalkEnd::Words),
        }
    }

    /// The law of what an attempt gives in the end, as values and weights.
    fn nested<T: Ord>(
        smallest: RBig,
        attempt: impl FnMut(&mut Self) -> Option<T>,
    ) -> Vec<(T, RBig)> {
        // The inner law is walked to its end first, and is then one choice of the outer walk.
        match walk_through(smallest, attempt) {
            Ok((found, accepted)) => normalised(found, accepted).collect(),
            Err(_) => leave(WalkEnd::Words),
        }
    }

    fn smallest(&self) -> RBig {
        self.0.borrow().smallest().clone()
    }
}

impl RandomWords for ChoiceWalk {
    fn next_u64(&mut self) -> u64 {
        leave(WalkEnd::Words)
    }

    fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.choice(|| ChoiceOptions::Alike(bound)) }
    }

    fn below_u32(&mut self, bound: u32) -> u32 {
        self.below(u64::from(bound)) as u32
    }

    fn below_steadily(&mut self, bound: u64) -> u64 {
        self.below(bound)
    }

    fn coin(&mut self, numerator: u128, denominator: u128) -> bool {
        if numerator == 0 || numerator >= denominator {
            return numerator > 0;
        }
        let false_and_true = || {
            let weight = |favourable| rational(favourable, denominator);
            ChoiceOptions::weighed(vec![weight(denominator - numerator), weight(numerator)])
        };
        self.choice(false_and_true) == 1
    }

    /// What comes of a seed is post-processing: any will do.
    fn seed(&mut self) -> u64 {
        0
    }

    fn toss(&mut self, coin: &Bernoulli) -> bool {
        self.choice(|| ChoiceOptions::weighed(of_coin(coin))) == 1
    }

    fn toss_digits(&mut self, coins: &[Bernoulli]) -> u64 {
        coins.iter().enumerate().map(|(place, coin)| u64::from(self.toss(coin)) << place).sum()
    }

    fn toss_and_fair(&mut self, coin: &Bernoulli) -> (bool, bool) {
        (self.toss(coin), self.coin(1, 2))
    }

    fn toss_lanes(&mut self, coin: &Bernoulli, lanes: u32) -> u64 {
        (0..lanes.min(64)).map(|lane| u64::from(self.toss(coin)) << lane).sum()
    }

    fn coin_exp(&mut self, numerator: u128, denominator: u128) -> bool {
        numerator == 0
            || self.choice(|| ChoiceOptions::weighed(of_exp(numerator, denominator))) == 1
    }

    fn toss_and_place(&mut self, coin: &PlacedCoin) -> (bool, u64) {
        let outcome = self.toss(coin.coin());
        (outcome, self.below(coin.places(outcome)))
    }

    fn below_in_runs<T: PartialEq>(&mut self, bound: u64, value: impl Fn(u64) -> T) -> T {
        // Integers in a row that give the same value are one option, weighted by how many they are: there may be 2^53.
        value(self.choice_of(|| runs(bound.into(), &value)))
    }

    fn bits_in_runs<T: PartialEq>(&mut self, value: impl Fn(u64) -> T) -> T {
        value(self.choice_of(|| runs(1 << 53, &value)))
    }

    fn until<T: Ord + Clone + 'static>(
        &mut self,
        attempt: impl FnMut(&mut Self) -> Option<T>,
    ) -> T {
        let smallest = self.smallest();
        self.choice_of(|| Self::nested(smallest, attempt))
    }

    fn lumped<T: Ord + Clone + 'static>(&mut self, mut draw: impl FnMut(&mut Self) -> T) -> T {
        let smallest = self.smallest();
        self.choice_of(|| Self::nested(smallest, |walk| Some(draw(walk))))
    }
}

impl Sealed for ChoiceWalk {}

impl NoiseSource for ChoiceWalk {
    type Stream = Self;
    type Rounds = Self;

    fn into_stream(self) -> Self {
        self
    }

    fn map_users<R: Send>(
        mut self,
        count: usize,
        randomizer: impl Fn(usize, &mut Self) -> R + Sync,
    ) -> Vec<R> {
        (0..count).map(|user| randomizer(user, &mut self)).collect()
    }

    fn map_users_after<A: Sync, R: Send>(
        mut self,
        first: impl FnOnce(&mut Self) -> A,
        count: usize,
        randomizer: impl Fn(&A, usize, &mut Self) -> R + Sync,
    ) -> (A, Vec<R>) {
        let drawn = first(&mut self);
        let each = (0..count).map(|user| randomizer(&drawn, user, &mut self)).collect();
        (drawn, each)
    }

    fn for_each_chunk<T: Send>(
        mut self,
        values: &mut [T],
        chunk_length: usize,
        randomizer: impl Fn(&mut [T], &mut Self) + Sync,
    ) {
        values.chunks_mut(chunk_length.max(1)).for_each(|chunk| randomizer(chunk, &mut self));
    }

    fn into_rounds(self) -> Self {
        self
    }

    fn next_round(rounds: &mut Self) -> Self {
        rounds.handle()
    }
}

impl std::fmt::Debug for ChoiceWalk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Walk { .. }")
    }
}

/// What a choice is among.
#[derive(Clone)]
pub(super) enum ChoiceOptions {
    /// So many, all alike.
    Alike(u64),
    /// One for each weight.
    Weighed(Rc<[RBig]>),
}

impl ChoiceOptions {
    pub(super) fn weighed(weights: Vec<RBig>) -> Self {
        Self::Weighed(weights.into())
    }

    /// The first option from `from` on whose path keeps at least `smallest` of `before`.
    fn first_from(&self, from: u64, before: &RBig, smallest: &RBig) -> Option<(u64, RBig)> {
        match self {
            Self::Alike(count) => {
                // Options are equally likely: if one is too improbable, all are.
                let after = trimmed(before / RBig::from(*count));
                (from < *count && after >= *smallest).then_some((from, after))
            }
            Self::Weighed(weights) => {
                let rest = weights.get(from as usize..).unwrap_or_default();
                let mut paths = rest.iter().map(|weight| trimmed(before * weight)).zip(from..);
                paths.find(|(after, _)| after >= smallest).map(|(after, at)| (at, after))
            }
        }
    }
}

/// A choice that was made: which option, and the probability of the path up to and with it.
struct PathChoice {
    options: ChoiceOptions,
    chosen: u64,
    after: RBig,
    /// What the options stand for, where that took work to find out.
    values: Option<Rc<dyn Any>>,
}

/// One path: the choices made so far when it is walked, and those to make when it is walked again.
pub(super) struct ChoicePath {
    nodes: Vec<PathChoice>,
    depth: usize,
    smallest: RBig,
}

impl ChoicePath {
    /// The first path. Branches below `smallest` are never taken.
    pub(super) fn new(smallest: RBig) -> Self {
        Self { nodes: Vec::new(), depth: 0, smallest }
    }

    pub(super) fn smallest(&self) -> &RBig {
        &self.smallest
    }

    /// The probability of all choices made so far.
    pub(super) fn probability(&self) -> RBig {
        self.depth.checked_sub(1).map_or(RBig::ONE, |last| self.nodes[last].after.clone())
    }

    /// Whether the next choice was made by an earlier path already, and so is given.
    pub(super) fn is_given(&self) -> bool {
        self.depth < self.nodes.len()
    }

    /// Takes the next choice, which is given; the values that were kept with it.
    pub(super) fn follow(&mut self) -> (u64, Option<Rc<dyn Any>>) {
        let node = &self.nodes[self.depth];
        self.depth += 1;
        (node.chosen, node.values.clone())
    }

    /// Makes a new choice: the first option worth following; `None` if there is none.
    pub(super) fn choose(
        &mut self,
        options: ChoiceOptions,
        values: Option<Rc<dyn Any>>,
    ) -> Option<u64> {
        let (chosen, after) = options.first_from(0, &self.probability(), &self.smallest)?;
        self.nodes.push(PathChoice { options, chosen, after, values });
        self.depth += 1;
        Some(chosen)
    }

    /// Goes back to the start, to walk the next path; false if this was the last.
    pub(super) fn advance(&mut self) -> bool {
        self.nodes.truncate(self.depth);
        // Depth first: the last choice that has another option moves on, and what came after it is forgotten.
        while let Some(mut last) = self.nodes.pop() {
            self.depth = self.nodes.len();
            let next =
                last.options.first_from(last.chosen + 1, &self.probability(), &self.smallest);
            if let Some((chosen, after)) = next {
                (last.chosen, last.after) = (chosen, after);
                self.nodes.push(last);
                self.depth = 0;
                return true;
            }
        }
        false
    }
}
