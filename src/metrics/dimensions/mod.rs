//! The catalogue of dimensions and choices, from which pickers, help, `docs/metrics.md` and the
//! report's appendix are read.
//!
//! In formulas: T time to first token, E end-to-end latency, n output tokens, m stream events,
//! c₁ tokens of the first event, p a share, N a number of samples. One file a group of dimensions.

mod clocks;
mod formulas;
mod goodput;
mod statistics;
mod time;
mod tokens;

use super::settings::{
    ClockStart, DecodeEnd, Duration, EmptyOutputs, End, FirstToken, GoodputMissing, GoodputRule,
    GoodputUnit, Itl, Percentile, Population, Settings, ShortOutputs, Spread, TokenCount, Tpot,
    UserSpeed, Weighting, Window, WindowEdge,
};

/// Which tool measures this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Tool and, where needed, its mode.
    pub tool: &'static str,
    /// Versions.
    pub since: &'static str,
    /// Where this can be read: a file of that project, or the key it prints.
    pub source: &'static str,
}

const fn usage(tool: &'static str, since: &'static str, source: &'static str) -> Usage {
    Usage { tool, since, source }
}

/// One choice in a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Stable id.
    pub id: &'static str,
    /// Short label for a button.
    pub label: &'static str,
    /// One or two plain lines.
    pub meaning: &'static str,
    /// The formula, empty where there is none.
    pub formula: &'static str,
    /// What a file must hold.
    pub needs: &'static str,
    /// What happens at the edges.
    pub edge_cases: &'static str,
    /// Which tools measure this way.
    pub used_by: &'static [Usage],
    /// The parameter behind a colon, with an example: `("C", "8")`.
    pub parameter: Option<(&'static str, &'static str)>,
    /// What that parameter must be, as the end of a sentence: “C is a whole number of requests”.
    pub takes: &'static str,
}

impl Choice {
    const fn new(id: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self {
            id,
            label,
            meaning,
            formula: "",
            needs: "",
            edge_cases: "",
            used_by: &[],
            parameter: None,
            takes: "",
        }
    }
    const fn formula(mut self, formula: &'static str) -> Self {
        self.formula = formula;
        self
    }
    // What follows is said by the docs and the command only: it stays out of the page's module.
    const fn needs(mut self, needs: &'static str) -> Self {
        self.needs = if cfg!(target_arch = "wasm32") { "" } else { needs };
        self
    }
    const fn edges(mut self, edge_cases: &'static str) -> Self {
        self.edge_cases = if cfg!(target_arch = "wasm32") { "" } else { edge_cases };
        self
    }
    const fn used_by(mut self, used_by: &'static [Usage]) -> Self {
        self.used_by = if cfg!(target_arch = "wasm32") { &[] } else { used_by };
        self
    }
    const fn parameter(
        mut self,
        name: &'static str,
        example: &'static str,
        takes: &'static str,
    ) -> Self {
        self.parameter = Some((name, example));
        self.takes = takes;
        self
    }

    /// How the choice is spelled: `linear`, `skip-first:C`.
    pub fn spelling(&self) -> String {
        self.parameter.map_or_else(|| self.id.to_owned(), |(name, _)| format!("{}:{name}", self.id))
    }

    /// A valid spelling with a real parameter: `skip-first:8`.
    pub fn example(&self) -> String {
        self.parameter
            .map_or_else(|| self.id.to_owned(), |(_, value)| format!("{}:{value}", self.id))
    }
}

/// One dimension of a definition set.
#[derive(Debug, Clone, Copy)]
pub struct Dimension {
    /// Stable id.
    pub id: &'static str,
    /// The question in people's words.
    pub label: &'static str,
    /// The choices, the plainest first.
    pub choices: &'static [Choice],
    read: fn(&Settings) -> String,
    write: fn(&mut Settings, &str) -> bool,
}

impl PartialEq for Dimension {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Dimension {
    /// The dimension with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        DIMENSIONS.iter().find(|d| d.id == id)
    }

    /// The choice with this id.
    pub fn choice(&self, id: &str) -> Option<&'static Choice> {
        self.choices.iter().find(|c| c.id == id)
    }

    pub(super) fn read(&self, settings: &Settings) -> String {
        (self.read)(settings)
    }

    pub(super) fn write(&self, settings: &mut Settings, choice: &str) -> bool {
        (self.write)(settings, choice)
    }
}

macro_rules! dimension {
    ($id:literal, $field:ident: $kind:ident, $label:literal, $choices:expr) => {
        Dimension {
            id: $id,
            label: $label,
            choices: $choices,
            read: |settings| settings.$field.id().to_owned(),
            write: |settings, choice| $kind::from_id(choice).map(|c| settings.$field = c).is_some(),
        }
    };
}

