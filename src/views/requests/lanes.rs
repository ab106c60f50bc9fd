//! The picture: lanes of requests, those in flight, the output, and the stalls through all of them.

use super::ask::{Align, Named as _, Order, RequestsAsk};
use super::list::value;
use super::pieces::{Style, tidy};
use super::{Shown, Worked, counted, finding};
use crate::charts::Lanes;
use crate::charts::lanes::{Bars, End, Flight, Lane, Part, Piece, Sign, Stretch};
use crate::metrics::{Counted, RequestTable, Stall, Timeline, stretch};
use crate::model::{Outcome, TokenSource};
use crate::units::{fixed, significant};
use crate::views::labels::trimmed;
use crate::views::numbers::count;

/// No more lanes than this are drawn; more requests share lanes.
pub(super) const MOST_LANES: usize = 400;
/// Into so many columns the clock is parted where requests share a lane.
const COLUMNS: usize = 240;
/// The parts that a shared lane can show, in the order in which they win where they last equally long.
const PARTS: [Part; 10] = [
    Part::Gap,
    Part::Failed,
    Part::Cut,
    Part::First,
    Part::Decode,
    Part::Client,
    Part::Length(0),
    Part::Length(1),
    Part::Length(2),
    Part::Length(3),
];

/// The key of the lane of a request by itself, by its number from 0.
pub fn key_of(request: usize) -> String {
    format!("request-{}", request + 1)
}

/// The number from 0 of the request whose lane has this key.
pub fn request_of(key: &str) -> Option<usize> {
    key.strip_prefix("request-")?.parse::<usize>().ok()?.checked_sub(1)
}

/// The first place and the number of requests of the shared lane with this key.
pub fn range_of(key: &str) -> Option<(usize, usize)> {
    let (from, count) = key.strip_prefix("range-")?.split_once('-')?;
    Some((from.parse().ok()?, count.parse().ok()?))
}

/// The picture of the requests `order`.
pub(super) fn picture(
    shown: &Shown<'_>,
    worked: &Worked,
    ask: &RequestsAsk,
    order: &[usize],
) -> Lanes {
    let table = &worked.table;
    let has_starts = table.start.iter().any(Option::is_some);
    let style = Style::of(worked, ask, has_starts);
    let one_clock = style.align == Align::Run;
    let first = ask.lanes.map_or(0, |lanes| lanes.0.min(order.len()));
    let most = ask.lanes.map_or(usize::MAX, |lanes| lanes.1);
    let drawn = order.get(first..).unwrap_or_default();
    let drawn = drawn.get(..most.min(drawn.len())).unwrap_or_default();
    let whole = shown.timeline(None);
    let line = whole.as_ref().as_ref().ok();
    let clock = clock(&style, ask, drawn, line);
    let each = drawn.len().div_ceil(MOST_LANES).max(1);
    let lanes: Vec<Lane> = if each == 1 {
        drawn.iter().map(|at| single(&style, table, *at, clock.1 - clock.0)).collect()
    } else {
        let groups = drawn.chunks(each).enumerate();
        groups.map(|(at, rows)| shared(&style, table, first + at * each, rows, clock)).collect()
    };
    let chosen = ask.chosen.and_then(|chosen| {
        let at = drawn.iter().position(|at| *at == chosen)?;
        lanes.get(at / each).map(|lane| lane.key.clone())
    });
    let part = shown.timeline(ask.time.filter(|_| one_clock));
    let part = part.as_ref().as_ref().ok().filter(|_| one_clock);
    let title = finding::title(worked, line, &finding::strip(shown, worked));
    Lanes {
        stamp: stamp(shown, table),
        summary: summary(shown, worked, order.len(), line, &title),
        notes: notes(shown, table, (has_starts, each), part),
        heading: heading(ask, each, first, (drawn.len(), order.len())),
        key: key(&lanes, &style, each),
        clock,
        clock_title: match style.align {
            Align::Run => "s from the first send",
            Align::Send => "s from each request’s send",
            Align::First => "s from each request’s first token",
        }
        .to_owned(),
        lanes,
        flight: part.map(|part| flight(part, ask.time.is_none())),
        output: part.and_then(bars),
        stalls: if one_clock { stalls(worked, ask.time) } else { Vec::new() },
        zones: line.filter(|_| one_clock).map(zones).unwrap_or_default(),
        window: one_clock.then(|| window(shown)).flatten(),
        numbers: if each > 1 { numbers(first, drawn.len(), each) } else { Vec::new() },
        chosen_label: ask.chosen.map_or_else(String::new, |at| fixed(at as f64 + 1.0, 0)),
        chosen,
        title,
    }
}

