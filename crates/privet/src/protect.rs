//! One part of a dataset replaced by noisy reports, as each person would make them on their own device (or a
//! curator, where a mechanism needs one): [`Features`], [`Labels`], [`Edges`]; or sums over neighbours with noise in place of
//! the edges: [`Sums`]. One process does it, or [`Several`].
//!
//! The order is the guarantee: ask what can be asked, charge the ledger and wait until that is on disk, draw noise,
//! decode. What fails before the charge costs nothing; what fails after it stays spent, and the error says so.
//!
//! ```
//! use privet::data::synthetic::karate_club;
//! use privet::{Run, protect};
//! let club = karate_club()?;
//! let noisy = protect::Edges::dprr(2.0)?.run(club, &Run::simulation(1))?;
//! assert_eq!(noisy.get().graph().node_count(), 34);
//! // 2 for a list of contacts; 4 for a friendship, which stands in two lists.
//! let guarantee = &noisy.card().guarantees[0];
//! assert_eq!((guarantee.loss.epsilon.get(), guarantee.also[0].loss.epsilon.get()), (2.0, 4.0));
//! # Ok::<(), privet::Error>(())
//! ```

mod budgets;
mod edges;
mod features;
pub(crate) mod labels;
pub(crate) mod parts;
mod several;
mod sums;
mod unprotected;

pub use budgets::{Budgets, Strengths};
pub use edges::{EdgeMechanism, Edges};
pub use features::{FeatureProtection, Features, public_scale};
pub use labels::Labels;
pub use several::{Several, SingleProcess};
pub use sums::Sums;

use crate::doubts::{self, Doubt};
use crate::graph::{Dataset, Fact};
use crate::privacy::unit::DataPart;
use crate::privacy::{Card, Ledger, Loss, Release, Unit};
use crate::stage::account;
use crate::{Error, Protected, Result, Run};

/// How strongly people are protected, and what is taken on the operator's word.
#[derive(Debug, Clone)]
pub struct Terms {
    /// What each person's data may cost.
    pub budgets: Budgets,
    /// Questionable numbers that are taken all the same; the card repeats them.
    pub accepted: Vec<Doubt>,
    /// The card of the dataset, if other parts of it were randomised before: the new card goes on where it ends.
    pub earlier: Option<Card>,
}

impl Terms {
    /// The same epsilon for all people, and nothing on the operator's word.
    pub fn alike(epsilon: f64) -> Self {
        Self { budgets: Budgets::alike(epsilon), accepted: Vec::new(), earlier: None }
    }

    /// Whether reports can be made part by part, or by several processes.
    ///
    /// # Errors
    /// If people have budgets of their own.
    pub fn check_parts(&self) -> Result<()> {
        match self.budgets.are_alike() {
            true => Ok(()),
            false => Err(Error::OwnBudgetsInParts),
        }
    }
}

/// One part of one dataset, on its way out.
struct Job<'a> {
    dataset: &'a Dataset,
    terms: &'a Terms,
    run: &'a Run<'a>,
    part: DataPart,
    asked: Loss,
    /// What only the operator's word supports.
    on_whose_word: Vec<String>,
}

impl<'a> Job<'a> {
    /// Asks what can be asked before anything is charged.
    fn new(
        dataset: &'a Dataset,
        terms: &'a Terms,
        run: &'a Run<'a>,
        part: DataPart,
        delta: f64,
    ) -> Result<Self> {
        if terms.earlier.as_ref().is_some_and(|card| card.protects(part)) {
            let why = "this part is randomised already, and a second round of noise does not protect it better";
            let remedy = "randomise the original again, charged to the same ledger";
            return Err(Error::Refused { message: format!("refused: {why}"), remedy });
        }
        run.ledgers.refuse_people_of_projects(dataset)?;
        let mut on_whose_word = dataset.require_public(shown(part))?;
        let asked = Loss::new(terms.budgets.largest(), delta)?;
        let people = dataset.graph().node_count();
        let limit = run.ledgers.limit_of_new(account(part), asked)?;
        on_whose_word
            .extend(doubts::PromisedPrice { people, asked, limit }.settle(&terms.accepted)?);
        Ok(Self { dataset, terms, run, part, asked, on_whose_word })
    }

    /// Charges the ledger and draws; what was not charged leaves no trace.
    fn charge<T, U: Unit>(
        &self,
        subject: String,
        draw: impl FnOnce(&mut Ledger<U>) -> Result<Release<T, U>>,
    ) -> Result<Protected<T>> {
        let kind = account(self.part);
        let protected = self.run.ledgers.accounted(|| {
            // One part has one stream: a seed gives the same noise in memory as in a file of one's own.
            let ledger = self.run.ledgers.open(kind, self.asked, self.run.noise, (0, 1));
            let mut ledger = ledger?;
            let release = draw(&mut ledger)?;
            Ok(release.protected(&ledger)?)
        })?;
        let protected = protected.about(subject);
        Ok(match &self.terms.earlier {
            Some(earlier) => protected.continuing(earlier, self.part),
            None => protected,
        })
    }

    /// The card's last lines.
    fn finish<T>(self, protected: Protected<T>) -> Protected<T> {
        self.on_whose_word.into_iter().fold(protected, Protected::with_unprotected)
    }
}

/// What the output shows beside the reports.
fn shown(part: DataPart) -> &'static [Fact] {
    match part {
        DataPart::Features => &[Fact::Ids, Fact::Columns],
        DataPart::Labels => &[Fact::Ids, Fact::Classes],
        DataPart::Edges => &[Fact::Ids],
    }
}
