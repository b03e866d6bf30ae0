//! Reports one after another, as a collector hands them on: each with its length before it, then the end and how many there
//! were, so that a stream that broke off is told from one that is whole.

use std::io::Read;

use super::{Collection, ReportReceipt};
use crate::privacy::fault::{self, Fault};
use crate::protocol::wire;
use crate::{Error, Result};

/// No report is longer: a length beyond this is no length.
const LONGEST: u64 = 1 << 28;

/// Appends a report to a stream.
pub fn put_report(stream: &mut Vec<u8>, report: &[u8]) {
    wire::put(stream, report.len() as u64);
    stream.extend_from_slice(report);
}

/// Appends the end of a stream of so many reports.
pub fn put_end(stream: &mut Vec<u8>, reports: u64) {
    wire::put(stream, 0);
    wire::put(stream, reports);
}

/// What a stream held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamSummary {
    /// Reports that were new.
    pub new: u64,
    /// Reports that were there already.
    pub again: u64,
}

impl Collection {
    /// Takes all reports of a stream.
    ///
    /// # Errors
    /// If it breaks off, or holds a report that no honest device could have sent.
    pub fn add_stream(&mut self, mut stream: impl Read) -> Result<StreamSummary> {
        let mut streamed = StreamSummary::default();
        let mut report = Vec::new();
        loop {
            let length = number(&mut stream)?;
            if length == 0 {
                let (said, found) = (number(&mut stream)?, streamed.new + streamed.again);
                let whole = said == found || fault::on(Fault::BrokenStreamTaken);
                Error::unless(whole, "reports", found, "as many as the stream's end says")?;
                return Ok(streamed);
            }
            Error::unless(length <= LONGEST, "length of a report", length, "at most 2^28")?;
            report.clear();
            // Read as it comes: a length that lies reserves nothing.
            let read = stream.by_ref().take(length).read_to_end(&mut report);
            Error::unless(read.is_ok_and(|read| read as u64 == length), "reports", BROKEN, WHOLE)?;
            match self.add(&report)? {
                ReportReceipt::New => streamed.new += 1,
                ReportReceipt::Again => streamed.again += 1,
            }
        }
    }
}

const BROKEN: &str = "a stream that breaks off";
const WHOLE: &str = "all of it: ask for it again";

fn number(stream: &mut impl Read) -> Result<u64> {
    let mut number = 0u64;
    for at in 0..10 {
        let mut byte = [0];
        Error::unless(stream.read_exact(&mut byte).is_ok(), "reports", BROKEN, WHOLE)?;
        number |= u64::from(byte[0] & 0x7f) << (7 * at);
        if byte[0] & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Error::invalid("length of a report", "more than 64 bits", "at most 2^28"))
}
