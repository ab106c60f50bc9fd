//! What a chart shows, as plain data: built by views, posted from worker to page, drawn here.
//!
//! Nothing in a spec depends on size or theme. Every number is finite and already in the unit its
//! axis names; a value that does not exist is left out and said in words, never drawn as zero.

use serde::{Deserialize, Serialize};

/// One chart on two axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// The finding, as a sentence. HTML on screen; part of a picture only when asked for.
    pub title: String,
    /// The definition stamp: statistic, definition, support, window.
    pub stamp: String,
    /// One paragraph that says what the picture shows, for readers who can't see it.
    pub summary: String,
    /// Sentences that stand under the chart, such as "12 samples are 0 and not on this axis".
    pub notes: Vec<String>,
    /// How much room and detail the chart has.
    pub frame: Frame,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What was measured, in drawing order: the first lies on top.
    pub series: Vec<Series>,
    /// Filled bands under the lines.
    pub bands: Vec<Band>,
    /// Straight lines that are no measurement, such as "sent = served".
    pub guides: Vec<Guide>,
    /// Service-level limits with their failing side.
    pub limits: Vec<Limit>,
    /// Shaded stretches from a value of x to the right edge.
    pub zones: Vec<Zone>,
    /// Whiskers in their own row above the plot.
    pub brackets: Vec<Bracket>,
    /// Shaded stretches of x with both ends: what is chosen.
    pub stretches: Vec<Stretch>,
    /// Hatched stretches of x: of what lies there nothing is known.
    pub hatched: Vec<Hatched>,
    /// Least room for the numbers of y in pixels, so that charts that stand on one clock share their left
    /// edge whatever their numbers.
    pub gutter: f64,
}

/// The room a chart gets, which decides its margins and what is labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Frame {
    /// The main chart of a screen: end labels, load numbers, flags. Narrow widths drop them.
    #[default]
    Main,
    /// A small multiple: axes and marks only, it inherits the names from the main chart.
    Small,
    /// A sparkline: lines and marks, no axes and no text.
    Spark,
}

/// An axis: what it measures, in which unit, on which scale.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Axis {
    /// Quantity and statistic, such as "TTFT p99".
    pub title: String,
    /// The unit's symbol, such as "ms"; empty for a bare number.
    pub unit: String,
    /// How values become distances.
    pub scale: Scaling,
    /// Where the good end is, if there is one.
    pub better: Option<Better>,
    /// Fixed ends; without them the ends come from the data and are rounded outward.
    pub domain: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis from 0, of a quantity and its unit's symbol.
    pub fn from_zero(title: impl Into<String>, unit: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            unit: unit.into(),
            scale: Scaling::Linear { from_zero: true },
            ..Self::default()
        }
    }

    /// A value on it in three digits, without its unit; a share on an axis of nines as a percentile.
    pub fn said(&self, value: f64) -> String {
        super::scale::said(self.scale, value)
    }
}

/// How values become distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Equal steps.
    Linear {
        /// Starts at zero, as every positive quantity does unless the reader crops it.
        from_zero: bool,
    },
    /// Equal ratios. Values of zero or less have no place on it.
    Log,
    /// Equal ratios, and before them, across a gap, a column of its own for 0. Of the horizontal axis only.
    LogWithZero,
    /// Equal steps from p90 to p99 to p99.9: of shares from 0 to under 1.
    Nines,
}

impl Scaling {
    /// Whether equal distances are equal ratios.
    pub const fn is_log(self) -> bool {
        matches!(self, Self::Log | Self::LogWithZero)
    }
}

impl Default for Scaling {
    fn default() -> Self {
        Self::Linear { from_zero: true }
    }
}

/// The direction of the good end of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Larger values of y are better.
    Up,
    /// Smaller values of y are better.
    Down,
    /// Smaller values of x are better.
    Left,
    /// Larger values of x are better.
    Right,
}

