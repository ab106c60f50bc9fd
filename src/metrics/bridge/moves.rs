//! What can change between two numbers, and in which order it is changed.

use super::Number;
use super::per_token::{Formula, Vote, parts};
use crate::metrics::dimensions::{DIMENSIONS, Dimension};
use crate::metrics::ruler::{dimensions_of, resolved};
use crate::metrics::settings::{DecodeEnd, EmptyOutputs, End, Settings, ShortOutputs};
use crate::model::{Metric, Stat};

/// The order in which dimensions are changed: from what is counted and timed to how it is summed up.
const ORDER: [&str; 23] = [
    "token-count",
    "clock-start",
    "first-token",
    "end",
    "decode-end",
    "metric",
    "itl/tpot",
    "tpot",
    "itl",
    "user-speed",
    "goodput-rule",
    "goodput-missing",
    "short-outputs",
    "empty-outputs",
    "population",
    "weighting",
    "window",
    "window-edge",
    "duration",
    "goodput-unit",
    "percentile",
    "spread",
    "statistic",
];

/// Ids in the documented order.
pub fn default_order() -> &'static [&'static str] {
    &ORDER
}

/// The dimensions of the documented order that any number has a choice in, those that are told together
/// by their first.
pub(super) const GROUPS: [(&str, &[&str]); 12] = [
    ("token-count", &["token-count"]),
    ("clock-start", &["clock-start"]),
    ("first-token", &["first-token"]),
    ("end", &["end", "decode-end"]),
    ("formula", &["metric", "itl/tpot", "tpot", "itl", "user-speed", "goodput-rule"]),
    ("short-outputs", &["short-outputs", "goodput-missing"]),
    ("empty-outputs", &["empty-outputs"]),
    ("population", &["population"]),
    ("weighting", &["weighting"]),
    ("window", &["window", "window-edge"]),
    ("duration", &["duration", "goodput-unit"]),
    ("percentile-or-spread", &["percentile", "spread", "statistic"]),
];

/// One thing that changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Move {
    /// A choice of a dimension.
    Dimension(&'static Dimension),
    /// What a time per token is a time over.
    Formula(Formula, Formula),
    /// Whose sample a time per token is.
    Vote(Vote, Vote),
    /// Another metric of the same unit.
    Metric(Metric, Metric),
    /// Another statistic of the same samples.
    Statistic(Stat, Stat),
}

impl Move {
    /// Its id in the order.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Dimension(dimension) => dimension.id,
            Self::Formula(a, b) if a.dimension() == b.dimension() => a.dimension(),
            Self::Formula(..) => "itl/tpot",
            Self::Vote(..) => "weighting",
            Self::Metric(..) => "metric",
            Self::Statistic(..) => "statistic",
        }
    }

    /// Its name for people.
    pub(super) fn name(self) -> &'static str {
        match self.id() {
            "token-count" => "Token count",
            "clock-start" => "Clock start",
            "first-token" => "First token",
            "end" => "End of a request",
            "decode-end" => "End of decoding",
            "metric" => "Metric",
            "itl" | "itl/tpot" => "Unit",
            "tpot" => "Divisor",
            "user-speed" => "User speed",
            "goodput-rule" => "Goodput rule",
            "goodput-missing" => "Missing metric",
            "short-outputs" => "One-token replies",
            "empty-outputs" => "Empty replies",
            "population" => "Requests",
            "weighting" => "Weighting",
            "window" => "Window",
            "window-edge" => "Window’s edge",
            "duration" => "Duration",
            "goodput-unit" => "Denominator",
            "percentile" => "Percentile",
            "spread" => "Spread",
            _ => "Statistic",
        }
    }
}

/// A number as the walk knows it: what it measures, and the choices that it depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub metric: Metric,
    pub stat: Stat,
    pub settings: Settings,
    pub parts: Option<(Formula, Vote)>,
}

impl Point {
    pub(super) fn of(number: &Number<'_>) -> Self {
        let (metric, mut settings) = plain(number.metric, &number.settings);
        if metric == Metric::Itl {
            // ITL knows no short replies.
            settings.short_outputs = ShortOutputs::Exclude;
        }
        if settings.short_outputs == ShortOutputs::ExcludeTtft {
            match number.metric {
                // It leaves out a reply of no token with those of one.
                Metric::Ttft => settings.empty_outputs = EmptyOutputs::Exclude,
                // Of the two words for leaving out, TTFT alone knows the difference.
                Metric::Tpot | Metric::UserSpeed => settings.short_outputs = ShortOutputs::Exclude,
                _ => {}
            }
        }
        let decodes = matches!(metric, Metric::Tpot | Metric::Itl | Metric::UserSpeed);
        if decodes && settings.decode_end == DecodeEnd::LastToken {
            // Where decoding ends at the last token, where the request ends is no matter.
            settings.end = End::LastToken;
            settings.decode_end = DecodeEnd::RequestEnd;
        }
        Self { metric, stat: number.stat, settings, parts: parts(metric, &settings) }
    }

