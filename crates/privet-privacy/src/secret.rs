//! [`Secret`]: raw data, wrapped. The only way out is a [`Ledger`](crate::Ledger).

use crate::population::{Population, PublicShape};

/// Raw data about people.
///
/// It cannot be printed, copied, compared, serialised or borrowed; only a ledger opens it, for a
/// mechanism, after writing down the cost.
///
/// ```compile_fail
/// let secret = privet_privacy::Secret::new(vec![1.0]);
/// println!("{secret:?}");               // no Debug
/// ```
/// ```compile_fail
/// let secret = privet_privacy::Secret::new(vec![1.0]);
/// let copy = secret.clone();            // no Clone
/// ```
/// ```compile_fail
/// let secret = privet_privacy::Secret::new(vec![1.0]);
/// let first = secret[0];                // no Index, no Deref
/// ```
/// ```compile_fail
/// let secret = privet_privacy::Secret::new(vec![1.0]);
/// let raw = secret.expose();            // private to the trusted base
/// ```
/// ```compile_fail
/// let secret = privet_privacy::Secret::new(vec![1.0]);
/// let raw = secret.0;                   // private field
/// ```
/// ```compile_fail
/// fn serialisable(_: impl serde::Serialize) {}
/// serialisable(privet_privacy::Secret::new(vec![1.0]));
/// ```
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps raw data. Do it where the data enters.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// For the trusted base alone.
    pub(crate) fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: PublicShape> Secret<T> {
    /// What is public about it: how much there is, never what it says.
    pub fn shape(&self) -> T::Shape {
        self.0.shape()
    }
}

impl<P: Population> Secret<P> {
    /// How many users there are: public in every relation this crate knows.
    pub fn user_count(&self) -> usize {
        self.0.user_count()
    }
}
