//! Archives: every member recognised by its content like a file of its own, archives in archives
//! included. One that can't be read is refused by name and does not stop the others.

use super::import::{HEAD_BYTES, Imported, OnProgress, archive, offered, recognised};
use super::protocol::{Cause, Phase, Refusal};
use super::reopen;
use super::source::ByteSource;
use crate::archives::{
    Allowance, Fault, Kind, MAX_DEPTH, MAX_MEMBER_BYTES, MAX_MEMBERS, Tar, Zip, gzip, uncompressed,
    zstd,
};
use crate::formats::{self, Head, Mapping};
use crate::model::Requests;
use std::cell::{Cell, RefCell};
use std::io::{self, Cursor, Read, Seek, SeekFrom};

/// How much is fetched of an archive at a time; a blob is slow in small pieces.
const STEP_BYTES: usize = 1 << 20;

/// Reads what is inside an archive.
pub(super) fn unpack(
    file: &str,
    kind: Kind,
    source: &mut dyn ByteSource,
    mapping: Option<&Mapping>,
    progress: OnProgress<'_>,
) -> Imported {
    let allowance = Allowance::of(source.len());
    let report = Report {
        at: Cell::new(0),
        total: source.len(),
        records: Cell::new(0),
        progress: RefCell::new(progress),
    };
    let mut stream = Stream { source, at: 0, buffer: Vec::new(), start: 0, report: &report };
    let mut unpack = Unpack {
        allowance: &allowance,
        report: &report,
        mapping,
        imported: Imported::default(),
        members: 0,
        ended: false,
    };
    let name = Name { shown: file.to_owned(), own: uncompressed(file).to_owned() };
    if kind == Kind::Zip {
        unpack.zip(&name, &mut stream, 1);
    } else {
        unpack.open(kind, &name, &mut stream, 1);
    }
    unpack.imported
}

/// Where the import is, for whoever watches: bytes of the archive, and requests read so far.
struct Report<'p> {
    at: Cell<u64>,
    total: u64,
    records: Cell<u64>,
    progress: RefCell<OnProgress<'p>>,
}

impl Report<'_> {
    fn tell(&self, phase: Phase, records: u64) {
        if let Ok(mut progress) = self.progress.try_borrow_mut() {
            progress(phase, self.at.get(), self.total, self.records.get() + records);
        }
    }
}

/// The bytes of a file as a stream with offsets.
struct Stream<'s> {
    source: &'s mut dyn ByteSource,
    at: u64,
    buffer: Vec<u8>,
    start: u64,
    report: &'s Report<'s>,
}

impl Stream<'_> {
    /// Bytes from `at` on that are in the buffer.
    fn buffered(&self) -> &[u8] {
        let skip = self.at.checked_sub(self.start).and_then(|skip| usize::try_from(skip).ok());
        skip.and_then(|skip| self.buffer.get(skip..)).unwrap_or_default()
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.buffered().is_empty() {
            self.start = self.at;
            self.buffer.resize(STEP_BYTES, 0);
            let got = self.source.read_at(self.at, &mut self.buffer);
            self.buffer.truncate(got.map_err(Fault::Source)?);
            let reached = (self.at + self.buffer.len() as u64).min(self.report.total);
            // The directory of a ZIP archive stands at its end: that is not yet the way there.
            self.report.at.set(if reached < self.report.total {
                reached
            } else {
                self.report.at.get()
            });
            self.report.tell(Phase::Reading, 0);
        }
        let from = self.buffered();
        let count = from.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), from.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Stream<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.source.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| Fault::Damaged("a position lies outside of it".into()))?;
        Ok(self.at)
    }
}

/// The names of a file or member.
struct Name {
    /// As shown: behind the names of the archives it lies in, with its endings.
    shown: String,
    /// Less the ending of a compression: what the tool called it.
    own: String,
}

impl Name {
    /// The name of a member of this archive.
    fn member(&self, member: &str) -> Self {
        let shown = format!("{}/{member}", self.shown);
        Self { own: uncompressed(&shown).to_owned(), shown }
    }
}

struct Unpack<'a> {
    allowance: &'a Allowance,
    report: &'a Report<'a>,
    /// What the columns of its tables are, where somebody said so.
    mapping: Option<&'a Mapping>,
    imported: Imported,
    members: usize,
    /// Whether nothing more is read, since a limit was met.
    ended: bool,
}

