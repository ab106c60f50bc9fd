//! `explain`: where a number comes from. With `--number`, the definitions that give it on a run.

mod number;

use super::args::{self, Files};
use super::input::{Loaded, Naming, load};
use super::{Exit, Failure, Streams};
use crate::model::Run;
use std::path::{Path, PathBuf};

/// Runs the subcommand.
pub(super) fn run(args: &args::Explain, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if args.number.is_empty() {
        return Err(Failure::Use(
            "Nothing to explain: give the number that you saw, such as --number 23.4ms.".into(),
        ));
    }
    number::run(args, streams)
}

/// A file, and which of its runs, where `FILE#2` said so.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    path: PathBuf,
    run: Option<usize>,
}

/// Takes `#2` off a name, unless a file is called so.
fn named(given: &Path) -> Named {
    let whole = || Named { path: given.to_owned(), run: None };
    if given.exists() {
        return whole();
    }
    let text = given.to_string_lossy();
    let number = text.rsplit_once('#').and_then(|(path, n)| Some((path, n.parse().ok()?)));
    match number {
        Some((path, run)) if run > 0 => Named { path: path.into(), run: Some(run) },
        _ => whole(),
    }
}

/// Reads the files and keeps of each the run that was asked for.
fn runs(input: &Files, streams: &mut Streams<'_>) -> Result<Loaded, Failure> {
    let wanted: Vec<Named> = input.paths.iter().map(|path| named(path)).collect();
    let files = Files {
        paths: wanted.iter().map(|named| named.path.clone()).collect(),
        map: input.map.clone(),
        quiet: input.quiet,
        alone: input.alone,
    };
    let mut loaded = load(&files, Naming::AsGiven, streams);
    for Named { path, run } in wanted {
        let Some(number) = run else { continue };
        let name = path.display().to_string();
        let folder = format!("{name}/");
        let inside =
            |run: &Run| run.provenance.file == name || run.provenance.file.starts_with(&folder);
        let held = loaded.runs.iter().filter(|run| inside(run)).count();
        if held > 0 && number > held {
            let runs = if held == 1 { "one run".to_owned() } else { format!("{held} runs") };
            return Err(Failure::Use(format!(
                "{name} holds {runs}, so there is no #{number}; `sameruler inspect` lists them."
            )));
        }
        let mut at = 0;
        loaded.runs.retain(|run| {
            let own = inside(run);
            at += usize::from(own);
            !own || at == number
        });
    }
    Ok(loaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_a_file_is_named_by_its_number() {
        let of = |text: &str| {
            let named = named(Path::new(text));
            (named.path.display().to_string(), named.run)
        };
        assert_eq!(of("sweep.json#2"), ("sweep.json".into(), Some(2)));
        assert_eq!(of("sweep.json"), ("sweep.json".into(), None));
        assert_eq!(of("odd#name.json"), ("odd#name.json".into(), None));
        assert_eq!(of("sweep.json#0"), ("sweep.json#0".into(), None));
    }
}
