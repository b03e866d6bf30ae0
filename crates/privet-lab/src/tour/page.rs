//! The tour as a report: a section a stop, each with its picture.

use privet::privacy::card::LossCondition;

use super::{Stop, Tour};
use crate::report::{Axis, Block, Plot, Report, Section, Series, Style};

impl Tour {
    /// The tour for people to read, and the command that repeats it.
    pub fn report(&self, command: &str) -> Report {
        let gains =
            self.stops.iter().map(|stop| format!("{}: {}", stop.setting.system, stop.verdict));
        let summary = format!(
            "Four ways to learn from people, tried out. {}.",
            gains.collect::<Vec<_>>().join(". ")
        );
        let mut report = Report::new("A tour of Privet", summary);
        report.command = command.into();
        report.cards = self.stops.iter().map(|stop| stop.card.clone()).collect();
        let model = &mut report.threat_model;
        for stop in &self.stops {
            let (system, holds) = (stop.setting.system, stop.setting.holds);
            model.secret.push(format!("{system}: {holds}"));
        }
        model.not_protected.push("none: these people are generated".into());
        report.sections = self.stops.iter().map(Stop::section).collect();
        report
    }
}

impl Stop {
    /// The questions in order, and what the answer cost beside what it was worth.
    pub fn told(&self) -> Vec<(&'static str, String)> {
        let setting = &self.setting;
        vec![
            ("who", setting.people.clone()),
            ("holds", setting.holds.into()),
            ("leaves", setting.leaves.into()),
            ("costs", self.price()),
            ("attacker", self.attacker.in_words()),
            ("learned", setting.learned.into()),
        ]
    }

    fn price(&self) -> String {
        let mut cost = self.cost.clone().rounded();
        // The lines before this one say who holds the data, and the first of all that the noise is replayed.
        let said = [LossCondition::Simulation, LossCondition::TrustedCurator];
        cost.conditions.retain(|condition| !said.contains(condition));
        cost.to_string()
    }

    fn section(&self) -> Section {
        let told = self.told().into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
        let scores = self.shown();
        let names = scores.iter().map(|score| score.variant.name());
        let measured: Vec<_> = scores.iter().map(|score| score.accuracy).collect();
        let plot =
            Plot::new(self.setting.learned, Axis::categories("", names), Axis::percent("accuracy"))
                .with(Series::measured("accuracy", Style::Bars, &measured));
        let title = format!("{}: {}", self.setting.system, self.setting.title);
        Section::new(
            title,
            [
                Block::KeyValues(told),
                Block::Text(format!("{}.", capital(&self.verdict))),
                Block::Plot(plot),
                Block::Command(self.setting.command.into()),
            ],
        )
    }
}

/// A sentence begins with a capital.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
