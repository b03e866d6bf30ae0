//! A card in words a lawyer can read.

use std::fmt::{self, Write};

use super::{Card, Guarantee, ReleaseLine};
use crate::mechanism::Status;
use crate::noise::{NoiseOrigin, Numerics};

impl Card {
    /// The card in plain words: who is protected, against what, how strongly, and who is not.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_to(&mut text);
        text
    }

    fn write_to(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "PRIVACY CARD: {}", self.subject)?;
        if self.is_simulation() {
            writeln!(
                text,
                "\nSIMULATION: the noise was replayed from a seed. Whoever knows the seed can"
            )?;
            writeln!(text, "remove it. This output protects nobody and must not be published.")?;
        }
        if !self.is_audited() {
            writeln!(
                text,
                "\nNOT AUDITED: a mechanism was made outside Privet. Its numbers are the word of"
            )?;
            writeln!(text, "whoever made it; nobody here has looked at it.")?;
        }
        for guarantee in &self.guarantees {
            guarantee.write_to(text)?;
        }
        writeln!(text, "\nNOT protected")?;
        match self.unprotected.as_slice() {
            [] => writeln!(text, "  nothing was declared")?,
            list => list.iter().try_for_each(|what| writeln!(text, "  - {what}"))?,
        }
        writeln!(text, "\nMade by {}.", self.software)
    }
}

impl Guarantee {
    fn write_to(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "\nProtected: {}", self.protects)?;
        writeln!(text, "  in the sense of {}: {}.", self.relation, self.relation.meaning())?;
        writeln!(text, "  Who must be trusted with raw data: {}.", self.trust.meaning())?;
        writeln!(
            text,
            "  Strength: epsilon {}, delta {} ({})",
            self.loss.epsilon,
            self.loss.delta,
            self.in_words()
        )?;
        for condition in self.conditions() {
            writeln!(
                text,
                "  ONLY IF {condition}: the data were not asked, and without it there is no number"
            )?;
        }
        writeln!(
            text,
            "  Budget: epsilon {}, delta {} in all; computed by the {} accountant.",
            self.limit.epsilon, self.limit.delta, self.accountant
        )?;
        if self.groups.len() > 1 {
            for group in &self.groups {
                let users =
                    group.users.map_or("the rest".to_owned(), |count| format!("{count} users"));
                let loss = if group.opted_out {
                    "chose to publish their data: no protection".to_owned()
                } else {
                    group.loss.to_string()
                };
                writeln!(text, "    {users}: {loss}")?;
            }
        }
        for other in &self.also {
            writeln!(text, "  As {}: {} ({})", other.relation, other.loss, other.theorem)?;
        }
        writeln!(text, "  Releases:")?;
        self.releases.iter().try_for_each(|release| release.write_to(text))
    }

    /// What an epsilon means to somebody who bets.
    pub fn in_words(&self) -> String {
        let epsilon = self.loss.epsilon.get();
        if !epsilon.is_finite() {
            return "no protection".into();
        }
        // Posterior of an even prior after a likelihood ratio of e^epsilon.
        let sure = 100.0 / (1.0 + (-epsilon).exp());
        let except = match self.loss.delta.get() {
            0.0 => String::new(),
            delta => format!(", except with probability {delta}"),
        };
        format!("somebody who was 50 % sure of a fact can become at most {sure:.1} % sure{except}")
    }
}

impl ReleaseLine {
    fn write_to(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "    {}: {}", self.mechanism, self.event)?;
        for (name, value) in &self.parameters {
            writeln!(text, "      {name} = {value}")?;
        }
        writeln!(text, "      why: {} ({})", self.theorem.statement, self.theorem.proof)?;
        match &self.status {
            Status::Holds => {}
            Status::Conditional { on } => writeln!(text, "      CAUTION: true only if {on}")?,
            Status::HoldsAtStationarity => {
                writeln!(
                    text,
                    "      CAUTION: true only if a random walk has converged, which cannot be checked"
                )?;
            }
            Status::PaperMode { printed, flaw } => {
                writeln!(
                    text,
                    "      CAUTION: run as printed; the paper claims epsilon {printed}, but {flaw}"
                )?;
            }
        }
        if !self.audited {
            writeln!(text, "      NOT AUDITED: made outside Privet")?;
        }
        if self.numerics == Numerics::Idealized {
            writeln!(
                text,
                "      CAUTION: proved for real numbers; floating-point rounding is not covered"
            )?;
        }
        if let NoiseOrigin::Simulation { seed } = self.noise {
            writeln!(text, "      SIMULATION: seed {seed}")?;
        }
        self.assumes_public
            .iter()
            .try_for_each(|what| writeln!(text, "      taken for public: {what}"))
    }
}
