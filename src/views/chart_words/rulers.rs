//! The drawings of rulers in words: the steps between two numbers, and the events of one request.

use super::{Group, head, row};
use crate::charts::stream::{Event, Ruler};
use crate::charts::waterfall::{BarKind, WaterfallRow};
use crate::charts::{Stream, Waterfall};
use crate::units::significant;
use crate::views::curves::Table;

/// “A: ITL mean”, “1: Unit: chunk gap → per token”.
fn named(row: &WaterfallRow) -> String {
    if row.mark.is_empty() { row.title.clone() } else { format!("{}: {}", row.mark, row.title) }
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or("—".to_owned(), |value| significant(value, digits))
}

/// A row each for A, the steps, what is left over, B.
pub(super) fn steps_table(waterfall: &Waterfall) -> Table {
    let unit = |name: &str| format!("{name}, {}", waterfall.unit);
    let intervals = waterfall.rows.iter().any(|row| row.low.is_some() || row.high.is_some());
    let mut heads = vec!["Step".to_owned(), "Change or value".into(), unit("from"), unit("to")];
    if intervals {
        heads.extend(["low".to_owned(), "high".to_owned()]);
    }
    let line = |row: &WaterfallRow| {
        let start = (row.kind != BarKind::A && row.kind != BarKind::B)
            .then_some(row.span.map(|span| span.0))
            .flatten();
        let mut cells = vec![
            named(row),
            row.label.clone(),
            shown(start, 4),
            shown(row.span.map(|span| span.1), 4),
        ];
        if intervals {
            cells.extend([shown(row.low, 4), shown(row.high, 4)]);
        }
        cells
    };
    Table { head: heads, rows: waterfall.rows.iter().map(line).collect() }
}

