//! Drawings of rulers with the numbers of the worked example, and in the states that are hard to draw.

use crate::charts::drawing::Drawing;
use crate::charts::heat::{Heat, HeatCell};
use crate::charts::lanes::{Bars, End, Flight, Lane, Lanes, Part, Piece, Sign, Stretch};
use crate::charts::stream::{Event, Mark, Numbers, Ruler, Stream, Wait};
use crate::charts::waterfall::{BarKind, Waterfall, WaterfallRow};

/// ITL mean to TPOT mean on the same rows: the worked example of the design.
pub(crate) fn waterfall() -> Waterfall {
    let row = |kind, mark: &str, title: &str, under: &str, span, label: &str| WaterfallRow {
        key: format!("{mark}{title}"),
        kind,
        mark: mark.into(),
        title: title.into(),
        under: under.into(),
        span: Some(span),
        label: label.into(),
        ..WaterfallRow::default()
    };
    let mut unit = row(
        BarKind::Step,
        "1",
        "Unit: chunk gap → per token",
        "touches 60 of 60 requests",
        (30.600_8, 13.597_8),
        "−17.00",
    );
    unit.causes = vec!["÷ 2.25 tokens".into(), "÷ 2.25".into(), "−56 %".into()];
    Waterfall {
        title: "A waits for chunks, B counts tokens: that is 17.00 ms of the 17.03 ms.".into(),
        stamp: "A: ITL mean, chunk gap · pooled, vLLM S2 · B: TPOT mean, ÷ (N − 1), vLLM S2".into(),
        summary: "From 30.60 ms to 13.57 ms in two steps.".into(),
        notes: Vec::new(),
        unit: "ms".into(),
        rows: vec![
            row(BarKind::A, "A", "ITL mean", "chunk gap · pooled", (0.0, 30.600_8), "30.60 ms"),
            unit,
            row(
                BarKind::Step,
                "2",
                "Weighting: pooled → per request",
                "touches 60 of 60 requests",
                (13.597_8, 13.566_9),
                "−0.03",
            ),
            row(
                BarKind::B,
                "B",
                "TPOT mean",
                "÷ (N − 1) · per request",
                (0.0, 13.566_9),
                "13.57 ms",
            ),
        ],
    }
}

/// Two runs: a definition step, what is left over, and a step within bounds with a long name.
pub(crate) fn waterfall_of_two_runs() -> Waterfall {
    let mut drawing = waterfall();
    let last = drawing.rows.pop();
    drawing.rows.truncate(2);
    let bounded = WaterfallRow {
        key: "end".into(),
        mark: "2".into(),
        title: "End of a request: the last text that arrived → the close of the stream".into(),
        under: "between two bounds, because the file does not say when the stream closed".into(),
        span: Some((13.6, 16.8)),
        low: Some(13.6),
        high: Some(20.0),
        label: "+0.00 to +6.40".into(),
        causes: vec!["+24 %".into()],
        ..WaterfallRow::default()
    };
    let explained = WaterfallRow {
        key: "explained".into(),
        kind: BarKind::Explained,
        title: "What definitions explain".into(),
        span: Some((30.6, 16.8)),
        label: "−13.80".into(),
        ..WaterfallRow::default()
    };
    let rest = WaterfallRow {
        key: "rest".into(),
        kind: BarKind::Remainder,
        title: "Different requests".into(),
        under: "95 % interval −0.30 to +1.03 ms".into(),
        span: Some((16.8, 17.16)),
        low: Some(16.5),
        high: Some(17.83),
        label: "+0.36".into(),
        ..WaterfallRow::default()
    };
    let unknown = WaterfallRow {
        key: "unknown".into(),
        mark: "?".into(),
        title: "Token count: server → tokenizer".into(),
        under: "the file has one count only".into(),
        label: "not known".into(),
        ..WaterfallRow::default()
    };
    drawing.rows.extend([bounded, unknown, explained, rest]);
    drawing.rows.extend(last.map(|row| WaterfallRow {
        span: Some((0.0, 17.16)),
        label: "17.16 ms".into(),
        hollow: true,
        ..row
    }));
    drawing
}

