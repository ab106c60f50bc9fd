//! What the arguments name: files, which of their runs, and under which ruler.

use crate::cli::args::{self, Files};
use crate::cli::input::{Loaded, Naming, load};
use crate::cli::ruler::Ruler;
use crate::cli::{Failure, Streams};
use crate::metrics::{PRESETS, Preset, Settings};
use crate::model::{Run, RunId};
use crate::views::by_file;
use std::path::{Path, PathBuf};

/// A file, which of its runs, and the ruler behind `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    path: PathBuf,
    run: Option<usize>,
    preset: Option<String>,
    /// The runs that it stands for, once the files are read.
    runs: Vec<RunId>,
}

impl Named {
    /// Takes `@vllm` and `#2` off a name, unless a file is called so.
    pub(super) fn of(given: &Path) -> Self {
        let whole =
            |path: &Path| Self { path: path.to_owned(), run: None, preset: None, runs: Vec::new() };
        if given.exists() {
            return whole(given);
        }
        let text = given.to_string_lossy();
        if let Some((rest, preset)) = text.rsplit_once('@')
            && is_ruler(preset)
        {
            return Self { preset: Some(preset.to_owned()), ..Self::of(Path::new(rest)) };
        }
        let number = text.rsplit_once('#').and_then(|(path, n)| Some((path, n.parse().ok()?)));
        match number {
            Some((path, run)) if run > 0 => Self { run: Some(run), ..whole(Path::new(path)) },
            _ => whole(given),
        }
    }

    /// What is wrong with what stands behind `@` or `#`, where the file before it is there.
    fn misnamed(&self) -> Option<String> {
        if self.path.exists() {
            return None;
        }
        let text = self.path.to_string_lossy();
        let there = |path: &str| !path.is_empty() && Path::new(path).exists();
        let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        let presets = presets.join(", ");
        let at = |before: &str| {
            before.rsplit_once('#').map_or_else(|| there(before), |(path, _)| there(path))
        };
        if let Some((before, ruler)) = text.rsplit_once('@').filter(|(b, _)| there(b) || at(b)) {
            if is_ruler(ruler) {
                return None;
            }
            return Some(format!(
                "There is no ruler “{ruler}” to read {before} by; behind @ stands own, {PRINTED}, prometheus, or one of {presets}."
            ));
        }
        let (path, run) = text.rsplit_once('#').filter(|(path, _)| there(path))?;
        Some(format!(
            "“#{run}” names no run of {path}: they are counted from 1, such as {path}#1 (`sameruler inspect` lists them)."
        ))
    }

    /// The ruler of a run on this side.
    pub(super) fn settings(
        &self,
        run: &Run,
        args: &args::Explain,
        more: &[(String, String)],
    ) -> Result<Settings, Failure> {
        // A printed number was made under its tool's own ruler.
        let own = self.printed().then(|| "own".to_owned());
        let preset = own.or_else(|| self.preset.clone()).or_else(|| args.preset.clone());
        let ruler = args::Ruler {
            preset,
            definitions: None,
            set: args.set.iter().chain(more).cloned().collect(),
            window: None,
            slo: Vec::new(),
            percentiles: Vec::new(),
        };
        Ruler::new(&ruler, "own")?.of(run).map(|(_, settings)| settings)
    }

    /// Whether the number is wanted as its tool printed it.
    pub(super) fn printed(&self) -> bool {
        self.preset.as_deref() == Some(PRINTED)
    }

    /// The dumps of servers that it names.
    pub(super) fn dumps(&self, loaded: &Loaded) -> Vec<RunId> {
        let named = loaded.dumps.iter().filter(|dump| self.is_of(&dump.provenance.file, loaded));
        named.map(|dump| dump.id.clone()).collect()
    }

    /// Whether what it names was not read: it gives neither a run nor a page of metrics, and the reason is
    /// known. Then no other file may stand in its place.
    pub(super) fn refused(&self, loaded: &Loaded) -> bool {
        self.runs.is_empty()
            && self.dumps(loaded).is_empty()
            && loaded.refused.iter().any(|refusal| self.is_of(&refusal.file, loaded))
    }

    /// Whether a run is of a file that it names, by itself or put together with others.
    fn holds(&self, run: &Run, loaded: &Loaded) -> bool {
        let joined = run.provenance.joined.iter().map(|piece| &piece.file);
        std::iter::once(&run.provenance.file).chain(joined).any(|file| self.is_of(file, loaded))
    }

