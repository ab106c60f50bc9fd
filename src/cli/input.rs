//! The files: names, folders, patterns and standard input, each read into runs or refused.

use super::args::Files;
use super::{Streams, companions};
use crate::engine::import::{HEAD_BYTES, MAX_BYTES};
use crate::engine::import::{goes_on, import_mapped};
use crate::engine::plain::plain;
use crate::engine::protocol::Mapping;
use crate::engine::{Arrangement, ByteSource, Cause, Imported, Opened, Refusal, dump_file};
use crate::model::{Dump, Run, ServerDump};
use crate::notice::Notices;
use std::fs;
use std::io::{self, Read, Seek as _};
use std::path::{Component, Path, PathBuf};

/// What was read, and what was not.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// The runs in the order of the files.
    pub(super) runs: Vec<Run>,
    /// What servers said of themselves, in the order of the files.
    pub(super) dumps: Vec<ServerDump>,
    /// The files that could not be read.
    pub(super) refused: Vec<Refusal>,
    /// The sessions among the files, whose runs stand above.
    pub(super) opened: Vec<Opened>,
    /// Each argument with the names of the files behind it, whether they could be read or not.
    pub(super) behind: Vec<(PathBuf, Vec<String>)>,
}

impl Loaded {
    /// What was decided in the sessions about which files are one run and which runs one group.
    pub(super) fn arrangement(&self) -> Arrangement {
        let mut arrangement = Arrangement::default();
        self.opened.iter().for_each(|opened| arrangement.take_over(&opened.decided));
        arrangement
    }
}

/// How a file is named in the runs that it gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// As given on the command line.
    AsGiven,
    /// Without the folders that all files share: what a report may tell about this disk.
    Shared,
}

/// Reads every file that the arguments name. A refused one does not stop the others.
pub(super) fn load(args: &Files, naming: Naming, streams: &mut Streams<'_>) -> Loaded {
    let mut loaded = Loaded::default();
    let (mut files, mut named) = (Vec::new(), Vec::new());
    let mut behind = Vec::new();
    for arg in &args.paths {
        match expand(arg) {
            Ok(found) => {
                if !arg.is_dir() {
                    named.extend(found.iter().cloned());
                }
                files.extend(found.iter().cloned());
                behind.push((arg.clone(), found));
            }
            Err(refusal) => {
                behind.push((arg.clone(), vec![arg.clone()]));
                loaded.refused.push(refusal);
            }
        }
    }
    let naming = Names {
        shared: match naming {
            Naming::AsGiven => None,
            Naming::Shared => Some(shared_folder(&files)),
        },
    };
    let told = |paths: &Vec<PathBuf>| paths.iter().map(|path| naming.of(path)).collect();
    loaded.behind = behind.iter().map(|(arg, paths)| (arg.clone(), told(paths))).collect();
    let show = streams.terminal && !args.quiet;
    let mapping = Mapping { columns: args.map.clone() };
    let mapping = Some(&mapping).filter(|mapping| !mapping.columns.is_empty());
    for (at, path) in files.iter().enumerate() {
        let name = naming.of(path);
        let mut progress =
            Progress::new(format!("{} of {}: {}", at + 1, files.len(), plain(&name)));
        let err = &mut *streams.err;
        let mut on_progress = |done, total| {
            if show {
                progress.show(err, done, total);
            }
        };
        let imported = read(path, &name, mapping, streams.input, &mut on_progress);
        progress.clear(streams.err);
        loaded.runs.extend(imported.runs);
        loaded.dumps.extend(imported.dumps);
        loaded.refused.extend(imported.refused);
        loaded.opened.extend(imported.opened);
    }
    if !args.alone {
        companions::join(&mut loaded, &named, &naming, args.quiet, streams);
    }
    loaded
}

/// Reads one file into runs, telling bytes done and bytes in all.
pub(super) fn read(
    path: &Path,
    name: &str,
    mapping: Option<&Mapping>,
    input: &mut dyn Read,
    progress: &mut dyn FnMut(u64, u64),
) -> Imported {
    match open(path, mapping.is_some(), input) {
        Ok(mut bytes) => {
            import_mapped(name, bytes.as_mut(), false, mapping, &mut |_, done, total, _| {
                progress(done, total);
            })
        }
        Err(error) => Imported::refused(unreadable(name, &error)),
    }
}

/// Reads one file of server metrics.
pub(super) fn dumps(path: &Path, input: &mut dyn Read) -> Result<Vec<(Dump, Notices)>, Refusal> {
    let name = display(path);
    let mut bytes: Box<dyn ByteSource> = if path == Path::new("-") {
        let mut whole = Vec::new();
        let read = input.take(MAX_BYTES + 1).read_to_end(&mut whole);
        read.map_err(|error| unreadable(&name, &error))?;
        Box::new(Memory(whole))
    } else {
        open(path, true, input).map_err(|error| unreadable(&name, &error))?
    };
    dump_file(&name, bytes.as_mut())
}

