//! The network's buffers: small ones that go round.
//!
//! Timely asks for a mebibyte for every connection and direction, and keeps what it is done with if it has that size. What
//! it gets here is shorter, which it takes as it is, and comes back when it is dropped: as many buffers as are filled at
//! a time serve all connections, and they stay in a processor's cache.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

use timely::communication::allocator::zero_copy::bytes_slab::BytesRefill;

use crate::packet::LARGEST;

/// What timely asks for.
const ASKED: usize = 1 << 20;
/// Packets that fit into a buffer, with their heads and timely's.
const PACKETS: usize = 2;
/// What a buffer holds. Nothing longer than a packet is ever written at once.
const LENGTH: usize = PACKETS * (LARGEST + 256);

/// Where timely gets its buffers.
pub(crate) fn refill() -> BytesRefill {
    let home: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let lend = move |asked: usize| -> Box<dyn DerefMut<Target = [u8]> + Send> {
        if asked != ASKED {
            return Box::new(vec![0; asked]);
        }
        let spare = home.lock().ok().and_then(|mut spare| spare.pop());
        let bytes = spare.unwrap_or_else(|| vec![0; LENGTH]);
        Box::new(PooledBuffer { bytes, home: Arc::clone(&home) })
    };
    BytesRefill { logic: Arc::new(lend), limit: None }
}

/// A buffer that comes back.
struct PooledBuffer {
    bytes: Vec<u8>,
    home: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Deref for PooledBuffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for PooledBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        if let Ok(mut spare) = self.home.lock() {
            spare.push(std::mem::take(&mut self.bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back() {
        let refill = refill();
        let mut first = (refill.logic)(ASKED);
        first[0] = 7;
        assert_eq!(first.len(), LENGTH);
        drop(first);
        let (again, another) = ((refill.logic)(ASKED), (refill.logic)(ASKED));
        assert_eq!((again[0], another[0]), (7, 0));
        // A message that is longer than a mebibyte gets what it needs.
        assert_eq!((refill.logic)(2 * ASKED).len(), 2 * ASKED);
    }
}
