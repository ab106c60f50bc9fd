//! The sweeps as the reader can rearrange them: named, put together, and which run is of which.

use super::points::Curve;
use crate::model::{Run, RunId};
use crate::views::groups::RunGroup;
use crate::views::labels;
use crate::views::numbers::count;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One line of the chart with all its runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sweep {
    /// As the line is called.
    pub name: String,
    /// Palette index.
    pub style: usize,
    /// The reader's name for it, where the reader put it together.
    pub chosen: Option<String>,
    /// How many accelerators served it, where all its files say the same.
    pub gpus: Option<u32>,
    /// The same as the reader says, where a file does not.
    pub said_gpus: Option<u32>,
    /// Its runs in the order in which they came, also those that are not selected.
    pub runs: Vec<SweepRun>,
}

/// A run of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepRun {
    /// The run.
    pub id: RunId,
    /// Where it came among all runs: moved runs keep their place in a list.
    pub place: usize,
    /// "8 req/s Poisson".
    pub load: String,
    /// Its file without folders.
    pub file: String,
    /// Whether the reader took it out of every sweep.
    pub alone: bool,
}

/// What the reader does to the sweeps. Sweeps are named by their place in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Regroup {
    /// Gives a sweep another name.
    Rename {
        /// Which.
        sweep: usize,
        /// Its new name.
        name: String,
    },
    /// Puts all runs of one sweep into another.
    Merge {
        /// Which.
        sweep: usize,
        /// The one that stays.
        into: usize,
    },
    /// Puts a run into another sweep.
    Move {
        /// Which.
        run: RunId,
        /// The sweep.
        into: usize,
    },
    /// Takes a run out of its sweep: it stands alone.
    Out {
        /// Which.
        run: RunId,
    },
    /// Puts all runs back where they are found by themselves.
    Found,
}

/// The new groups of runs: a name, an empty one for a run that stands alone, nothing for a run that goes
/// back to where it is found by itself.
pub type Regrouped = BTreeMap<RunId, Option<String>>;

impl Regroup {
    /// What it did, as a sentence, with the new groups; nothing where it changes nothing.
    pub fn of(&self, sweeps: &[Sweep]) -> Option<(String, Regrouped)> {
        let all = |sweep: &Sweep, name: &str| -> Regrouped {
            sweep.runs.iter().map(|run| (run.id.clone(), Some(name.to_owned()))).collect()
        };
        match self {
            Self::Rename { sweep: at, name } => {
                let (sweep, name) = (sweeps.get(*at)?, name.trim());
                if name.is_empty() || name == sweep.name {
                    return None;
                }
                let name = unused(name, sweeps, *at);
                Some((format!("Sweep “{}” is now “{name}”", sweep.name), all(sweep, &name)))
            }
            Self::Merge { sweep: at, into } => {
                let (sweep, other) = (sweeps.get(*at)?, sweeps.get(*into)?);
                if at == into {
                    return None;
                }
                let name = key(sweeps, *into)?;
                let mut groups = all(other, &name);
                groups.extend(all(sweep, &name));
                let said = format!(
                    "“{}” put into “{}”: {}",
                    sweep.name,
                    other.name,
                    count(groups.len(), "run")
                );
                Some((said, groups))
            }
            Self::Move { run, into } => {
                let (from, other) = (holding(sweeps, run)?, sweeps.get(*into)?);
                if std::ptr::eq(from, other) {
                    return None;
                }
                let name = key(sweeps, *into)?;
                let mut groups = all(other, &name);
                groups.insert(run.clone(), Some(name));
                let load = &from.runs.iter().find(|of| of.id == *run)?.load;
                Some((format!("{load} moved from “{}” to “{}”", from.name, other.name), groups))
            }
            Self::Out { run } => {
                let from = holding(sweeps, run)?;
                let load = &from.runs.iter().find(|of| of.id == *run)?.load;
                let said = format!("{load} taken out of “{}”", from.name);
                (from.runs.len() > 1).then(|| (said, [(run.clone(), Some(String::new()))].into()))
            }
            Self::Found => {
                let chosen = |sweep: &&Sweep| {
                    sweep.chosen.is_some() || sweep.runs.iter().any(|run| run.alone)
                };
                let runs = sweeps.iter().filter(chosen).flat_map(|sweep| &sweep.runs);
                let groups: Regrouped = runs.map(|run| (run.id.clone(), None)).collect();
                let said =
                    format!("{} back in the sweeps that were found", count(groups.len(), "run"));
                (!groups.is_empty()).then_some((said, groups))
            }
        }
    }
}

fn holding<'s>(sweeps: &'s [Sweep], run: &RunId) -> Option<&'s Sweep> {
    sweeps.iter().find(|sweep| sweep.runs.iter().any(|of| of.id == *run))
}

/// The name under which runs are of this sweep: its own, or the one that its line has.
fn key(sweeps: &[Sweep], at: usize) -> Option<String> {
    let sweep = sweeps.get(at)?;
    Some(sweep.chosen.clone().unwrap_or_else(|| unused(&sweep.name, sweeps, at)))
}

/// The name, with a number behind it where the reader called another sweep so: runs of one name are one sweep.
fn unused(name: &str, sweeps: &[Sweep], but: usize) -> String {
    let taken = |name: &str| {
        let mut others = sweeps.iter().enumerate().filter(|(at, _)| *at != but);
        others.any(|(_, sweep)| sweep.chosen.as_deref() == Some(name))
    };
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_else(|| name.to_owned())
}