/// How files are named in the runs that they give.
pub(super) struct Names {
    /// The folder that is left out, and with it whatever else tells where on this disk a file lies.
    shared: Option<PathBuf>,
}

impl Names {
    /// The name of a file.
    pub(super) fn of(&self, path: &Path) -> String {
        let Some(shared) = &self.shared else { return display(path) };
        let whole = whole(path);
        let rest = whole.strip_prefix(shared).unwrap_or(&whole);
        let mut told = PathBuf::new();
        let mut homes = false;
        for component in rest.components() {
            let Component::Normal(part) = component else { continue };
            let named =
                part.to_str().is_some_and(|p| p.eq_ignore_ascii_case("home") || p == "Users");
            // What lies right below the homes is somebody's name.
            if !named && !homes {
                told.push(part);
            }
            homes = named;
        }
        display(&told)
    }
}

/// The path from the root on, without steps back, as far as its text tells.
fn whole(path: &Path) -> PathBuf {
    if path == Path::new("-") {
        return path.to_owned();
    }
    let mut whole = PathBuf::new();
    for component in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        if component == Component::ParentDir {
            whole.pop();
        } else {
            whole.push(component);
        }
    }
    whole
}

/// The files behind one argument.
pub(super) fn expand(arg: &Path) -> Result<Vec<PathBuf>, Refusal> {
    if arg == Path::new("-") || arg.is_file() {
        return Ok(vec![arg.to_owned()]);
    }
    if arg.is_dir() {
        let mut found = Vec::new();
        walk(arg, &mut found).map_err(|error| unreadable(&display(arg), &error))?;
        return some(
            found,
            arg,
            "The folder holds no file",
            "Name the folder that the benchmark wrote to.",
        );
    }
    let text = arg.to_string_lossy();
    if arg.exists() || !text.contains(['*', '?', '[']) {
        // Reading it says why it can't be read.
        return Ok(vec![arg.to_owned()]);
    }
    let matches = glob::glob(&text).map_err(|error| Refusal {
        file: display(arg),
        kind: Cause::Unreadable,
        what: None,
        error: format!("The pattern can’t be understood: {}; expected *, ? or [a-z].", error.msg),
        place: format!("character {} of the pattern", error.pos + 1),
        advice: "Correct the pattern, or name the files.".into(),
        mapping: None,
    })?;
    let mut found: Vec<PathBuf> = Vec::new();
    for path in matches.filter_map(Result::ok) {
        found.extend(if path.is_dir() { Vec::new() } else { vec![path] });
    }
    found.sort();
    some(
        found,
        arg,
        "No file matches the pattern",
        "Check the spelling; ** matches folders of any depth.",
    )
}

fn some(
    found: Vec<PathBuf>,
    arg: &Path,
    error: &str,
    advice: &str,
) -> Result<Vec<PathBuf>, Refusal> {
    if found.is_empty() {
        return Err(Refusal {
            file: display(arg),
            kind: Cause::Empty,
            what: None,
            error: format!("{error}; expected at least one result file."),
            place: "whole file".into(),
            advice: advice.into(),
            mapping: None,
        });
    }
    Ok(found)
}

/// Files of a folder in order of name, folders within it included. Hidden ones and linked folders
/// are passed over: the first are never results, the second can lead in a circle.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            walk(&path, found)?;
        } else if path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

/// The bytes of a file, read piece by piece where the file allows it: what is no result is then
/// refused by its beginning.
fn open(path: &Path, mapped: bool, input: &mut dyn Read) -> io::Result<Box<dyn ByteSource>> {
    if path == Path::new("-") {
        return Ok(Box::new(Memory(drain(path, mapped, input)?)));
    }
    let mut file = fs::File::open(path)?;
    let about = file.metadata()?;
    if about.is_file() {
        return Ok(Box::new(Disk { file, len: about.len() }));
    }
    // A pipe has no length and no offsets.
    Ok(Box::new(Memory(drain(path, mapped, &mut file)?)))
}

/// All bytes of a stream that begins like a result, up to one more than can be read; of any other
/// its beginning, which says what is wrong with it. Some streams never end.
fn drain(path: &Path, mapped: bool, from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(HEAD_BYTES as u64).read_to_end(&mut bytes)?;
    if goes_on(&display(path), &bytes, mapped) {
        from.take(MAX_BYTES + 1 - HEAD_BYTES as u64).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

struct Memory(Vec<u8>);

impl ByteSource for Memory {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
        self.0.as_slice().read_at(offset, into)
    }
}

struct Disk {
    file: fs::File,
    len: u64,
}

impl ByteSource for Disk {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
        let sought = self.file.seek(io::SeekFrom::Start(offset));
        sought.and_then(|_| self.file.read(into)).map_err(|error| error.to_string())
    }
}

