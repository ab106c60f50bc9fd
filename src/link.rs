//! The address fragment: everything that restores a view, readable, versioned; with data only where that was
//! asked for ([`inside`]).
//!
//! `#v1/compare?runs=3fa9c1d2e4b0,07b8da36c52a&def=common&set=tpot:whole-over-n&slo=ttft:110`.
//! Runs are named by a hash of their content, so a colleague with the same files sees the same view.
//! Only what departs from the default is written.

mod distributions;
mod explain;
mod goodput;
mod groups;
pub mod inside;
mod marks;
mod requests;

use crate::model::{Limit, Metric, RunId, Stat};
use crate::views::curves::{Across, CurveAxes, LoadAxis, QueueModel};
use crate::views::distributions::DistributionsAsk;
use crate::views::explain::ExplainAsk;
use crate::views::goodput::GoodputAsk;
use crate::views::requests::RequestsAsk;
use crate::views::{Context, Ruler};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A screen of the app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Screen {
    /// What is loaded. The first screen; with nothing loaded it is the drop page.
    #[default]
    Library,
    /// Metrics by run.
    Compare,
    /// Latency against load.
    Curves,
    /// What limits let through.
    Goodput,
    /// Every sample of one metric.
    Distributions,
    /// A run request by request.
    Requests,
    /// From one number to another, one definition at a time.
    Explain,
    /// What servers said of themselves.
    Server,
    /// What the checks found.
    Quality,
    /// The report.
    Report,
}

impl Screen {
    /// All screens in the order of the rail.
    pub const ALL: [Self; 10] = [
        Self::Library,
        Self::Compare,
        Self::Curves,
        Self::Goodput,
        Self::Distributions,
        Self::Requests,
        Self::Explain,
        Self::Server,
        Self::Quality,
        Self::Report,
    ];

    /// The word in the address.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::Compare => "compare",
            Self::Curves => "curves",
            Self::Goodput => "goodput",
            Self::Distributions => "distributions",
            Self::Requests => "requests",
            Self::Explain => "explain",
            Self::Server => "server",
            Self::Quality => "quality",
            Self::Report => "report",
        }
    }
}

/// A sheet that lies over a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sheet {
    /// The Definitions sheet.
    Definitions,
    /// The limits of the SLO.
    Limits,
    /// The window.
    Window,
    /// A number that somebody saw, and whose it is. What was typed is no part of a link.
    Number,
    /// One run at length.
    Run(RunId),
}

/// What the address says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Link {
    /// The screen.
    pub screen: Screen,
    /// Runs, ruler, limits, statistic.
    pub context: Context,
    /// The groups that the reader put runs into.
    pub groups: BTreeMap<RunId, String>,
    /// How many accelerators served runs, as the reader says.
    pub gpus: BTreeMap<RunId, u32>,
    /// Palette index of each selected run, where it is known.
    pub marks: BTreeMap<RunId, u8>,
    /// Axes of the curve.
    pub axes: CurveAxes,
    /// What the Goodput screen shows.
    pub goodput: GoodputAsk,
    /// What the Distributions screen shows.
    pub distributions: DistributionsAsk,
    /// The two numbers that are explained.
    pub explain: ExplainAsk,
    /// What is shown of the requests of a run.
    pub requests: RequestsAsk,
    /// The open sheet.
    pub sheet: Option<Sheet>,
}

/// Why an address can't be followed.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkError {
    /// A newer version wrote it, or it is no link of ours.
    #[error("This link was not made by this version of Same Ruler: it should start with “v1/”.")]
    Version,
    /// A part has a value that means nothing.
    #[error("The part “{part}” of this link is not understood: “{value}”.")]
    Part {
        /// Name of the part.
        part: &'static str,
        /// What it holds.
        value: String,
    },
}