/// The shared lanes that hold the first place and each round one, with that place.
fn numbers(first: usize, drawn: usize, each: usize) -> Vec<(usize, String)> {
    /// About so many numbers stand at the left.
    const STAND: usize = 8;
    let powers = std::iter::successors(Some(1_usize), |power| power.checked_mul(10));
    let steps = powers.flat_map(|power| [1, 2, 5].map(|factor| power.saturating_mul(factor)));
    let step = steps.take(60).find(|step| drawn / step <= STAND).unwrap_or(drawn.max(1));
    let round = (1..).map(|n: usize| n * step).skip_while(|place| *place <= first + each);
    let all = std::iter::once(first + 1).chain(round.take_while(|place| *place <= first + drawn));
    all.map(|place| ((place - 1 - first) / each, fixed(place as f64, 0))).collect()
}

/// The times at both ends: those asked for, the run's, or those of the lanes.
fn clock(
    style: &Style<'_>,
    ask: &RequestsAsk,
    drawn: &[usize],
    line: Option<&Timeline>,
) -> (f64, f64) {
    if let (Align::Run, Some((from, to))) = (style.align, ask.time) {
        return (from, to);
    }
    let spans = drawn.iter().filter_map(|at| style.span(*at));
    let (from, to) =
        spans.fold((0.0_f64, 0.0_f64), |all, own| (all.0.min(own.0), all.1.max(own.1)));
    let to = match (style.align, line) {
        (Align::Run, Some(line)) => to.max(line.length.as_secs()),
        _ => to,
    };
    (tidy(from), tidy(if to > from { to } else { from + 1.0 }))
}

fn single(style: &Style<'_>, table: &RequestTable, at: usize, clock: f64) -> Lane {
    let (pieces, end) = style.pieces(at, clock);
    let number = fixed(at as f64 + 1.0, 0);
    Lane {
        key: key_of(at),
        name: format!("Request {number}"),
        label: number,
        pieces,
        end,
        lines: told(table, at),
    }
}

