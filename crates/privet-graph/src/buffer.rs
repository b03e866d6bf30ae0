//! [`Buffer`]: the numbers of a dense matrix, on huge pages where there are many.
//!
//! Sums over neighbours read rows in random order. On pages of 4 KB the processor looks up the address of
//! nearly every row of a large matrix in memory before it can read it; on pages of 2 MB it knows them all.
//! Linux gives such pages to those who ask, which a plain vector does not.
//!
//! Numbers that another object holds are read where they are, and copied before the first write.

use std::ops::Range;
use std::sync::Arc;

use crate::shared_array::SharedSlice;

/// Numbers from which asking pays.
const MANY: usize = 1 << 20;

/// Numbers in a row.
pub(crate) enum Buffer {
    /// In a vector.
    Plain(Vec<f32>),
    /// At the beginning of pages of their own.
    #[cfg(target_os = "linux")]
    Paged { pages: memmap2::MmapMut, length: usize },
    /// Held by another object.
    Shared(SharedSlice<f32>),
}

impl Buffer {
    /// So many zeros.
    pub fn zeros(length: usize) -> Self {
        #[cfg(target_os = "linux")]
        if length >= MANY
            && let Some(pages) = huge_pages(length)
        {
            return Self::Paged { pages, length };
        }
        Self::Plain(vec![0.0; length])
    }

    #[inline]
    pub fn as_slice(&self) -> &[f32] {
        match self {
            Self::Plain(values) => values,
            #[cfg(target_os = "linux")]
            Self::Paged { pages, length } => &bytemuck::cast_slice(pages)[..*length],
            Self::Shared(held) => held.words(),
        }
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        if let Self::Shared(held) = self {
            *self = Self::copied(held.words());
        }
        match self {
            Self::Plain(values) => values,
            // Just copied.
            Self::Shared(_) => &mut [],
            #[cfg(target_os = "linux")]
            Self::Paged { pages, length } => &mut bytemuck::cast_slice_mut(pages)[..*length],
        }
    }

    /// These will not be looked at for a while.
    pub fn release(&self, range: Range<usize>) {
        if let Self::Shared(held) = self {
            held.release(range);
        }
    }

    /// Makes room for so many numbers, whatever they are: memory that suffices is kept.
    pub fn reshape(&mut self, new_length: usize) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Paged { pages, length } if new_length * size_of::<f32>() <= pages.len() => {
                *length = new_length;
            }
            Self::Plain(values) if new_length <= values.capacity() => {
                values.resize(new_length, 0.0)
            }
            _ => *self = Self::zeros(new_length),
        }
    }

    pub fn into_vec(self) -> Vec<f32> {
        match self {
            Self::Plain(values) => values,
            #[cfg(target_os = "linux")]
            Self::Paged { .. } => self.as_slice().to_vec(),
            Self::Shared(_) => self.as_slice().to_vec(),
        }
    }

    /// The same numbers in memory of our own.
    fn copied(values: &[f32]) -> Self {
        // Huge pages pay for large arrays only.
        if values.len() < MANY {
            return Self::Plain(values.to_vec());
        }
        let mut copy = Self::zeros(values.len());
        copy.as_mut_slice().copy_from_slice(values);
        copy
    }
}

/// Zeros, on huge pages if there are any left; nothing if the system refuses.
#[cfg(target_os = "linux")]
fn huge_pages(length: usize) -> Option<memmap2::MmapMut> {
    let pages = memmap2::MmapMut::map_anon(length.checked_mul(size_of::<f32>())?).ok()?;
    // Without huge pages they are as good as a vector's.
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        match self {
            Self::Shared(held) => Self::Shared(Arc::clone(held)),
            _ => Self::copied(self.as_slice()),
        }
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_slice().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever holds the numbers, it behaves the same.
    #[test]
    fn few_and_many_numbers_behave_alike() {
        for length in [0, 5, MANY - 1, MANY, MANY + 7] {
            let mut buffer = Buffer::zeros(length);
            assert!(buffer.as_slice().iter().all(|&value| value == 0.0));
            assert_eq!(buffer.as_slice().len(), length);
            (0..length).for_each(|at| buffer.as_mut_slice()[at] = at as f32);
            let copy = buffer.clone();
            assert!(copy == buffer);
            for other in [length / 2, length, 3, length + 9] {
                buffer.reshape(other);
                assert_eq!(buffer.as_slice().len(), other);
                buffer.as_mut_slice().fill(1.0);
            }
            assert!(copy != buffer);
            assert_eq!(copy.into_vec(), (0..length).map(|at| at as f32).collect::<Vec<_>>());
        }
    }

    /// A write copies the numbers; all other clones still share.
    #[test]
    fn a_write_copies_shared_numbers() {
        let held: SharedSlice<f32> = Arc::new(vec![1.0, 2.0]);
        let buffer = Buffer::Shared(Arc::clone(&held));
        let mut written = buffer.clone();
        assert_eq!(Arc::strong_count(&held), 3);
        written.as_mut_slice()[0] = 9.0;
        assert_eq!((Arc::strong_count(&held), written.as_slice()), (2, &[9.0, 2.0][..]));
        assert_eq!(buffer.as_slice(), [1.0, 2.0]);
        let mut other = buffer.clone();
        other.reshape(3);
        assert_eq!((other.as_slice().len(), buffer.into_vec()), (3, vec![1.0, 2.0]));
    }

    #[test]
    fn debug_prints_the_numbers() {
        assert_eq!(format!("{:?}", Buffer::Plain(vec![1.0, 2.5])), "[1.0, 2.5]");
    }
}
