//! [`Report`]: what was measured, and who was protected while measuring it, for people to read.
//!
//! A report is plain data. It is written as one HTML file that needs nothing else, as Markdown, as
//! text for a terminal, as JSON, and its plots as SVG and PNG files; all of them say the same,
//! because all of them are made from the same list of sections. The answer comes first, with what was
//! promised in a line; then pictures and tables, with intervals; then who is protected from whom, with what is
//! *not* protected; the command that repeats it comes last.
//!
//! ```
//! use privet_lab::report::{Axis, Block, MeasuredValue, Plot, Reference, Report, Section, Series, Style, NumberUnit};
//!
//! let measured = |mean| MeasuredValue { mean, deviation: 0.01, low95: mean - 0.006, high95: mean + 0.006, runs: 10, unit: NumberUnit::Percent };
//! let epsilons = [0.5, 1.0, f64::INFINITY];
//! let accuracy = [0.61, 0.74, 0.81].map(measured);
//! let plot = Plot::new("Accuracy on Cora", Axis::epsilons(&epsilons), Axis::percent("accuracy"))
//!     .with(Series::measured("hds", Style::Line, &accuracy))
//!     .with_line(Reference::ceiling(&measured(0.82)));
//! let mut report = Report::new("LDP-GE on Cora", "Accuracy falls by 8 points at epsilon 1.");
//! report.command = "privet run ldp-ge --dataset cora --runs 10".into();
//! report.sections.push(Section::new("Results", [Block::Plot(plot)]));
//! assert!(report.html().contains("<svg") && report.markdown().contains("epsilon 1"));
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | [`table`], [`plot`] | what sections are made of |
//! | [`picture`] | shapes on a page, as SVG and PNG |
//! | [`summary`] | numbers as people read them |
//! | `outline` | all sections in order: results, guarantees, costs, how to repeat it |
//! | `html`, `markdown`, `terminal`, `files` | the outline in each format |

mod escape;
mod files;
mod html;
mod json;
mod markdown;
mod outline;
pub mod picture;
pub mod plot;
pub mod summary;
pub mod table;
mod terminal;

use privet::privacy::card::Card;
use serde::{Deserialize, Serialize};

pub use html::Page;
pub use picture::Colours;
pub use plot::{Axis, AxisScale, Plot, PlotPoint, Reference, Series, Style};
pub use summary::{MeasuredValue, NumberUnit};
pub use table::{Cell, Table};

/// A report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// What it is about.
    pub title: String,
    /// The result in one honest sentence.
    pub summary: String,
    /// The command that makes it again.
    pub command: String,
    /// What was guaranteed.
    pub cards: Vec<Card>,
    /// What was taken for secret and for public.
    pub threat_model: ThreatModel,
    /// The results.
    pub sections: Vec<Section>,
    /// Every setting, named and shown as on the command line.
    pub settings: Vec<(String, String)>,
    /// What it cost to compute.
    pub timings: Vec<Timing>,
    /// Of the program, the data and the machine.
    pub versions: Vec<(String, String)>,
}

/// What was taken for secret, what for public, and what is not protected.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreatModel {
    /// Inputs that only mechanisms see.
    pub secret: Vec<String>,
    /// Inputs that are public.
    pub public: Vec<String>,
    /// What the guarantee does not cover, beside what the cards say.
    pub not_protected: Vec<String>,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What is in it.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "a report has a dozen blocks, and is written once")]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Something that a reader must not overlook.
    Warning(String),
    /// Points, one below the other.
    List(Vec<String>),
    /// Names and values.
    KeyValues(Vec<(String, String)>),
    /// A table.
    Table(Table),
    /// A plot.
    Plot(Plot),
    /// A budget that fills up: what was spent of how much, and the same in words.
    Meter {
        /// What was spent.
        #[serde(with = "json::number")]
        spent: f64,
        /// Of how much.
        #[serde(with = "json::number")]
        of: f64,
        /// In words.
        words: String,
    },
    /// Something to type or copy.
    Command(String),
}

/// What a step cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// The step.
    pub what: String,
    /// Seconds on the clock.
    #[serde(with = "json::number")]
    pub seconds: f64,
    /// Seconds of all processors together, if known.
    #[serde(with = "json::maybe", default, skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    /// The most memory it held, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

impl Report {
    /// A report with a title and a summary. The rest is filled in by name.
    pub fn new(title: impl Into<String>, summary: impl Into<String>) -> Self {
        let version = ("privet".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        Self {
            title: title.into(),
            summary: summary.into(),
            command: String::new(),
            cards: Vec::new(),
            threat_model: ThreatModel::default(),
            sections: Vec::new(),
            settings: Vec::new(),
            timings: Vec::new(),
            versions: vec![version],
        }
    }

    /// Whether any noise was replayed from a seed, so that there was no protection.
    pub fn is_simulation(&self) -> bool {
        self.cards.iter().any(Card::is_simulation)
    }

    /// The plots, in order, with the names of their files without an ending.
    pub fn plots(&self) -> Vec<(String, &Plot)> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        let plots = blocks.filter_map(|block| match block {
            Block::Plot(plot) => Some(plot),
            _ => None,
        });
        plots.zip(1..).map(|(plot, at)| (escape::file_stem(at, &plot.title), plot)).collect()
    }
}

impl Block {
    /// The warning that stands first wherever noise was replayed from seeds: nothing was protected by it.
    pub fn simulation() -> Self {
        Self::Warning(
            "A simulation: noise was replayed from seeds, and results were scored against the truth. \
             It gives no protection."
                .into(),
        )
    }
}

impl Section {
    /// A section.
    pub fn new(title: impl Into<String>, blocks: impl IntoIterator<Item = Block>) -> Self {
        Self { title: title.into(), blocks: blocks.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests;