impl Link {
    /// The fragment without its `#`.
    pub fn encode(&self) -> String {
        let mut parts: Vec<(&str, String)> = Vec::new();
        let context = &self.context;
        let plain = Context::default();
        if !context.runs.is_empty() {
            let ids: Vec<_> = context.runs.iter().map(RunId::as_str).collect();
            parts.push(("runs", ids.join(",")));
        }
        if let Some(baseline) = &context.baseline {
            parts.push(("base", baseline.as_str().to_owned()));
        }
        match &context.ruler {
            Ruler::Own => parts.push(("def", "own".into())),
            Ruler::Same { preset, changes } => {
                if preset != "common" {
                    parts.push(("def", preset.clone()));
                }
                if !changes.is_empty() {
                    let pairs: Vec<_> = changes.iter().map(|(d, c)| format!("{d}:{c}")).collect();
                    parts.push(("set", pairs.join(",")));
                }
            }
        }
        if !context.limits.is_empty() {
            let limits: Vec<_> = context
                .limits
                .iter()
                .map(|limit| match limit.constant() {
                    Some(millis) => format!("{}:{millis}", limit.metric),
                    None => format!("{}:{}", limit.metric, limit.bound()),
                })
                .collect();
            parts.push(("slo", limits.join(",")));
        }
        if let Some(demand) = context.demand {
            parts.push(("demand", demand.to_string()));
        }
        if context.stat != plain.stat {
            parts.push(("stat", context.stat.name()));
        }
        if context.compare_anyway {
            parts.push(("anyway", "1".into()));
        }
        let judged = &context.judged;
        for (part, findings) in [("without", &judged.excluded), ("mute", &judged.muted)] {
            if !findings.is_empty() {
                let each = findings.iter().map(|(id, check)| format!("{}.{check}", id.as_str()));
                parts.push((part, each.collect::<Vec<_>>().join(",")));
            }
        }
        if !judged.requests.is_empty() {
            let each = judged.requests.iter().map(|(id, at)| format!("{}.{}", id.as_str(), at + 1));
            parts.push(("omit", each.collect::<Vec<_>>().join(",")));
        }
        if !judged.let_on.is_empty() {
            let ids: Vec<_> = judged.let_on.iter().map(RunId::as_str).collect();
            parts.push(("let", ids.join(",")));
        }
        groups::encode(&self.groups, "group", &mut parts);
        groups::encode(&self.gpus, "gpus", &mut parts);
        marks::encode(&context.runs, &self.marks, &mut parts);
        self.encode_axes(&mut parts);
        goodput::encode(&self.goodput, &mut parts);
        distributions::encode(&self.distributions, &mut parts);
        explain::encode(&self.explain, &mut parts);
        requests::encode(&self.requests, &mut parts);
        match &self.sheet {
            None => {}
            Some(Sheet::Definitions) => parts.push(("sheet", "definitions".into())),
            Some(Sheet::Limits) => parts.push(("sheet", "limits".into())),
            Some(Sheet::Window) => parts.push(("sheet", "window".into())),
            Some(Sheet::Number) => parts.push(("sheet", "number".into())),
            Some(Sheet::Run(id)) => parts.push(("sheet", format!("run:{}", id.as_str()))),
        }
        let query: Vec<_> = parts.iter().map(|(name, v)| format!("{name}={}", escape(v))).collect();
        let start = format!("v1/{}", self.screen.id());
        if query.is_empty() { start } else { format!("{start}?{}", query.join("&")) }
    }

    fn encode_axes(&self, parts: &mut Vec<(&str, String)>) {
        let (axes, plain) = (&self.axes, CurveAxes::default());
        if (axes.y, axes.stat) != (plain.y, plain.stat) {
            parts.push(("y", format!("{}.{}", axes.y.id(), axes.stat.name())));
        }
        if axes.x != plain.x {
            parts.push(("x", axes.x.id()));
        }
        if let Some(log) = axes.log {
            parts.push(("log", if log { "1" } else { "0" }.into()));
        }
        if let Some(model) = axes.model {
            parts.push(("model", model.id().into()));
        }
        if axes.frontier {
            parts.push(("frontier", "1".into()));
        }
    }

