//! Text in blocks of whole lines, read ahead by a second thread once there is more than one block.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

use crate::Result;
use crate::formats::limits::long_line;

/// Small enough to stay in a core's cache between the thread that writes it and the one that reads.
const BLOCK: usize = 1 << 18;
/// Blocks that may wait to be parsed.
const AHEAD: usize = 3;

/// Calls `each` with every block of whole lines, in order, or with the error that ended them.
/// Every line of a block, the file's last one too, ends with `\n`.
pub(super) fn for_each(
    reader: Box<dyn Read + Send>,
    line_limit: usize,
    mut each: impl FnMut(io::Result<&[u8]>) -> Result<()>,
) -> Result<()> {
    let mut blocks = Blocks { reader, carry: Vec::new(), line_limit, ended: false };
    let mut block = Vec::new();
    // Small files are done after one block and need no thread; some platforms have none.
    loop {
        match blocks.fill(&mut block) {
            Ok(true) => each(Ok(&block))?,
            Ok(false) => return Ok(()),
            Err(error) => return each(Err(error)),
        }
        if !blocks.ended && !cfg!(target_family = "wasm") {
            break;
        }
    }
    std::thread::scope(|scope| {
        let (sender, filled) = sync_channel(AHEAD);
        let (give_back, spare) = channel();
        let reading = std::thread::Builder::new()
            .spawn_scoped(scope, move || read_ahead(blocks, &sender, &spare));
        if let Err(error) = reading {
            return each(Err(error));
        }
        // Leaving this loop early drops `filled`, which ends the other thread.
        for block in filled {
            match block {
                Ok(block) => {
                    each(Ok(&block))?;
                    // If the reader has finished, nobody wants the buffer any more.
                    give_back.send(block).ok();
                }
                Err(error) => return each(Err(error)),
            }
        }
        Ok(())
    })
}

fn read_ahead(
    mut blocks: Blocks,
    sender: &SyncSender<io::Result<Vec<u8>>>,
    spare: &Receiver<Vec<u8>>,
) {
    loop {
        let mut block = spare.try_recv().unwrap_or_default();
        let filled = match blocks.fill(&mut block) {
            Ok(true) => Ok(block),
            Ok(false) => return,
            Err(error) => Err(error),
        };
        let failed = filled.is_err();
        if sender.send(filled).is_err() || failed {
            return;
        }
    }
}

/// Cuts a stream at line ends.
struct Blocks {
    reader: Box<dyn Read + Send>,
    /// The beginning of a line whose end was not in the last block.
    carry: Vec<u8>,
    line_limit: usize,
    ended: bool,
}

impl Blocks {
    /// Fills `block` with the next whole lines; `false` at the end. What `block` held is lost.
    fn fill(&mut self, block: &mut Vec<u8>) -> io::Result<bool> {
        let mut filled = self.carry.len();
        block.resize(BLOCK.max(2 * filled), 0);
        block[..filled].copy_from_slice(&self.carry);
        self.carry.clear();
        loop {
            self.read_into(block, &mut filled)?;
            if self.ended {
                block.truncate(filled);
                if block.last().is_some_and(|&last| last != b'\n') {
                    block.push(b'\n');
                }
                return Ok(filled > 0);
            }
            if let Some(last) = memchr::memrchr(b'\n', block) {
                self.carry.extend_from_slice(&block[last + 1..]);
                block.truncate(last + 1);
                return Ok(true);
            }
            // One line fills the block: it may grow as far as a line may.
            if filled > self.line_limit.saturating_add(1) {
                return Err(io::Error::other(long_line(self.line_limit)));
            }
            block.resize(2 * filled, 0);
        }
    }

    fn read_into(&mut self, block: &mut [u8], filled: &mut usize) -> io::Result<()> {
        while *filled < block.len() {
            match self.reader.read(&mut block[*filled..]) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(());
                }
                Ok(count) => *filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks_of(reader: impl Read + Send + 'static, line_limit: usize) -> Result<Vec<Vec<u8>>> {
        let mut all = Vec::new();
        for_each(Box::new(reader), line_limit, |block| {
            let place = crate::SourceLocation::file("x");
            all.push(block.map_err(|error| place.io(error))?.to_vec());
            Ok(())
        })?;
        Ok(all)
    }

    #[test]
    fn every_block_ends_a_line_and_nothing_is_lost() {
        let line = "a line of some length\n";
        let mut text = line.repeat(4 * BLOCK / line.len());
        text.push_str("the last, without an end");
        let blocks = blocks_of(io::Cursor::new(text.clone()), usize::MAX).unwrap();
        assert!(blocks.len() > 3 && blocks.iter().all(|block| block.ends_with(b"\n")));
        text.push('\n');
        assert_eq!(blocks.concat(), text.as_bytes());
        assert!(blocks_of(io::empty(), 10).unwrap().is_empty());
    }

    #[test]
    fn a_line_may_outgrow_a_block_but_not_the_limit() {
        let long = vec![b'x'; 3 * BLOCK];
        let blocks = blocks_of(io::Cursor::new(long.clone()), 3 * BLOCK).unwrap();
        assert_eq!(blocks[0].len(), 3 * BLOCK + 1);
        let told = blocks_of(io::Cursor::new(long), BLOCK / 2).unwrap_err().with_values();
        assert!(told.contains("line length exceeds"), "{told}");
        // Endless input without a line end stops at the limit, too.
        assert!(blocks_of(io::repeat(b'x'), BLOCK).is_err());
    }

    #[test]
    fn an_error_behind_good_blocks_arrives_after_them() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(ErrorKind::UnexpectedEof.into())
            }
        }
        let good = "0 1\n".repeat(BLOCK);
        let mut seen = 0;
        let ended = for_each(Box::new(io::Cursor::new(good.clone()).chain(Failing)), 99, |block| {
            seen += block.map_err(|error| crate::SourceLocation::file("x").io(error))?.len();
            Ok(())
        });
        assert!(ended.unwrap_err().with_values().contains("truncated"));
        assert!(seen + BLOCK >= good.len() && seen <= good.len());
    }

    #[test]
    fn whoever_stops_early_stops_the_reader() {
        let endless = io::repeat(b'\n');
        let mut count = 0;
        let stopped = for_each(Box::new(endless), 9, |_| {
            count += 1;
            if count < 5 { Ok(()) } else { Err(crate::Error::invalid("x", "y", "z")) }
        });
        assert!(stopped.is_err());
    }
}
