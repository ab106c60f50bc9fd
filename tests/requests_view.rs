//! The Requests screen: its values are those of the metrics, what it draws is bounded, and it says what
//! can't be had.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

mod build;
mod handed;

use build::{Table, run};
use sameruler::charts::lanes::{End, Part};
use sameruler::engine::import::import;
use sameruler::engine::{Answer, Query, Session};
use sameruler::model::{Column, Limit, LimitMetric, Memory, Origin, Outcome, Run};
use sameruler::units::{Tokens, Turn};
use sameruler::views::requests::{
    Align, Colour, Named as _, Order, RequestsAsk, RequestsView, RowsAsk, RowsView, Sort, Status,
    range_of, request_of, request_rows, requests,
};
use sameruler::views::{Context, Judged, Ruler};
use std::collections::{BTreeMap, BTreeSet};

fn context(run: &Run) -> Context {
    Context { runs: vec![run.id.clone()], ..Context::default() }
}

fn view(run: &Run, ask: &RequestsAsk) -> RequestsView {
    requests(&[run], &context(run), ask)
}

fn rows(run: &Run, context: &Context, ask: &RowsAsk) -> RowsView {
    request_rows(&[run], context, ask)
}

/// Twelve replies of twenty tokens each, 20 ms apart, sent 0.2 s after each other; number 4 stands still for
/// 1.5 s after its fifth token, number 7 fails, number 9 is cut off.
fn twelve() -> Run {
    let mut table = Table::new();
    for at in 0..12 {
        let mut gaps = [20.0; 19];
        if at == 3 {
            gaps[4] = 1500.0;
        }
        table = table.row(50.0 + f64::from(at), &gaps, 20.0);
        table = match at {
            6 => table.outcome(Outcome::Failed),
            8 => table.outcome(Outcome::Cancelled),
            _ => table,
        };
    }
    let starts: Vec<f64> = (0..12).map(|at| 100.0 + f64::from(at) * 0.2).collect();
    run(table.starts(&starts).input(&[70.0; 12]).duration(4.0))
}

#[test]
fn the_finding_the_strip_and_the_picture_say_the_same() {
    let run = twelve();
    let view = view(&run, &RequestsAsk::default());
    assert_eq!(view.title, "One answer stood still for 1.50 s, and the usual numbers hide it");
    let strip: Vec<(&str, &str, &str)> =
        view.strip.iter().map(|s| (s.name.as_str(), s.value.as_str(), s.said.as_str())).collect();
    // One of 190 gaps is under 1 %: p99 lies at place 187.1 of 0 to 189.
    assert_eq!(
        strip,
        [
            ("TPOT p50", "20.0", "hides it"),
            ("ITL p99", "20.0", "hides it"),
            ("ITL max", "1,500", "shows it")
        ]
    );
    assert_eq!((view.total, view.matching, view.stalls.len()), (12, 12, 1));
    // Sent at 0.6 s, first token 53 ms later, four gaps of 20 ms.
    assert!((view.stalls[0].from - 0.733).abs() < 1e-9, "{:?}", view.stalls);
    assert_eq!(view.stalls[0].request, 3);
    assert!(view.stamp.contains("n 10 ok, 1 failed · 1 cut off"), "{}", view.stamp);
    let picture = view.picture.unwrap();
    assert_eq!(picture.lanes.len(), 12);
    let lane = &picture.lanes[3];
    let parts: Vec<Part> = lane.pieces.iter().map(|piece| piece.part).collect();
    assert_eq!(parts, [Part::First, Part::Decode, Part::Gap, Part::Decode]);
    assert_eq!((lane.pieces[2].from, lane.pieces[2].to), (0.733, 2.233));
    assert_eq!(picture.lanes[6].end.unwrap().1, End::Failed);
    assert_eq!(picture.lanes[8].end.unwrap().1, End::Cut);
    assert_eq!(picture.stalls.len(), 1);
    assert!(picture.flight.is_some() && picture.output.is_some());
    // The first ended at 0.43 s, the last was sent at 2.2 s.
    let zones: Vec<(f64, f64)> = picture.zones.iter().map(|z| (z.from, z.to)).collect();
    assert_eq!((zones[0], zones[1].0), ((0.0, 0.43), 2.2));
}

