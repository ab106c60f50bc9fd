//! Tar: blocks of 512 bytes, each member a header and its bytes (POSIX.1-2001 `pax`, GNU's long names).

use super::{Fault, MAX_MEMBERS, label};
use std::io::{self, Read};

const BLOCK: usize = 512;

/// The longest name or record of extended headers that is kept; paths end at 4096 bytes on Linux.
const LONGEST_EXTRA: u64 = 64 << 10;

/// The members of a tar stream, one after the other: after [`Tar::advance`] it reads the bytes of that one.
#[derive(Debug)]
pub struct Tar<R> {
    from: R,
    /// Bytes of the current member that were not read yet.
    left: u64,
    /// Bytes that fill up its last block.
    padding: u64,
    at: u64,
    seen: usize,
}

/// A member of a tar archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TarMember {
    /// Its name with folders.
    pub name: String,
    /// Where its header starts.
    pub at: u64,
    /// Why its bytes are not what the file held.
    pub fault: Option<Fault>,
}

/// Whether a block is a header: its checksum is right.
pub(super) fn is_header(head: &[u8]) -> bool {
    let Some(block) = head.get(..BLOCK) else { return false };
    let Some(said) = block.get(148..156).and_then(number) else { return false };
    let sum: u64 = block
        .iter()
        .enumerate()
        .map(|(at, byte)| if (148..156).contains(&at) { u64::from(b' ') } else { (*byte).into() })
        .sum();
    block.first() != Some(&0) && said == sum
}

/// A number as headers write it: octal digits, or big-endian behind a set bit.
fn number(field: &[u8]) -> Option<u64> {
    if let [first @ 0x80..=0xbf, rest @ ..] = field {
        let start = u64::from(first & 0x3f);
        return rest
            .iter()
            .try_fold(start, |sum, byte| sum.checked_mul(256)?.checked_add((*byte).into()));
    }
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_matches(|c| matches!(c, ' ' | '\0'));
    u64::from_str_radix(digits, 8).ok()
}

/// A text up to its first zero.
fn text(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

impl<R: Read> Tar<R> {
    /// The members of a stream.
    pub const fn new(from: R) -> Self {
        Self { from, left: 0, padding: 0, at: 0, seen: 0 }
    }

    /// The next file; folders, links and what systems leave behind are passed over.
    ///
    /// # Errors
    /// When the archive ends early or a header is damaged: then nothing after it can be found.
    pub fn advance(&mut self) -> io::Result<Option<TarMember>> {
        let (mut long, mut size) = (None, None);
        loop {
            let rest = self.left + self.padding;
            if self.pass(rest)? < rest {
                return Err(Fault::Cut.into());
            }
            (self.left, self.padding) = (0, 0);
            let at = self.at;
            let Some(block) = self.header()? else { return Ok(None) };
            self.seen += 1;
            // Folders and extended headers count too: they cost as much to look at.
            if self.seen > MAX_MEMBERS * 4 {
                return Err(Fault::TooMany.into());
            }
            let field = |from: usize, to: usize| block.get(from..to).unwrap_or_default();
            let own = number(field(124, 136));
            let flag = field(156, 157).first().copied().unwrap_or_default();
            // Links and folders have no bytes, whatever their size says.
            let of_file = matches!(flag, 0 | b'0' | b'7' | b'S');
            self.left = match (flag, own) {
                (b'1'..=b'6', _) => 0,
                (_, Some(own)) => size.take().filter(|_| of_file).unwrap_or(own),
                (_, None) => return Err(Fault::Damaged("a size is no number".into()).into()),
            };
            self.padding = self.left.next_multiple_of(BLOCK as u64) - self.left;
            match flag {
                b'L' => long = Some(text(&self.extra()?).to_vec()),
                b'x' => {
                    let records = self.extra()?;
                    long = record(&records, b"path").map(<[u8]>::to_vec).or(long);
                    size = record(&records, b"size")
                        .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
                }
                _ if of_file => {
                    let name = long.take().unwrap_or_else(|| header_name(&block));
                    let fault = (flag == b'S').then_some(Fault::Sparse);
                    if let Some(name) = label(&name).filter(|_| !name.ends_with(b"/")) {
                        return Ok(Some(TarMember { name, at, fault }));
                    }
                }
                b'1'..=b'6' => (long, size) = (None, None),
                _ => {}
            }
        }
    }

    /// The next header; `None` at the end, which is a block of zeros or the end of the stream.
    fn header(&mut self) -> io::Result<Option<[u8; BLOCK]>> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while let Some(into) = block.get_mut(filled..).filter(|into| !into.is_empty()) {
            match self.from.read(into)? {
                0 if filled == 0 => return Ok(None),
                0 => return Err(Fault::Cut.into()),
                count => filled += count,
            }
        }
        self.at += BLOCK as u64;
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        if !is_header(&block) {
            let at = self.at - BLOCK as u64;
            return Err(Fault::Damaged(format!("no member starts at byte {at}")).into());
        }
        Ok(Some(block))
    }

    /// The bytes of a header that extends the next one.
    fn extra(&mut self) -> io::Result<Vec<u8>> {
        if self.left > LONGEST_EXTRA {
            return Err(Fault::Damaged("a name is too long".into()).into());
        }
        let mut bytes = Vec::new();
        self.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads past bytes and says how many there were.
    fn pass(&mut self, count: u64) -> io::Result<u64> {
        let passed = io::copy(&mut (&mut self.from).take(count), &mut io::sink())?;
        self.at += passed;
        Ok(passed)
    }
}

impl<R: Read> Read for Tar<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        let count = self.from.read(into.get_mut(..most).unwrap_or_default())?;
        if count == 0 && most > 0 {
            return Err(Fault::Cut.into());
        }
        self.left -= count as u64;
        self.at += count as u64;
        Ok(count)
    }
}

/// The name in a header: `ustar` puts the folders of a long one before it.
fn header_name(block: &[u8; BLOCK]) -> Vec<u8> {
    let field = |from: usize, to: usize| text(block.get(from..to).unwrap_or_default());
    let name = field(0, 100);
    let prefix = field(345, 500);
    // GNU's own form marks itself by two blanks and has times where the folders would be.
    if block.get(257..263) == Some(b"ustar\0") && !prefix.is_empty() {
        return [prefix, name].join(&b'/');
    }
    name.to_vec()
}

/// The value of a key among extended records, each `length key=value\n`.
fn record<'r>(mut records: &'r [u8], wanted: &[u8]) -> Option<&'r [u8]> {
    let mut found = None;
    loop {
        let blank = records.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(records.get(..blank)?).ok()?.parse().ok()?;
        let one = records.get(blank + 1..length)?.strip_suffix(b"\n")?;
        let equals = one.iter().position(|byte| *byte == b'=')?;
        if one.get(..equals) == Some(wanted) {
            found = one.get(equals + 1..);
        }
        records = records.get(length..)?;
        if records.is_empty() {
            return found;
        }
    }
}