    /// Reads a fragment, with or without its `#`. An empty one is the default.
    ///
    /// # Errors
    /// When it is of another version or a part means nothing. Unknown parts are skipped, so that an
    /// older build opens a newer link as far as it can.
    pub fn decode(fragment: &str) -> Result<Self, LinkError> {
        let fragment = fragment.trim_start_matches('#');
        if fragment.is_empty() {
            return Ok(Self::default());
        }
        let rest = fragment.strip_prefix("v1/").ok_or(LinkError::Version)?;
        let (screen, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut link = Self {
            screen: Screen::ALL
                .into_iter()
                .find(|s| s.id() == screen)
                .ok_or_else(|| LinkError::Part { part: "screen", value: screen.to_owned() })?,
            ..Self::default()
        };
        let (mut preset, mut changes, mut own) = ("common".to_owned(), BTreeMap::new(), false);
        let mut marks = String::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = unescape(value);
            match name {
                "runs" => link.context.runs = runs(&value),
                "base" => link.context.baseline = RunId::parse(&value),
                "def" if value == "own" => own = true,
                "def" => preset = value,
                "set" => changes = pairs(&value, "set")?,
                "slo" => link.context.limits = limits(&value)?,
                "demand" => {
                    let demand = value.parse().ok().filter(|d: &f64| d.is_finite() && *d > 0.0);
                    link.context.demand =
                        Some(demand.ok_or(LinkError::Part { part: "demand", value })?);
                }
                "stat" => {
                    link.context.stat = stat(&value, "stat")
                        .ok()
                        .filter(|stat| *stat != Stat::Value)
                        .ok_or(LinkError::Part { part: "stat", value })?;
                }
                "anyway" => link.context.compare_anyway = value == "1",
                "without" => link.context.judged.excluded = findings(&value),
                "omit" => link.context.judged.requests = requests::single(&value),
                "mute" => link.context.judged.muted = findings(&value),
                "group" => groups::take(&mut link.groups, &value),
                "gpus" => groups::take(&mut link.gpus, &value),
                "marks" => marks = value,
                "let" => link.context.judged.let_on = runs(&value).into_iter().collect(),
                "y" => (link.axes.y, link.axes.stat) = metric_and_stat(&value, "y")?,
                "x" => {
                    link.axes.x = if let Some(load) = LoadAxis::from_id(&value) {
                        load.into()
                    } else {
                        let (metric, stat) = metric_and_stat(&value, "x")?;
                        Across::Metric(metric, stat)
                    };
                }
                "log" => link.axes.log = Some(value == "1"),
                "frontier" => link.axes.frontier = value == "1",
                "model" => link.axes.model = QueueModel::from_id(&value),
                "sweep" | "against" | "map" | "count" | "of" | "per" => {
                    goodput::take(&mut link.goodput, name, &value);
                }
                "a" => {
                    let slot = explain::slot(&value).ok_or(LinkError::Part { part: "a", value })?;
                    link.explain.a = Some(slot);
                }
                "b" => {
                    let slot = explain::slot(&value).ok_or(LinkError::Part { part: "b", value })?;
                    link.explain.b = Some(slot);
                }
                "order" => {
                    let ids = value.split(',').filter(|id| !id.is_empty());
                    link.explain.order = ids.map(str::to_owned).collect();
                }
                "request" => link.explain.request = value.parse().ok(),
                "average" => link.explain.average = value == "1",
                // Findings had a sheet of their own once.
                "sheet" if value == "notices" => link.screen = Screen::Quality,
                "sheet" => link.sheet = sheet(&value),
                name => {
                    if !requests::decode(&mut link.requests, name, &value) {
                        // What is none of these is of a newer build: skipped.
                        distributions::take(&mut link.distributions, name, &value)?;
                    }
                }
            }
        }
        link.marks = marks::decode(&link.context.runs, &marks);
        link.context.ruler = if own { Ruler::Own } else { Ruler::Same { preset, changes } };
        // Numbers under another ruler than the link's would be wrong without a word.
        match link.context.ruler.unknown() {
            Some(value) if value.contains(':') => Err(LinkError::Part { part: "set", value }),
            Some(value) => Err(LinkError::Part { part: "def", value }),
            None => Ok(link),
        }
    }
}

fn sheet(value: &str) -> Option<Sheet> {
    match value {
        "definitions" => Some(Sheet::Definitions),
        "limits" => Some(Sheet::Limits),
        "window" => Some(Sheet::Window),
        "number" => Some(Sheet::Number),
        _ => value.strip_prefix("run:").and_then(RunId::parse).map(Sheet::Run),
    }
}

/// Each run once: against itself it has no difference.
fn runs(value: &str) -> Vec<RunId> {
    let mut runs = Vec::new();
    for id in value.split(',').filter_map(RunId::parse) {
        if !runs.contains(&id) {
            runs.push(id);
        }
    }
    runs
}