/// One run's points, joined in the order given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of how a line looks")]
pub struct Series {
    /// The run's name.
    pub name: String,
    /// Index into the palette, counted from 0: colour, marker and dash. From 8 on they repeat hollow.
    pub style: u8,
    /// One of the few series that get full colour; the others are drawn pale and unnamed.
    pub strong: bool,
    /// The run the others are compared with: 1.5 times the line width.
    pub baseline: bool,
    /// Not a run (throughput behind goodput, one limit of several): neutral ink, no run colour.
    pub neutral: bool,
    /// In the colour of what is worse: the limit that binds.
    pub worse: bool,
    /// Points are joined by straight segments.
    pub line: bool,
    /// Points are joined by steps: level first, then up or down.
    pub step: bool,
    /// The line is dashed whatever the palette says: interpolated, or too few samples behind it.
    pub dashed: bool,
    /// No marker at the points, for lines of many points such as an ECDF.
    pub bare: bool,
    /// Points are the tops of bars side by side, each as wide as its neighbours' distance: an outline
    /// over a pale fill down to the axis.
    pub bars: bool,
    /// The corners of the line, where it has more of them than points that can be pointed at.
    pub path: Vec<(f64, f64)>,
    /// Corners of a dashed continuation of the line: too few samples behind it.
    pub tail: Vec<(f64, f64)>,
    /// What stands at the line's end; nothing without it.
    pub end_label: Option<String>,
    /// The name stands beside this point in place of the line's end, behind these words in bold.
    pub tag: Option<(usize, String)>,
    /// The measured points.
    pub points: Vec<Point>,
}

/// One measured point.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of how a mark looks")]
pub struct Point {
    /// Opaque name that says which point was hit; unique within a chart.
    pub key: String,
    /// Position on the x axis.
    pub x: f64,
    /// Position on the y axis.
    pub y: f64,
    /// Lower end of the interval of y.
    pub low: Option<f64>,
    /// Upper end of the interval of y.
    pub high: Option<f64>,
    /// The interval of x: a level whisker.
    pub across: Option<(f64, f64)>,
    /// Drawn hollow: weak support, or derived and not measured.
    pub hollow: bool,
    /// Not drawn: a place on the line that can be pointed at.
    pub unmarked: bool,
    /// The value has no end: it grows with the length of the run. A small arrow upward stands on the mark.
    pub rising: bool,
    /// Where throughput is highest: a bar over the mark, and the letter T.
    pub ceiling: bool,
    /// The values of repeats behind this one: a tick each.
    pub ticks: Vec<f64>,
    /// Where it would lie across if it lay where it was asked to: a whisker to that place.
    pub asked: Option<f64>,
    /// A short number beside the point, such as the requested load.
    pub label: Option<String>,
    /// Goodput peak, knee, or both.
    pub flag: Option<Flag>,
    /// Lines of the card: a name and a value each.
    pub tip: Vec<(String, String)>,
}

/// What makes a point stand out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// The goodput peak: a star, the letter P and these words.
    Peak {
        /// The peak's value, such as "8.86 req/s".
        text: String,
    },
    /// The knee: two rings and the letter K.
    Knee,
    /// Both on one point: the star inside the rings.
    PeakAndKnee {
        /// The peak's value.
        text: String,
    },
}

impl Flag {
    /// The peak's words, where there is a peak.
    pub fn peak(&self) -> Option<&str> {
        match self {
            Self::Peak { text } | Self::PeakAndKnee { text } => Some(text),
            Self::Knee => None,
        }
    }
    /// Says whether the point is a knee.
    pub fn knee(&self) -> bool {
        matches!(self, Self::Knee | Self::PeakAndKnee { .. })
    }
}

/// A filled band between two lines: bounds, quantile ranges, what is lost between two curves.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Band {
    /// Index into the palette.
    pub style: u8,
    /// Words inside the band, one line each; dropped where they don't fit.
    pub text: Vec<String>,
    /// x, lower y, upper y; at least two.
    pub edges: Vec<(f64, f64, f64)>,
}