/// What the card beside a lane says.
fn told(table: &RequestTable, at: usize) -> Vec<(String, String)> {
    let ms = |column: &[Option<f64>]| {
        value(column, at).map(|secs| format!("{} ms", significant(secs * 1e3, 3)))
    };
    let all = [
        ("sent", value(&table.start, at).map(|start| format!("{} s", significant(start, 4)))),
        ("TTFT", ms(&table.ttft)),
        ("TPOT", ms(&table.tpot)),
        ("longest gap", ms(&table.gap)),
        ("E2E", ms(&table.e2e)),
        ("output tokens", value(&table.tokens, at).map(|n| fixed(n, 0))),
        ("status", table.outcome.get(at).map(|outcome| status(*outcome).to_owned())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// How a request ended, in a word or two.
pub(super) const fn status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "cancelled",
        Outcome::Unfinished => "unfinished",
    }
}

/// Several requests in one lane: each column shows what most of them did, but a long gap and a failure of
/// any of them.
fn shared(
    style: &Style<'_>,
    table: &RequestTable,
    first: usize,
    rows: &[usize],
    (from, to): (f64, f64),
) -> Lane {
    let width = (to - from) / COLUMNS as f64;
    let mut spent = vec![[0.0_f64; PARTS.len()]; COLUMNS];
    for at in rows {
        for piece in style.pieces(*at, to - from).0 {
            let Some(part) = PARTS.iter().position(|part| *part == piece.part) else { continue };
            let start = ((piece.from - from) / width).floor().max(0.0) as usize;
            let end = ((piece.to - from) / width).ceil().clamp(0.0, COLUMNS as f64) as usize;
            for column in start..end {
                let left = from + width * column as f64;
                let inside = piece.to.min(left + width) - piece.from.max(left);
                if let Some(slot) = spent.get_mut(column).and_then(|of| of.get_mut(part)) {
                    *slot += inside.max(0.0);
                }
            }
        }
    }
    let shows = |of: &[f64; PARTS.len()]| -> Option<Part> {
        let alarming = of.iter().take(2).position(|secs| *secs > 0.0);
        let most = || {
            let of = of.iter().enumerate().filter(|(_, secs)| **secs > 0.0);
            // Of equals the earlier one in the list.
            of.rev().max_by(|a, b| a.1.total_cmp(b.1)).map(|(part, _)| part)
        };
        PARTS.get(alarming.or_else(most)?).copied()
    };
    let columns: Vec<Option<Part>> = spent.iter().map(shows).collect();
    let mut pieces = Vec::new();
    let mut column = 0;
    for run in columns.chunk_by(|a, b| a == b) {
        let (left, right) = (column as f64 * width, (column + run.len()) as f64 * width);
        if let Some(part) = run.first().copied().flatten() {
            pieces.push(Piece { from: tidy(from + left), to: tidy(from + right), part });
        }
        column += run.len();
    }
    let number = |n: usize| fixed(n as f64, 0);
    let longest = rows.iter().copied().filter_map(|at| Some((at, value(&table.gap, at)?)));
    let longest = longest.max_by(|a, b| a.1.total_cmp(&b.1));
    let mut lines = vec![("requests".to_owned(), number(rows.len()))];
    if let Some((at, gap)) = longest {
        let words = format!("{} ms, request {}", significant(gap * 1e3, 3), number(at + 1));
        lines.push(("longest gap".to_owned(), words));
    }
    let failed = |at: &&usize| table.outcome.get(**at) == Some(&Outcome::Failed);
    let failed = rows.iter().filter(failed).count();
    if failed > 0 {
        lines.push(("failed".to_owned(), number(failed)));
    }
    Lane {
        key: format!("range-{first}-{}", rows.len()),
        label: number(first + 1),
        name: format!(
            "Requests {} to {} in this order",
            number(first + 1),
            number(first + rows.len())
        ),
        pieces,
        end: None,
        lines,
    }
}

fn heading(ask: &RequestsAsk, each: usize, first: usize, (drawn, all): (usize, usize)) -> String {
    let order = match ask.order {
        Order::Start => "in order of start".to_owned(),
        Order::Length => "longest reply first".to_owned(),
        Order::Gap => "longest gap first".to_owned(),
        order => format!("slowest {} first", order.words()),
    };
    let part = if drawn < all {
        let number = |n: usize| fixed(n as f64, 0);
        format!(", {} to {} of {}", number(first + 1), number(first + drawn), number(all))
    } else {
        String::new()
    };
    match each {
        1 => format!("request, {order}{part}"),
        _ => format!("place {order}, {} a lane{part}", count(each, "request")),
    }
}

fn stamp(shown: &Shown<'_>, table: &RequestTable) -> String {
    let kept = || table.outcome.iter().zip(&table.kept).filter(|(_, kept)| **kept);
    let of = |wanted: &[Outcome]| kept().filter(|(outcome, _)| wanted.contains(outcome)).count();
    let number = |n: usize| fixed(n as f64, 0);
    let mut parts = vec![
        "timeline · client clock".to_owned(),
        format!("n {} ok, {} failed", number(of(&[Outcome::Ok])), number(of(&[Outcome::Failed]))),
    ];
    let cut = of(&[Outcome::Cancelled, Outcome::Unfinished]);
    if cut > 0 {
        parts.push(format!("{} cut off", number(cut)));
    }
    let left_out = table.kept.iter().filter(|kept| !**kept).count();
    if left_out > 0 {
        parts.push(format!("{} left out", number(left_out)));
    }
    parts.push(format!(
        "window: {}",
        crate::views::window::short(&shown.own.settings.window.to_string())
    ));
    parts.push(if table.wait.iter().all(Option::is_none) {
        "queue: not recorded by this client".to_owned()
    } else {
        "queue: inside the client only".to_owned()
    });
    parts.join(" · ")
}

fn summary(
    shown: &Shown<'_>,
    worked: &Worked,
    matching: usize,
    line: Option<&Timeline>,
    title: &str,
) -> String {
    let mut said = vec![format!("{title}.")];
    let all = counted(matching, worked.table.len());
    match line {
        Some(line) => said.push(format!(
            "{}: {all} over {} s, at most {} in flight.",
            shown.own.name,
            trimmed(line.length.as_secs()),
            fixed(line.peak, 0)
        )),
        None => said.push(format!("{}: {all}.", shown.own.name)),
    }
    if let Ok(stalls) = &worked.stalls {
        let told = stalls.list.iter().take(3).map(|stall| format!("{}.", words(stall)));
        said.extend(told.map(|words| format!("A {words}")));
    }
    said.join(" ")
}

fn notes(
    shown: &Shown<'_>,
    table: &RequestTable,
    (has_starts, each): (bool, usize),
    part: Option<&Timeline>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if !has_starts {
        notes.push(
            "The file holds no send times: every request begins at its own send. Who was in flight with whom can’t be told."
                .to_owned(),
        );
    }
    if each > 1 {
        notes.push(format!(
            "A lane stands for {} that follow each other and shows what most of them waited for; a long gap or a failure of any of them is shown. Choose a lane to see its requests.",
            count(each, "request")
        ));
    }
    if table.first.iter().all(Option::is_none) && table.end.iter().any(Option::is_some) {
        notes.push(
            "The file times no first token: a lane is the wait for the whole reply.".to_owned(),
        );
    }
    if let Some(line) = part {
        match &line.output {
            Ok(output) if output.counted == Counted::SharedTokens => notes.push(
                "Tokens are shared evenly by the events of their reply: the file does not say how many came in each."
                    .to_owned(),
            ),
            Ok(output) if output.counted == Counted::Events => notes.push(
                "Stream events, not tokens: some replies have no count of tokens.".to_owned(),
            ),
            Ok(_) => {}
            Err(reason) => notes.push(format!("Output over time can’t be drawn: {reason}.")),
        }
    }
    let source = shown.own.run.requests.as_ref().map(|requests| requests.token_source);
    if source == Some(TokenSource::Requested) {
        notes.push("Output tokens are the length that was asked for, not what came.".to_owned());
    }
    notes
}

/// What the drawn parts and ends mean.
fn key(lanes: &[Lane], style: &Style<'_>, each: usize) -> Vec<(Sign, String)> {
    let drawn = |part: Part| lanes.iter().flat_map(|lane| &lane.pieces).any(|p| p.part == part);
    let ended = |end: End| lanes.iter().any(|lane| lane.end.is_some_and(|own| own.1 == end));
    let mut key = Vec::new();
    let by_length = style.fourths.map(|[a, b, c]| {
        let n = |tokens: f64| fixed(tokens, 0);
        [
            format!("to {} tokens", n(a)),
            format!("to {}", n(b)),
            format!("to {}", n(c)),
            "more".to_owned(),
        ]
    });
    let parts = [
        (Part::Client, "wait in the client"),
        (Part::First, "to first token"),
        (Part::Decode, "decode"),
    ];
    let parts = parts.into_iter().map(|(part, words)| (part, words.to_owned()));
    let lengths = by_length.into_iter().flatten().zip(0_u8..).map(|(w, at)| (Part::Length(at), w));
    let others = [(Part::Gap, "long gap"), (Part::Failed, "failed"), (Part::Cut, "cut off")];
    let others = others.into_iter().map(|(part, words)| (part, words.to_owned()));
    key.extend(
        parts
            .chain(lengths)
            .chain(others)
            .filter(|(part, _)| drawn(*part))
            .map(|(part, words)| (Sign::Part(part), words)),
    );
    if each == 1 && ended(End::Last) {
        key.push((Sign::End(End::Last), "last token".to_owned()));
    }
    key
}

fn flight(line: &Timeline, whole: bool) -> Flight {
    let steps: Vec<(f64, f64)> =
        line.in_flight.iter().map(|(at, level)| (tidy(at.as_secs()), *level)).collect();
    let most = steps.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
    Flight {
        title: "in flight, requests".to_owned(),
        most: most
            .filter(|_| whole)
            .map(|(at, level)| (at, level, format!("most {}", fixed(level, 0)))),
        steps,
    }
}

/// No bin is as short as this, in seconds.
const SHORTEST: f64 = 1e-8;

fn bars(line: &Timeline) -> Option<Bars> {
    let output = line.output.as_ref().ok()?;
    let unit = if output.counted == Counted::Events { "events/s" } else { "tok/s" };
    let width = output.width.as_secs();
    // A stretch outside of the run has no length.
    if width < SHORTEST {
        return None;
    }
    Some(Bars {
        title: format!("output, {unit}, bins of {} s", trimmed(width)),
        from: output.from.as_secs(),
        width,
        values: output.per_second.iter().map(|rate| (rate * 100.0).round() / 100.0).collect(),
    })
}

/// “stall 1.52 s · 1 request · 21 others went on”.
pub(super) fn words(stall: &Stall) -> String {
    let went_on = match stall.went_on {
        0 => "nobody went on".to_owned(),
        1 => "1 other went on".to_owned(),
        n => format!("{} others went on", fixed(n as f64, 0)),
    };
    format!("{} · {went_on}", short(stall))
}

fn short(stall: &Stall) -> String {
    let long = significant(stall.length().as_secs(), 3);
    format!("stall {long} s · {}", count(stall.rows.len(), "request"))
}

/// The stalls in sight, the longest first.
fn stalls(worked: &Worked, time: Option<(f64, f64)>) -> Vec<Stretch> {
    /// No more are drawn: a picture full of edges says nothing.
    const DRAWN: usize = 40;
    let Ok(stalls) = &worked.stalls else { return Vec::new() };
    let seen = |stall: &&Stall| {
        time.is_none_or(|(from, to)| stall.from.as_secs() <= to && stall.to.as_secs() >= from)
    };
    let mut all: Vec<&Stall> = stalls.list.iter().filter(seen).collect();
    all.sort_by(|a, b| b.longest.as_secs().total_cmp(&a.longest.as_secs()));
    all.truncate(DRAWN);
    let stretch = |stall: &Stall| Stretch {
        from: tidy(stall.from.as_secs()),
        to: tidy(stall.to.as_secs()),
        words: vec![
            words(stall),
            short(stall),
            format!("{} s", significant(stall.length().as_secs(), 3)),
        ],
    };
    all.into_iter().map(stretch).collect()
}

/// The first wave, before any request ended, and the drain, after the last was sent.
fn zones(line: &Timeline) -> Vec<Stretch> {
    let length = line.length.as_secs();
    let first = line.finished.first().map(|(at, _)| at.as_secs());
    let last = line.sent.last().map(|(at, _)| at.as_secs());
    let zone = |from: f64, to: f64, words: &[&str]| Stretch {
        from: tidy(from),
        to: tidy(to),
        words: words.iter().map(|words| (*words).to_owned()).collect(),
    };
    let mut zones = Vec::new();
    let apart = first.zip(last).is_some_and(|(first, last)| first < last);
    // Where all were sent before one ended there is no stretch between the two.
    if let (true, Some(first), Some(last)) = (apart, first, last) {
        zones.push(zone(0.0, first, &["first wave, until one ended", "first wave"]));
        zones.push(zone(last, length, &["drain, after the last send", "drain"]));
    }
    zones
}

/// The window in force, where it is not the whole run.
fn window(shown: &Shown<'_>) -> Option<(f64, f64)> {
    let settings = shown.own.settings;
    if settings.window == crate::metrics::settings::Window::Whole {
        return None;
    }
    let (from, to) = stretch(shown.own.run, &settings, shown.own.excluded()).ok()?.between?;
    Some((tidy(from.as_secs()), tidy(to.as_secs())))
}
