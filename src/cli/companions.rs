//! Files of one run put together, and the ones beside a named file fetched: rows without the summary
//! that their tool wrote next to them lack what only that holds.

use super::input::{Loaded, Names, read};
use super::{Streams, say};
use crate::engine::import::beside;
use crate::engine::{Request, Session};
use crate::model::{Run, RunId};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Reads the companions of `named` files that were not given themselves, and joins the files of each
/// run. A companion that turns out to be of another run is left out again.
pub(super) fn join(
    loaded: &mut Loaded,
    named: &[PathBuf],
    naming: &Names,
    quiet: bool,
    streams: &mut Streams<'_>,
) {
    let given: BTreeSet<RunId> = loaded.runs.iter().map(|run| run.id.clone()).collect();
    let mut runs = std::mem::take(&mut loaded.runs);
    let found = companions(&runs, named, naming);
    let mut paths = Vec::new();
    for (path, name) in found {
        // What stands beside a named file was not asked for: if it can't be read, it is not missed.
        let mut more = read(&path, &name, None, &mut std::io::empty(), &mut |_, _| {}).runs;
        if !more.is_empty() {
            paths.push((name, more.iter().map(|run| run.id.clone()).collect::<Vec<_>>()));
            runs.append(&mut more);
        }
    }
    let files: Vec<(RunId, String)> =
        runs.iter().map(|run| (run.id.clone(), run.provenance.file.clone())).collect();
    let mut session = Session::new();
    session.handle(Request::Arrange { arrangement: loaded.arrangement() }, &[]);
    let (_, duplicates) = session.adopt(runs);
    let runs = session.into_runs();
    // A name whose file holds the same run as one before it stands for that run.
    let first_of = |id: &RunId| files.iter().find(|(known, _)| known == id).map(|(_, file)| file);
    for twice in &duplicates {
        let Some((id, file)) = files.get(twice.pack) else { continue };
        let Some(first) = first_of(id).filter(|first| *first != file) else { continue };
        for (_, names) in loaded.behind.iter_mut().filter(|(_, names)| names.contains(file)) {
            names.push(first.clone());
        }
    }
    loaded.runs = runs.into_iter().filter(|run| ids(run).any(|id| given.contains(id))).collect();
    if quiet {
        return;
    }
    for twice in duplicates {
        let Some((id, file)) = files.get(twice.pack) else { continue };
        match first_of(id) {
            Some(first) if first != file => {
                say(streams, &format!("{file}: holds the same run as {first}; it is used once."));
            }
            _ => say(streams, &format!("{file}: was given twice; it is used once.")),
        }
    }
    for (name, of_file) in paths {
        let used = loaded.runs.iter().find(|run| ids(run).any(|id| of_file.contains(id)));
        if let Some(run) = used {
            say(
                streams,
                &format!(
                    "{name}: was read too, since it is of the same run as {}; --alone leaves it out.",
                    run.provenance.file
                ),
            );
        }
    }
}

/// The ids of a run and of the files joined to it.
fn ids(run: &Run) -> impl Iterator<Item = &RunId> {
    std::iter::once(&run.id).chain(run.provenance.joined.iter().map(|piece| &piece.id))
}

/// What is added to the name of a file that is packed alone.
const PACKED: [&str; 2] = [".gz", ".zst"];

/// Files beside the named ones that the tool writes for the same run, with the names under which they
/// are read.
fn companions(runs: &[Run], named: &[PathBuf], naming: &Names) -> Vec<(PathBuf, String)> {
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    for path in named {
        let name = naming.of(path);
        let Some(run) = runs.iter().find(|run| run.provenance.file == name) else { continue };
        let own =
            path.file_name().map(|own| own.to_string_lossy().into_owned()).unwrap_or_default();
        // Either of the two may have been packed since the tool wrote it.
        let unpacked = PACKED.iter().find_map(|end| own.strip_suffix(end)).unwrap_or(&own);
        for other in beside(&run.provenance.format, unpacked) {
            let folder = path.parent().unwrap_or(Path::new(""));
            let written = std::iter::once(&"").chain(&PACKED);
            let all = written.map(|end| folder.join(format!("{other}{end}")));
            let Some(other) = all.into_iter().find(|other| other.is_file()) else { continue };
            let known = named.contains(&other) || found.iter().any(|(path, _)| *path == other);
            if !known {
                let name = naming.of(&other);
                found.push((other, name));
            }
        }
    }
    found
}
