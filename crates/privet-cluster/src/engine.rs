//! The one place that knows timely: rounds of messages between processes.
//!
//! ```text
//! input --ByAddress--> arrive --> probe       one time per round; a round is over where the probe is past it
//! ```
//! A process that is ahead may send for the next round already, so what arrives is kept by round. A waiting process
//! is parked and uses no processor time. Rows are put in their place as they arrive ([`Exchange::take_arrived`]), and are packed where those before
//! them were: buffers that wait for the end of a round are made anew in every round, and a page of memory that is
//! touched for the first time costs more than its bytes.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use timely::WorkerConfig;
use timely::communication::Allocator;
use timely::container::{CapacityContainerBuilder, NoopBuilder};
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

use crate::packet::{ByAddress, LARGEST, Packet, PacketBytes};
use crate::{Error, Result};

/// This process's way to all others.
pub struct Exchange {
    index: usize,
    count: usize,
    round: u64,
    /// What this process sends to itself needs no network.
    own: Vec<PacketBytes>,
    /// Where messages are packed.
    spare: Vec<u8>,
    sent: u64,
    flow: Option<Dataflow>,
}

struct Dataflow {
    worker: Worker,
    input: Option<InputHandle<u64, NoopBuilder<Packet>>>,
    probe: ProbeHandle<u64>,
    arrived: Rc<RefCell<Vec<(u64, Packet)>>>,
}

/// Everything that one process sent in a round, in order.
pub struct RoundMessages {
    /// The sender.
    pub from: usize,
    pieces: Vec<PacketBytes>,
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Exchange {{ {} of {}, round {} }}", self.index, self.count, self.round)
    }
}

impl std::fmt::Debug for RoundMessages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Arrived {{ from: {}, {} bytes }}", self.from, self.len())
    }
}

impl Exchange {
    /// What travels well in one piece.
    pub const PIECE: usize = LARGEST;

    /// A job of one process: no network at all.
    pub fn alone() -> Self {
        Self {
            index: 0,
            count: 1,
            round: 0,
            own: Vec::new(),
            spare: Vec::new(),
            sent: 0,
            flow: None,
        }
    }

    /// One of several, on the connections that the allocator has.
    pub(crate) fn new(allocator: Allocator, index: usize, count: usize) -> Self {
        let flow = Dataflow::new(allocator);
        let (own, spare) = (Vec::new(), Vec::new());
        Self { index, count, round: 0, own, spare, sent: 0, flow: Some(flow) }
    }

    /// The number of this process.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many processes there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bytes sent to other processes so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Sends bytes in the current round; several calls to the same process follow each other.
    ///
    /// # Errors
    /// If there is no such process.
    pub fn send(&mut self, to: usize, bytes: &[u8]) -> Result<()> {
        let mut pieces = bytes.chunks(LARGEST);
        pieces.try_for_each(|piece| self.send_packed(to, |buffer| buffer.extend_from_slice(piece)))
    }

    /// Sends what is packed into an empty buffer: about [`Exchange::PIECE`] bytes travel well.
    ///
    /// # Errors
    /// If there is no such process.
    pub fn send_packed(&mut self, to: usize, pack: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        if to >= self.count {
            return Err(Error::invalid("receiver", to, format!("below {}", self.count)));
        }
        // The buffer of the message before: packed anew, it stays in the processor's cache.
        let mut piece = std::mem::take(&mut self.spare);
        piece.clear();
        pack(&mut piece);
        // No message and an empty one are the same to a receiver.
        if piece.is_empty() {
            return Ok(());
        }
        match &mut self.flow {
            Some(flow) if to != self.index => {
                self.sent += piece.len() as u64;
                // A row of very many columns is longer than the network's buffers.
                while piece.len() > LARGEST {
                    let rest = piece.split_off(LARGEST);
                    let load = PacketBytes::Made(std::mem::replace(&mut piece, rest));
                    flow.send(Packet { to, from: self.index, load });
                }
                self.spare =
                    flow.send(Packet { to, from: self.index, load: PacketBytes::Made(piece) });
            }
            // A message to this process itself, or a job of one process.
            _ => self.own.push(PacketBytes::Made(piece)),
        }
        Ok(())
    }