/// Findings as run and check; what is neither is skipped.
fn findings(value: &str) -> BTreeSet<(RunId, String)> {
    value
        .split(',')
        .filter_map(|finding| finding.split_once('.'))
        .filter_map(|(id, check)| Some((RunId::parse(id)?, check.to_owned())))
        .collect()
}

fn pairs(value: &str, part: &'static str) -> Result<BTreeMap<String, String>, LinkError> {
    value
        .split(',')
        .map(|pair| {
            pair.split_once(':')
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .ok_or_else(|| LinkError::Part { part, value: pair.to_owned() })
        })
        .collect()
}

fn limits(value: &str) -> Result<Vec<Limit>, LinkError> {
    let bad = |pair: &str| LinkError::Part { part: "slo", value: pair.to_owned() };
    let mut limits: Vec<Limit> = Vec::new();
    for pair in value.split(',') {
        let limit: Limit = pair.parse().map_err(|_| bad(pair))?;
        if limits.iter().any(|known| known.place() == limit.place()) {
            return Err(bad(pair));
        }
        limits.push(limit);
    }
    Ok(limits)
}

fn stat(value: &str, part: &'static str) -> Result<Stat, LinkError> {
    value.parse().map_err(|()| LinkError::Part { part, value: value.to_owned() })
}

fn metric_and_stat(value: &str, part: &'static str) -> Result<(Metric, Stat), LinkError> {
    let bad = || LinkError::Part { part, value: value.to_owned() };
    let (metric, rest) = value.split_once('.').ok_or_else(bad)?;
    let (metric, stat) = (Metric::from_id(metric).ok_or_else(bad)?, stat(rest, part)?);
    let axes = CurveAxes { y: metric, stat, ..CurveAxes::default() };
    if axes.fits() { Ok((metric, stat)) } else { Err(bad()) }
}