#[test]
fn a_run_without_a_stall_has_a_plain_title() {
    let mut table = Table::new();
    for _ in 0..5 {
        table = table.row(50.0, &[20.0; 19], 20.0);
    }
    let run = run(table.starts(&[0.0, 1.0, 2.0, 3.0, 4.0]).duration(5.0));
    let view = view(&run, &RequestsAsk::default());
    assert!(
        view.title.starts_with("No answer stood still: the longest gap is 20.0 ms."),
        "{}",
        view.title
    );
    assert!(view.strip.iter().all(|one| one.said.is_empty() && !one.shows));
}

#[test]
fn order_status_and_time_choose_lanes_and_rows_alike() {
    let run = twelve();
    let of = |ask: &RequestsAsk| -> Vec<usize> {
        let picture = view(&run, ask).picture.unwrap();
        picture.lanes.iter().filter_map(|lane| request_of(&lane.key)).collect()
    };
    let ask = RequestsAsk { order: Order::Gap, ..RequestsAsk::default() };
    assert_eq!(of(&ask)[0], 3);
    let ask = RequestsAsk { order: Order::Ttft, status: Status::Ok, ..RequestsAsk::default() };
    assert_eq!(of(&ask)[..3], [11, 10, 9]);
    // 4 ended at 2.513 s, 11 at 2.44 s, 12 at 2.641 s, all others before.
    let ask = RequestsAsk { time: Some((2.43, 3.0)), ..RequestsAsk::default() };
    assert_eq!(of(&ask), [3, 10, 11]);
    let told = rows(&run, &context(&run), &RowsAsk { of: ask, count: 50, ..RowsAsk::default() });
    assert_eq!((told.total, told.rows.len()), (3, 3));
    assert_eq!(told.caption, "3 of 12 requests");
    for (status, want) in
        [(Status::Failed, vec![6]), (Status::Cut, vec![8]), (Status::Paused, vec![3])]
    {
        assert_eq!(of(&RequestsAsk { status, ..RequestsAsk::default() }), want);
    }
    let counts = view(&run, &RequestsAsk::default()).statuses;
    assert_eq!(counts[..3], [(Status::All, 12), (Status::Ok, 10), (Status::Failed, 1)]);
}

#[test]
fn the_table_is_sorted_both_ways_and_gives_what_is_in_sight() {
    let run = twelve();
    let ask =
        |sort, turned, from, count| RowsAsk { sort, turned, from, count, ..RowsAsk::default() };
    let of = |ask: &RowsAsk| rows(&run, &context(&run), ask);
    let gap = of(&ask(Sort::Gap, false, 0, 2));
    assert_eq!((gap.rows[0].request, gap.rows.len(), gap.total), (3, 2, 12));
    assert_eq!(gap.order, "longest gap first");
    assert_eq!(
        gap.head.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        ["#", "start", "TTFT", "TPOT", "max gap", "E2E", "tokens", "status"]
    );
    // 53 ms, (1,913 − 53) ÷ 19, 1,500 ms, 53 + 18 × 20 + 1,500 ms.
    assert_eq!(gap.rows[0].cells, ["4", "0.60", "53.0", "97.9", "1,500", "1,913", "20", "ok"]);
    let late = of(&ask(Sort::Number, true, 2, 3));
    assert_eq!(late.rows.iter().map(|row| row.request).collect::<Vec<_>>(), [9, 8, 7]);
    assert_eq!(late.head[0].descending, Some(true));
    let failed = of(&ask(Sort::Status, false, 0, 1));
    assert_eq!((failed.rows[0].request, failed.rows[0].alarm), (6, true));
    assert_eq!(failed.rows[0].cells[2], "—", "what a failed request took is no sample");
    let beyond = of(&ask(Sort::Gap, false, 500, 10));
    assert_eq!((beyond.rows.len(), beyond.from), (0, 12));
    let chosen = RowsAsk {
        of: RequestsAsk { chosen: Some(3), ..RequestsAsk::default() },
        ..ask(Sort::Number, false, 0, 1)
    };
    assert_eq!(of(&chosen).chosen_at, Some(3));
}

