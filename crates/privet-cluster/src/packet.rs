//! What travels: a piece of a message, which timely carries as it is.
//!
//! Timely would encode vectors of records one by one. A packet is a container of its own with one record in it: it
//! is written by a copy, and what arrives is a view of the buffer that the network filled.

use std::io::Write;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::communication::allocator::zero_copy::bytes_slab::BytesRefill;
use timely::container::Accountable;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// Bytes of a packet's head: to whom, from whom, how long.
const HEAD: usize = 24;

/// The most that one packet holds: timely's buffers have a mebibyte and copy what is cut by their end, and what was packed
/// just now is still in a processor's cache when it is written to them.
pub(crate) const LARGEST: usize = 1 << 16;

/// A piece of a message.
#[derive(Clone, Default)]
pub(crate) struct Packet {
    pub to: usize,
    pub from: usize,
    pub load: PacketBytes,
}

/// Bytes, made here or arrived.
#[derive(Clone)]
pub(crate) enum PacketBytes {
    Made(Vec<u8>),
    Arrived(Bytes),
}

impl Default for PacketBytes {
    fn default() -> Self {
        Self::Made(Vec::new())
    }
}

impl Deref for PacketBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Made(bytes) => bytes,
            Self::Arrived(bytes) => bytes,
        }
    }
}

impl Accountable for Packet {
    fn record_count(&self) -> i64 {
        // Timely counts records to know what is on its way; an empty packet would count and never arrive.
        i64::from(!self.load.is_empty())
    }
}

impl ContainerBytes for Packet {
    fn from_bytes(mut bytes: Bytes) -> Self {
        let number = |at: usize| -> usize {
            let eight = bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok());
            eight.map_or(0, u64::from_le_bytes) as usize
        };
        let (to, from, length) = (number(0), number(8), number(16));
        // A length from the network never reaches past the bytes that came.
        let length = length.min(bytes.len().saturating_sub(HEAD));
        let _head = bytes.extract_to(HEAD.min(bytes.len()));
        Self { to, from, load: PacketBytes::Arrived(bytes.extract_to(length)) }
    }

    fn length_in_bytes(&self) -> usize {
        // Timely aligns messages to eight bytes and refuses others.
        (HEAD + self.load.len()).next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let length = self.load.len();
        let padding = [0u8; 8];
        let head = [self.to, self.from, length].map(|number| (number as u64).to_le_bytes());
        // The buffer has as much room as was asked for above; timely offers no way to fail here.
        let written = writer
            .write_all(head.as_flattened())
            .and_then(|()| writer.write_all(&self.load))
            .and_then(|()| writer.write_all(&padding[..self.length_in_bytes() - HEAD - length]));
        debug_assert!(written.is_ok(), "{written:?}");
    }
}

/// Hands packets to whom they are addressed.
pub(crate) struct ByAddress;

impl Distributor<Packet> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Packet>>>(
        &mut self,
        packet: &mut Packet,
        time: &T,
        pushers: &mut [P],
    ) {
        // `send_packed` has checked the receiver; the remainder keeps a mistake from being a panic in timely.
        let to = packet.to % pushers.len();
        Message::push_at(packet, time.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Packet>>>(&mut self, _: &T, _: &mut [P]) {}
}

// The network's buffers: small ones that go round.
//
// Timely asks for a mebibyte for every connection and direction, and keeps what it is done with if it has that size. What
// it gets here is shorter, which it takes as it is, and comes back when it is dropped: as many buffers as are filled at
// a time serve all connections, and they stay in a processor's cache.

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
        // A message longer than timely's usual buffer: made for it, and not kept.
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