    /// Whether a file, or the archive that it lies in, is among those that the name stands for: itself, those
    /// of a folder, those that match a pattern.
    fn is_of(&self, file: &str, loaded: &Loaded) -> bool {
        let of_name = loaded.behind.iter().filter(|(given, _)| *given == self.path);
        of_name.flat_map(|(_, files)| files).any(|name| {
            file.strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// “, of a.json and b.json,”, where it stands for several files.
    fn among(runs: &[RunId], loaded: &Loaded) -> String {
        let mut files: Vec<&str> = Vec::new();
        for run in loaded.runs.iter().filter(|run| runs.contains(&run.id)) {
            if !files.contains(&run.provenance.file.as_str()) {
                files.push(&run.provenance.file);
            }
        }
        let more = files.len().saturating_sub(NAMED);
        files.truncate(NAMED);
        match (files.as_slice(), more) {
            ([] | [_], _) => String::new(),
            (all, 0) => format!(" ({})", all.join(", ")),
            (some, more) => format!(" ({} and {more} more)", some.join(", ")),
        }
    }

    /// Whether two files are parts of one run, such as a summary and its rows, and nothing else tells the two
    /// ends apart: then what was printed and what the rows give are meant.
    pub(super) fn is_rest_of(&self, other: &Self, loaded: &Loaded) -> bool {
        let several = |run: &Run| !run.provenance.joined.is_empty();
        self.path != other.path
            && self.preset == other.preset
            && self.runs.len() == 1
            && self.runs == other.runs
            && loaded.runs.iter().any(|run| self.runs.contains(&run.id) && several(run))
    }
}

/// So many files behind one name are named.
const NAMED: usize = 3;

/// Behind `@`: the number as its tool printed it.
const PRINTED: &str = "printed";

fn is_ruler(word: &str) -> bool {
    matches!(word, "own" | "prometheus" | PRINTED) || Preset::find(word).is_some()
}

/// Reads the files and keeps of each the runs that were asked for. Each name then knows its runs.
pub(super) fn runs(
    input: &Files,
    streams: &mut Streams<'_>,
) -> Result<(Loaded, Vec<Named>), Failure> {
    let mut wanted: Vec<Named> = input.paths.iter().map(|path| Named::of(path)).collect();
    if let Some(wrong) = wanted.iter().find_map(Named::misnamed) {
        return Err(Failure::Use(wrong));
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    for named in &wanted {
        if !paths.contains(&named.path) {
            paths.push(named.path.clone());
        }
    }
    let files = Files { paths, map: input.map.clone(), quiet: input.quiet, alone: input.alone };
    let mut loaded = load(&files, Naming::AsGiven, streams);
    for named in &mut wanted {
        let inside = loaded.runs.iter().filter(|run| named.holds(run, &loaded));
        let inside: Vec<RunId> = inside.map(|run| run.id.clone()).collect();
        named.runs = match named.run {
            Some(number) if !inside.is_empty() => match inside.get(number - 1) {
                Some(id) => vec![id.clone()],
                None => return Err(no_such(named, number, inside.len())),
            },
            _ => inside,
        };
    }
    loaded.runs.retain(|run| wanted.iter().any(|named| named.runs.contains(&run.id)));
    // Two ends of one name could not be told apart in any sentence.
    let names = by_file(&loaded.runs.iter().collect::<Vec<_>>());
    for (run, name) in loaded.runs.iter_mut().zip(names) {
        run.name = name;
    }
    Ok((loaded, wanted))
}

fn no_such(named: &Named, number: usize, held: usize) -> Failure {
    let runs = if held == 1 { "one run".to_owned() } else { format!("{held} runs") };
    let name = named.path.display();
    Failure::Use(format!(
        "{name} holds {runs}, so there is no #{number}; `sameruler inspect` lists them."
    ))
}

/// The one run that a name stands for.
pub(super) fn one<'a>(named: &Named, loaded: &'a Loaded) -> Result<&'a Run, Failure> {
    let name = named.path.display();
    let found = match named.runs.as_slice() {
        [id] => loaded.runs.iter().find(|run| run.id == *id),
        [] => None,
        several => {
            let among = Named::among(several, loaded);
            return Err(Failure::Use(format!(
                "{name} holds {} runs{among}; say which, such as {name}#1 (`sameruler inspect` lists them).",
                several.len()
            )));
        }
    };
    found.ok_or_else(|| Failure::Use(format!("{name} gives no run to explain.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_and_a_ruler_are_named_behind_the_file() {
        let of = |text: &str| {
            let named = Named::of(Path::new(text));
            (named.path.display().to_string(), named.run, named.preset)
        };
        let own = |text: &str| text.to_owned();
        assert_eq!(of("sweep.json#2"), (own("sweep.json"), Some(2), None));
        assert_eq!(of("sweep.json"), (own("sweep.json"), None, None));
        assert_eq!(of("odd#name.json"), (own("odd#name.json"), None, None));
        assert_eq!(of("sweep.json#0"), (own("sweep.json#0"), None, None));
        assert_eq!(of("a.json@vllm"), (own("a.json"), None, Some(own("vllm"))));
        assert_eq!(of("a.json#3@own"), (own("a.json"), Some(3), Some(own("own"))));
        assert_eq!(of("a.json@printed"), (own("a.json"), None, Some(own("printed"))));
        assert_eq!(of("me@home.json"), (own("me@home.json"), None, None));
    }
}