#[test]
fn the_file_holds_every_row_with_every_digit() {
    let run = twelve();
    let ask = RowsAsk { file: true, sort: Sort::Number, ..RowsAsk::default() };
    let told = rows(&run, &context(&run), &ask);
    let file = told.file.unwrap();
    let lines: Vec<&str> = file.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 13);
    assert!(lines[0].starts_with("request,start_s,client_wait_ms,ttft_ms,"));
    let fields: Vec<&str> = lines[4].split(',').collect();
    assert_eq!((fields[0], fields[9], fields[11]), ("4", "ok", "true"));
    assert!((fields[4].parse::<f64>().unwrap() - 1860.0 / 19.0).abs() < 1e-9, "{fields:?}");
    assert!(file.contains("# TTFT: "), "{file}");
    assert!(told.rows.is_empty());
}

#[test]
fn a_card_says_every_value_with_its_formula() {
    let run = twelve();
    let limits = vec![
        Limit::at_most(LimitMetric::Ttft, 100.0),
        Limit::at_most(LimitMetric::Tpot, 50.0),
        Limit::at_most(LimitMetric::E2e, 1000.0),
    ];
    let context = Context { limits, ..context(&run) };
    let ask = RequestsAsk { chosen: Some(3), ..RequestsAsk::default() };
    let card = requests(&[&run], &context, &ask).card.unwrap();
    assert_eq!((card.name.as_str(), card.said.as_str()), ("Request 4", "ok · 70 in, 20 out"));
    let line = |name: &str| card.lines.iter().find(|line| line.name == name).unwrap();
    assert_eq!(line("sent").value, "0.600 s");
    assert_eq!(line("TTFT").value, "53.0 ms");
    let gap = line("gap after token 5");
    assert_eq!(
        (gap.value.as_str(), gap.how.as_str(), gap.alarm),
        ("1,500 ms", "0.73 to 2.23 s", true)
    );
    assert_eq!(line("TPOT").how, "(1,913 − 53) ÷ (20 − 1)");
    assert_eq!(
        (line("without the gap").value.as_str(), line("without the gap").how.as_str()),
        ("20.0 ms", "mean of 18 other gaps")
    );
    assert_eq!(
        (line("SLO").value.as_str(), line("SLO").how.as_str()),
        ("misses 2", "TPOT and E2E limits")
    );
    assert!(card.text.contains("TPOT\t97.9 ms\t(1,913 − 53) ÷ (20 − 1)"), "{}", card.text);
    let (from, to) = card.span.unwrap();
    assert!((from - 0.6).abs() < 1e-9 && (to - 2.513).abs() < 1e-9);
    // A request that failed says why it has no value.
    let ask = RequestsAsk { chosen: Some(6), ..RequestsAsk::default() };
    let card = requests(&[&run], &context, &ask).card.unwrap();
    let ttft = card.lines.iter().find(|line| line.name == "TTFT").unwrap();
    assert_eq!(ttft.value, "—");
    assert!(ttft.how.contains("did not finish"), "{ttft:?}");
    let ask = RequestsAsk { chosen: Some(99), ..RequestsAsk::default() };
    assert_eq!(requests(&[&run], &context, &ask).card, None);
}

