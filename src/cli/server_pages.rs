//! The pages of server metrics that arguments name: files, patterns, and what of a folder is one.

use super::{Streams, input};
use crate::engine::{Cause, Refusal};
use crate::model::Dump;
use crate::notice::Notices;
use crate::prometheus::{Given, one_process};
use crate::views::server::earlier_by_name;
use std::path::{Path, PathBuf};

/// Pages, and what could not be read.
pub(super) struct Pages {
    /// The readings, those of a folder in order of time as far as their names say it.
    pub(super) read: Vec<(Dump, Notices)>,
    /// What could not be read.
    pub(super) refused: Vec<Refusal>,
    /// How many files were read.
    pub(super) files: usize,
    /// Whether names say which reading is the earlier one.
    pub(super) given: Given,
}

/// Reads the pages behind each argument.
pub(super) fn pages(arguments: &[PathBuf], streams: &mut Streams<'_>) -> Pages {
    let (read, refused) = (Vec::new(), Vec::new());
    let mut pages = Pages { read, refused, files: 0, given: Given::AsTheyCome };
    for argument in arguments {
        let found = match input::expand(argument) {
            Ok(found) => found,
            Err(refusal) => {
                pages.refused.push(refusal);
                continue;
            }
        };
        if argument.is_dir() {
            match of_folder(argument, &found, streams) {
                Ok((files, given)) => {
                    if arguments.len() == 1 {
                        pages.given = given;
                    }
                    pages.files += files.len();
                    pages.read.extend(files.into_iter().flat_map(|file| file.read));
                }
                Err(refusal) => pages.refused.push(refusal),
            }
            continue;
        }
        for path in found {
            pages.files += 1;
            match input::dumps(&path, streams.input) {
                Ok(read) => pages.read.extend(read),
                Err(refusal) => pages.refused.push(refusal),
            }
        }
    }
    pages
}

/// One file of server metrics.
struct File {
    name: String,
    read: Vec<(Dump, Notices)>,
}

/// The files of a folder that are server metrics; results and notes lie beside them.
fn of_folder(
    folder: &Path,
    found: &[PathBuf],
    streams: &mut Streams<'_>,
) -> Result<(Vec<File>, Given), Refusal> {
    let page = |path: &PathBuf| {
        let read = input::dumps(path, streams.input).ok()?;
        Some(File { name: input::display(path), read })
    };
    let mut files: Vec<File> = found.iter().filter_map(page).collect();
    if files.is_empty() {
        return Err(refusal(
            folder,
            Cause::Empty,
            "The folder holds no page of server metrics; expected one, or one before and one after a run.".into(),
            "Name the folder that the pages of /metrics were saved to, or the files.",
        ));
    }
    if let [one, other] = files.as_mut_slice()
        && let Some(in_order) = earlier_by_name(&one.name, &other.name)
    {
        if !in_order {
            std::mem::swap(one, other);
        }
        return Ok((files, Given::InOrder));
    }
    // Of more than two, only readings of one process are a row of readings.
    let of_one = |pair: &[File]| match pair {
        [one, other] => one
            .read
            .last()
            .zip(other.read.first())
            .is_some_and(|((was, _), (is, _))| one_process(was, is)),
        _ => true,
    };
    if files.len() > 2 && !files.windows(2).all(of_one) {
        const NAMED: usize = 3;
        let mut names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Err(refusal(
            folder,
            Cause::Unreadable,
            format!(
                "The folder holds {} pages of server metrics that are not known to be of one process ({}{more}); \
                 expected one page, a pair before and after a run, or readings of one process.",
                files.len(),
                names.join(", ")
            ),
            "Name the two pages with --before and --after.",
        ));
    }
    Ok((files, Given::AsTheyCome))
}

fn refusal(folder: &Path, kind: Cause, error: String, advice: &str) -> Refusal {
    Refusal {
        file: input::display(folder),
        kind,
        what: None,
        error,
        place: "whole folder".into(),
        advice: advice.into(),
        mapping: None,
    }
}
