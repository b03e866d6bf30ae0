//! Arrays of numbers in files, read where they lie: the system brings pages when they are touched and takes them back
//! when memory is short.

#![expect(unsafe_code, reason = "that nobody changes a mapped file is beyond what Rust can check")]

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::{Mmap, UncheckedAdvice};
use privet_graph::SliceOwner;

/// A file that is an array of numbers in the machine's own order (little-endian wherever this is compiled).
pub(crate) struct Mapped<T> {
    pages: Mmap,
    kind: PhantomData<fn() -> T>,
}

impl<T: Pod + Send + Sync> Mapped<T> {
    /// Maps a file whose length is a multiple of a number's. An empty file is an empty array.
    ///
    /// # Errors
    /// If the system refuses, or the last number is cut off.
    pub fn new(file: &File) -> io::Result<Arc<Self>> {
        let length = file.metadata()?.len();
        if length % size_of::<T>() as u64 != 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its last number is cut off"));
        }
        // SAFETY: what is mapped is either a file of our own without a name, which nobody else can open, or one of a
        // folder that Privet wrote whole and never changes. Whoever else truncates such a file while it is read ends
        // this process with a signal, as with any other program that maps files; the numbers themselves may be anything.
        let pages = unsafe { Mmap::map(file)? };
        Ok(Arc::new(Self { pages, kind: PhantomData }))
    }
}

impl<T: Pod + Send + Sync> SliceOwner<T> for Mapped<T> {
    #[inline]
    fn words(&self) -> &[T] {
        // Pages begin at multiples of every number's length, and the length was checked.
        bytemuck::try_cast_slice(&self.pages).unwrap_or_default()
    }

    fn release(&self, range: Range<usize>) {
        let bytes = range.start * size_of::<T>()..range.end.max(range.start) * size_of::<T>();
        if bytes.end <= self.pages.len() {
            // SAFETY: the pages of a file that is mapped to be read are brought again, with the same bytes, by whoever
            // touches them next.
            let _ = unsafe {
                self.pages.unchecked_advise_range(
                    UncheckedAdvice::DontNeed,
                    bytes.start,
                    bytes.len(),
                )
            };
        }
    }
}

#[cfg(not(all(target_pointer_width = "64", target_endian = "little")))]
compile_error!("graphs on disk are arrays of little-endian 64-bit numbers, read where they lie");
