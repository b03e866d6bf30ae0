//! Randomizers for features and labels: what a user sends in place of a row of numbers, or a class.
//!
//! | name | file | reports | decodes to |
//! |---|---|---|---|
//! | `hds` | [`hds`] | k of d columns, square wave | raw as printed, or unbiased |
//! | `square-wave` | [`square_wave`] | all columns | raw as printed, or unbiased |
//! | `label-rr` | [`label_rr`] | a class | unbiased class frequencies |
//!
//! Every file states its claim and proves it for the integers that run. All of them take values within
//! bounds that were *declared* ([`Scale`]): a range measured from the records is refused, because one
//! record could move everybody's.

pub mod coordinate;
pub mod decode;
pub mod hds;
pub mod label_rr;
pub mod report;
pub mod sampled;
pub mod scaling;
pub mod square_wave;
mod subset;
pub mod window_law;

#[cfg(test)]
mod testing;

pub use coordinate::{CoordinateLaw, FiniteLaw, Scheme};
pub use decode::{DecodeRows, Decoding, decode_chosen};
pub use hds::Hds;
pub use label_rr::LabelRr;
pub use report::FeatureReport;
pub use sampled::{Moments, SampledCoordinates};
pub use scaling::Scale;
pub use square_wave::SquareWave;