    /// Hands over what others have sent in this round so far, without waiting for more: the sender, and the next bytes.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn take_arrived(
        &mut self,
        take: &mut impl FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        match &mut self.flow {
            Some(flow) => {
                // One step without waiting: it moves what the network has received.
                flow.worker.step();
                flow.take(self.round, take)
            }
            None => Ok(()),
        }
    }

    /// Ends the round as [`Exchange::arrive`] does, and hands over what is left of it, own messages too.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn arrive_into(&mut self, take: &mut impl FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        std::mem::take(&mut self.own).iter().try_for_each(|own| take(self.index, own))?;
        if let Some(flow) = &mut self.flow {
            flow.end(self.round);
            // The probe passes the round once every process has ended it and all of its packets are here.
            while flow.probe.less_equal(&self.round) {
                flow.worker.step_or_park(None);
                flow.take(self.round, take)?;
            }
        }
        self.round += 1;
        Ok(())
    }

    /// Ends the round: waits until all processes have ended it and returns what arrived, by sender. Processes that sent
    /// nothing are left out.
    pub fn arrive(&mut self) -> Vec<RoundMessages> {
        let own = RoundMessages { from: self.index, pieces: std::mem::take(&mut self.own) };
        let mut all: Vec<RoundMessages> = match &mut self.flow {
            Some(flow) => flow.finish(self.round, self.count),
            None => Vec::new(),
        };
        all.push(own);
        all.retain(|arrived| !arrived.pieces.is_empty());
        // By sender, so that sums over messages do not depend on who was faster.
        all.sort_by_key(|arrived| arrived.from);
        self.round += 1;
        all
    }

    /// A whole round: sends, waits, and returns what arrived by sender.
    ///
    /// # Errors
    /// If a receiver does not exist.
    pub fn round(&mut self, outgoing: Vec<(usize, Vec<u8>)>) -> Result<Vec<(usize, Vec<u8>)>> {
        for (to, bytes) in outgoing {
            self.send(to, &bytes)?;
        }
        Ok(self.arrive().into_iter().map(|arrived| (arrived.from, arrived.into_bytes())).collect())
    }

    /// Sends a message to all processes and returns the messages of all, in their order.
    ///
    /// # Errors
    /// If one of them sent nothing, which no part of this crate does.
    pub fn all_hear(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        // An empty message is no message, so every one is preceded by a byte.
        let message = [&[0u8], bytes].concat();
        for to in 0..self.count {
            self.send(to, &message)?;
        }
        let heard = self.arrive();
        for (from, arrived) in heard.iter().enumerate() {
            if arrived.from != from {
                return Err(Error::message(from, "there is none"));
            }
        }
        if heard.len() != self.count {
            return Err(Error::message(heard.len(), "there is none"));
        }
        Ok(heard.into_iter().map(|arrived| arrived.into_bytes().split_off(1)).collect())
    }

    /// Closes the network, once all processes do.
    pub(crate) fn close(self) {
        if let Some(flow) = self.flow {
            flow.close();
        }
    }
}

impl RoundMessages {
    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, in one piece.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.len());
        self.pieces.iter().for_each(|piece| all.extend_from_slice(piece));
        all
    }

    /// The bytes, copied to where they belong.
    ///
    /// # Errors
    /// Unless there are exactly as many as there is room.
    pub fn copy_into(self, mut room: &mut [u8]) -> Result<()> {
        if self.len() != room.len() {
            let reason = format!("{} bytes, expected {}", self.len(), room.len());
            return Err(Error::message(self.from, reason));
        }
        for piece in self.pieces {
            let (here, rest) = room.split_at_mut(piece.len());
            here.copy_from_slice(&piece);
            room = rest;
        }
        Ok(())
    }
}

impl Dataflow {
    fn new(allocator: Allocator) -> Self {
        let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
        let mut input = InputHandle::new_with_builder();
        let arrived = Rc::new(RefCell::new(Vec::new()));
        // Shared with the operator, which runs on this same thread.
        let kept = Rc::clone(&arrived);
        let probe = worker.dataflow::<u64, _, _>(|scope| {
            let packets = scope.input_from(&mut input);
            // Not by a hash of the data: each packet names its receiver.
            let by_address = DistributorPact(|_peers| ByAddress);
            packets
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(
                    by_address,
                    "arrive",
                    |_, _| {
                        move |packets, _| {
                            packets.for_each(|time, packet| {
                                let packet = std::mem::take(packet);
                                kept.borrow_mut().push((*time.time(), packet));
                            });
                        }
                    },
                )
                .probe()
                .0
        });
        Self { worker, input: Some(input), probe, arrived }
    }

    /// Sends a packet, and returns its buffer: it is written to the network's by a copy.
    fn send(&mut self, mut packet: Packet) -> Vec<u8> {
        if let Some(input) = &mut self.input {
            input.send_batch(&mut packet);
        }
        match packet.load {
            PacketBytes::Made(buffer) => buffer,
            PacketBytes::Arrived(_) => Vec::new(),
        }
    }

    fn end(&mut self, round: u64) {
        if let Some(input) = &mut self.input {
            // From here on this process can send nothing more for `round`, which lets the probe pass.
            input.advance_to(round + 1);
        }
    }

    /// What has arrived of a round.
    fn take(
        &mut self,
        round: u64,
        take: &mut impl FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut arrived = self.arrived.borrow_mut();
        // Packets of the next round stay: their senders are ahead.
        let here = arrived.extract_if(.., |(time, _)| *time == round);
        for (_, packet) in here {
            take(packet.from, &packet.load)?;
        }
        Ok(())
    }

    fn finish(&mut self, round: u64, count: usize) -> Vec<RoundMessages> {
        self.end(round);
        let probe = &self.probe;
        self.worker.step_or_park_while(None, || probe.less_equal(&round));
        let mut all: Vec<RoundMessages> =
            (0..count).map(|from| RoundMessages { from, pieces: Vec::new() }).collect();
        for (_, packet) in self.arrived.borrow_mut().extract_if(.., |(time, _)| *time == round) {
            if let Some(arrived) = all.get_mut(packet.from) {
                arrived.pieces.push(packet.load);
            }
        }
        all
    }

    fn close(mut self) {
        // Without inputs the dataflow ends, once all processes have closed theirs.
        self.input.take();
        while self.worker.has_dataflows() {
            self.worker.step_or_park(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_messages_come_back() {
        let mut exchange = Exchange::alone();
        let got = exchange.round(vec![(0, vec![1, 2]), (0, vec![3])]).unwrap();
        assert_eq!(got, [(0, vec![1, 2, 3])]);
        assert_eq!(exchange.round(Vec::new()).unwrap(), []);
        assert_eq!(exchange.all_hear(&[]).unwrap(), [Vec::<u8>::new()]);
        assert!(exchange.send(1, &[0]).is_err());
    }
}
