//! What the arguments name: files, which of their runs, and under which ruler.

use crate::cli::args::{self, Files};
use crate::cli::input::{Loaded, Naming, load};
use crate::cli::ruler::Ruler;
use crate::cli::{Failure, Streams};
use crate::metrics::{Preset, Settings};
use crate::model::{Run, RunId};
use std::path::{Path, PathBuf};

/// A file, which of its runs, and the ruler behind `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    path: PathBuf,
    run: Option<usize>,
    preset: Option<String>,
}

impl Named {
    /// Takes `@vllm` and `#2` off a name, unless a file is called so.
    pub(super) fn of(given: &Path) -> Self {
        let whole = |path: &Path| Self { path: path.to_owned(), run: None, preset: None };
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
        let named = loaded.dumps.iter().filter(|dump| self.is_of(&dump.provenance.file));
        named.map(|dump| dump.id.clone()).collect()
    }

    /// Whether what it names was not read: it gives neither a run nor a page of metrics, and the reason is
    /// known. Then no other file may stand in its place.
    pub(super) fn refused(&self, loaded: &Loaded) -> bool {
        let pattern = self.path.to_string_lossy().contains(['*', '?', '[']);
        !loaded.runs.iter().any(|run| self.holds(run))
            && self.dumps(loaded).is_empty()
            && loaded.refused.iter().any(|refusal| pattern || self.is_of(&refusal.file))
    }

    fn holds(&self, run: &Run) -> bool {
        self.is_of(&run.provenance.file)
    }

    fn is_of(&self, file: &str) -> bool {
        let name = self.path.display().to_string();
        let folder = format!("{}/", name.trim_end_matches('/'));
        file == name || file.starts_with(&folder)
    }
}

/// Behind `@`: the number as its tool printed it.
const PRINTED: &str = "printed";

fn is_ruler(word: &str) -> bool {
    matches!(word, "own" | "prometheus" | PRINTED) || Preset::find(word).is_some()
}

/// Reads the files and keeps of each the runs that were asked for.
pub(super) fn runs(input: &Files, streams: &mut Streams<'_>) -> Result<Loaded, Failure> {
    let wanted: Vec<Named> = input.paths.iter().map(|path| Named::of(path)).collect();
    let mut paths: Vec<PathBuf> = Vec::new();
    for named in &wanted {
        if !paths.contains(&named.path) {
            paths.push(named.path.clone());
        }
    }
    let files = Files { paths, map: input.map.clone(), quiet: input.quiet, alone: input.alone };
    let mut loaded = load(&files, Naming::AsGiven, streams);
    let mut kept = vec![false; loaded.runs.len()];
    for named in &wanted {
        let inside: Vec<usize> = (0..kept.len())
            .filter(|at| loaded.runs.get(*at).is_some_and(|r| named.holds(r)))
            .collect();
        let chosen = match named.run {
            None => inside,
            Some(number) => match inside.get(number - 1) {
                Some(at) => vec![*at],
                None if inside.is_empty() => Vec::new(),
                None => return Err(no_such(named, number, inside.len())),
            },
        };
        for at in chosen {
            if let Some(slot) = kept.get_mut(at) {
                *slot = true;
            }
        }
    }
    // A pattern or standard input holds runs that no name tells apart: those stay.
    let unnamed = |run: &Run| !wanted.iter().any(|named| named.holds(run));
    let mut at = 0;
    loaded.runs.retain(|run| {
        let keep = kept.get(at) == Some(&true) || unnamed(run);
        at += 1;
        keep
    });
    Ok(loaded)
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
    let held: Vec<&Run> = loaded.runs.iter().filter(|run| named.holds(run)).collect();
    let name = named.path.display();
    match (held.as_slice(), named.run) {
        ([], _) => match loaded.runs.as_slice() {
            // Standard input, or a file that was put together with another of the same run.
            [run] => Ok(run),
            _ => Err(Failure::Use(format!("{name} gives no run to explain."))),
        },
        ([run], _) => Ok(run),
        (several, Some(number)) => {
            several.get(number - 1).copied().ok_or_else(|| no_such(named, number, several.len()))
        }
        (several, None) => Err(Failure::Use(format!(
            "{name} holds {} runs; say which, such as {name}#1 (`sameruler inspect` lists them).",
            several.len()
        ))),
    }
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
