//! Arrays of numbers that never change: in a vector, or [held](SliceOwner) by another object (a mapped file).

use std::ops::{Deref, Range};
use std::sync::Arc;

/// The owner of numbers that never change: a slice, or a file.
pub trait SliceOwner<T>: Send + Sync {
    /// The numbers.
    fn words(&self) -> &[T];

    /// These will not be looked at for a while: a file need not keep them in memory. They can still be asked for.
    fn release(&self, _range: Range<usize>) {}
}

impl<T, A: AsRef<[T]> + Send + Sync> SliceOwner<T> for A {
    fn words(&self) -> &[T] {
        self.as_ref()
    }
}

/// Shared numbers that never change.
pub type SharedSlice<T> = Arc<dyn SliceOwner<T>>;

/// Numbers between two releases: a mebibyte or so.
pub(crate) const STRETCH: usize = 1 << 20;

/// Numbers in a row.
pub(crate) enum SharedArray<T> {
    /// In a vector.
    Own(Vec<T>),
    /// Held by another object.
    Held(SharedSlice<T>),
}

impl<T> Deref for SharedArray<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Own(words) => words,
            Self::Held(held) => held.words(),
        }
    }
}

impl<T> SharedArray<T> {
    /// These will not be looked at for a while.
    pub fn release(&self, range: Range<usize>) {
        if let Self::Held(held) = self {
            held.release(range);
        }
    }
}

impl<T: Clone> SharedArray<T> {
    /// The numbers in a vector of one's own.
    pub fn into_vec(self) -> Vec<T> {
        match self {
            Self::Own(words) => words,
            Self::Held(held) => held.words().to_vec(),
        }
    }
}

impl<T> From<Vec<T>> for SharedArray<T> {
    fn from(words: Vec<T>) -> Self {
        Self::Own(words)
    }
}

impl<T: Clone> Clone for SharedArray<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Own(words) => Self::Own(words.clone()),
            Self::Held(held) => Self::Held(Arc::clone(held)),
        }
    }
}

impl<T: PartialEq> PartialEq for SharedArray<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for SharedArray<T> {}

impl<T: std::fmt::Debug> std::fmt::Debug for SharedArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owned_and_held_numbers_are_equal() {
        let held: SharedSlice<u32> = Arc::new(vec![3, 1, 2]);
        let (own, shared) =
            (SharedArray::from(vec![3, 1, 2]), SharedArray::Held(Arc::clone(&held)));
        assert_eq!(own, shared.clone());
        assert_eq!((shared[1], shared.len(), format!("{shared:?}")), (1, 3, "[3, 1, 2]".into()));
        let _copy = shared.clone();
        assert_eq!(Arc::strong_count(&held), 3);
    }
}