/// A dotted straight line between two places, with words.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Guide {
    /// Where it starts, in axis values.
    pub from: (f64, f64),
    /// Where it ends; cut at the plot's edge.
    pub to: (f64, f64),
    /// Words beside it; dropped where they don't fit.
    pub text: String,
}

/// A service-level limit: a line, hatched on the failing side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The axis it limits.
    pub axis: Which,
    /// The limit, in the axis's unit.
    pub value: f64,
    /// What is written on it, such as "SLO 250 ms".
    pub label: String,
    /// The side that fails.
    pub fails: Side,
}

/// One of the two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// Horizontal.
    X,
    /// Vertical.
    Y,
}

/// A side of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Values above the limit.
    Above,
    /// Values below the limit.
    Below,
}

/// A shaded stretch from `from` to the right edge. Layers add up, so several darken the ground.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Zone {
    /// Where it begins, on x: a dotted line.
    pub from: f64,
    /// The run it belongs to: its marker stands above the onset.
    pub style: Option<u8>,
    /// Words: left of the first marker above the plot, or, without a marker, inside at the top right.
    pub text: Option<String>,
}

/// A shaded stretch of x between two edges.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Stretch {
    /// Left edge, on x.
    pub from: f64,
    /// Right edge, on x.
    pub to: f64,
}

/// A stretch of x of which nothing is known, which is not zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Hatched {
    /// Left edge, on x.
    pub from: f64,
    /// Right edge, on x.
    pub to: f64,
    /// Words in it, one line each; dropped where they don't fit.
    pub text: Vec<String>,
}

/// A whisker above the plot over a stretch of x, with words.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Bracket {
    /// Left end, on x.
    pub low: f64,
    /// Right end, on x.
    pub high: f64,
    /// Words beside it, such as "bracketed by 8 and 16".
    pub text: String,
    /// Drawn in the colour of what is worse: the stretch where a limit binds.
    pub worse: bool,
}

/// Two rulers of one scale: marks spread above, and the same runs under one definition below.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RulerStrip {
    /// What the upper ruler shows, such as "Median ITL as each tool prints it".
    pub title_top: String,
    /// What the lower ruler shows.
    pub title_bottom: String,
    /// The unit's symbol.
    pub unit: String,
    /// One paragraph for readers who can't see it.
    pub summary: String,
    /// Fixed ends; without them zero to the largest mark, rounded outward.
    pub domain: Option<(f64, f64)>,
    /// The runs; the first lies on top.
    pub marks: Vec<RulerMark>,
}

/// One run on both rulers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RulerMark {
    /// Index into the palette.
    pub style: u8,
    /// The run's name.
    pub name: String,
    /// Value on the upper ruler.
    pub top: f64,
    /// Value on the lower ruler; nothing where the run's file can't tell.
    pub bottom: Option<f64>,
    /// The upper value in words.
    pub top_label: String,
    /// The lower value in words.
    pub bottom_label: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_survives_the_way_through_json() {
        let spec = Spec {
            series: vec![Series {
                points: vec![Point {
                    flag: Some(Flag::PeakAndKnee { text: "8.86".into() }),
                    low: Some(1.5),
                    tip: vec![("reported".into(), "559 ms".into())],
                    ..Point::default()
                }],
                ..Series::default()
            }],
            limits: vec![Limit {
                axis: Which::Y,
                value: 250.0,
                label: "SLO 250 ms".into(),
                fails: Side::Above,
            }],
            y: Axis { scale: Scaling::Log, domain: Some((50.0, 1e4)), ..Axis::default() },
            ..Spec::default()
        };
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), spec);
    }

    #[test]
    fn a_flag_tells_its_parts() {
        let both = Flag::PeakAndKnee { text: "9".into() };
        assert_eq!((both.peak(), both.knee()), (Some("9"), true));
        assert_eq!((Flag::Knee.peak(), Flag::Knee.knee()), (None, true));
    }
}