fn digits(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

pub(super) fn steps_csv(waterfall: &Waterfall) -> String {
    let mut lines = head(&waterfall.title, &waterfall.stamp, &waterfall.notes);
    let unit = |name: &str| format!("{name}, {}", waterfall.unit);
    lines.push(row(&["step", "under", &unit("from"), &unit("to"), "low", "high", "shown"]));
    lines.extend(waterfall.rows.iter().map(|one| {
        row(&[
            &named(one),
            &one.under,
            &digits(one.span.map(|span| span.0)),
            &digits(one.span.map(|span| span.1)),
            &digits(one.low),
            &digits(one.high),
            &one.label,
        ])
    }));
    lines.push(String::new());
    lines.join("\n")
}

pub(super) fn steps_spoken(waterfall: &Waterfall) -> Group {
    let spoken = |row: &WaterfallRow| {
        let mut parts = vec![named(row), row.label.clone()];
        parts.extend(Some(row.under.clone()).filter(|under| !under.is_empty()));
        parts.extend(row.tip.iter().map(|(name, value)| format!("{name}: {value}")));
        (row.key.clone(), parts.join(", "))
    };
    Group { name: "Steps".into(), marks: waterfall.rows.iter().map(spoken).collect() }
}

/// The places of an event's marks on a ruler.
fn marks(ruler: Option<&Ruler>, event: usize, number: impl Fn(f64) -> String) -> String {
    let own = ruler.into_iter().flat_map(|ruler| &ruler.marks);
    let own = own.filter(|mark| mark.event == Some(event)).map(|mark| match mark.piled {
        0 | 1 => number(mark.at),
        n => format!("{} (×{n})", number(mark.at)),
    });
    own.collect::<Vec<_>>().join(" ")
}

/// A row an event: when it came, its gap, its tokens, its marks on both rulers.
pub(super) fn events_table(stream: &Stream) -> Table {
    let names = ["Event", "ms since send", "gap, ms", "tokens", "on ruler A, ms", "on ruler B, ms"];
    let line = |(at, event): (usize, &Event)| {
        let on = |ruler: &Option<Ruler>| {
            let words = marks(ruler.as_ref(), at, |value| significant(value, 4));
            if words.is_empty() { "—".to_owned() } else { words }
        };
        vec![
            (at + 1).to_string(),
            shown(Some(event.at), 4),
            shown(event.gap, 4),
            event.tokens.map_or("—".to_owned(), |tokens| tokens.to_string()),
            on(&stream.a),
            on(&stream.b),
        ]
    };
    Table {
        head: names.map(str::to_owned).to_vec(),
        rows: stream.events.iter().enumerate().map(line).collect(),
    }
}

pub(super) fn events_csv(stream: &Stream) -> String {
    let mut lines = head(&stream.title, &stream.stamp, &stream.notes);
    for ruler in [&stream.a, &stream.b].into_iter().flatten() {
        lines.push(format!("# {}: {} = {}", ruler.name, ruler.reading, ruler.result));
    }
    lines.push("event,ms since send,gap ms,tokens,ruler A ms,ruler B ms".into());
    lines.extend(stream.events.iter().enumerate().map(|(at, event)| {
        let on = |ruler: &Option<Ruler>| marks(ruler.as_ref(), at, |value| value.to_string());
        row(&[
            &(at + 1).to_string(),
            &event.at.to_string(),
            &digits(event.gap),
            &event.tokens.map(|tokens| tokens.to_string()).unwrap_or_default(),
            &on(&stream.a),
            &on(&stream.b),
        ])
    }));
    lines.push(String::new());
    lines.join("\n")
}

pub(super) fn events_spoken(stream: &Stream) -> Group {
    let spoken = |event: &Event| {
        let at = format!("{} ms since send", significant(event.at, 4));
        let parts = std::iter::once(event.name.clone()).chain(event.said()).chain([at]);
        (event.key.clone(), parts.collect::<Vec<_>>().join(", "))
    };
    Group { name: "Events".into(), marks: stream.events.iter().map(spoken).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::stream::Mark;

    fn waterfall() -> Waterfall {
        let row = |kind, mark: &str, title: &str, span, label: &str| WaterfallRow {
            key: mark.into(),
            kind,
            mark: mark.into(),
            title: title.into(),
            span: Some(span),
            label: label.into(),
            ..WaterfallRow::default()
        };
        let mut step = row(BarKind::Step, "1", "Unit, per token", (30.6, 13.6), "−17.00");
        step.tip = vec![("why".into(), "2.25 tokens in a chunk".into())];
        Waterfall {
            title: "A waits, B counts".into(),
            unit: "ms".into(),
            rows: vec![
                row(BarKind::A, "A", "ITL mean", (0.0, 30.6), "30.60 ms"),
                step,
                row(BarKind::B, "B", "TPOT mean", (0.0, 13.6), "13.60 ms"),
            ],
            ..Waterfall::default()
        }
    }

    #[test]
    fn steps_have_a_row_each_and_ends_have_no_start() {
        let table = steps_table(&waterfall());
        assert_eq!(table.head, ["Step", "Change or value", "from, ms", "to, ms"]);
        assert_eq!(table.rows[0], ["A: ITL mean", "30.60 ms", "—", "30.60"]);
        assert_eq!(table.rows[1], ["1: Unit, per token", "−17.00", "30.60", "13.60"]);
        let csv = steps_csv(&waterfall());
        assert!(csv.starts_with("# A waits, B counts\n"), "{csv}");
        assert!(csv.contains("\"1: Unit, per token\",,30.6,13.6,,,−17.00"), "{csv}");
        let said = &steps_spoken(&waterfall()).marks[1].1;
        assert_eq!(said, "1: Unit, per token, −17.00, why: 2.25 tokens in a chunk");
    }

    #[test]
    fn an_event_tells_its_marks_on_both_rulers() {
        let mark = |at, piled, event| Mark { at, piled, event: Some(event) };
        let ruler = |marks| Some(Ruler { marks, ..Ruler::default() });
        let stream = Stream {
            events: vec![
                Event { at: 100.0, tokens: Some(1), ..Event::default() },
                Event {
                    key: "1".into(),
                    at: 140.5,
                    gap: Some(40.5),
                    name: "Chunk 2".into(),
                    ..Event::default()
                },
            ],
            a: ruler(vec![mark(100.0, 1, 0), mark(140.5, 3, 1)]),
            b: ruler(vec![mark(100.0, 1, 0), mark(120.25, 1, 1), mark(140.5, 1, 1)]),
            ..Stream::default()
        };
        let table = events_table(&stream);
        assert_eq!(table.rows[1], ["2", "140.5", "40.50", "—", "140.5 (×3)", "120.2 140.5"]);
        assert_eq!(table.rows[0][2], "—");
        assert!(events_csv(&stream).contains("\n2,140.5,40.5,,140.5 (×3),120.25 140.5\n"));
        assert_eq!(events_spoken(&stream).marks[1].1, "Chunk 2, 140.5 ms since send");
    }
}
