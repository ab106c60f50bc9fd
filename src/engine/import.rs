//! Reading one file into runs: head, recognise, read, parse. Runs in a worker of its own.

use super::plain;
use super::protocol::{Cause, Opened, Phase, Refusal};
use super::reopen;
use super::source::ByteSource;
use super::unpack;
use crate::archives::{self, Allowance, Kind};
use crate::formats::{self, ErrorKind, Fault, Head, ImportError, Mapping};
pub use crate::formats::{HEAD_BYTES, MAX_BYTES};
use crate::model::{Run, ServerDump};

/// How much is read between two reports of progress.
const STEP_BYTES: usize = 4 << 20;

/// Told how far an import is: phase, bytes done, bytes in all, requests read.
pub type OnProgress<'a> = &'a mut dyn FnMut(Phase, u64, u64, u64);

/// What came of one file: of an archive, some members may be read and others not.
#[derive(Debug, Default)]
pub struct Imported {
    /// The runs in the order of the file.
    pub runs: Vec<Run>,
    /// What servers said of themselves. They are no runs.
    pub dumps: Vec<ServerDump>,
    /// What was not read: what happened, where, what was expected, what to do.
    pub refused: Vec<Refusal>,
    /// What was decided in the sessions that were opened; their runs stand above.
    pub opened: Vec<Opened>,
}

impl Imported {
    /// A file of which nothing was read.
    pub fn refused(refusal: Refusal) -> Self {
        Self { refused: vec![refusal], ..Self::default() }
    }

    /// The runs of a file that was read without any refusal.
    ///
    /// # Errors
    /// The first refusal.
    pub fn whole(self) -> Result<Vec<Run>, Refusal> {
        self.refused.into_iter().next().map_or(Ok(self.runs), Err)
    }
}

/// Reads one file into runs. The beginning alone decides whether the rest is read at all.
pub fn import(
    file: &str,
    source: &mut dyn ByteSource,
    sample: bool,
    progress: OnProgress<'_>,
) -> Imported {
    import_mapped(file, source, sample, None, progress)
}

/// Reads one file as [`import`] does; of a table that no tool wrote, somebody says what its columns
/// are.
pub fn import_mapped(
    file: &str,
    source: &mut dyn ByteSource,
    sample: bool,
    mapping: Option<&Mapping>,
    progress: OnProgress<'_>,
) -> Imported {
    let mut imported = read(file, source, mapping, progress).unwrap_or_else(Imported::refused);
    for run in &mut imported.runs {
        plain::run(run);
        run.scripted |= sample;
        let provenance = &mut run.provenance;
        let name = provenance.file.rsplit('/').next().unwrap_or_default();
        let format = formats::by_id(&provenance.format);
        provenance.stem =
            format.and_then(|format| format.stem(archives::uncompressed(name))).map(str::to_owned);
    }
    for dump in &mut imported.dumps {
        plain::dump(dump);
        dump.scripted |= sample;
    }
    for opened in &mut imported.opened {
        plain::opened(opened);
    }
    imported.refused = imported.refused.into_iter().map(plain::refusal).collect();
    imported
}

fn read(
    file: &str,
    source: &mut dyn ByteSource,
    mapping: Option<&Mapping>,
    progress: OnProgress<'_>,
) -> Result<Imported, Refusal> {
    let total = source.len();
    progress(Phase::Recognising, 0, total, 0);
    let head = bytes(file, source, HEAD_BYTES as u64, &mut |_| {})?;
    if let Some(kind) = archive(&head) {
        return Ok(unpack::unpack(file, kind, source, mapping, progress));
    }
    if let Some(own) = reopen::of(&head) {
        let bytes =
            bytes(file, source, total, &mut |done| progress(Phase::Reading, done, total, 0))?;
        return reopen::read(own, file, &bytes, &Allowance::of(total));
    }
    recognised(&Head::new(file, &head, total), mapping)?;
    let bytes = bytes(file, source, total, &mut |done| progress(Phase::Reading, done, total, 0))?;
    let read = formats::read_mapped(file, &bytes, mapping, &mut |at| {
        let phase = match at.phase {
            formats::Phase::Recognising => Phase::Recognising,
            formats::Phase::Parsing => Phase::Parsing,
        };
        progress(phase, at.done, at.total, at.records);
    });
    let refused = |error| offered(error, &Head::new(file, &head, total), mapping);
    let formats::Read { runs, dumps } = read.map_err(refused)?;
    Ok(Imported { runs, dumps, ..Imported::default() })
}