    /// Ids of the dimensions that it depends on, without formula and vote.
    fn depends_on(&self) -> Vec<&'static str> {
        let mut ids = dimensions_of(self.metric, &self.settings);
        ids.retain(|id| match *id {
            "itl" | "tpot" | "weighting" => self.parts.is_none(),
            "percentile" => matches!(self.stat, Stat::Median | Stat::Percentile(_)),
            "spread" => self.stat == Stat::Std,
            _ => true,
        });
        ids
    }
}

/// Metrics that are another under one choice, as that.
fn plain(metric: Metric, settings: &Settings) -> (Metric, Settings) {
    use crate::metrics::settings::{FirstToken, Itl, Tpot, Weighting};
    match metric {
        Metric::ChunkGap => (Metric::Itl, Settings { itl: Itl::EventGap, ..*settings }),
        Metric::WholePerToken => (
            Metric::Tpot,
            Settings {
                tpot: Tpot::WholeOverN,
                weighting: Weighting::PerRequest,
                short_outputs: ShortOutputs::Exclude,
                ..*settings
            },
        ),
        Metric::FirstAnswer => {
            (Metric::Ttft, Settings { first_token: FirstToken::FirstAnswer, ..*settings })
        }
        metric => (metric, *settings),
    }
}

/// What changes from `a` to `b` on the rows of `a`, in the documented order. Where only one of the two
/// depends on a dimension, the other takes its choice.
pub(super) fn moves(number: &Number<'_>, a: &mut Point, b: &mut Point) -> Vec<Move> {
    let (of_a, of_b) = (a.depends_on(), b.depends_on());
    for dimension in DIMENSIONS {
        match (of_a.contains(&dimension.id), of_b.contains(&dimension.id)) {
            (true, false) => {
                let _ = dimension.write(&mut b.settings, &dimension.read(&a.settings));
            }
            (false, true) => {
                let _ = dimension.write(&mut a.settings, &dimension.read(&b.settings));
            }
            _ => {}
        }
    }
    let (plain_a, plain_b) = (resolved(&a.settings, number.run), resolved(&b.settings, number.run));
    let differs = |d: &&Dimension| {
        of_a.contains(&d.id) && of_b.contains(&d.id) && d.read(&plain_a) != d.read(&plain_b)
    };
    let mut moves: Vec<Move> = DIMENSIONS.iter().filter(differs).map(Move::Dimension).collect();
    match (a.parts, b.parts) {
        (Some((from, vote)), Some((to, other))) => {
            if from != to {
                moves.push(Move::Formula(from, to));
            }
            if vote != other {
                moves.push(Move::Vote(vote, other));
            }
        }
        _ if a.metric != b.metric => moves.push(Move::Metric(a.metric, b.metric)),
        _ => {}
    }
    if a.stat != b.stat && !(is_middle(a.stat) && is_middle(b.stat)) {
        moves.push(Move::Statistic(a.stat, b.stat));
    }
    moves.sort_by_key(|one| place(one.id()));
    moves
}

/// Brings moves into the order in which the reader wants them.
pub(super) fn reorder(moves: &mut [Move], wanted: &[String]) {
    let wish = |id: &str| {
        let same = |wanted: &String| wanted == id || wanted == "formula" && is_formula(id);
        wanted.iter().position(same).unwrap_or(usize::MAX)
    };
    moves.sort_by_key(|one| (wish(one.id()), place(one.id())));
}

pub(super) fn is_formula(id: &str) -> bool {
    matches!(id, "itl/tpot" | "tpot" | "itl")
}

/// The place of a dimension in the documented order.
pub(super) fn place(id: &str) -> usize {
    ORDER.iter().position(|known| *known == id).unwrap_or(ORDER.len())
}

fn is_middle(stat: Stat) -> bool {
    stat == Stat::Median || matches!(stat, Stat::Percentile(p) if (p - 50.0).abs() < 1e-9)
}
