//! What was not read, sorted for the eye: damaged results by name, everything else by kind.

use crate::engine::protocol::{Cause, Refusal};

/// Up to this many refusals, each is told at length whatever its kind.
const FEW: usize = 8;

/// The refusals as they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tray {
    /// Those to be told at length, one by one.
    pub told: Vec<Refusal>,
    /// The others: files that nobody meant as results.
    pub folded: Vec<Fold>,
}

/// Refusals of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Which kind.
    pub cause: Cause,
    /// The kind in words, with the count.
    pub title: String,
    /// What these files are, each with the files: the most first.
    pub parts: Vec<Part>,
}

/// Files that are the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What they are.
    pub what: String,
    /// What to do about them; empty where the part before says the same.
    pub advice: String,
    /// Their names.
    pub files: Vec<String>,
}

/// Whether a refusal says that the file is no result, rather than a bad one or one that could be read.
fn folds(refusal: &Refusal) -> bool {
    let kind = matches!(refusal.kind, Cause::Foreign | Cause::Unknown | Cause::Empty);
    kind && !mappable(refusal)
}

/// Whether the file is a table of which at least one column looks like something that is measured.
fn mappable(refusal: &Refusal) -> bool {
    let offer = refusal.mapping.as_ref();
    offer.is_some_and(|offer| offer.columns.iter().any(|column| column.field.is_some()))
}

impl Tray {
    /// Sorts refusals.
    pub fn of(refusals: &[Refusal]) -> Self {
        let few = refusals.len() <= FEW;
        let (folded, mut told): (Vec<_>, Vec<_>) =
            refusals.iter().cloned().partition(|refusal| !few && folds(refusal));
        told.sort_by_key(mappable);
        let of = |cause| folded.iter().filter(move |refusal| refusal.kind == cause);
        let folds = [Cause::Unknown, Cause::Empty, Cause::Foreign]
            .into_iter()
            .filter(|cause| of(*cause).next().is_some())
            .map(|cause| Fold {
                cause,
                title: title(cause, of(cause).count()),
                parts: parts(of(cause)),
            })
            .collect();
        Self { told, folded: folds }
    }
}

fn title(cause: Cause, count: usize) -> String {
    match (cause, count) {
        (Cause::Foreign, 1) => "1 file is something else".to_owned(),
        (Cause::Foreign, n) => format!("{n} files are something else"),
        (Cause::Empty, 1) => "1 file holds no run".to_owned(),
        (Cause::Empty, n) => format!("{n} files hold no run"),
        (_, 1) => "1 file is of no known kind".to_owned(),
        (_, n) => format!("{n} files are of no known kind"),
    }
}

fn parts<'r>(refusals: impl Iterator<Item = &'r Refusal>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for refusal in refusals {
        // What was expected instead is the same for all, and long.
        let error = refusal.error.split_once(" Expected ").map_or(&*refusal.error, |(met, _)| met);
        let what = refusal.what.as_deref().unwrap_or(error);
        match parts.iter_mut().find(|part| part.what == what) {
            Some(part) => part.files.push(refusal.file.clone()),
            None => parts.push(Part {
                what: what.to_owned(),
                advice: refusal.advice.clone(),
                files: vec![refusal.file.clone()],
            }),
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.files.len()));
    let mut said = String::new();
    for part in &mut parts {
        if part.advice == said {
            part.advice.clear();
        } else {
            said.clone_from(&part.advice);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::{ColumnGuess, Confidence, Field, MappingOffer};

    fn refusal(file: &str, kind: Cause, what: Option<&str>) -> Refusal {
        Refusal {
            file: file.into(),
            kind,
            what: what.map(Into::into),
            error: "It begins with “x”. Expected a result of a tool.".into(),
            place: "whole file".into(),
            advice: "Do this.".into(),
            mapping: None,
        }
    }

    #[test]
    fn few_are_told_one_by_one() {
        let list = [refusal("a", Cause::Foreign, Some("a log")), refusal("b", Cause::Broken, None)];
        assert_eq!(Tray::of(&list), Tray { told: list.to_vec(), folded: Vec::new() });
    }

    #[test]
    fn of_many_the_damaged_stand_out_and_none_is_lost() {
        let mut list: Vec<Refusal> = (0..6)
            .map(|n| refusal(&format!("{n}.png"), Cause::Foreign, Some("a picture")))
            .collect();
        list.extend((0..9).map(|n| refusal(&format!("{n}.log"), Cause::Foreign, Some("a log"))));
        list.push(refusal("cut.json", Cause::Broken, None));
        list.push(refusal("odd.json", Cause::Unknown, None));
        list.push(refusal("empty.json", Cause::Empty, None));
        let tray = Tray::of(&list);
        assert_eq!(tray.told, [refusal("cut.json", Cause::Broken, None)]);
        let seen: Vec<_> = tray.folded.iter().map(|fold| fold.title.as_str()).collect();
        assert_eq!(
            seen,
            ["1 file is of no known kind", "1 file holds no run", "15 files are something else"]
        );
        let parts: Vec<_> =
            tray.folded[2].parts.iter().map(|p| (p.what.as_str(), p.files.len())).collect();
        assert_eq!(parts, [("a log", 9), ("a picture", 6)]);
        let advice: Vec<_> = tray.folded[2].parts.iter().map(|p| p.advice.as_str()).collect();
        assert_eq!(advice, ["Do this.", ""], "said once");
        let folded =
            tray.folded.iter().flat_map(|f| &f.parts).map(|p| p.files.len()).sum::<usize>();
        assert_eq!(tray.told.len() + folded, list.len());
    }

    #[test]
    fn damaged_results_stand_before_tables_that_wait_for_a_word() {
        let offer = |field| MappingOffer {
            columns: vec![ColumnGuess {
                column: "t".into(),
                field,
                unit: None,
                confidence: Confidence::None,
                samples: Vec::new(),
                because: String::new(),
            }],
        };
        let table = |file: &str, field| Refusal {
            mapping: Some(offer(field)),
            ..refusal(file, Cause::Unknown, None)
        };
        let mut list: Vec<_> = (0..9).map(|n| table(&format!("{n}.tsv"), None)).collect();
        list.push(table("times.csv", Some(Field::Ttft)));
        list.push(refusal("cut.json", Cause::Broken, None));
        let tray = Tray::of(&list);
        let told: Vec<_> = tray.told.iter().map(|refusal| refusal.file.as_str()).collect();
        assert_eq!(told, ["cut.json", "times.csv"]);
        assert_eq!(tray.folded[0].title, "9 files are of no known kind");
    }
}