fn unreadable(file: &str, error: &io::Error) -> Refusal {
    let (error, advice) = match error.kind() {
        io::ErrorKind::NotFound => (
            "There is no such file; expected a result file, a folder, or a pattern.".to_owned(),
            "Check the spelling and the folder you are in.",
        ),
        io::ErrorKind::PermissionDenied => (
            "The file may not be read by you; expected a readable file.".to_owned(),
            "Change its permissions, or copy it.",
        ),
        _ => (
            format!("The file could not be read: {error}; expected a readable file."),
            "Copy the file to this disk and try again.",
        ),
    };
    Refusal {
        file: file.to_owned(),
        kind: Cause::Unreadable,
        what: None,
        error,
        place: "whole file".into(),
        advice: advice.into(),
        mapping: None,
    }
}

/// The folder that all files lie in, as far as their names tell: what a report leaves out.
///
/// One file loses all of its folders, several lose what they share, so that two `run.json` stay apart.
fn shared_folder(files: &[PathBuf]) -> PathBuf {
    let named = files.iter().filter(|path| path.as_path() != Path::new("-"));
    let folders: Vec<PathBuf> =
        named.filter_map(|path| whole(path).parent().map(Path::to_owned)).collect();
    let Some((first, others)) = folders.split_first() else { return PathBuf::new() };
    let mut shared: Vec<Component<'_>> = first.components().collect();
    for folder in others {
        let same = shared.iter().zip(folder.components()).take_while(|(a, b)| **a == *b).count();
        shared.truncate(same);
    }
    shared.iter().collect()
}

/// A path as text with `/` between its parts.
pub(super) fn display(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// One line on a terminal that says how far the reading is. Nothing anywhere else.
struct Progress {
    label: String,
    shown: bool,
    percent: u64,
}

impl Progress {
    fn new(label: String) -> Self {
        Self { label, shown: false, percent: u64::MAX }
    }

    fn show(&mut self, err: &mut dyn io::Write, done: u64, total: u64) {
        let percent = (done * 100).checked_div(total).unwrap_or(100);
        if percent != self.percent {
            self.percent = percent;
            self.shown = true;
            // A terminal that went away must not stop the reading.
            let _ = write!(err, "\r\x1b[K{} {percent} %", self.label).and_then(|()| err.flush());
        }
    }

    fn clear(&self, err: &mut dyn io::Write) {
        if self.shown {
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(files: &[&str]) -> PathBuf {
        shared_folder(&files.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_report_leaves_out_the_folders_that_all_files_share() {
        assert_eq!(shared(&["/home/me/a/run.json", "/home/me/b/run.json"]), Path::new("/home/me"));
        assert_eq!(shared(&["/home/me/run.json"]), Path::new("/home/me"));
        let here = std::env::current_dir().unwrap();
        assert_eq!(shared(&["a/run.json", "b/run.json"]), here);
        assert_eq!(shared(&["../x/run.json", "../x/y/run.json"]), here.parent().unwrap().join("x"));
        assert_eq!(shared(&["/a/run.json", "-"]), Path::new("/a"));
        let name = |path: &str, shared: &Path| {
            Names { shared: Some(shared.to_owned()) }.of(Path::new(path))
        };
        assert_eq!(name("/home/me/a/run.json", Path::new("/home/me")), "a/run.json");
        assert_eq!(name("/home/me/results/run.json", Path::new("/")), "results/run.json");
        assert_eq!(name("a/../b/run.json", &here), "b/run.json");
        assert_eq!(name("-", Path::new("/a")), "-");
    }

    #[test]
    fn a_stream_without_end_is_refused_by_its_beginning() {
        let read = drain(Path::new("-"), false, &mut io::repeat(0)).unwrap();
        assert_eq!(read.len(), HEAD_BYTES);
        let read = drain(Path::new("-"), false, &mut io::repeat(b'x')).unwrap();
        assert_eq!(read.len(), HEAD_BYTES);
    }

    #[test]
    fn a_stream_of_a_result_is_read_to_its_end() {
        let text = format!("ttft_ms,e2e_ms,output_tokens\n{}", "100,200,3\n".repeat(HEAD_BYTES));
        let read = drain(Path::new("-"), false, &mut text.as_bytes()).unwrap();
        assert_eq!(read.len(), text.len());
    }

    #[test]
    fn what_does_not_exist_is_refused_with_advice() {
        let refusal = expand(Path::new("no-such-folder/*.json")).unwrap_err();
        assert!(refusal.error.contains("No file matches"), "{}", refusal.error);
        let error = open(Path::new("no-such-file.json"), false, &mut io::empty()).err().unwrap();
        let refusal = unreadable("no-such-file.json", &error);
        assert!(refusal.error.contains("no such file"), "{}", refusal.error);
        assert!(!refusal.advice.is_empty());
    }
}