/// A request of these chunks (gap in ms, tokens) after its first token, under chunk gaps and even tokens.
fn request(ttft: f64, first: u32, chunks: &[(f64, u32)], known: bool) -> Stream {
    let mut at = ttft;
    let mut events = vec![(ttft, None, first)];
    for (gap, tokens) in chunks {
        at += gap;
        events.push((at, Some(*gap), *tokens));
    }
    let all: u32 = events.iter().map(|event| event.2).sum();
    let owners = events.iter().enumerate().flat_map(|(i, event)| (0..event.2).map(move |_| i));
    let span = at - ttft;
    let step = span / f64::from(all - 1);
    let even = owners.enumerate().map(|(i, event)| Mark {
        at: ttft + step * i as f64,
        piled: 1,
        event: Some(event).filter(|_| known),
    });
    let ruler = |letter: &str, under: &str, numbers, marks, count: u32, noun: &str| Ruler {
        name: format!("Ruler {letter}"),
        under: under.into(),
        numbers,
        marks,
        reading: format!("{span:.0} ms ÷ {count} {noun}"),
        result: format!("{:.1} ms", span / f64::from(count)),
    };
    let b = ruler("B", "one mark per token", Numbers::Counts, even.collect(), all - 1, "tokens");
    let at_events = events.iter().enumerate();
    let marks = at_events.map(|(i, event)| Mark { at: event.0, piled: 1, event: Some(i) });
    let gaps = chunks.len() as u32;
    let a = ruler("A", "one mark per chunk, in ms", Numbers::Gaps, marks.collect(), gaps, "gaps");
    let event = |(i, (at, gap, tokens)): (usize, &(f64, Option<f64>, u32))| Event {
        key: format!("event-{}", i + 1),
        at: *at,
        gap: *gap,
        tokens: known.then_some(*tokens),
        name: format!("Chunk {}: {tokens} tokens", i + 1),
        lines: vec![
            ("A".into(), format!("one gap of {:.1} ms", gap.unwrap_or_default())),
            ("B".into(), format!("{tokens} tokens × {step:.1} ms")),
        ],
    };
    let largest = events.iter().enumerate().skip(1).max_by_key(|(_, event)| event.2);
    Stream {
        title: "One request: 364 ms ÷ 12 gaps on ruler A, ÷ 27 tokens on ruler B".into(),
        stamp: "vLLM S2, request 5 of 60: 28 tokens in 13 chunks".into(),
        summary: "A chunk carries 2.25 tokens.".into(),
        notes: Vec::new(),
        wait: Some(Wait {
            to: ttft,
            words: format!("wait for the first token: {ttft:.0} ms"),
            note: "on neither ruler".into(),
        }),
        pinned: largest.map(|(i, _)| i),
        events: events.iter().enumerate().map(event).collect(),
        a: Some(a),
        b: Some(b),
    }
}

/// Gap in ms and tokens of the chunks of request 5 of the worked example.
const CHUNKS: [(f64, u32); 12] = [
    (37.94, 2),
    (38.59, 1),
    (44.66, 3),
    (17.69, 4),
    (34.94, 3),
    (15.01, 3),
    (33.06, 1),
    (30.00, 2),
    (22.152, 4),
    (39.98, 1),
    (15.26, 1),
    (34.74, 2),
];

/// Request 5 of the worked example: 28 tokens in 13 chunks, its tenth pinned.
pub(crate) fn stream() -> Stream {
    Stream { pinned: Some(9), ..request(110.14, 1, &CHUNKS, true) }
}

/// The same request where the file does not tell how its tokens are split.
pub(crate) fn stream_of_unknown_split() -> Stream {
    request(110.14, 1, &CHUNKS, false)
}

/// A request of 204 tokens after a short wait: a part of it is drawn, and the whole in little. One chunk
/// of 40 tokens follows a stall.
pub(crate) fn long_stream() -> Stream {
    let mut chunks: Vec<(f64, u32)> = CHUNKS.iter().copied().cycle().take(72).collect();
    chunks[40] = (900.0, 40);
    request(12.0, 2, &chunks, true)
}

/// Both times to the first token: rulers of one length that start at the send.
pub(crate) fn stream_of_ends() -> Stream {
    let mut drawing = stream();
    let length = |letter: &str| Ruler {
        name: format!("Ruler {letter}"),
        under: "one length, in ms".into(),
        marks: vec![
            Mark { at: 0.0, piled: 1, event: None },
            Mark { at: 110.14, piled: 1, event: Some(0) },
        ],
        result: "110 ms".into(),
        ..Ruler::default()
    };
    drawing.a = Some(length("A"));
    drawing.b = Some(length("B"));
    drawing
}

