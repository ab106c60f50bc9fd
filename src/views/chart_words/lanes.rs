//! A run request by request in words: its lanes as a table, as CSV, and one at a time.

use super::{Group, head, row};
use crate::charts::Lanes;
use crate::charts::lanes::{End, Lane, Part};
use crate::units::significant;
use crate::views::curves::Table;

const fn part(part: Part) -> &'static str {
    match part {
        Part::Client => "client wait",
        Part::First => "to first token",
        Part::Decode => "decode",
        Part::Gap => "long gap",
        Part::Failed => "failed",
        Part::Cut => "cut off",
        Part::Length(0) => "decode, shortest fourth",
        Part::Length(1) => "decode, second fourth",
        Part::Length(2) => "decode, third fourth",
        Part::Length(_) => "decode, longest fourth",
    }
}

const fn end(end: End) -> &'static str {
    match end {
        End::Last => "last token",
        End::Failed => "failed",
        End::Cut => "cut off",
    }
}

fn seconds(time: Option<f64>) -> String {
    time.map_or("—".to_owned(), |time| significant(time, 4))
}

/// When a lane begins and ends.
fn ends(lane: &Lane) -> (Option<f64>, Option<f64>) {
    let from = lane.pieces.iter().map(|piece| piece.from).reduce(f64::min);
    (from, lane.pieces.iter().map(|piece| piece.to).reduce(f64::max))
}

/// “to first token 2.18 to 2.23, decode 2.23 to 4.41”.
fn passed(lane: &Lane) -> String {
    let each = lane.pieces.iter().map(|piece| {
        format!("{} {} to {}", part(piece.part), seconds(Some(piece.from)), seconds(Some(piece.to)))
    });
    each.collect::<Vec<_>>().join(", ")
}

/// A row a lane: when it begins and ends, what passed, how it ended.
pub(super) fn table(lanes: &Lanes) -> Table {
    let clock = |name: &str| format!("{name}, {}", lanes.clock_title);
    let head = vec![
        "Request".to_owned(),
        clock("begins"),
        clock("ends"),
        "What passed, s".to_owned(),
        "End".to_owned(),
    ];
    let line = |lane: &Lane| {
        let (from, to) = ends(lane);
        let kind = lane.end.map_or("—", |(_, kind)| end(kind)).to_owned();
        vec![lane.name.clone(), seconds(from), seconds(to), passed(lane), kind]
    };
    Table { head, rows: lanes.lanes.iter().map(line).collect() }
}

/// The drawn pieces, the line and the bars, one a line, with every digit.
pub(super) fn csv(lanes: &Lanes) -> String {
    let mut told = head(&lanes.title, &lanes.stamp, &lanes.notes);
    told.push(format!("# times in {}", lanes.clock_title));
    told.push(row(&["of", "what", "from_s", "to_s", "value"]));
    let mut put = |of: &str, what: &str, from: f64, to: Option<f64>, value: Option<f64>| {
        let digits = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
        told.push(row(&[of, what, &from.to_string(), &digits(to), &digits(value)]));
    };
    for lane in &lanes.lanes {
        for piece in &lane.pieces {
            put(&lane.name, part(piece.part), piece.from, Some(piece.to), None);
        }
        if let Some((time, kind)) = lane.end {
            put(&lane.name, end(kind), time, None, None);
        }
    }
    for stall in &lanes.stalls {
        let words = stall.words.first().map_or("stall", String::as_str);
        put("run", words, stall.from, Some(stall.to), None);
    }
    if let Some(flight) = &lanes.flight {
        for (time, level) in &flight.steps {
            put("run", &flight.title, *time, None, Some(*level));
        }
    }
    if let Some(bars) = &lanes.output {
        for (at, value) in bars.values.iter().enumerate() {
            let from = bars.from + bars.width * at as f64;
            put("run", &bars.title, from, Some(from + bars.width), Some(*value));
        }
    }
    told.push(String::new());
    told.join("\n")
}

/// Each lane as a reader hears it.
pub(super) fn spoken(lanes: &Lanes) -> Group {
    let spoken = |lane: &Lane| {
        let mut parts = vec![lane.name.clone()];
        parts.extend(lane.lines.iter().map(|(name, value)| format!("{name} {value}")));
        (lane.key.clone(), parts.join(", "))
    };
    Group { name: lanes.heading.clone(), marks: lanes.lanes.iter().map(spoken).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::lanes::{Bars, Piece, Stretch};

    fn lanes() -> Lanes {
        let piece = |from, to, part| Piece { from, to, part };
        Lanes {
            title: "One answer stood still".into(),
            clock_title: "s from the first send".into(),
            heading: "request, in order of start".into(),
            lanes: vec![Lane {
                key: "request-20".into(),
                name: "Request 20".into(),
                pieces: vec![piece(2.185, 2.234, Part::First), piece(2.234, 4.41, Part::Gap)],
                end: Some((4.41, End::Last)),
                lines: vec![("TTFT".into(), "48.7 ms".into())],
                ..Lane::default()
            }],
            stalls: vec![Stretch { from: 2.0, to: 3.0, words: vec!["stall 1 s".into()] }],
            output: Some(Bars {
                title: "output".into(),
                from: 1.0,
                width: 0.5,
                values: vec![8.0, 9.0],
            }),
            ..Lanes::default()
        }
    }

    #[test]
    fn the_table_has_a_row_a_lane() {
        let table = table(&lanes());
        assert_eq!(table.head[1], "begins, s from the first send");
        let want = [
            "Request 20",
            "2.185",
            "4.410",
            "to first token 2.185 to 2.234, long gap 2.234 to 4.410",
            "last token",
        ];
        assert_eq!(table.rows, [want.map(str::to_owned).to_vec()]);
        let empty = Lanes { lanes: vec![Lane::default()], ..Lanes::default() };
        assert_eq!(super::table(&empty).rows[0][1], "—");
    }

    #[test]
    fn csv_holds_pieces_stalls_and_bars() {
        let csv = csv(&lanes());
        for line in [
            "Request 20,to first token,2.185,2.234,",
            "Request 20,last token,4.41,,",
            "run,stall 1 s,2,3,",
            "run,output,1.5,2,9",
        ] {
            assert!(csv.lines().any(|own| own == line), "{line} is missing: {csv}");
        }
    }

    #[test]
    fn a_lane_is_spoken_with_its_values() {
        let group = spoken(&lanes());
        assert_eq!(group.marks, [("request-20".into(), "Request 20, TTFT 48.7 ms".into())]);
    }
}
