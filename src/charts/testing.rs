//! What chart tests share: specs with real numbers, and a backend that records.

mod drawings;

pub(crate) use drawings::{
    drawings, heat, heat_difference, lanes, long_stream, many_lanes, stream, stream_of_piles,
    stream_of_unknown_split, waterfall, waterfall_of_two_runs,
};

use super::scene::{Anchor, Rect, Shape};
use super::spec::{
    Axis, Band, Better, Bracket, Flag, Frame, Guide, Limit, Point, RulerMark, RulerStrip, Scaling,
    Series, Side, Spec, Which, Zone,
};
use super::theme::Rgb;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};
use std::convert::Infallible;

/// One measured load: requested rate, achieved rate, value, interval.
type Load = (u32, f64, f64, Option<(f64, f64)>);

fn run(name: &str, key: &str, style: u8, loads: &[Load]) -> Series {
    let point = |(load, x, y, interval): &Load| Point {
        key: format!("{key}/{load}"),
        x: *x,
        y: *y,
        low: interval.map(|i| i.0),
        high: interval.map(|i| i.1),
        hollow: true,
        label: Some(load.to_string()),
        ..Point::default()
    };
    Series {
        name: name.into(),
        style,
        strong: true,
        line: true,
        end_label: Some(name.into()),
        points: loads.iter().map(point).collect(),
        ..Series::default()
    }
}

/// TTFT p99 by achieved rate of three runs: the main chart of the curves screen.
pub(crate) fn curves() -> Spec {
    let mut vllm = run(
        "vLLM",
        "vllm",
        0,
        &[
            (4, 3.7, 119.0, Some((108.0, 121.0))),
            (8, 7.47, 137.0, Some((108.0, 156.0))),
            (12, 10.95, 365.0, None),
            (16, 12.4, 1_640.0, Some((1_570.0, 1_660.0))),
            (20, 12.97, 3_250.0, Some((3_180.0, 3_290.0))),
            (26, 13.13, 5_214.0, Some((5_100.0, 5_260.0))),
        ],
    );
    vllm.baseline = true;
    vllm.points[2].flag = Some(Flag::PeakAndKnee { text: "8.86".into() });
    let mut sglang = run(
        "SGLang",
        "sglang",
        1,
        &[
            (4, 4.35, 109.0, None),
            (8, 6.6, 98.0, None),
            (12, 10.86, 160.0, Some((110.0, 165.0))),
            (16, 16.01, 559.0, Some((504.0, 660.0))),
            (20, 17.53, 940.0, None),
            (26, 17.37, 2_450.0, None),
        ],
    );
    sglang.points[2].flag = Some(Flag::Knee);
    sglang.points[3].flag = Some(Flag::Peak { text: "10.86".into() });
    let mut aiperf = run(
        "AIPerf",
        "aiperf",
        2,
        &[
            (4, 2.55, 118.0, Some((104.0, 119.0))),
            (8, 5.72, 320.0, Some((184.0, 330.0))),
            (12, 9.2, 520.0, Some((355.0, 540.0))),
            (16, 12.42, 510.0, None),
            (20, 13.85, 1_590.0, None),
            (26, 14.2, 3_480.0, None),
        ],
    );
    aiperf.points[3].flag = Some(Flag::Peak { text: "9.52".into() });
    let zone =
        |from, style, text: Option<&str>| Zone { from, style, text: text.map(str::to_owned) };
    Spec {
        title: "SGLang’s run goes further because its outputs are shorter".into(),
        stamp: "TTFT p99 · first text − send · per request · linear · n 28 to 150 a point".into(),
        summary: "Three runs. TTFT p99 rises steeply from 12 requests a second on.".into(),
        x: Axis {
            title: "achieved request rate".into(),
            unit: "req/s".into(),
            better: Some(Better::Right),
            ..Axis::default()
        },
        y: Axis {
            title: "TTFT p99".into(),
            unit: "ms".into(),
            scale: Scaling::Log,
            better: Some(Better::Down),
            domain: None,
        },
        limits: vec![Limit {
            axis: Which::Y,
            value: 250.0,
            label: "SLO 250 ms".into(),
            fails: Side::Above,
        }],
        zones: vec![
            zone(12.4, Some(0), Some("saturated: serves under 90 % of the rate sent")),
            zone(13.85, Some(2), None),
            zone(17.37, Some(1), None),
        ],
        series: vec![vllm, sglang, aiperf],
        ..Spec::default()
    }
}

