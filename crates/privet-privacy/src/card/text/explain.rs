//! The card in full: every number, condition and release, for a reader who checks them.

use std::fmt::{self, Write};

use crate::card::{Card, Conversion, GroupLine, Guarantee, ReleaseLine};
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
                "\nSIMULATION: the noise was replayed from a seed. Anyone who knows the seed can"
            )?;
            writeln!(
                text,
                "remove it. This output gives no protection and must not be published."
            )?;
        }
        if !self.is_audited() {
            writeln!(
                text,
                "\nNOT AUDITED: a mechanism was made outside Privet. Its numbers are the claim of"
            )?;
            writeln!(text, "its author; Privet has not audited them.")?;
        }
        for line in self.warnings() {
            writeln!(text, "\n{line}")?;
        }
        for total in &self.totals {
            writeln!(text, "\nIn all, for one person ({}): {}", total.relation, total.loss)?;
            writeln!(
                text,
                "  {}: these guarantees are about the same person, so their losses add up.",
                total.protects
            )?;
            for condition in self.stated_total(total).conditions {
                writeln!(text, "  CONDITION: {condition}")?;
            }
        }
        for guarantee in &self.guarantees {
            guarantee.write_to(text)?;
        }
        writeln!(text, "\nNOT protected")?;
        match self.unprotected.as_slice() {
            [] => writeln!(text, "  nothing was declared")?,
            list => list.iter().try_for_each(|what| writeln!(text, "  - {what}"))?,
        }
        if !self.files.is_empty() {
            writeln!(text, "\nIssued for")?;
            for file in &self.files {
                writeln!(text, "  {} ({} bytes, SHA-256 {})", file.name, file.bytes, file.sha256)?;
            }
        }
        writeln!(text, "\nMade by {}.", self.software)
    }

    /// What stands before any number: who has no protection at all.
    pub fn warnings(&self) -> Vec<String> {
        self.guarantees.iter().filter_map(Guarantee::warning).collect()
    }
}

impl Guarantee {
    fn write_to(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "\nProtected: {}", self.protects)?;
        writeln!(text, "  in the sense of {}: {}.", self.relation, self.relation.meaning())?;
        writeln!(text, "  Who must be trusted with raw data: {}.", self.trust.meaning())?;
        for other in self.also.iter().filter(|other| !other.loss.epsilon.is_finite()) {
            write_conversion(text, other)?;
        }
        writeln!(
            text,
            "  Strength: epsilon {}, delta {} ({})",
            self.loss.epsilon,
            self.loss.delta,
            self.in_words()
        )?;
        for condition in self.loss_conditions() {
            writeln!(text, "  CONDITION: {condition}")?;
        }
        writeln!(
            text,
            "  Budget: epsilon {}, delta {} in all; computed by the {} accountant.",
            self.limit.epsilon, self.limit.delta, self.accountant
        )?;
        self.groups.iter().try_for_each(|group| writeln!(text, "    {group}"))?;
        for other in self.also.iter().filter(|other| other.loss.epsilon.is_finite()) {
            write_conversion(text, other)?;
        }
        writeln!(text, "  Releases:")?;
        self.releases.iter().try_for_each(|release| release.write_to(text))
    }

    /// How many people have no protection, if there are any.
    pub fn warning(&self) -> Option<String> {
        let people = match self.published {
            0 => return None,
            1 => "1 person".to_owned(),
            many => format!("{many} people"),
        };
        let all = self.groups.iter().all(|group| group.opted_out);
        let rest = if all { " No other person is in the data." } else { "" };
        let protects = &self.protects;
        let exposed = self.also.iter().any(|other| !other.loss.epsilon.is_finite());
        let pairs = match exposed {
            true => " Relationships with them are not protected, whatever the other person chose.",
            false => "",
        };
        Some(format!("NO PROTECTION for {people} who chose to publish ({protects}).{rest}{pairs}"))
    }

    /// What an epsilon means for an attacker's certainty.
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
        format!(
            "an attacker who was 50 % sure of a fact can become at most {sure:.1} % sure{except}"
        )
    }
}

fn write_conversion(text: &mut String, other: &Conversion) -> fmt::Result {
    let pairs = other.between.words().map(|pairs| format!(" for {pairs}")).unwrap_or_default();
    writeln!(text, "  As {}: {}{pairs} ({})", other.relation, other.loss, other.theorem)
}

impl fmt::Display for GroupLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.users {
            None => write!(f, "everyone: ")?,
            Some(1) => write!(f, "1 user: ")?,
            Some(count) => write!(f, "{count} users: ")?,
        }
        match self.opted_out {
            true => write!(f, "chose to publish their data: no protection"),
            false => write!(f, "{}", self.loss),
        }
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
