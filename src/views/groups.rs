//! Which runs belong together: the loads of one sweep.

use crate::model::{Metric, RequestRate, Run};

/// Runs that belong together, or one run alone.
#[derive(Debug, Clone, PartialEq)]
pub struct RunGroup {
    /// Indices into the runs given, sorted by load in a sweep.
    pub members: Vec<usize>,
    /// What was varied, if this is a sweep.
    pub varied: Option<Varied>,
}

/// What a sweep varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varied {
    /// The request rate asked for.
    Rate,
    /// The most requests in flight that the client allowed.
    Concurrency,
}

/// Puts runs into groups, in the order in which the first of each came.
///
/// Two runs are loads of one sweep when tool, version, model, endpoint, dataset, folder and words in
/// the settings agree, mean lengths are within 15 %, and the loads differ. Digits inside settings are
/// not compared, since people number their points (`rate04`, `point=4`).
pub fn groups(runs: &[&Run]) -> Vec<RunGroup> {
    let mut families: Vec<(Family, Vec<usize>)> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let family = Family::of(run);
        match families.iter_mut().find(|(other, _)| other.accepts(&family)) {
            Some((_, members)) => members.push(at),
            None => families.push((family, vec![at])),
        }
    }
    families
        .into_iter()
        .flat_map(|(_, members)| by_knob(runs, members))
        .flat_map(|members| split(runs, members))
        .collect()
}

/// Parts a sweep of rates from a sweep of caps under an unlimited rate: one line through both would
/// go to and fro. A single unlimited run is the end of the sweep of rates.
fn by_knob(runs: &[&Run], members: Vec<usize>) -> Vec<Vec<usize>> {
    let capped = |at: &usize| {
        runs.get(*at).is_some_and(|run| {
            run.load.request_rate == Some(RequestRate::Unlimited)
                && run.load.max_concurrency.is_some()
        })
    };
    let (caps, rates): (Vec<usize>, Vec<usize>) = members.iter().partition(|at| capped(at));
    if caps.len() < 2 || rates.len() < 2 { vec![members] } else { vec![rates, caps] }
}

/// A family in which no load differs is no sweep: its members stand alone.
fn split(runs: &[&Run], mut members: Vec<usize>) -> Vec<RunGroup> {
    let load = |at: usize, varied: Varied| runs.get(at).and_then(|run| varied.load(run));
    let distinct = |varied: Varied| {
        let mut loads: Vec<f64> = members.iter().filter_map(|at| load(*at, varied)).collect();
        loads.sort_by(f64::total_cmp);
        loads.dedup();
        loads.len()
    };
    let varied = [Varied::Rate, Varied::Concurrency].into_iter().find(|v| distinct(*v) >= 2);
    match varied {
        Some(varied) => {
            members.sort_by(|a, b| {
                let key = |at: &usize| load(*at, varied).unwrap_or(f64::INFINITY);
                key(a).total_cmp(&key(b))
            });
            vec![RunGroup { members, varied: Some(varied) }]
        }
        None => {
            members.into_iter().map(|at| RunGroup { members: vec![at], varied: None }).collect()
        }
    }
}

impl Varied {
    /// The load of a run on this axis; an unlimited rate counts as infinite.
    pub fn load(self, run: &Run) -> Option<f64> {
        match self {
            Self::Rate => match run.load.request_rate? {
                RequestRate::PerSecond(rate) => Some(rate),
                RequestRate::Unlimited => Some(f64::INFINITY),
                RequestRate::Trace => None,
            },
            Self::Concurrency => run.load.max_concurrency.map(|c| c as f64),
        }
    }

    /// The unit of the load.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Rate => "req/s",
            Self::Concurrency => "in flight",
        }
    }
}

struct Family {
    words: Vec<String>,
    lengths: [Option<f64>; 2],
}

impl Family {
    fn of(run: &Run) -> Self {
        let folder = run.provenance.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let workload = &run.workload;
        let mut words = vec![
            run.tool.id().to_owned(),
            folder.to_owned(),
            format!("{:?}", run.version.exact),
            format!("{:?}", run.version.guess),
            format!("{:?}", workload.model),
            format!("{:?}", workload.endpoint),
            format!("{:?}", workload.backend),
            format!("{:?}", workload.dataset),
        ];
        words.extend(workload.settings.iter().filter_map(|(name, value)| {
            let letters: String = value.chars().filter(|c| c.is_alphabetic()).collect();
            (!letters.is_empty()).then(|| format!("{name}={letters}"))
        }));
        Self { words, lengths: mean_lengths(run) }
    }