#[test]
fn the_way_to_the_next_request_follows_the_lanes() {
    let run = twelve();
    let beside =
        |chosen, order| view(&run, &RequestsAsk { chosen, order, ..RequestsAsk::default() }).beside;
    assert_eq!(beside(Some(3), Order::Start), (Some(2), Some(4)));
    assert_eq!(beside(Some(0), Order::Start), (None, Some(1)));
    assert_eq!(beside(None, Order::Start), (Some(11), Some(0)));
    assert_eq!(beside(Some(3), Order::Gap).0, None);
    assert_eq!(view(&run, &RequestsAsk::default()).slowest, Some(3));
}

#[test]
fn without_send_times_every_lane_begins_at_its_send_and_the_reason_is_said() {
    let mut table = Table::new();
    for _ in 0..4 {
        table = table.row(50.0, &[20.0; 19], 20.0);
    }
    let run = run(table.duration(1.0));
    let view = view(&run, &RequestsAsk::default());
    let picture = view.picture.unwrap();
    assert!(picture.lanes.iter().all(|lane| lane.pieces[0].from == 0.0));
    assert!(picture.flight.is_none() && picture.stalls.is_empty() && picture.zones.is_empty());
    assert_eq!(picture.clock_title, "s from each request’s send");
    assert!(picture.notes[0].contains("no send times"), "{:?}", picture.notes);
    assert!(view.stall_rule.contains("no send times"), "{}", view.stall_rule);
    assert!(view.length.abs() < f64::EPSILON, "{}", view.length);
}

#[test]
fn aligned_at_the_first_token_the_waits_are_before_zero() {
    let run = twelve();
    let ask = RequestsAsk { align: Align::First, ..RequestsAsk::default() };
    let picture = view(&run, &ask).picture.unwrap();
    assert!((picture.clock.0 + 0.061).abs() < 1e-9, "{:?}", picture.clock);
    assert!(picture.lanes[0].pieces[1].from.abs() < 1e-9);
    assert!(picture.flight.is_none());
}