/// Goodput and throughput by requested rate of one run, with the peak bracketed.
pub(crate) fn goodput() -> Spec {
    let loads = [4.0, 8.0, 12.0, 16.0, 20.0, 26.0];
    let good = [3.71, 7.47, 8.86, 1.77, 1.20, 0.70];
    let bounds = [(3.3, 3.71), (7.0, 7.47), (7.8, 9.6), (1.1, 2.7), (0.7, 2.0), (0.3, 1.3)];
    let served = [3.71, 7.47, 10.95, 12.40, 12.97, 13.13];
    let point = |((x, y), (low, high)): ((&f64, &f64), (f64, f64))| Point {
        key: format!("good/{x}"),
        x: *x,
        y: *y,
        low: Some(low),
        high: Some(high),
        ..Point::default()
    };
    let mut goodput = Series {
        name: "goodput".into(),
        strong: true,
        baseline: true,
        line: true,
        end_label: Some("goodput".into()),
        points: loads.iter().zip(&good).zip(bounds).map(point).collect(),
        ..Series::default()
    };
    goodput.points[2].flag = Some(Flag::Peak { text: "8.86 at 12 req/s".into() });
    let throughput = Series {
        name: "throughput".into(),
        strong: true,
        neutral: true,
        line: true,
        end_label: Some("throughput".into()),
        points: loads
            .iter()
            .zip(&served)
            .map(|(x, y)| Point { key: format!("all/{x}"), x: *x, y: *y, ..Point::default() })
            .collect(),
        ..Series::default()
    };
    let edges = loads.iter().zip(good).zip(served).skip(1).map(|((x, g), s)| (*x, g, s));
    Spec {
        title: "Peak 8.86 good requests a second, at 12 req/s".into(),
        stamp: "goodput · all ≤ · good ÷ whole window · n 28 to 150".into(),
        summary: "Goodput peaks at 12 requests a second and falls to 0.7 at 26.".into(),
        x: Axis { title: "requested rate".into(), unit: "req/s".into(), ..Axis::default() },
        y: Axis {
            title: "goodput".into(),
            unit: "req/s".into(),
            better: Some(Better::Up),
            ..Axis::default()
        },
        bands: vec![Band {
            style: 0,
            text: vec!["served, but".into(), "misses a limit".into()],
            edges: edges.collect(),
        }],
        guides: vec![Guide { from: (0.0, 0.0), to: (30.0, 30.0), text: "sent = served".into() }],
        zones: vec![Zone { from: 12.0, style: None, text: Some("past the peak".into()) }],
        brackets: vec![Bracket {
            low: 8.0,
            high: 16.0,
            text: "bracketed by 8 and 16".into(),
            worse: false,
        }],
        series: vec![goodput, throughput],
        ..Spec::default()
    }
}

/// Eight runs that end in one place: the hardest case for names.
pub(crate) fn crowd() -> Spec {
    let runs = (0_u8..8).map(|style| {
        let name = format!("run {style} on a server with a long name");
        let shift = f64::from(style);
        let mut series = run(
            &name,
            &format!("r{style}"),
            style,
            &[
                (1, 1.0, 40.0 + shift, None),
                (2, 2.0, 44.0 + shift / 2.0, None),
                (4, 3.0, 48.0, None),
            ],
        );
        series.points.iter_mut().for_each(|p| p.hollow = style % 2 == 0);
        series
    });
    Spec {
        title: "Eight runs end at 48 ms".into(),
        x: Axis { title: "requested rate".into(), unit: "req/s".into(), ..Axis::default() },
        y: Axis {
            title: "TPOT p50".into(),
            unit: "ms".into(),
            scale: Scaling::Linear { from_zero: false },
            better: Some(Better::Down),
            domain: None,
        },
        series: runs.collect(),
        limits: vec![Limit {
            axis: Which::Y,
            value: 45.0,
            label: "SLO 45 ms".into(),
            fails: Side::Above,
        }],
        ..Spec::default()
    }
}

