//! ZIP: members listed in a directory at the end (PKWARE's APPNOTE 6.3.10), with Zip64.

use super::{Allowance, Fault, MAX_MEMBERS, Metered, label, zstd};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::{self, Read, Seek, SeekFrom};

/// The most bytes of a directory that are read: 10 000 members with long names need some two million.
const MAX_DIRECTORY: u64 = 16 << 20;

/// The end record: 22 bytes and a comment of at most 65 535.
const END: usize = 22;
const LONGEST_END: u64 = END as u64 + 65_535;

/// An archive and its directory.
#[derive(Debug)]
pub struct Zip<S> {
    from: S,
    /// Files in the order of the directory.
    pub entries: Vec<Entry>,
}

/// A file in the directory of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name with folders.
    pub name: String,
    /// Where its own header starts.
    pub at: u64,
    method: u16,
    encrypted: bool,
    packed: u64,
    crc: u32,
}

/// Little-endian numbers of a record.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn u16(&self, at: usize) -> Option<u16> {
        self.0.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
    }

    fn u32(&self, at: usize) -> Option<u32> {
        self.0.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn u64(&self, at: usize) -> Option<u64> {
        self.0.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
    }
}

/// Where the directory is.
struct Directory {
    at: u64,
    size: u64,
    count: u64,
    /// Bytes that stand before the archive: programs that unpack themselves, texts joined to it.
    before: u64,
}

impl<S: Read + Seek> Zip<S> {
    /// Reads the directory. Folders and what systems leave behind are left out.
    ///
    /// # Errors
    /// When there is none, or it lists too much.
    pub fn open(mut from: S) -> io::Result<Self> {
        let directory = directory(&mut from)?;
        if directory.count > MAX_MEMBERS as u64 {
            return Err(Fault::TooMany.into());
        }
        if directory.size > MAX_DIRECTORY {
            return Err(Fault::Damaged("its list of members is too long".into()).into());
        }
        from.seek(SeekFrom::Start(directory.before.saturating_add(directory.at)))?;
        let mut bytes = Vec::new();
        (&mut from).take(directory.size).read_to_end(&mut bytes)?;
        let mut entries = Vec::new();
        let mut rest = bytes.as_slice();
        while rest.starts_with(b"PK\x01\x02") {
            let Some((entry, length)) = entry(rest, directory.before) else {
                return Err(Fault::Damaged("its list of members breaks off".into()).into());
            };
            entries.extend(entry);
            if entries.len() > MAX_MEMBERS {
                return Err(Fault::TooMany.into());
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        Ok(Self { from, entries })
    }

    /// What a member holds, as a stream that fails where it is damaged.
    ///
    /// # Errors
    /// When it is encrypted or packed in a way that is not read, or its header is not where the
    /// directory says.
    pub fn read<'a>(
        &'a mut self,
        entry: &Entry,
        allowance: &'a Allowance,
    ) -> io::Result<Box<dyn Read + 'a>> {
        if entry.encrypted {
            return Err(Fault::Encrypted.into());
        }
        self.from.seek(SeekFrom::Start(entry.at))?;
        let mut header = [0; 30];
        self.from.read_exact(&mut header)?;
        let fields = Fields(&header);
        let lengths = fields.u16(26).zip(fields.u16(28));
        let Some((name, extra)) = lengths.filter(|_| header.starts_with(b"PK\x03\x04")) else {
            return Err(Fault::Damaged("its header is not where the list says".into()).into());
        };
        self.from.seek(SeekFrom::Current(i64::from(name) + i64::from(extra)))?;
        let packed = (&mut self.from).take(entry.packed);
        let unpacked: Box<dyn Read + 'a> = match entry.method {
            0 => Box::new(Metered::new(packed, allowance)),
            8 => Box::new(Metered::new(DeflateDecoder::new(packed), allowance)),
            93 => zstd(packed, allowance),
            other => return Err(Fault::Method(other).into()),
        };
        Ok(Box::new(Checked { from: unpacked, crc: Crc::new(), said: entry.crc }))
    }
}