    fn accepts(&self, other: &Self) -> bool {
        let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 0.15 * a.max(*b),
            _ => true,
        };
        self.words == other.words && self.lengths.iter().zip(&other.lengths).all(near)
    }
}

/// Mean input and output tokens a finished request, from the printed totals.
fn mean_lengths(run: &Run) -> [Option<f64>; 2] {
    let finished = run.reported.value(Metric::Completed).filter(|n| *n > 0.0);
    [Metric::TotalInputTokens, Metric::TotalOutputTokens]
        .map(|total| Some(run.reported.value(total)? / finished?))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::{
        Digest, Load, Provenance, Reported, ReportedValue, RunId, Stat, Tool, ToolVersion, Workload,
    };
    use crate::notice::Notices;

    /// A run with a load and mean lengths, for tests of views.
    pub(in crate::views) fn run(file: &str, rate: RequestRate, output: f64) -> Run {
        let sha256 = Digest::of(format!("{file}{rate:?}").as_bytes());
        let value = |metric: Metric, value: f64| ReportedValue {
            field: metric.id().into(),
            metric,
            stat: Stat::Value,
            value,
            scale: 1.0,
        };
        Run {
            id: RunId::of(&sha256, 0),
            name: "vLLM".into(),
            tool: Tool::Vllm,
            version: ToolVersion::default(),
            scripted: false,
            load: Load { request_rate: Some(rate), ..Load::default() },
            workload: Workload {
                model: Some("m".into()),
                settings: vec![("tag".into(), format!("{rate:?}").replace("Unlimited", ""))],
                ..Workload::default()
            },
            requests: None,
            group: None,
            reported: Reported {
                values: vec![
                    value(Metric::Completed, 10.0),
                    value(Metric::TotalInputTokens, 640.0),
                    value(Metric::TotalOutputTokens, output * 10.0),
                ],
                further: Vec::new(),
                limits: None,
            },
            provenance: Provenance {
                file: file.into(),
                bytes: 1,
                sha256,
                index: 0,
                of: 1,
                format: "vllm-bench".into(),
                because: String::new(),
                part: crate::model::Part::Whole,
                kin: None,
                stem: None,
                joined: Vec::new(),
                notices: Notices::new(),
            },
        }
    }

    #[test]
    fn a_sweep_of_caps_is_not_joined_to_a_sweep_of_rates() {
        let plain = |file: String, rate| {
            let mut run = run(&file, rate, 32.0);
            run.workload.settings.clear();
            run
        };
        let capped = |cap| {
            let mut run = plain(format!("a/cap{cap}.json"), RequestRate::Unlimited);
            run.load.max_concurrency = Some(cap);
            run
        };
        let rated = |rate: f64| plain(format!("a/rate{rate}.json"), RequestRate::PerSecond(rate));
        let runs = [rated(8.0), capped(16), rated(4.0), capped(2)];
        let found = groups(&runs.iter().collect::<Vec<_>>());
        let members: Vec<_> = found.iter().map(|g| (g.members.clone(), g.varied)).collect();
        assert_eq!(
            members,
            [(vec![2, 0], Some(Varied::Rate)), (vec![3, 1], Some(Varied::Concurrency)),]
        );
        let end = [rated(8.0), rated(4.0), capped(16)];
        let found = groups(&end.iter().collect::<Vec<_>>());
        assert_eq!(found.len(), 1, "one unlimited run ends the sweep of rates");
    }

    #[test]
    fn loads_of_one_sweep_are_one_group_sorted_by_load() {
        let runs = [
            run("a/rate16.json", RequestRate::PerSecond(16.0), 32.0),
            run("a/rate04.json", RequestRate::PerSecond(4.0), 31.0),
            run("b/run.json", RequestRate::PerSecond(8.0), 32.0),
            run("a/run.json", RequestRate::PerSecond(8.0), 48.0),
        ];
        let found = groups(&runs.iter().collect::<Vec<_>>());
        let members: Vec<_> = found.iter().map(|g| g.members.clone()).collect();
        assert_eq!(members, [vec![1, 0], vec![2], vec![3]]);
        assert_eq!(found[0].varied, Some(Varied::Rate));
        assert_eq!(found[1].varied, None);
    }

    #[test]
    fn repeats_of_one_load_are_not_a_sweep() {
        let runs = [
            run("a/1.json", RequestRate::PerSecond(8.0), 32.0),
            run("a/2.json", RequestRate::PerSecond(8.0), 32.0),
        ];
        assert_eq!(groups(&runs.iter().collect::<Vec<_>>()).len(), 2);
    }
}
