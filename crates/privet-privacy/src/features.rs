//! Randomizers for features and labels: what a user sends in place of a row of numbers, or a class.
//!
//! | name | file | reports | one column's law |
//! |---|---|---|---|
//! | `hds` | [`hds`] | k of d columns | square wave, raw as printed or unbiased |
//! | `square-wave` | [`square_wave`] | all columns | window of half width b |
//! | `piecewise` | [`piecewise`] | k of d columns | window of half width e^(-ε/2) |
//! | `pm-sub` | [`pm_sub`] | k of d columns | window of half width e^(-ε/3) |
//! | `duchi` | [`duchi`] | all columns | two points |
//! | `multi-bit` | [`multi_bit`] | k of d columns | two points |
//! | `hybrid` | [`hybrid`] | k of d columns | a coin between piecewise and two points |
//! | `three-outputs` | [`three_outputs`] | k of d columns | three points |
//! | `laplace` | [`laplace`] | all columns | discrete Laplace noise |
//! | `gaussian` | [`gaussian`] | all columns | Gaussian noise, in integers |
//! | `feature-rr` | [`feature_rr`], [`theta`] | all columns | graded bins, public shares of the budget |
//! | `label-rr` | [`label_rr`] | a class | randomised response |
//! | `answer-rr` | [`answer_rr`] | a public model's answer | randomised response |
//!
//! Around them: [`scaling`] (declared bounds to lattice points), [`coordinate`] (what a law is),
//! [`sampled`] (k of d columns), [`decode`] (what a report stands for),
//! [`by_name`] (for the command line).
//!
//! Every file states its claim and proves it for the integers that run. All of them take values within
//! bounds that were *declared* ([`Scale`]): a range measured from the records is refused, because one
//! record could move the range of all.

pub mod answer_rr;
pub mod by_name;
pub mod coordinate;
pub mod decode;
pub mod duchi;
pub mod feature_rr;
pub mod gaussian;
pub mod hds;
pub mod hybrid;
pub mod label_rr;
pub mod laplace;
pub mod multi_bit;
pub mod piecewise;
pub mod pm_sub;
pub mod sampled;
pub mod scaling;
pub mod square_wave;
pub(crate) mod subset;
pub mod theta;
pub mod three_outputs;
pub mod window_law;

#[cfg(test)]
mod testing;

pub use answer_rr::{AnswerRr, LinearModel};
pub use by_name::{FeatureMechanism, FeatureSettings};
pub use coordinate::{CoordinateLaw, FiniteLaw, Scheme};
pub use decode::{DecodeRows, Decoding, decode_chosen};
pub use duchi::Duchi;
pub use feature_rr::FeatureRr;
pub use gaussian::Gaussian;
pub use hds::Hds;
pub use hybrid::Hybrid;
pub use label_rr::LabelRr;
pub use laplace::Laplace;
pub use multi_bit::MultiBit;
pub use piecewise::Piecewise;
pub use pm_sub::PmSub;
pub use sampled::{EntryMoments, SampledCoordinates};
pub use scaling::Scale;
pub use square_wave::SquareWave;
pub use theta::Theta;
pub use three_outputs::ThreeOutputs;

/// One user's report on a feature row.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureReport {
    /// Levels of some columns, ascending by column. Which columns says nothing about the record.
    Sampled(Vec<(u32, i64)>),
    /// A level for every column.
    All(Vec<i64>),
    /// The record itself, from a user who chose to be non-private: values other than zero.
    Disclosed(Vec<(u32, f32)>),
}

impl FeatureReport {
    /// How many numbers the report carries.
    pub fn len(&self) -> usize {
        match self {
            Self::Sampled(entries) => entries.len(),
            Self::All(levels) => levels.len(),
            Self::Disclosed(entries) => entries.len(),
        }
    }

    /// Whether the report carries nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