/// The drawn sweeps with all their runs.
pub(super) fn sweeps(all: &[&Run], groups: &[RunGroup], curves: &[Curve<'_>]) -> Vec<Sweep> {
    let of = |curve: &Curve<'_>| {
        let group = groups.get(curve.style)?;
        let mut members = group.members.clone();
        members.sort_unstable();
        let runs = || members.iter().filter_map(|place| all.get(*place));
        let first = runs().next()?.load.gpus;
        let run = |place: usize| {
            let run = all.get(place)?;
            let file = run.provenance.file.rsplit('/').next().unwrap_or_default();
            Some(SweepRun {
                id: run.id.clone(),
                place,
                load: labels::load(&run.load).replace(" Poisson", ""),
                file: file.to_owned(),
                alone: run.group.as_deref() == Some(""),
            })
        };
        Some(Sweep {
            name: curve.name.clone(),
            style: curve.style,
            chosen: group.chosen.clone(),
            gpus: first.filter(|_| runs().all(|run| run.load.gpus == first)),
            said_gpus: runs().find_map(|run| run.said_gpus),
            runs: members.iter().copied().filter_map(run).collect(),
        })
    };
    curves.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RequestRate;
    use crate::views::Context;
    use crate::views::curves::{CurveAxes, curves};
    use crate::views::groups::tests::run;

    /// Two sweeps of three loads, in folders of their own.
    fn runs() -> Vec<Run> {
        let load = |folder: &str, rate: f64| {
            run(&format!("{folder}/rate{rate}.json"), RequestRate::PerSecond(rate), 32.0)
        };
        ["a", "b"]
            .iter()
            .flat_map(|folder| [4.0, 8.0, 16.0].map(|rate| load(folder, rate)))
            .collect()
    }

    fn seen(runs: &[Run]) -> Vec<Sweep> {
        let runs: Vec<&Run> = runs.iter().collect();
        curves(&runs, &Context::default(), CurveAxes::default()).sweeps
    }

    /// Carries out what the reader does, and gives the names of the sweeps with the number of their runs.
    fn done(runs: &mut [Run], what: &Regroup) -> (String, Vec<(String, usize)>) {
        let (said, groups) = what.of(&seen(runs)).unwrap();
        for (id, group) in groups {
            runs.iter_mut().find(|run| run.id == id).unwrap().group = group;
        }
        (said, seen(runs).into_iter().map(|sweep| (sweep.name, sweep.runs.len())).collect())
    }

    #[test]
    fn sweeps_are_renamed_merged_and_found_again() {
        let mut runs = runs();
        let before = seen(&runs);
        let names: Vec<&str> = before.iter().map(|sweep| sweep.name.as_str()).collect();
        assert_eq!(names, ["vLLM a", "vLLM b"]);
        let (said, now) = done(&mut runs, &Regroup::Rename { sweep: 0, name: " tp 4 ".to_owned() });
        assert_eq!(said, "Sweep “vLLM a” is now “tp 4”");
        assert_eq!(now, [("tp 4".to_owned(), 3), ("vLLM".to_owned(), 3)]);
        let (said, now) = done(&mut runs, &Regroup::Merge { sweep: 1, into: 0 });
        assert_eq!(said, "“vLLM” put into “tp 4”: 6 runs");
        assert_eq!(now, [("tp 4".to_owned(), 6)]);
        let (said, _) = done(&mut runs, &Regroup::Found);
        assert_eq!(said, "6 runs back in the sweeps that were found");
        assert_eq!(seen(&runs), before);
        assert_eq!(Regroup::Found.of(&seen(&runs)), None, "nothing was chosen");
    }

    #[test]
    fn a_run_goes_to_another_sweep_or_stands_alone() {
        let mut runs = runs();
        let moved = runs[2].id.clone();
        let (said, now) = done(&mut runs, &Regroup::Move { run: moved.clone(), into: 1 });
        assert_eq!(said, "16 req/s moved from “vLLM a” to “vLLM b”");
        assert_eq!(now, [("vLLM".to_owned(), 2), ("vLLM b".to_owned(), 4)]);
        let (said, now) = done(&mut runs, &Regroup::Out { run: moved.clone() });
        assert_eq!(said, "16 req/s taken out of “vLLM b”");
        assert_eq!(now.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [2, 1, 3]);
        assert_eq!(Regroup::Out { run: moved }.of(&seen(&runs)), None, "it stands alone already");
    }

    #[test]
    fn two_sweeps_of_one_name_stay_two() {
        let mut runs = runs();
        done(&mut runs, &Regroup::Rename { sweep: 0, name: "mine".to_owned() });
        let (said, now) = done(&mut runs, &Regroup::Rename { sweep: 1, name: "mine".to_owned() });
        assert_eq!(said, "Sweep “vLLM” is now “mine 2”");
        assert_eq!(now, [("mine".to_owned(), 3), ("mine 2".to_owned(), 3)]);
        for nothing in ["", "  ", "mine"] {
            let rename = Regroup::Rename { sweep: 0, name: nothing.to_owned() };
            assert_eq!(rename.of(&seen(&runs)), None, "{nothing:?}");
        }
    }
}
