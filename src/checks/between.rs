//! What keeps runs from being compared, whatever their numbers say.

use super::lengths_asked::nominal_input;
use super::prompt_echoed::PromptEchoed;
use super::words::{percent, whole};
use super::{Check, Subject};
use crate::metrics::{load_kind, settings::Itl};
use crate::model::{Metric, Run, RunId};
use crate::notice::Severity;
use crate::units::significant;

/// Mean lengths may differ by this much.
const LENGTHS: f64 = 0.05;

/// Something in which runs differ that a comparison of them takes as equal.
#[derive(Debug, Clone, PartialEq)]
pub struct Between {
    /// Stable id, such as `different-models`.
    pub id: &'static str,
    /// What was found, as a heading.
    pub name: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What differs, with the values.
    pub text: String,
    /// The runs concerned.
    pub runs: Vec<RunId>,
    /// The metrics that it falsifies when compared; empty for all.
    pub touches: Vec<Metric>,
}

/// One question to several runs.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// Stable id, such as `different-models`.
    pub id: &'static str,
    /// What was found, as a heading.
    pub name: &'static str,
    /// The rule with its thresholds, as a clause.
    pub rule: &'static str,
    /// Where such a fault was seen in public.
    pub source: &'static str,
    ask: fn(&[Subject<'_>]) -> Option<Answer>,
}

struct Answer {
    severity: Severity,
    text: String,
    runs: Vec<RunId>,
    touches: Vec<Metric>,
}

/// All questions, in the order in which they are listed.
pub static QUESTIONS: &[Question] = &[
    Question {
        id: "different-models",
        name: "Different models",
        rule: "the runs name more than one model",
        source: "vllm-project/vllm PR 23047 and PR 18444",
        ask: models,
    },
    Question {
        id: "different-hardware",
        name: "Different hardware",
        rule: "the runs name more than one kind or number of accelerators",
        source: "vllm-project/vllm PR 23047",
        ask: hardware,
    },
    Question {
        id: "scripted-server",
        name: "A scripted server among others",
        rule: "some runs measured a scripted server and others did not",
        source: "rule of measurement: a script says nothing about an engine",
        ask: scripted,
    },
    Question {
        id: "offline-and-serving",
        name: "Engine alone and server",
        rule: "some runs called an engine without a server",
        source: "rule of measurement: no queue, no network",
        ask: offline,
    },
    Question {
        id: "different-input-lengths",
        name: "Prompt lengths differ",
        rule: "measured mean input tokens differ by more than 5 %",
        source: "sgl-project/sglang issue 7253; tenstorrent/tt-inference-server issues 190, 213 and 4127",
        ask: inputs,
    },
    Question {
        id: "different-output-lengths",
        name: "Reply lengths differ",
        rule: "measured mean output tokens differ by more than 5 %",
        source: "kubernetes-sigs/inference-perf PR 83; vllm-project/vllm issue 16411; \
                 NVIDIA/TensorRT-LLM PR 17249",
        ask: outputs,
    },
    Question {
        id: "prompt-echoed-by-some",
        name: "Some outputs hold the prompt",
        rule: "the mean output of some runs is prompt and request together",
        source: "triton-inference-server/client issue 779",
        ask: echo,
    },
    Question {
        id: "different-loads",
        name: "Different kinds of load",
        rule: "some runs were sent at a rate, others with a fixed number in flight, and so on",
        source: "vllm-project/vllm issue 54101",
        ask: loads,
    },
    Question {
        id: "different-datasets",
        name: "Different datasets",
        rule: "the runs name more than one dataset",
        source: "vllm-project/vllm PR 23047",
        ask: datasets,
    },
    Question {
        id: "warm-cache",
        name: "The cache may be warm",
        rule: "runs of one model have the same seed and the same dataset, and different dates",
        source: "vllm-project/vllm issues 54227 and 52884, PR 53920",
        ask: cache,
    },
    Question {
        id: "different-itl",
        name: "ITL per token and per chunk",
        rule: "under their own definitions some runs take one ITL sample a token, others one an event or a \
               request",
        source: "sgl-project/sglang bench_serving; vllm-project/vllm issues 14021 and 18136; \
                 sgl-project/sglang issue 1639",
        ask: itl,
    },
];

/// What keeps these runs from being compared; nothing of one run.
pub fn between(runs: &[&Run]) -> Vec<Between> {
    if runs.len() < 2 {
        return Vec::new();
    }
    let subjects: Vec<Subject<'_>> = runs.iter().map(|run| Subject::new(run)).collect();
    let found = QUESTIONS.iter().filter_map(|question| {
        let Answer { severity, text, runs, touches } = (question.ask)(&subjects)?;
        Some(Between { id: question.id, name: question.name, severity, text, runs, touches })
    });
    found.collect()
}

/// Values with the runs that have them, in the order in which they were met. Runs without are left out.
fn by_value<'s, 'r>(
    subjects: &'s [Subject<'r>],
    value: impl Fn(&Subject<'r>) -> Option<String>,
) -> Vec<(String, Vec<&'s Subject<'r>>)> {
    let mut found: Vec<(String, Vec<&Subject<'_>>)> = Vec::new();
    for subject in subjects {
        let Some(value) = value(subject) else { continue };
        match found.iter_mut().find(|(known, _)| *known == value) {
            Some((_, runs)) => runs.push(subject),
            None => found.push((value, vec![subject])),
        }
    }
    found
}

/// "a (2 runs), b (1 run)".
fn listed(values: &[(String, Vec<&Subject<'_>>)]) -> String {
    let one = |(value, runs): &(String, Vec<&Subject<'_>>)| {
        format!("{value} ({})", super::words::counted(runs.len(), "run", "runs"))
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn ids(values: &[(String, Vec<&Subject<'_>>)]) -> Vec<RunId> {
    values.iter().flat_map(|(_, runs)| runs.iter().map(|s| s.run.id.clone())).collect()
}

/// A finding where a value differs.
fn differs<'r>(
    subjects: &[Subject<'r>],
    severity: Severity,
    what: &str,
    touches: &[Metric],
    value: impl Fn(&Subject<'r>) -> Option<String>,
) -> Option<Answer> {
    let values = by_value(subjects, value);
    (values.len() > 1).then(|| Answer {
        severity,
        text: format!("{what}: {}.", listed(&values)),
        runs: ids(&values),
        touches: touches.to_vec(),
    })
}

fn models(subjects: &[Subject<'_>]) -> Option<Answer> {
    differs(subjects, Severity::Block, "Different models", &[], |s| s.run.workload.model.clone())
}

fn hardware(subjects: &[Subject<'_>]) -> Option<Answer> {
    const NAMES: [&str; 6] = ["hw", "hardware", "gpu", "gpu_type", "gpu_name", "accelerator"];
    differs(subjects, Severity::Warn, "Different hardware", &[], |s| {
        let name = s.setting(&NAMES).map(str::to_owned);
        let count = s.run.load.gpus.map(|n| super::words::counted(n as usize, "GPU", "GPUs"));
        match (name, count) {
            (None, None) => None,
            (name, count) => Some(name.into_iter().chain(count).collect::<Vec<_>>().join(", ")),
        }
    })
}

fn scripted(subjects: &[Subject<'_>]) -> Option<Answer> {
    differs(subjects, Severity::Block, "Not one kind of server", &[], |s| {
        Some(if s.run.scripted { "a scripted server" } else { "a server or engine" }.to_owned())
    })
}

fn offline(subjects: &[Subject<'_>]) -> Option<Answer> {
    let touches = [Metric::Ttft, Metric::E2e, Metric::RequestThroughput, Metric::OutputThroughput];
    differs(subjects, Severity::Warn, "Not one way of calling", &touches, |s| {
        Some(if s.run.is_offline() { "an engine alone" } else { "a server" }.to_owned())
    })
}

fn inputs(subjects: &[Subject<'_>]) -> Option<Answer> {
    let touches = [Metric::Ttft, Metric::E2e, Metric::InputThroughput, Metric::TotalThroughput];
    let mut answer = lengths(subjects, Metric::InputTokens, "prompt", &touches)?;
    let nominal = by_value(subjects, |s| nominal_input(s).map(whole));
    if let [(asked, runs)] = nominal.as_slice()
        && runs.len() == subjects.len()
    {
        answer.text = format!(
            "{} All ask for {asked}: a nominal length is a label, the server’s count is the length.",
            answer.text
        );
    }
    Some(answer)
}

fn outputs(subjects: &[Subject<'_>]) -> Option<Answer> {
    let touches = [
        Metric::E2e,
        Metric::RequestThroughput,
        Metric::OutputThroughput,
        Metric::TotalThroughput,
        Metric::MeanConcurrency,
        Metric::Goodput,
    ];
    let mut answer = lengths(subjects, Metric::OutputTokens, "reply", &touches)?;
    answer.text.push_str(" Compare TTFT and time per token instead.");
    Some(answer)
}

fn lengths(
    subjects: &[Subject<'_>],
    metric: Metric,
    what: &str,
    touches: &[Metric],
) -> Option<Answer> {
    let mut known: Vec<(f64, &Subject<'_>)> =
        subjects.iter().filter_map(|s| Some((s.mean_tokens(metric)?, s))).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((least, short), (most, long)) = (known.first()?, known.last()?);
    if most - least <= LENGTHS * most {
        return None;
    }
    let text = format!(
        "Mean {what} lengths differ by {}: {} tokens ({}) to {} ({}).",
        percent(most / least - 1.0),
        significant(*least, 4),
        short.run.name,
        significant(*most, 4),
        long.run.name
    );
    let runs = known.iter().map(|(_, s)| s.run.id.clone()).collect();
    Some(Answer { severity: Severity::Warn, text, runs, touches: touches.to_vec() })
}

fn echo(subjects: &[Subject<'_>]) -> Option<Answer> {
    let echoes = |s: &&Subject<'_>| matches!(PromptEchoed.find(s), Ok(Some(_)));
    let found: Vec<&Subject<'_>> = subjects.iter().filter(echoes).collect();
    if found.is_empty() || found.len() == subjects.len() {
        return None;
    }
    let names: Vec<&str> = found.iter().map(|s| s.run.name.as_str()).collect();
    Some(Answer {
        severity: Severity::Block,
        text: format!(
            "The output of {} holds the prompt, that of the others does not: its output rates win by the \
             length of the prompt.",
            names.join(", ")
        ),
        runs: found.iter().map(|s| s.run.id.clone()).collect(),
        touches: vec![Metric::OutputThroughput, Metric::OutputTokens, Metric::Tpot],
    })
}

fn loads(subjects: &[Subject<'_>]) -> Option<Answer> {
    let touches = [Metric::Ttft, Metric::E2e, Metric::RequestThroughput, Metric::SloShare];
    let kind = |s: &Subject<'_>| load_kind(s.run).map(str::to_owned);
    let mut answer = differs(subjects, Severity::Warn, "Different kinds of load", &touches, kind)?;
    answer.text.push_str(
        " Where the number in flight is fixed the client waits for the server: such a run and one at a rate \
         don’t belong on one axis.",
    );
    Some(answer)
}

fn datasets(subjects: &[Subject<'_>]) -> Option<Answer> {
    differs(subjects, Severity::Warn, "Different datasets", &[], |s| s.run.workload.dataset.clone())
}

fn cache(subjects: &[Subject<'_>]) -> Option<Answer> {
    let key = |s: &Subject<'_>| {
        let seed = s.setting(&["seed", "random_seed", "random-seed"])?;
        let data = s.run.workload.dataset.clone().or_else(|| {
            s.setting(&["dataset_name", "dataset_path", "dataset"]).map(str::to_owned)
        })?;
        s.run.workload.date.as_ref()?;
        Some(format!("seed {seed}, {data}, {}", s.run.workload.model.as_deref().unwrap_or("")))
    };
    let groups = by_value(subjects, key);
    let mut warm: Vec<RunId> = Vec::new();
    let mut named = Vec::new();
    for (_, runs) in &groups {
        let mut dated: Vec<(&str, &Subject<'_>)> =
            runs.iter().filter_map(|s| Some((s.run.workload.date.as_deref()?, *s))).collect();
        dated.sort_by_key(|(date, _)| *date);
        let Some((first, _)) = dated.first().copied() else { continue };
        for (_, later) in dated.iter().filter(|(date, _)| *date > first) {
            warm.push(later.run.id.clone());
            named.push(later.run.name.as_str());
        }
    }
    if warm.is_empty() {
        return None;
    }
    Some(Answer {
        severity: Severity::Warn,
        text: format!(
            "The cache may be warm: {} replayed the prompts of an earlier run, with the same seed and the \
             same dataset. With a prefix cache TTFT is then too short and throughput too high.",
            named.join(", ")
        ),
        runs: warm,
        touches: vec![Metric::Ttft, Metric::E2e, Metric::OutputThroughput, Metric::InputThroughput],
    })
}

fn itl(subjects: &[Subject<'_>]) -> Option<Answer> {
    let per = |s: &Subject<'_>| {
        let reports = s.run.reported.values.iter().any(|v| v.metric == Metric::Itl);
        let gaps = s.run.requests.as_ref().is_some_and(|r| !r.gaps.is_absent());
        (reports || gaps).then(|| {
            match s.own.itl {
                Itl::TokenSpread | Itl::TokenZeros => "per token",
                Itl::EventGap => "per chunk",
                Itl::RequestMean | Itl::WholeOverEvents | Itl::AsRecorded => "per request",
            }
            .to_owned()
        })
    };
    let mut answer = differs(
        subjects,
        Severity::Warn,
        "ITL is not one thing in these runs",
        &[Metric::Itl],
        per,
    )?;
    answer.text.push_str(
        " Don’t rank them by the ITL that they print; compare TPOT, or one ruler for all.",
    );
    Some(answer)
}
