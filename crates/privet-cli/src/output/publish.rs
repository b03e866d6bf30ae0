//! [`PublicationOutput`]: what was written, what it promises and what it does not; and the custodian's [`TruthComparison`].

use std::io::{self, Write};

use privet::privacy::Card;
use privet::privacy::edges::comparison::hrg::FittedTree;
use privet_lab::experiments::structure::Utility;
use serde::Serialize;

use crate::failure::Result;
use crate::output::console::Answer;
use crate::output::protect::elsewhere;
use crate::output::protect::{write_promises, write_unprotected};
use crate::output::style::{FAINT, GOOD, NOTE, percent, printable};

/// What became of a publication.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublicationOutput {
    /// The files of the dataset and its card.
    pub files: Vec<String>,
    /// The accounts that were charged.
    pub ledgers: Vec<String>,
    /// Where the comparison with the truth was written: not to be published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_the_custodian_only: Option<String>,
    /// Whether the noise came from a seed, so that there is no protection.
    pub simulation: bool,
    /// How the tree of public edges was fitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeFit>,
    /// What travels with the data.
    pub card: Card,
}

/// How the tree of public edges was fitted: public numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreeFit {
    /// Steps of the chain.
    pub steps: u64,
    /// How many of them changed the tree.
    pub changes: u64,
    /// The log-likelihood of the public edges before and after.
    pub log_likelihood: [f64; 2],
    /// How much of the gain came in the last quarter: near 0 if the chain has settled.
    pub late_gain: f64,
}

impl TreeFit {
    fn of(fit: &FittedTree) -> Self {
        let end = |at: Option<&f64>| at.copied().unwrap_or(0.0);
        Self {
            steps: fit.steps,
            changes: fit.changes,
            log_likelihood: [end(fit.progress.first()), end(fit.progress.last())],
            late_gain: fit.late_gain(),
        }
    }
}

impl PublicationOutput {
    /// What was written; the card is the last file.
    pub fn new(
        card: Card,
        files: Vec<String>,
        ledgers: Vec<String>,
        for_the_custodian_only: Option<String>,
        fit: Option<FittedTree>,
    ) -> Self {
        let simulation = card.is_simulation();
        let tree = fit.as_ref().map(TreeFit::of);
        Self { files, ledgers, for_the_custodian_only, simulation, tree, card }
    }
}

impl Answer for PublicationOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        if let Some(path) = &self.for_the_custodian_only {
            writeln!(
                out,
                "{GOOD}wrote{GOOD:#} {} {NOTE}(for the custodian only){NOTE:#}",
                printable(path)
            )?;
        }
        write_promises(out, &self.card, |out, at, guarantee| {
            let ledger = self.ledgers.get(at).map(|path| printable(path)).unwrap_or_default();
            writeln!(out, "  charged to {ledger}, limit {}", guarantee.limit)
        })?;
        write_unprotected(out, &self.card)?;
        if let Some(tree) = &self.tree {
            writeln!(
                out,
                "{FAINT}tree of the public edges: {} steps, {} of its gain in the last quarter{FAINT:#}",
                tree.steps,
                percent(tree.late_gain)
            )?;
        }
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection")?;
        }
        let card = self.files.last().map(|path| printable(path)).unwrap_or_default();
        let ledgers = elsewhere(&card, self.ledgers.iter());
        writeln!(out, "{FAINT}check and read it: privet verify {card}{ledgers} --explain{FAINT:#}")
    }
}

/// A comparison with the truth. It would leak if it were published.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthComparison {
    warning: &'static str,
    #[serde(flatten)]
    utility: Utility,
}

impl TruthComparison {
    /// Marks a comparison as what it is.
    pub fn new(utility: Utility) -> Self {
        let warning = "FOR THE CUSTODIAN ONLY: figures of the true graph are not protected; do not \
                       publish this file";
        Self { warning, utility }
    }

    /// The file.
    ///
    /// # Errors
    /// If a number cannot be written.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        Ok(text)
    }
}