/// All dimensions, in the order in which people meet them.
pub static DIMENSIONS: &[Dimension] = &[
    dimension!("tpot", tpot: Tpot, "TPOT: what the decode time is divided by", formulas::TPOT),
    dimension!("itl", itl: Itl, "ITL: what one sample is", formulas::ITL),
    dimension!("clock-start", clock_start: ClockStart, "Clock starts at", clocks::CLOCK_START),
    dimension!("first-token", first_token: FirstToken, "First token is", clocks::FIRST_TOKEN),
    dimension!("end", end: End, "A request ends at", clocks::END),
    dimension!("decode-end", decode_end: DecodeEnd, "Decode time ends at", clocks::DECODE_END),
    dimension!("token-count", token_count: TokenCount, "Output tokens are counted by", tokens::TOKEN_COUNT),
    dimension!("short-outputs", short_outputs: ShortOutputs, "Replies of one token", tokens::SHORT_OUTPUTS),
    dimension!("empty-outputs", empty_outputs: EmptyOutputs, "Replies without a token", tokens::EMPTY_OUTPUTS),
    dimension!("population", population: Population, "Requests that count", statistics::POPULATION),
    dimension!("weighting", weighting: Weighting, "How much a sample weighs", statistics::WEIGHTING),
    dimension!("percentile", percentile: Percentile, "How a percentile is read off", statistics::PERCENTILE),
    dimension!("spread", spread: Spread, "Standard deviation divides by", statistics::SPREAD),
    Dimension {
        id: "window",
        label: "Stretch of the run",
        choices: time::WINDOW,
        read: |settings| settings.window.to_string(),
        write: |settings, choice| Window::parse(choice).map(|w| settings.window = w).is_some(),
    },
    dimension!("window-edge", window_edge: WindowEdge, "Requests across the window’s edge", time::WINDOW_EDGE),
    dimension!("duration", duration: Duration, "Throughput divides by", time::DURATION),
    dimension!("user-speed", user_speed: UserSpeed, "Speed seen by one user", formulas::USER_SPEED),
    dimension!("goodput-rule", goodput_rule: GoodputRule, "Goodput: a request is good if it meets", goodput::GOODPUT_RULE),
    dimension!("goodput-missing", goodput_missing: GoodputMissing, "Goodput: a request without the limited metric", goodput::GOODPUT_MISSING),
    Dimension {
        id: "goodput-unit",
        label: "Goodput is given as",
        choices: goodput::GOODPUT_UNIT,
        read: |settings| settings.goodput_unit.to_string(),
        write: |settings, choice| {
            GoodputUnit::parse(choice).map(|unit| settings.goodput_unit = unit).is_some()
        },
    },
];

const VLLM_SERVE: &str = "vllm/benchmarks/serve.py";
const VLLM_CLIENT: &str = "vllm/benchmarks/lib/endpoint_request_func.py";
const SGLANG_SERVE: &str = "python/sglang/bench_serving.py";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_every_choice_says_what_it_means() {
        for (at, dimension) in DIMENSIONS.iter().enumerate() {
            assert!(DIMENSIONS[at + 1..].iter().all(|d| d.id != dimension.id), "{}", dimension.id);
            for (at, choice) in dimension.choices.iter().enumerate() {
                assert!(dimension.choices[at + 1..].iter().all(|c| c.id != choice.id));
                assert!(choice.meaning.ends_with('.'), "{}: {}", choice.id, choice.meaning);
                assert!(choice.label.chars().count() <= 26, "{}", choice.label);
            }
        }
    }

    /// Choices whose sum is the tool's own, so that there is no formula to write down.
    const WITHOUT_FORMULA: [(&str, &str); 1] = [("itl", "as-recorded")];

    #[test]
    fn every_choice_says_its_formula_its_needs_its_edges_and_who_uses_it() {
        for dimension in DIMENSIONS {
            for choice in dimension.choices {
                let (id, name) = (dimension.id, choice.id);
                let bare = WITHOUT_FORMULA.contains(&(id, name));
                assert_eq!(choice.formula.is_empty(), bare, "{id} {name}: formula");
                assert!(!choice.needs.is_empty(), "{id} {name}: needs");
                assert!(choice.edge_cases.ends_with('.'), "{id} {name}: edge cases");
                for usage in choice.used_by {
                    assert!(
                        ![usage.tool, usage.since, usage.source].contains(&""),
                        "{id} {name}: {usage:?}"
                    );
                }
            }
        }
    }
}
