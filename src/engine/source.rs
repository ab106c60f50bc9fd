//! Where the bytes of a file come from: a slice in tests, a file in the command, a blob in the worker.

/// Bytes with a length, read by offset.
pub trait ByteSource {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `into` from `offset` on and says how many bytes it got; 0 only at the end.
    ///
    /// # Errors
    /// A sentence saying why the file can't be read, such as that it changed since it was chosen.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String>;
}

impl ByteSource for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.get(at..)).unwrap_or(&[]);
        let count = rest.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }
}