/// All tokens of a chunk piled at its end on B, and A swapped for the ruler of tokens.
pub(crate) fn stream_of_piles() -> Stream {
    let mut drawing = stream();
    let marks = drawing.events.iter().enumerate().map(|(i, event)| Mark {
        at: event.at,
        piled: event.tokens.unwrap_or(1),
        event: Some(i),
    });
    let piles = Ruler {
        name: "Ruler B".into(),
        under: "all marks of a chunk at its end".into(),
        numbers: Numbers::Gaps,
        marks: marks.collect(),
        reading: "364 ms ÷ 27 tokens".into(),
        result: "13.5 ms".into(),
    };
    drawing.a = drawing.b.replace(piles).map(|ruler| Ruler { name: "Ruler A".into(), ..ruler });
    drawing
}

/// The peak under seven limits on TTFT by seven on TPOT, in the numbers of the mockup.
pub(crate) fn heat() -> Heat {
    const X: [&str; 7] = ["100", "120", "150", "200", "250", "400", "1,000"];
    const Y: [&str; 7] = ["20", "19", "18", "17", "16", "15", "14"];
    const PEAKS: [[f64; 7]; 7] = [
        [6.8, 7.3, 7.4, 8.6, 9.4, 10.0, 10.0],
        [6.8, 7.3, 7.3, 8.5, 9.3, 9.9, 9.9],
        [6.8, 7.3, 7.3, 8.1, 8.9, 9.4, 9.4],
        [6.4, 6.9, 6.9, 7.1, 7.1, 7.1, 7.1],
        [5.9, 6.1, 6.1, 6.3, 6.3, 6.3, 6.3],
        [4.8, 4.9, 4.9, 5.1, 5.1, 5.1, 5.1],
        [0.0, 4.2, 4.3, 4.4, 4.4, 4.4, f64::NAN],
    ];
    let cell = |y: &str, x: &str, peak: f64| HeatCell {
        key: format!("{x}/{y}"),
        text: if peak.is_nan() { "—".into() } else { format!("{peak:.1}") },
        under: if peak > 0.0 {
            format!("@{}", if peak > 8.0 { 12 } else { 8 })
        } else {
            String::new()
        },
        value: Some(peak).filter(|peak| !peak.is_nan()),
        step: (peak > 0.0).then(|| ((peak.floor() - 4.0).min(6.0)) as u8),
        chosen: (x, y) == ("250", "18"),
        tip: vec![("peak goodput".into(), format!("{peak:.1} req/s"))],
    };
    Heat {
        title: "Looser limits gain little: at most 13 % more".into(),
        stamp: "peak goodput, req/s, and the load it needs · E2E ≤ 900 ms held".into(),
        summary: "The peak under 49 pairs of limits, 0 to 10 requests a second.".into(),
        notes: Vec::new(),
        x_title: "TTFT limit, ms".into(),
        y_title: "TPOT limit, ms".into(),
        toward: "looser".into(),
        unit: "req/s".into(),
        x: X.map(str::to_owned).into(),
        y: Y.map(str::to_owned).into(),
        rows: Y
            .iter()
            .zip(PEAKS)
            .map(|(y, row)| X.iter().zip(row).map(|(x, peak)| cell(y, x, peak)).collect())
            .collect(),
        key: (0_u8..7).map(|step| ((4 + step).to_string(), step)).collect(),
        diverging: false,
    }
}

/// The same less another map, from worst to best.
pub(crate) fn heat_difference() -> Heat {
    let mut map = heat();
    map.diverging = true;
    map.key.clear();
    for (row, cells) in map.rows.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            let step = ((row + column) % 9) as u8;
            let change = f64::from(step) - 4.0;
            cell.under = String::new();
            cell.value = cell.value.map(|_| change);
            cell.step = cell.value.map(|_| step);
            if cell.value.is_some() {
                cell.text = if change > 0.0 { format!("+{change}") } else { change.to_string() };
            }
        }
    }
    map
}

/// The drawings of rulers every drawing test runs through.
pub(crate) fn drawings() -> Vec<(&'static str, Drawing)> {
    vec![
        ("waterfall", waterfall().into()),
        ("waterfall of two runs", waterfall_of_two_runs().into()),
        ("empty waterfall", Waterfall::default().into()),
        ("stream", stream().into()),
        ("stream of unknown split", stream_of_unknown_split().into()),
        ("long stream", long_stream().into()),
        ("stream of ends", stream_of_ends().into()),
        ("stream of piles", stream_of_piles().into()),
        ("empty stream", Stream::default().into()),
        ("heat", heat().into()),
        ("heat of a difference", heat_difference().into()),
        ("empty heat", Heat::default().into()),
        ("lanes", lanes().into()),
        ("many lanes", many_lanes().into()),
        ("empty lanes", Lanes::default().into()),
    ]
}

