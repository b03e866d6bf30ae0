//! [`Public`]: a parameter that was not computed from any private record, and who says so.
//!
//! Bounds, scores and budget shares steer a mechanism. If they were computed from the records they
//! are supposed to protect, its theorem is void. A plain number cannot tell; this wrapper makes the
//! caller say where the value came from, and the card repeats it.

use crate::release::Release;
use crate::unit::Unit;

/// Why a value is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublicOrigin {
    /// Stated in advance, from knowledge that is not in the data.
    Declared,
    /// Computed from data that is public itself.
    PublicData,
    /// Computed from a release whose cost is in a ledger.
    Release,
}

impl std::fmt::Display for PublicOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Declared => "declared",
            Self::PublicData => "from public data",
            Self::Release => "from an earlier release",
        })
    }
}

/// A value that does not depend on private records, except through a release that was paid for.
///
/// ```
/// use privet_privacy::public::{Public, PublicOrigin};
/// let weights = Public::declared(vec![0.3, 0.7]);
/// let first = weights.map(|weights| weights[0]);
/// assert_eq!((*first.get(), first.origin()), (0.3, PublicOrigin::Declared));
/// ```
///
/// A bare value does not turn into a public one by itself:
///
/// ```compile_fail
/// use privet_privacy::public::Public;
/// let weights: Public<Vec<f64>> = vec![0.3, 0.7].into();
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Public<T> {
    value: T,
    origin: PublicOrigin,
}

impl<T> Public<T> {
    /// A value stated in advance: a constant, a setting, knowledge of the domain.
    pub fn declared(value: T) -> Self {
        Self { value, origin: PublicOrigin::Declared }
    }

    /// A value computed from public data only.
    pub fn from_public_data(value: T) -> Self {
        Self { value, origin: PublicOrigin::PublicData }
    }

    /// A value computed from a release: post-processing.
    pub fn from_release<S, U: Unit>(release: &Release<S, U>, work: impl FnOnce(&S) -> T) -> Self {
        Self { value: work(release.get()), origin: PublicOrigin::Release }
    }

    /// The value.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// The bare value, without the reason why it is public.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// Why it is public.
    pub fn origin(&self) -> PublicOrigin {
        self.origin
    }

    /// Whatever is computed from a public value is public.
    pub fn map<S>(self, work: impl FnOnce(T) -> S) -> Public<S> {
        Public { value: work(self.value), origin: self.origin }
    }

    /// The same without giving it away.
    pub fn derive<S>(&self, work: impl FnOnce(&T) -> S) -> Public<S> {
        Public { value: work(&self.value), origin: self.origin }
    }
}

impl<T, E> Public<Result<T, E>> {
    /// For work that can fail: the failure, or a public value of the same origin.
    ///
    /// # Errors
    /// The failure.
    pub fn transpose(self) -> Result<Public<T>, E> {
        Ok(Public { value: self.value?, origin: self.origin })
    }
}