/// Whether a file that begins like this can be read, at least once somebody says what its columns are.
pub(super) fn recognised(head: &Head<'_>, mapping: Option<&Mapping>) -> Result<(), Refusal> {
    if mapping.is_some() && formats::takes_mapping(head) {
        return Ok(());
    }
    formats::recognise(head).map(|_| ()).map_err(|error| offered(error, head, mapping))
}

/// The refusal for an error, with what the columns seem to be where saying that would help: also where
/// it was said, and something else is wrong with the table.
pub(super) fn offered(error: ImportError, head: &Head<'_>, mapping: Option<&Mapping>) -> Refusal {
    let said = || mapping.is_some() && formats::takes_mapping(head);
    let columns = matches!(
        error.kind,
        ErrorKind::UnknownHeader { .. } | ErrorKind::NoUnit { .. } | ErrorKind::Mapping { .. }
    ) || said();
    let mapping = if columns { formats::offer(head) } else { None };
    Refusal { mapping, ..refusal(error) }
}

/// The kind of archive that a file is which begins like this. Workbooks and arrays are ZIP archives
/// too, but nobody means what is inside.
pub(super) fn archive(head: &[u8]) -> Option<Kind> {
    Kind::of(head).filter(|kind| *kind != Kind::Zip || formats::zipped_document(head).is_none())
}

/// Whether a file that begins like this is worth reading on, `mapped` where somebody says what its
/// columns are: what has no length can also have no end.
pub fn goes_on(file: &str, head: &[u8], mapped: bool) -> bool {
    let known = Head::new(file, head, head.len() as u64);
    head.len() < HEAD_BYTES
        || archive(head).is_some()
        || reopen::of(head).is_some()
        || formats::recognise(&known).is_ok()
        || (mapped && formats::takes_mapping(&known))
}

fn bytes(
    file: &str,
    source: &mut dyn ByteSource,
    most: u64,
    done: &mut dyn FnMut(u64),
) -> Result<Vec<u8>, Refusal> {
    let whole = usize::try_from(most.min(source.len())).ok().filter(|n| *n as u64 <= MAX_BYTES);
    let Some(whole) = whole else {
        let kind = ErrorKind::TooBig { bytes: source.len() };
        return Err(refusal(Fault::whole(kind).in_file(file, None)));
    };
    let mut bytes = vec![0; whole];
    let mut at = 0;
    while at < whole {
        let step = bytes.get_mut(at..(at + STEP_BYTES).min(whole)).unwrap_or_default();
        let count = source.read_at(at as u64, step).map_err(|error| Refusal {
            file: file.to_owned(),
            kind: Cause::Unreadable,
            what: None,
            error: format!("The file could not be read: {error}."),
            place: format!("byte {at}"),
            advice:
                "Choose the file again; if it is being written or was moved, wait and add it anew."
                    .to_owned(),
            mapping: None,
        })?;
        if count == 0 {
            bytes.truncate(at);
            break;
        }
        at += count;
        done(at as u64);
    }
    Ok(bytes)
}

/// The formats that can be read: id and what is known of each.
pub fn formats() -> impl Iterator<Item = (&'static str, &'static formats::About)> {
    formats::REGISTRY.iter().map(|format| (format.id(), format.about()))
}

/// The names that the tool gives to the other files of the run, beside the file called `name` that was
/// read by `format`.
pub fn beside(format: &str, name: &str) -> Vec<String> {
    formats::by_id(format).map(|format| format.beside(name)).unwrap_or_default()
}

/// The refusal that page and command show for an error of the formats.
pub fn refusal(error: ImportError) -> Refusal {
    let (kind, what) = cause(&error.kind);
    Refusal {
        kind,
        what,
        error: error.kind.to_string(),
        place: error.place.to_string(),
        advice: error.advice(),
        file: error.file,
        mapping: None,
    }
}

/// Of which kind an error of the formats is, and what the file is instead.
fn cause(kind: &ErrorKind) -> (Cause, Option<Box<str>>) {
    let cause = match kind {
        ErrorKind::Foreign { what, .. } => return (Cause::Foreign, Some((*what).into())),
        ErrorKind::Unknown { .. }
        | ErrorKind::NotText { .. }
        | ErrorKind::UnknownHeader { .. }
        | ErrorKind::Tie { .. } => Cause::Unknown,
        ErrorKind::Empty
        | ErrorKind::AllZeros
        | ErrorKind::NoRows
        | ErrorKind::NoRuns
        | ErrorKind::NoSeries { .. } => Cause::Empty,
        ErrorKind::TooBig { .. } => Cause::TooBig,
        ErrorKind::Mapping { .. } => Cause::Mapping,
        _ => Cause::Broken,
    };
    (cause, None)
}