/// Thirty requests, of which one stands still, one fails and one is cut off.
pub(crate) fn lanes() -> Lanes {
    let lane = |at: u32| {
        let start = f64::from(at) * 0.2;
        let piece = |from: f64, to: f64, part| Piece { from: start + from, to: start + to, part };
        let (pieces, end) = match at {
            4 => (vec![piece(0.0, 0.3, Part::Failed)], (0.3, End::Failed)),
            9 => (vec![piece(0.0, 0.1, Part::First), piece(0.1, 0.5, Part::Cut)], (0.5, End::Cut)),
            12 => (
                vec![
                    piece(0.0, 0.05, Part::First),
                    piece(0.05, 0.3, Part::Decode),
                    piece(0.3, 1.82, Part::Gap),
                    piece(1.82, 2.2, Part::Decode),
                ],
                (2.2, End::Last),
            ),
            _ => (
                vec![
                    piece(-0.08, 0.0, Part::Client),
                    piece(0.0, 0.1, Part::First),
                    piece(0.1, 1.1, Part::Decode),
                ],
                (1.1, End::Last),
            ),
        };
        Lane {
            key: format!("request-{}", at + 1),
            label: (at + 1).to_string(),
            name: format!("Request {}", at + 1),
            pieces,
            end: Some((start + end.0, end.1)),
            lines: vec![("TTFT".into(), "100 ms".into())],
        }
    };
    let part = |part, words: &str| (Sign::Part(part), words.to_owned());
    Lanes {
        title: "One answer stood still for 1.52 s, and the usual numbers hide it".into(),
        stamp: "timeline · client clock · n 28 ok, 1 failed · whole run".into(),
        summary: "Thirty requests over 6.9 s. One of them paused for 1.52 s.".into(),
        heading: "request, in order of start".into(),
        key: vec![
            part(Part::First, "to first token"),
            part(Part::Decode, "decode"),
            part(Part::Gap, "long gap"),
            (Sign::End(End::Last), "last token".into()),
        ],
        clock: (0.0, 6.9),
        clock_title: "s from the first send".into(),
        lanes: (0..30).map(lane).collect(),
        flight: Some(Flight {
            title: "in flight, requests".into(),
            steps: (0..=69).map(|at| (f64::from(at) / 10.0, f64::from(at * 7 % 8))).collect(),
            most: Some((3.3, 7.0, "most 7".into())),
        }),
        output: Some(Bars {
            title: "output, tok/s, bins of 0.5 s".into(),
            from: 0.0,
            width: 0.5,
            values: (0..14).map(|at| f64::from(at * 5 % 9) * 80.0).collect(),
        }),
        stalls: vec![Stretch {
            from: 2.7,
            to: 4.22,
            words: vec![
                "stall 1.52 s · 1 request · 21 others went on".into(),
                "stall 1.52 s · 1 request".into(),
                "1.52 s".into(),
            ],
        }],
        zones: vec![
            Stretch { from: 0.0, to: 1.1, words: vec!["first wave".into()] },
            Stretch { from: 5.8, to: 6.9, words: vec!["drain".into()] },
        ],
        ..Lanes::default()
    }
}

/// 100,000 requests in 400 lanes, by length, zoomed in on a chosen stretch.
pub(crate) fn many_lanes() -> Lanes {
    let mut lanes = lanes();
    lanes.lanes = (0..400_u32)
        .map(|at| {
            let start = f64::from(at) / 60.0;
            Lane {
                key: format!("range-{at}"),
                label: (at * 250 + 1).to_string(),
                name: format!("Requests {} to {}", at * 250 + 1, at * 250 + 250),
                pieces: vec![
                    Piece { from: start, to: start + 0.1, part: Part::First },
                    Piece {
                        from: start + 0.1,
                        to: start + 0.6,
                        part: Part::Length((at % 4) as u8),
                    },
                    Piece { from: start + 0.6, to: start + 0.7, part: Part::Gap },
                ],
                end: None,
                lines: Vec::new(),
            }
        })
        .collect();
    lanes.window = Some((2.0, 3.0));
    lanes.chosen = Some("range-200".into());
    lanes.chosen_label = "50,123".into();
    lanes.numbers = vec![(0, "1".into())];
    lanes.numbers.extend((1..6).map(|n| (n * 80 - 1, format!("{}0,000", n * 2))));
    lanes
}