/// Two distributions: steps without markers, a limit on x, a log axis with many ticks.
pub(crate) fn ecdf() -> Spec {
    let steps = |style: u8, name: &str, middle: f64| Series {
        name: name.into(),
        style,
        strong: true,
        step: true,
        bare: true,
        end_label: Some(name.into()),
        points: (0..=60)
            .map(|i| {
                let share = f64::from(i) / 60.0;
                let x = middle * (1.0 + share).powi(3) * if i > 57 { 2.5 } else { 1.0 };
                Point { key: format!("{name}/{i}"), x, y: share * 100.0, ..Point::default() }
            })
            .collect(),
        ..Series::default()
    };
    Spec {
        title: "One request in fifty waits three times as long".into(),
        x: Axis {
            title: "TTFT".into(),
            unit: "ms".into(),
            scale: Scaling::Log,
            better: Some(Better::Left),
            domain: None,
        },
        y: Axis { title: "requests at or under".into(), unit: "%".into(), ..Axis::default() },
        series: vec![steps(0, "vLLM", 60.0), steps(1, "SGLang", 75.0)],
        limits: vec![Limit {
            axis: Which::X,
            value: 500.0,
            label: "SLO 500 ms".into(),
            fails: Side::Above,
        }],
        ..Spec::default()
    }
}

/// A tail on a nines axis with a column of 0: names beside their median, a whisker across, a dashed end.
pub(crate) fn nines() -> Spec {
    let run = |style: u8, name: &str, middle: f64, zeros: bool| {
        let share = |i: i32| 1.0 - 10_f64.powf(-f64::from(i) / 20.0);
        let value = |i: i32| middle * (1.0 + f64::from(i) / 20.0);
        let first = if zeros { vec![(0.0, 0.0), (0.0, 0.5), (value(6), 0.5)] } else { Vec::new() };
        let path = first.into_iter().chain((6..=40).map(|i| (value(i), share(i))));
        let mark = |share: f64, hollow| Point {
            key: format!("{name}/{share}"),
            x: value((-20.0 * (1.0 - share).log10()) as i32),
            y: share,
            across: Some((middle * 2.8, middle * 3.1)).filter(|_| hollow),
            hollow,
            ..Point::default()
        };
        let quiet = Point {
            key: format!("{name}/quiet"),
            x: value(10),
            y: share(10),
            unmarked: true,
            ..Point::default()
        };
        Series {
            name: name.into(),
            style,
            strong: true,
            line: true,
            baseline: style == 0,
            path: path.collect(),
            tail: (40..=58).map(|i| (value(i), share(i))).collect(),
            points: vec![mark(0.5, false), quiet, mark(0.99, true)],
            tag: Some((2, crate::units::significant(value(40), 3))),
            ..Series::default()
        }
    };
    Spec {
        title: "The tails differ too".into(),
        summary: "Two runs.".into(),
        x: Axis {
            title: "inter-token latency".into(),
            unit: "ms".into(),
            scale: Scaling::LogWithZero,
            better: Some(Better::Left),
            domain: Some((5.0, 200.0)),
        },
        y: Axis {
            title: "quantile".into(),
            scale: Scaling::Nines,
            domain: Some((0.0, 0.9992)),
            ..Axis::default()
        },
        series: vec![run(0, "vLLM", 16.0, false), run(3, "inference-perf", 18.0, true)],
        guides: vec![Guide { from: (0.0, 0.99), to: (200.0, 0.99), text: "p99".into() }],
        ..Spec::default()
    }
}

