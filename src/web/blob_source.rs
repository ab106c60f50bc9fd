//! A file of the browser as a source of bytes. Only in a worker: reading waits.

use crate::engine::ByteSource;
use js_sys::Uint8Array;
use web_sys::{Blob, FileReaderSync};

/// Bytes fetched at a time. Larger steps gain nothing; smaller ones cost a call each.
const STEP: u64 = 4 << 20;

/// A `Blob` read in steps of 4 MiB, the last of which is kept.
pub struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
    start: u64,
    held: Vec<u8>,
}

impl BlobSource {
    /// A source over a blob.
    ///
    /// # Errors
    /// Outside a worker, where the reader does not exist.
    pub fn new(blob: Blob) -> Result<Self, String> {
        let reader = FileReaderSync::new().map_err(|e| super::worker_link::words(&e))?;
        Ok(Self { blob, reader, start: 0, held: Vec::new() })
    }

    fn fetch(&mut self, offset: u64) -> Result<(), String> {
        let end = (offset + STEP).min(self.len());
        let part = self.blob.slice_with_f64_and_f64(offset as f64, end as f64);
        let bytes = part
            .and_then(|part| self.reader.read_as_array_buffer(&part))
            .map_err(|e| super::worker_link::words(&e))?;
        let bytes = Uint8Array::new(&bytes);
        self.held.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut self.held);
        self.start = offset;
        Ok(())
    }
}

impl ByteSource for BlobSource {
    fn len(&self) -> u64 {
        self.blob.size() as u64
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
        if offset >= self.len() || into.is_empty() {
            return Ok(0);
        }
        let inside = offset >= self.start && offset < self.start + self.held.len() as u64;
        if !inside {
            self.fetch(offset)?;
        }
        let from = self.held.get((offset - self.start) as usize..).unwrap_or_default();
        let count = from.len().min(into.len());
        for (to, byte) in into.iter_mut().zip(from) {
            *to = *byte;
        }
        Ok(count)
    }
}