/// Percent-escapes what would break a part; the rest stays readable.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b',' | b':' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let escaped = (byte == b'%').then(|| {
            let mut ahead = rest.clone();
            let digits = [ahead.next()?, ahead.next()?];
            let value = u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
            rest = ahead;
            Some(value)
        });
        bytes.push(escaped.flatten().unwrap_or(byte));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LimitMetric;
    use crate::views::Judged;
    use proptest::prelude::*;

    fn id(text: &str) -> RunId {
        RunId::parse(text).unwrap()
    }

    #[test]
    fn nothing_special_is_short() {
        assert_eq!(Link::default().encode(), "v1/library");
        assert_eq!(Link::decode("").unwrap(), Link::default());
    }

    #[test]
    fn a_full_link_is_readable_and_comes_back() {
        let link = Link {
            screen: Screen::Curves,
            context: Context {
                runs: vec![id("3fa9c1d2e4b0"), id("07b8da36c52a")],
                baseline: Some(id("07b8da36c52a")),
                ruler: Ruler::Same {
                    preset: "vllm".into(),
                    changes: [("tpot".to_owned(), "whole-over-n".to_owned())].into(),
                },
                limits: vec![Limit::at_most(LimitMetric::Ttft, 110.5)],
                demand: Some(240.0),
                stat: Stat::Percentile(99.0),
                compare_anyway: true,
                judged: Judged {
                    excluded: [(id("3fa9c1d2e4b0"), "missing-as-zero".to_owned())].into(),
                    requests: [(id("3fa9c1d2e4b0"), 19)].into(),
                    let_on: [id("07b8da36c52a")].into(),
                    muted: [(id("07b8da36c52a"), "missing-as-zero".to_owned())].into(),
                },
            },
            axes: CurveAxes {
                x: LoadAxis::Requested.into(),
                log: Some(false),
                model: Some(QueueModel::Kingman),
                frontier: true,
                ..CurveAxes::default()
            },
            sheet: Some(Sheet::Definitions),
            ..Link::default()
        };
        let text = link.encode();
        assert_eq!(
            text,
            "v1/curves?runs=3fa9c1d2e4b0,07b8da36c52a&base=07b8da36c52a&def=vllm\
             &set=tpot:whole-over-n&slo=ttft:110.5&demand=240&stat=p99&anyway=1\
             &without=3fa9c1d2e4b0.missing-as-zero&mute=07b8da36c52a.missing-as-zero&omit=3fa9c1d2e4b0.20\
             &let=07b8da36c52a&x=requested&log=0&model=kingman&frontier=1\
             &sheet=definitions"
        );
        assert_eq!(Link::decode(&format!("#{text}")).unwrap(), link);
    }

    #[test]
    fn a_window_comes_back_with_its_sheet() {
        for window in ["brush:2.5..10", "skip-first:8", "steady:0.95", "until-stable"] {
            let ruler = crate::views::window::ruler_with(&Ruler::default(), "window", window);
            let link = Link {
                screen: Screen::Compare,
                context: Context { ruler, ..Context::default() },
                sheet: Some(Sheet::Window),
                ..Link::default()
            };
            let text = link.encode();
            assert!(text.contains(&format!("window:{window}")), "{text}");
            assert_eq!(Link::decode(&text).unwrap(), link);
        }
    }

    #[test]
    fn what_is_not_understood_is_said() {
        assert_eq!(Link::decode("#v9/compare"), Err(LinkError::Version));
        assert!(matches!(Link::decode("v1/nowhere"), Err(LinkError::Part { part: "screen", .. })));
        assert!(matches!(
            Link::decode("v1/compare?slo=ttft"),
            Err(LinkError::Part { part: "slo", .. })
        ));
        for (part, query) in [
            ("def", "def=nonsense"),
            ("set", "set=tpot:nope"),
            ("set", "def=vllm&set=foo:bar"),
            ("slo", "slo=ttft:0"),
            ("slo", "slo=ttft:5,ttft:7"),
            ("demand", "demand=0"),
            ("demand", "demand=lots"),
            ("stat", "stat=value"),
            ("stat", "stat=p150"),
            ("y", "y=ttft.value"),
            ("y", "y=goodput.p99"),
            ("x", "x=ttft"),
            ("x", "x=goodput.p99"),
        ] {
            let answer = Link::decode(&format!("v1/curves?{query}"));
            assert!(
                matches!(&answer, Err(LinkError::Part { part: at, .. }) if *at == part),
                "{query}: {answer:?}"
            );
        }
        let twice = Link::decode("v1/compare?runs=07b8da36c52a,07b8da36c52a").unwrap();
        assert_eq!(twice.context.runs, [id("07b8da36c52a")]);
        assert_eq!(Link::decode("v1/compare?future=1").unwrap().screen, Screen::Compare);
        let old = Link::decode("v1/compare?runs=07b8da36c52a&sheet=notices").unwrap();
        assert_eq!((old.screen, old.sheet), (Screen::Quality, None), "the sheet became a screen");
    }

    #[test]
    fn limits_of_every_kind_come_back_and_old_links_keep_working() {
        let link = |slo: &str| Link::decode(&format!("v1/compare?slo={slo}")).unwrap();
        let old = link("ttft:250,e2e:900");
        assert_eq!(old.encode(), "v1/compare?slo=ttft:250,e2e:900", "as older builds wrote it");
        for limits in [
            &["ttft<=250ms", "itl.p99<=100ms", "itl.max<=200ms"][..],
            &["ttft<=input_tokens/512s", "ttft<=2s"],
            &["e2e<=1s+output_tokens*20ms"],
        ] {
            let limits = limits.iter().map(|text| text.parse().unwrap()).collect();
            let context = Context { limits, ..Context::default() };
            let link = Link { context, ..Link::default() };
            assert_eq!(Link::decode(&link.encode()).unwrap(), link, "{}", link.encode());
        }
        let planned = Link::decode("v1/curves?slo=ttft:250&demand=120").unwrap();
        assert_eq!(planned.context.demand, Some(120.0));
        assert_eq!(planned.encode(), "v1/curves?slo=ttft:250&demand=120");
        assert_eq!(
            link("ttft:input_tokens%2F512s").encode(),
            "v1/compare?slo=ttft:input_tokens%2F512s"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,80}") {
            let _ = Link::decode(&text);
            let _ = Link::decode(&format!("v1/compare?{text}"));
        }

        #[test]
        fn escaping_comes_back(text in ".{0,40}") {
            prop_assert_eq!(unescape(&escape(&text)), text);
        }
    }
}