/// Two histograms over shared bins, with a bar at 0.
pub(crate) fn bars() -> Spec {
    let run = |style: u8, name: &str, middle: i32, zeros: f64| {
        let bar = |i: i32| {
            let far = f64::from(i - middle);
            let y = (12.0 * (-far * far / 8.0).exp() * 10.0).round() / 10.0;
            let x = 5.0 * 1.2_f64.powi(i);
            Point { key: format!("{name}/{i}"), x, y, unmarked: true, ..Point::default() }
        };
        let zero = Point {
            key: format!("{name}/0"),
            x: 0.0,
            y: zeros,
            unmarked: true,
            ..Point::default()
        };
        Series {
            name: name.into(),
            style,
            strong: true,
            bars: true,
            points: [vec![zero], (0..20).map(bar).collect()].concat(),
            tag: Some((middle as usize + 1, String::new())),
            ..Series::default()
        }
    };
    Spec {
        title: "Half of the samples are 0".into(),
        x: Axis {
            title: "inter-token latency".into(),
            unit: "ms".into(),
            scale: Scaling::LogWithZero,
            better: Some(Better::Left),
            domain: Some((4.5, 200.0)),
        },
        y: Axis::from_zero("share of samples in a bin", "%"),
        series: vec![run(0, "vLLM", 9, 0.0), run(3, "inference-perf", 6, 15.0)],
        ..Spec::default()
    }
}

/// The strip of the compare screen.
pub(crate) fn strip() -> RulerStrip {
    let mark = |style, name: &str, top: f64, bottom: Option<f64>| RulerMark {
        style,
        name: name.into(),
        top,
        bottom,
        top_label: format!("{top:.1}"),
        bottom_label: bottom.map(|b| format!("{b:.1}")).unwrap_or_default(),
    };
    RulerStrip {
        title_top: "Median ITL as each tool prints it".into(),
        title_bottom: "On one ruler: chunk gap".into(),
        unit: "ms".into(),
        summary: "The tools print 0.0 to 29.6 ms; on one ruler four runs read 29.1 to 30.0.".into(),
        domain: None,
        marks: vec![
            mark(0, "vLLM", 29.6, Some(29.6)),
            mark(1, "SGLang", 10.7, Some(29.1)),
            mark(2, "AIPerf", 13.9, Some(29.4)),
            mark(3, "inference-perf", 0.0, Some(30.0)),
            mark(4, "GuideLLM", 13.6, None),
        ],
    }
}

/// The specs every drawing test runs through, in both frames.
pub(crate) fn specs() -> Vec<(&'static str, Spec)> {
    let small = |spec: Spec| Spec { frame: Frame::Small, ..spec };
    vec![
        ("curves", curves()),
        ("goodput", goodput()),
        ("crowd", crowd()),
        ("ecdf", ecdf()),
        ("nines", nines()),
        ("bars", bars()),
        ("small nines", small(nines())),
        ("small curves", small(curves())),
        ("small goodput", small(goodput())),
        ("empty", Spec::default()),
    ]
}

/// A backend that keeps the texts it was asked to draw and where everything went.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub size: (u32, u32),
    /// Backend pixels a logical pixel.
    pub scale: f64,
    /// Words with the ground the width table gives them, in backend pixels.
    pub texts: Vec<(String, Rect)>,
    /// Every corner of every other shape.
    pub corners: Vec<BackendCoord>,
}

type Done = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Recorder {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }
    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }
    fn present(&mut self) -> Done {
        Ok(())
    }
    fn draw_pixel(&mut self, point: BackendCoord, _: BackendColor) -> Done {
        self.corners.push(point);
        Ok(())
    }
    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        _: &S,
        _: bool,
    ) -> Done {
        self.corners.extend([from, to]);
        Ok(())
    }
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        _: &S,
    ) -> Done {
        self.corners.extend(path);
        Ok(())
    }
    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        _: &S,
        _: bool,
    ) -> Done {
        let r = radius.cast_signed();
        self.corners.extend([(x - r, y - r), (x + r, y + r)]);
        Ok(())
    }
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        _: &S,
    ) -> Done {
        self.corners.extend(path);
        Ok(())
    }
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        let anchor = match style.anchor().h_pos {
            HPos::Left => Anchor::Start,
            HPos::Center => Anchor::Middle,
            HPos::Right => Anchor::End,
        };
        let bold = matches!(style.style(), FontStyle::Bold);
        let (scale, size) = (self.scale, style.size() / self.scale);
        let at = (f64::from(at.0) / scale, f64::from(at.1) / scale);
        let paint = Rgb(0, 0, 0).into();
        let words = Shape::Text { at, anchor, text: text.to_owned(), bold, size, paint };
        self.texts.extend(words.text_box().map(|area| (text.to_owned(), area)));
        Ok(())
    }
}