#[test]
fn colours_tell_status_or_length() {
    let run = twelve();
    let parts = |colour| -> BTreeSet<String> {
        let picture =
            view(&run, &RequestsAsk { colour, ..RequestsAsk::default() }).picture.unwrap();
        let parts = picture.lanes.iter().flat_map(|lane| &lane.pieces);
        parts.map(|piece| format!("{:?}", piece.part)).collect()
    };
    let told = |all: &[&str]| all.iter().map(|part| (*part).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(parts(Colour::Status), told(&["Decode", "Gap", "Failed", "Cut"]));
    assert_eq!(parts(Colour::Length), told(&["First", "Length(0)", "Gap", "Failed", "Cut"]));
}

#[test]
fn the_shortest_and_the_longest_fourth_are_filters_where_lengths_differ() {
    let mut table = Table::new();
    for tokens in [80, 10, 70, 20, 60, 30, 50, 40] {
        table = table.row(50.0, &vec![20.0; tokens - 1], tokens as f64);
    }
    let run = run(table.starts(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).duration(10.0));
    let of = |status| -> Vec<String> {
        let ask = RequestsAsk { status, ..RequestsAsk::default() };
        let lanes = view(&run, &ask).picture.unwrap().lanes;
        lanes.into_iter().map(|lane| lane.label).collect()
    };
    // Of eight the fourths end at 20, 40 and 60 tokens.
    assert_eq!(of(Status::Short), ["2", "4"]);
    assert_eq!(of(Status::Long), ["1", "3"]);
    let counts = view(&run, &RequestsAsk::default()).statuses;
    assert_eq!(counts, [(Status::All, 8), (Status::Ok, 8), (Status::Short, 2), (Status::Long, 2)]);
    // Replies of one length have no shortest ones.
    let equal = view(&twelve(), &RequestsAsk::default()).statuses;
    assert!(equal.iter().all(|(status, _)| !matches!(status, Status::Short | Status::Long)));
}

#[test]
fn turns_and_what_a_cache_held_are_filters_columns_and_lines_where_a_file_tells_them() {
    let mut run = twelve();
    let requests = run.requests.as_mut().unwrap();
    // Numbers 1, 3, 5, … open a conversation, and the next one goes on with 60 of its 70 tokens cached.
    let turns = (0..12).map(|at| Some(Turn::nth(f64::from(1 + at % 2))));
    requests.turn = Column::from_options(Origin::Reported, turns);
    let cached = (0..12).map(|at| Some(Tokens::from_count(if at % 2 == 1 { 60.0 } else { 0.0 })));
    requests.cached_tokens = Column::from_options(Origin::Reported, cached);
    let counts: BTreeMap<&str, usize> =
        view(&run, &RequestsAsk::default()).statuses.iter().map(|s| (s.0.id(), s.1)).collect();
    for (status, count) in [("first-turn", 6), ("later-turns", 6), ("cached", 6), ("uncached", 6)] {
        assert_eq!(counts.get(status), Some(&count), "{status}");
    }
    let later = RequestsAsk { status: Status::LaterTurns, ..RequestsAsk::default() };
    let ask = RowsAsk { of: later.clone(), sort: Sort::Cached, count: 2, ..RowsAsk::default() };
    let table = rows(&run, &context(&run), &ask);
    assert_eq!((table.total, table.order.as_str()), (6, "largest cached tokens first"));
    let at = |sort| table.head.iter().position(|column| column.sort == sort).unwrap();
    let cells = &table.rows[0].cells;
    assert_eq!((cells[at(Sort::Turn)].as_str(), cells[at(Sort::Cached)].as_str()), ("2", "60"));
    let card = view(&run, &RequestsAsk { chosen: Some(1), ..later }).card.unwrap();
    let line = |name: &str| card.lines.iter().find(|line| line.name == name).unwrap();
    assert_eq!(line("turn").value, "2");
    assert_eq!(
        (line("cached tokens").value.as_str(), line("cached tokens").how.as_str()),
        ("60", "held by a prefix cache, of 70 in")
    );
    let file = rows(&run, &context(&run), &RowsAsk { file: true, ..ask }).file.unwrap();
    assert!(file.lines().any(|line| line.ends_with(",true,2,60")), "{file}");

    // A file that tells neither has neither column, and what all have in common is no filter.
    let plain = rows(&twelve(), &context(&twelve()), &RowsAsk::default());
    assert!(plain.head.iter().all(|c| !matches!(c.sort, Sort::Turn | Sort::Cached)));
    let nothing = (0..12).map(|_| Some(Tokens::from_count(0.0)));
    run.requests.as_mut().unwrap().cached_tokens = Column::from_options(Origin::Reported, nothing);
    run.memory = Memory::default();
    let statuses = view(&run, &RequestsAsk::default()).statuses;
    assert!(statuses.iter().all(|s| !matches!(s.0, Status::Cached | Status::Uncached)));
}

#[test]
fn what_no_request_is_is_said_and_stays_in_the_list() {
    let run = twelve();
    let ask = RequestsAsk {
        status: Status::FirstTurn,
        time: Some((100.0, 200.0)),
        ..RequestsAsk::default()
    };
    let nothing = view(&run, &ask);
    assert_eq!(
        nothing.nothing.as_deref(),
        Some("No request of 12 is that: first turn, in flight from 100.0 to 200.0 s.")
    );
    assert!(nothing.statuses.contains(&(Status::FirstTurn, 0)), "{:?}", nothing.statuses);
    let picture = nothing.picture.unwrap();
    assert!(picture.output.is_none(), "no bins of a stretch outside of the run");
    assert_eq!(view(&run, &RequestsAsk::default()).nothing, None);
}

#[test]
fn aggregates_only_say_what_would_record_requests() {
    let mut run = twelve();
    run.requests = None;
    let view = view(&run, &RequestsAsk::default());
    let empty = view.empty.unwrap();
    assert!(empty.text.contains("no single requests"), "{}", empty.text);
    assert!(empty.advice.unwrap().contains("--save-detailed"));
    assert_eq!(empty.flag.as_deref(), Some("--save-result --save-detailed"));
    assert!(view.picture.is_none() && view.strip.is_empty());
    let none = requests(&[], &Context::default(), &RequestsAsk::default());
    assert!(none.empty.unwrap().text.contains("No run is selected"));
}

#[test]
fn times_that_no_clock_gives_are_listed_with_their_rows() {
    let mut table = Table::new();
    for at in 0..6 {
        let ttft = if at == 2 || at == 4 { -5.0 } else { 50.0 };
        table = table.row(ttft, &[20.0; 9], 10.0);
    }
    let run = run(table.starts(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).duration(6.0));
    let view = view(&run, &RequestsAsk::default());
    assert_eq!(view.faults.len(), 1, "{:?}", view.faults);
    let fault = &view.faults[0];
    assert_eq!(
        (fault.check.as_str(), fault.rows.as_str()),
        ("impossible-times", "Requests 3 and 5")
    );
    assert!(!fault.left_out);
    let judged = Judged {
        excluded: BTreeSet::from([(run.id.clone(), "impossible-times".to_owned())]),
        ..Judged::default()
    };
    let context = Context { judged, ..context(&run) };
    let view = requests(&[&run], &context, &RequestsAsk::default());
    assert!(view.faults[0].left_out);
    assert_eq!(view.matching, 4);
    assert!(view.stamp.contains("2 left out"), "{}", view.stamp);
}

#[test]
fn a_request_that_is_left_out_by_itself_is_in_no_number_and_can_be_found_again() {
    let run = twelve();
    let judged = Judged {
        requests: BTreeSet::from([(run.id.clone(), 3), (run.id.clone(), 99)]),
        ..Judged::default()
    };
    let context = Context { judged, ..context(&run) };
    let view = requests(&[&run], &context, &RequestsAsk::default());
    assert!(view.title.starts_with("No answer stood still"), "{}", view.title);
    assert_eq!((view.matching, view.stalls.len()), (11, 0));
    assert_eq!(view.statuses.last(), Some(&(Status::LeftOut, 1)));
    let ask = RequestsAsk { status: Status::LeftOut, chosen: Some(3), ..RequestsAsk::default() };
    let view = requests(&[&run], &context, &ask);
    assert_eq!(view.matching, 1);
    let card = view.card.unwrap();
    assert!(card.left_out && card.said.ends_with("left out"), "{}", card.said);
    let ttft = card.lines.iter().find(|line| line.name == "TTFT").unwrap();
    assert_eq!((ttft.value.as_str(), ttft.how.as_str()), ("—", "left out by you"));
}

/// What crosses to the page is bounded, whatever the run holds.
#[test]
fn a_hundred_thousand_requests_are_four_hundred_lanes_and_a_range_leads_to_its_requests() {
    let mut table = Table::new();
    for at in 0..100_000_u32 {
        let mut gaps = [20.0, 20.0, 20.0];
        if at == 77_777 {
            gaps[1] = 9000.0;
        }
        table = table.row(50.0, &gaps, 4.0);
    }
    let starts: Vec<f64> = (0..100_000).map(|at| f64::from(at) * 0.01).collect();
    let run = run(table.starts(&starts).duration(1001.0));
    let all = view(&run, &RequestsAsk::default());
    let picture = all.picture.unwrap();
    assert_eq!(picture.lanes.len(), 400);
    assert_eq!(picture.lanes[0].name, "Requests 1 to 250 in this order");
    assert!(picture.heading.contains("250 requests a lane"), "{}", picture.heading);
    // Round places are numbered: lane 80 ends with the 20,000th.
    assert_eq!(picture.numbers[..2], [(0, "1".to_owned()), (79, "20,000".to_owned())]);
    assert_eq!(picture.numbers.last().unwrap().0, 399);
    let pieces: usize = picture.lanes.iter().map(|lane| lane.pieces.len()).sum();
    assert!(pieces < 20_000, "{pieces}");
    // One pause among 250 requests is not lost.
    let at = 77_777 / 250;
    assert!(picture.lanes[at].pieces.iter().any(|piece| piece.part == Part::Gap));
    let size = serde_json::to_string(&picture).unwrap().len();
    assert!(size < 400_000, "{size} bytes");
    let range = range_of(&picture.lanes[at].key).unwrap();
    assert_eq!(range, (77_750, 250));
    let ask = RequestsAsk { lanes: Some(range), chosen: Some(77_777), ..RequestsAsk::default() };
    let zoomed = view(&run, &ask).picture.unwrap();
    assert_eq!(zoomed.lanes.len(), 250);
    assert_eq!(zoomed.chosen.as_deref(), Some("request-77778"));
    assert_eq!((zoomed.chosen_label.as_str(), zoomed.numbers.len()), ("77,778", 0));
    assert!(zoomed.heading.ends_with("77,751 to 78,000 of 100,000"), "{}", zoomed.heading);
}

#[test]
fn questions_of_the_session_are_answered_and_names_come_back() {
    let run = twelve();
    let id = run.id.clone();
    let mut session = Session::new();
    session.adopt(vec![run]);
    let context = Context { runs: vec![id.clone()], ..Context::default() };
    let ask = RequestsAsk { run: Some(id), ..RequestsAsk::default() };
    let Answer::Requests(view) = session.answer(&context, &Query::Requests(ask.clone())) else {
        panic!("another answer");
    };
    assert_eq!(view.total, 12);
    let ask = RowsAsk { of: ask, count: 5, ..RowsAsk::default() };
    let Answer::RequestRows(rows) = session.answer(&context, &Query::RequestRows(ask)) else {
        panic!("another answer");
    };
    assert_eq!(rows.rows.len(), 5);
    for order in Order::ALL {
        assert_eq!(Order::of_id(order.id()), Some(*order));
    }
    assert_eq!(Sort::of_id("nothing"), None);
}

#[test]
fn the_mockup_s_run_reads_as_its_picture() {
    let Some(cases) = handed::cases() else { return };
    let file = cases.join("clients/S6/vllm/run.json");
    let bytes = std::fs::read(file).unwrap();
    let imported = import("run.json", &mut bytes.as_slice(), false, &mut |_, _, _, _| {});
    let run = imported.runs.into_iter().next().unwrap();
    let own = Context {
        ruler: Ruler::Same { preset: "vllm".into(), changes: BTreeMap::new() },
        ..context(&run)
    };
    let ask = RequestsAsk { chosen: Some(19), ..RequestsAsk::default() };
    let view = requests(&[&run], &own, &ask);
    assert_eq!(view.title, "One answer stood still for 1.52 s, and the usual numbers hide it");
    assert_eq!(view.stalls[0].words, "stall 1.52 s · 1 request · 21 others went on");
    let strip: Vec<&str> = view.strip.iter().map(|one| one.value.as_str()).collect();
    assert_eq!(strip, ["16.1", "31.8", "1,521"]);
    let card = view.card.unwrap();
    assert_eq!(card.said, "ok · 70 in, 45 out");
    let line = |name: &str| card.lines.iter().find(|line| line.name == name).unwrap();
    assert_eq!(line("gap after token 15").value, "1,521 ms");
    assert_eq!(line("TPOT").value, "49.3 ms");
    assert_eq!(line("without the gap").value, "15.1 ms");
    assert_eq!(line("E2E").value, "2,218 ms");
    let told = rows(&run, &own, &RowsAsk { count: 9, ..RowsAsk::default() });
    let numbers: Vec<usize> = told.rows.iter().map(|row| row.request + 1).collect();
    assert_eq!(numbers, [20, 9, 12, 40, 21, 14, 1, 6, 17]);
}