/// Finds the directory by the record at the end.
fn directory(from: &mut (impl Read + Seek)) -> io::Result<Directory> {
    let size = from.seek(SeekFrom::End(0))?;
    let start = size.saturating_sub(LONGEST_END);
    from.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    from.take(LONGEST_END).read_to_end(&mut tail)?;
    let end = (0..tail.len().saturating_sub(END - 1))
        .rev()
        .find(|at| tail.get(*at..).is_some_and(|rest| rest.starts_with(b"PK\x05\x06")));
    let record = end.and_then(|at| tail.get(at..));
    let Some((end, record)) = end.zip(record) else { return Err(Fault::NoDirectory.into()) };
    let end = start + end as u64;
    let fields = Fields(record);
    let found = (|| Some((fields.u16(4)?, fields.u16(10)?, fields.u32(12)?, fields.u32(16)?)))();
    let Some((disk, count, bytes, at)) = found else { return Err(Fault::NoDirectory.into()) };
    let wide = count == u16::MAX || bytes == u32::MAX || at == u32::MAX;
    if wide && let Some(directory) = directory64(from, end)? {
        return Ok(directory);
    }
    if disk != 0 {
        return Err(Fault::Split.into());
    }
    let (at, bytes) = (u64::from(at), u64::from(bytes));
    let Some(before) = end.checked_sub(at.saturating_add(bytes)) else {
        return Err(Fault::NoDirectory.into());
    };
    Ok(Directory { at, size: bytes, count: count.into(), before })
}

/// The directory of an archive beyond 4 GiB or 65 535 members: a record before the end says where a
/// larger end record is.
fn directory64(from: &mut (impl Read + Seek), end: u64) -> io::Result<Option<Directory>> {
    let Some(locator_at) = end.checked_sub(20) else { return Ok(None) };
    from.seek(SeekFrom::Start(locator_at))?;
    let mut locator = [0; 20];
    from.read_exact(&mut locator)?;
    let Some(at) = Fields(&locator).u64(8).filter(|_| locator.starts_with(b"PK\x06\x07")) else {
        return Ok(None);
    };
    from.seek(SeekFrom::Start(at))?;
    let mut record = [0; 56];
    from.read_exact(&mut record)?;
    if !record.starts_with(b"PK\x06\x06") {
        return Err(Fault::NoDirectory.into());
    }
    let fields = Fields(&record);
    Ok((|| {
        let (count, size, at) = (fields.u64(32)?, fields.u64(40)?, fields.u64(48)?);
        Some(Directory { at, size, count, before: 0 })
    })())
}

/// The first member of a directory, unless it is passed over, and the length of its record.
fn entry(record: &[u8], before: u64) -> Option<(Option<Entry>, usize)> {
    let fields = Fields(record);
    let flags = fields.u16(8)?;
    let method = fields.u16(10)?;
    let crc = fields.u32(16)?;
    let [name, extra, comment] =
        [fields.u16(28)?, fields.u16(30)?, fields.u16(32)?].map(usize::from);
    let (packed, unpacked) = (fields.u32(20)?, fields.u32(24)?);
    let at = fields.u32(42)?;
    let own = record.get(46..46 + name)?;
    let more = record.get(46 + name..46 + name + extra)?;
    let length = 46 + name + extra + comment;
    // The numbers that did not fit stand in an extra field, in this order.
    let mut wide = wide(more).unwrap_or_default().chunks_exact(8).map(|eight| Fields(eight).u64(0));
    let mut take = |narrow: u32| {
        if narrow == u32::MAX { wide.next().flatten() } else { Some(u64::from(narrow)) }
    };
    take(unpacked)?;
    let (packed, at) = (take(packed)?, take(at)?.checked_add(before)?);
    let name = label(own).filter(|_| !own.ends_with(b"/") && !own.ends_with(b"\\"));
    // 99 is WinZip's AES; bit 0 is encryption of any kind.
    let encrypted = flags & 1 == 1 || method == 99;
    Some((name.map(|name| Entry { name, at, method, encrypted, packed, crc }), length))
}

/// The Zip64 field among the extra fields of a member, each an id, a length and its bytes.
fn wide(mut fields: &[u8]) -> Option<&[u8]> {
    loop {
        let (id, length) = (Fields(fields).u16(0)?, usize::from(Fields(fields).u16(2)?));
        let body = fields.get(4..4 + length)?;
        if id == 1 {
            return Some(body);
        }
        fields = fields.get(4 + length..)?;
    }
}

/// A stream that fails at its end unless what was read matches the checksum.
struct Checked<R> {
    from: R,
    crc: Crc,
    said: u32,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        if count == 0 && !into.is_empty() && self.crc.sum() != self.said {
            return Err(Fault::Damaged("its checksum does not match".into()).into());
        }
        self.crc.update(into.get(..count).unwrap_or_default());
        Ok(count)
    }
}
