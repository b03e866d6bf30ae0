//! [`ChoicePath`]: one way through the tree of all choices, and how to come to the next.

use std::any::Any;
use std::rc::Rc;

use dashu::rational::RBig;

use super::weights::trimmed;

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
