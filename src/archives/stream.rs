//! Decompression as streams, and the count of what comes out.

use super::{FREE_BYTES, Fault, MAX_RATIO, MAX_TOTAL_BYTES};
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::cell::Cell;
use std::io::{self, Read};

/// What one file may still unpack to, over all its members and levels.
#[derive(Debug)]
pub struct Allowance {
    left: Cell<u64>,
    fault: Fault,
}

impl Allowance {
    /// The allowance of a file of `size` bytes.
    pub fn of(size: u64) -> Self {
        let by_ratio = size.saturating_mul(MAX_RATIO).max(FREE_BYTES);
        let (left, fault) = if by_ratio < MAX_TOTAL_BYTES {
            (by_ratio, Fault::Ratio)
        } else {
            (MAX_TOTAL_BYTES, Fault::Total)
        };
        Self { left: Cell::new(left), fault }
    }

    fn spend(&self, count: usize) -> io::Result<usize> {
        match self.left.get().checked_sub(count as u64) {
            Some(left) => {
                self.left.set(left);
                Ok(count)
            }
            None => Err(self.fault.clone().into()),
        }
    }
}

/// A stream whose bytes are counted against an allowance.
#[derive(Debug)]
pub struct Metered<'a, R> {
    from: R,
    allowance: &'a Allowance,
}

impl<'a, R: Read> Metered<'a, R> {
    /// Counts what is read of `from`.
    pub const fn new(from: R, allowance: &'a Allowance) -> Self {
        Self { from, allowance }
    }
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.allowance.spend(self.from.read(into)?)
    }
}

/// What a gzip file holds; several joined are read as one, as `gunzip` does.
pub fn gzip<'a>(from: impl Read + 'a, allowance: &'a Allowance) -> Box<dyn Read + 'a> {
    Box::new(Metered::new(MultiGzDecoder::new(from), allowance))
}

/// What a Zstandard file holds; several frames are read as one, as `unzstd` does.
pub fn zstd<'a>(from: impl Read + 'a, allowance: &'a Allowance) -> Box<dyn Read + 'a> {
    Box::new(Metered::new(Frames { from, decoder: FrameDecoder::new(), open: false }, allowance))
}

/// The frames of a Zstandard stream. The decoder allocates at most a window of 128 MiB, as much as
/// `unzstd` allows without being asked.
struct Frames<R> {
    from: R,
    decoder: FrameDecoder,
    open: bool,
}

impl<R: Read> Frames<R> {
    /// Opens the next frame; false at the end of the stream.
    fn next(&mut self) -> io::Result<bool> {
        loop {
            let mut first = [0];
            if self.from.read(&mut first)? == 0 {
                return Ok(false);
            }
            match self.decoder.reset(first.as_slice().chain(&mut self.from)) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    if io::copy(&mut (&mut self.from).take(length), &mut io::sink())? < length {
                        return Err(Fault::Cut.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }

    /// Ends a frame: where it carries a checksum, what came out must match it.
    fn close(&mut self) -> io::Result<()> {
        self.open = false;
        let said = self.decoder.get_checksum_from_data();
        if said.is_some() && said != self.decoder.get_calculated_checksum() {
            return Err(Fault::Damaged("its checksum does not match".into()).into());
        }
        Ok(())
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.open {
                if !self.next()? {
                    return Ok(0);
                }
                self.open = true;
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(into);
            }
            if self.decoder.is_finished() {
                self.close()?;
            } else {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.from, one).map_err(io::Error::other)?;
            }
        }
    }
}