impl Unpack<'_> {
    /// Opens an archive that comes as a stream.
    fn open(&mut self, kind: Kind, name: &Name, from: &mut dyn Read, depth: usize) {
        match kind {
            Kind::Gzip => self.member(name, &mut gzip(from, self.allowance), depth),
            Kind::Zstd => self.member(name, &mut zstd(from, self.allowance), depth),
            Kind::Tar => self.tar(name, from, depth),
            Kind::Zip => match whole(Vec::new(), from) {
                Ok(bytes) => self.zip(name, Cursor::new(bytes), depth),
                Err(error) => self.refuse(&name.shown, None, &error),
            },
        }
    }

    fn zip(&mut self, name: &Name, from: impl Read + Seek, depth: usize) {
        let mut zip = match Zip::open(from) {
            Ok(zip) => zip,
            Err(error) => return self.refuse(&name.shown, None, &error),
        };
        let entries = std::mem::take(&mut zip.entries);
        if entries.is_empty() {
            self.nothing(name, Kind::Zip);
        }
        for entry in entries {
            if self.ended {
                return;
            }
            let member = name.member(&entry.name);
            if !self.counts(&member) {
                return;
            }
            match zip.read(&entry, self.allowance) {
                Ok(mut stream) => self.member(&member, &mut stream, depth),
                Err(error) => self.refuse(&member.shown, Some(entry.at), &error),
            }
        }
    }

    fn tar(&mut self, name: &Name, from: &mut dyn Read, depth: usize) {
        let mut tar = Tar::new(from);
        let mut some = false;
        let mut last = None;
        while !self.ended {
            match tar.advance() {
                Ok(Some(member)) => {
                    some = true;
                    let (at, fault) = (member.at, member.fault);
                    let member = name.member(&member.name);
                    if !self.counts(&member) {
                        return;
                    }
                    match fault {
                        Some(fault) => self.refuse(&member.shown, Some(at), &fault.into()),
                        None => self.member(&member, &mut tar, depth),
                    }
                    last = Some(member.shown);
                }
                Ok(None) => {
                    if !some {
                        self.nothing(name, Kind::Tar);
                    }
                    return;
                }
                // What stopped the last member stops the archive; that is said once.
                Err(_) if last.is_some_and(|last| self.was_refused(&last)) => return,
                Err(error) => return self.refuse(&name.shown, None, &error),
            }
        }
    }

    /// Whether the last thing refused was this member, for a reason of its archive.
    fn was_refused(&self, shown: &str) -> bool {
        let last = self.imported.refused.last();
        last.is_some_and(|last| last.file == shown && last.kind == Cause::Archive)
    }

    /// Reads one member: an archive again, a result, or something else.
    fn member(&mut self, name: &Name, from: &mut dyn Read, depth: usize) {
        let mut head = Vec::new();
        if let Err(error) = (&mut *from).take(HEAD_BYTES as u64).read_to_end(&mut head) {
            return self.refuse(&name.shown, None, &error);
        }
        if let Some(kind) = archive(&head) {
            if depth == MAX_DEPTH {
                return self.refuse(&name.shown, None, &Fault::TooDeep.into());
            }
            return self.open(kind, name, &mut head.chain(from), depth + 1);
        }
        if let Some(own) = reopen::of(&head) {
            let read = whole(head, from).map_err(|error| self.refuse(&name.shown, None, &error));
            let Ok(bytes) = read else { return };
            match reopen::read(own, &name.shown, &bytes, self.allowance) {
                Ok(mut opened) => {
                    self.imported.runs.append(&mut opened.runs);
                    self.imported.dumps.append(&mut opened.dumps);
                    self.imported.opened.append(&mut opened.opened);
                }
                Err(refusal) => self.imported.refused.push(refusal),
            }
            return;
        }
        // How long the rest is, no header is trusted to say.
        let size = head.len() as u64;
        if let Err(refusal) = recognised(&Head::new(&name.own, &head, size), self.mapping) {
            return self.imported.refused.push(shown(&name.shown, refusal));
        }
        match whole(head, from) {
            Ok(bytes) => self.read(name, &bytes),
            Err(error) => self.refuse(&name.shown, None, &error),
        }
    }

    fn read(&mut self, name: &Name, bytes: &[u8]) {
        let report = self.report;
        let read = formats::read_mapped(&name.own, bytes, self.mapping, &mut |at| {
            report.tell(Phase::Parsing, at.records);
        });
        match read {
            Ok(formats::Read { mut runs, mut dumps }) => {
                for dump in &mut dumps {
                    dump.provenance.file.clone_from(&name.shown);
                }
                self.imported.dumps.append(&mut dumps);
                for run in &mut runs {
                    run.provenance.file.clone_from(&name.shown);
                    let records = run.requests.as_ref().map_or(0, Requests::len);
                    self.report.records.set(self.report.records.get() + records as u64);
                }
                self.imported.runs.append(&mut runs);
            }
            Err(error) => {
                let head = Head::new(&name.own, bytes, bytes.len() as u64);
                let refusal = offered(error, &head, self.mapping);
                self.imported.refused.push(shown(&name.shown, refusal));
            }
        }
    }

    /// Counts a member; says whether there may be so many.
    fn counts(&mut self, member: &Name) -> bool {
        self.members += 1;
        if self.members > MAX_MEMBERS {
            self.refuse(&member.shown, None, &Fault::TooMany.into());
        }
        !self.ended
    }

    fn refuse(&mut self, file: &str, at: Option<u64>, error: &io::Error) {
        let fault = Fault::of(error);
        self.ended |= fault.ends();
        self.imported.refused.push(Refusal {
            file: file.to_owned(),
            kind: match fault {
                Fault::Source(_) => Cause::Unreadable,
                _ => Cause::Archive,
            },
            what: None,
            error: fault.to_string(),
            place: at.map_or("whole file".into(), |at| format!("byte {at} of the archive")),
            advice: fault.advice().into(),
            mapping: None,
        });
    }

    fn nothing(&mut self, name: &Name, kind: Kind) {
        self.imported.refused.push(Refusal {
            file: name.shown.clone(),
            kind: Cause::Empty,
            what: None,
            error: format!("This is {} without a file in it; expected a result.", kind.name()),
            place: "whole file".into(),
            advice: "Pack the files that the benchmark wrote, or drop them as they are.".into(),
            mapping: None,
        });
    }
}

fn shown(name: &str, refusal: Refusal) -> Refusal {
    Refusal { file: name.to_owned(), ..refusal }
}

/// All bytes of a stream behind those already read.
fn whole(mut bytes: Vec<u8>, from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let most = MAX_MEMBER_BYTES + 1 - bytes.len() as u64;
    from.take(most).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_MEMBER_BYTES {
        return Err(Fault::MemberTooBig.into());
    }
    Ok(bytes)
}
