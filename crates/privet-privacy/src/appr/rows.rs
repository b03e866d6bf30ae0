//! One row: clip, add noise, name K nodes.

use super::{Picks, RowNoise, RowSettings, pick_budget, value_budget};
use crate::error::Result;
use crate::fault::{self, Fault};
use crate::lattice::{self, Lattice};
use crate::noise::{DiscreteLaplace, ExponentialSelection, RandomWords, ScoreChange};

/// How many steps of the lattice make C.
const STEPS: u64 = 1 << 20;
/// What clipped rows fall short of the clip norm by: more than rounding can add.
const SAFETY: f64 = 1.0 - 1e-9;
/// A row with Gaussian noise has a norm of at most 2^30 steps.
const ROW_BITS: i32 = 30;

/// A row's sampler, made once.
#[derive(Debug)]
pub(super) struct Picker {
    universe: usize,
    keep: usize,
    clip: f64,
    law: RowLaw,
}

#[derive(Debug)]
enum RowLaw {
    Names(ExponentialSelection),
    NamesAndValues(ExponentialSelection, Box<DiscreteLaplace>),
    Noisy(Lattice),
}

impl Picker {
    pub(super) fn new(settings: &RowSettings) -> Result<Self> {
        let selection = |epsilon| {
            ExponentialSelection::new(pick_budget(epsilon)?, STEPS, ScoreChange::EitherWay)
        };
        let law = match settings.noise {
            RowNoise::Gumbel { epsilon } => RowLaw::Names(selection(epsilon)?),
            RowNoise::GumbelAndValues { epsilon, values } => {
                let budget = value_budget(values, settings.keep as u64)?;
                let noise = Box::new(DiscreteLaplace::new(budget, STEPS)?);
                RowLaw::NamesAndValues(selection(epsilon)?, noise)
            }
            RowNoise::Gaussian { deviation } => RowLaw::Noisy(Lattice::new(deviation, ROW_BITS)?),
        };
        let (universe, keep, clip) = (settings.universe as usize, settings.keep, settings.clip);
        Ok(Self { universe, keep, clip, law })
    }

    /// What leaves of a row.
    pub(super) fn pick<W: RandomWords>(&self, scores: &[(u32, f64)], stream: &mut W) -> Picks {
        match &self.law {
            RowLaw::Names(selection) => {
                let chosen = selection.choose_several(&self.on_lattice(scores), self.keep, stream);
                chosen.into_iter().map(|node| (node as u32, 1.0)).collect()
            }
            RowLaw::NamesAndValues(selection, noise) => {
                // Names are picked on the same lattice that values are noised on: one clip for both.
                let lattice = self.on_lattice(scores);
                let chosen = selection.choose_several(&lattice, self.keep, stream);
                let value = |node: usize, stream: &mut W| {
                    let noisy = lattice[node].saturating_add(noise.draw(stream));
                    noisy as f64 * self.clip / STEPS as f64
                };
                chosen.into_iter().map(|node| (node as u32, value(node, stream))).collect()
            }
            RowLaw::Noisy(noise) => {
                let mut row = self.on_ball(scores, noise.reach());
                row.iter_mut().for_each(|entry| *entry = entry.saturating_add(noise.draw(stream)));
                let step = self.clip / noise.reach() as f64;
                let picks = largest(&row, self.keep).into_iter();
                picks.map(|(node, entry)| (node, lattice::middle(entry, step))).collect()
            }
        }
    }

    /// Entries clipped to [0, C] and rounded to the lattice: a function of each entry alone.
    pub(super) fn on_lattice(&self, scores: &[(u32, f64)]) -> Vec<i64> {
        let absent = if fault::on(Fault::OnlyPresentNodesPicked) { -(1 << 60) } else { 0 };
        // A node without a score has 0, not a lower value: else a pick would prove that a node is present.
        let mut row = vec![absent; self.universe];
        for &(node, score) in scores {
            if let Some(entry) = row.get_mut(node as usize) {
                // What is not a number is no score.
                let most = if fault::on(Fault::ScoresNotClipped) { f64::MAX } else { 1.0 };
                *entry = ((score / self.clip).clamp(0.0, most) * STEPS as f64).round() as i64;
            }
        }
        row
    }

    /// The clipped row on a lattice with so many steps to C: no entry below 0, and the norm at most C, in integers.
    pub(super) fn on_ball(&self, scores: &[(u32, f64)], steps: u64) -> Vec<i64> {
        let (row, factor) = (self.clipped(scores), steps as f64 / self.clip);
        if fault::on(Fault::RowsNotClipped) {
            return row.iter().map(|entry| (entry * factor).min(1e18) as i64).collect();
        }
        lattice::within(steps, row.into_iter(), factor)
    }

    /// No entry below 0, and the norm about C at most.
    pub(super) fn clipped(&self, scores: &[(u32, f64)]) -> Vec<f64> {
        let mut row = vec![0.0; self.universe];
        for &(node, score) in scores {
            if let Some(entry) = row.get_mut(node as usize) {
                *entry = if score.is_finite() { score.clamp(0.0, 1e100) } else { 0.0 };
            }
        }
        let norm = row.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        // Only a first approximation in floats; `lattice::within` enforces the norm in integers.
        let scale = (self.clip * SAFETY / norm).min(1.0);
        if norm > 0.0 && !fault::on(Fault::RowsNotClipped) {
            row.iter_mut().for_each(|entry| *entry *= scale);
        }
        row
    }
}

/// The K largest entries, the largest first; of equal ones those with the smaller id.
fn largest(row: &[i64], keep: usize) -> Vec<(u32, i64)> {
    let better = |&a: &usize, &b: &usize| row[b].cmp(&row[a]).then(a.cmp(&b));
    let mut order: Vec<usize> = (0..row.len()).collect();
    if order.len() > keep {
        order.select_nth_unstable_by(keep - 1, better);
        order.truncate(keep);
    }
    order.sort_unstable_by(better);
    order.into_iter().map(|node| (node as u32, row[node])).collect()
}
