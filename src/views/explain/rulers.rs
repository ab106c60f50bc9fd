//! One request under both rulers as a drawing: which event has which marks, and what its card says.

use crate::charts::Stream;
use crate::charts::stream::{Event, Mark, Numbers, Ruler, Wait};
use crate::metrics::bridge::{Bridge, Laid, Picture};
use crate::units::{fixed, significant};

/// Two times nearer than this, in ms, are one.
const SAME: f64 = 1e-6;

/// The drawing of a request; nothing where neither ruler can be laid on it.
pub(super) fn drawn(picture: &Picture, bridge: &Bridge, words: &str) -> Option<Stream> {
    if picture.a.is_none() && picture.b.is_none() {
        return None;
    }
    let laid = [picture.a.as_ref(), picture.b.as_ref()];
    let ruler = |letter, laid: Option<&Laid>| laid.map(|laid| ruler(letter, laid, picture));
    let mut stream = Stream {
        title: title(picture),
        stamp: format!("{}, {words}", bridge.a.name),
        summary: summary(picture),
        notes: vec![picture.split.clone()],
        wait: picture.ttft.map(|ttft| wait(ttft, laid)),
        events: picture
            .events
            .iter()
            .map(|event| Event {
                at: event.at,
                gap: event.gap,
                tokens: event.tokens.map(|n| n.round().clamp(0.0, 1e6) as u32),
                ..Event::default()
            })
            .collect(),
        a: ruler("A", laid[0]),
        b: ruler("B", laid[1]),
        pinned: picture.pinned,
    };
    let cards: Vec<_> = (0..stream.events.len()).map(|at| card(at, picture, &stream)).collect();
    for ((at, event), (name, lines)) in stream.events.iter_mut().enumerate().zip(cards) {
        event.key = format!("event-{}", at + 1);
        (event.name, event.lines) = (name, lines);
    }
    Some(stream)
}

fn title(picture: &Picture) -> String {
    let one = |letter: &str, laid: &Option<Laid>| {
        laid.as_ref().map(|laid| format!("{} on ruler {letter}", equation(laid)))
    };
    let both: Vec<String> =
        [one("A", &picture.a), one("B", &picture.b)].into_iter().flatten().collect();
    format!("One request: {}", both.join(", "))
}

/// “364 ms ÷ 12 gaps = 30.3 ms”.
fn equation(laid: &Laid) -> String {
    if laid.counts.is_empty() {
        result(laid)
    } else {
        format!("{} = {}", laid.reading, result(laid))
    }
}

fn result(laid: &Laid) -> String {
    format!("{} ms", significant(laid.result, 3))
}

fn summary(picture: &Picture) -> String {
    let mut said = vec![format!("{}.", title(picture))];
    if let Some(ttft) = picture.ttft {
        said.push(format!("The first token comes {} ms after the send.", significant(ttft, 3)));
    }
    said.push(picture.split.clone());
    if let Some((at, event)) = picture.pinned.and_then(|at| Some((at, picture.events.get(at)?))) {
        let gap = event
            .gap
            .map_or_else(String::new, |gap| format!(" after a gap of {} ms", significant(gap, 3)));
        said.push(format!("{}{gap}.", name(at, event.tokens)));
    }
    said.join(" ")
}

/// “Chunk 10: 4 tokens”.
fn name(at: usize, tokens: Option<f64>) -> String {
    let chunk = fixed(at as f64 + 1.0, 0);
    match tokens {
        None => format!("Chunk {chunk}: tokens not known"),
        Some(n) if (n - 1.0).abs() < 0.5 => format!("Chunk {chunk}: 1 token"),
        Some(n) => format!("Chunk {chunk}: {} tokens", fixed(n, 0)),
    }
}

fn wait(ttft: f64, laid: [Option<&Laid>; 2]) -> Wait {
    let over = laid.map(|laid| laid.is_some_and(|laid| laid.from < ttft - SAME));
    let note = match over {
        [false, false] => "on neither ruler",
        [true, false] => "on ruler A only",
        [false, true] => "on ruler B only",
        [true, true] => "on both rulers",
    };
    Wait {
        to: ttft,
        words: format!("wait for the first token: {} ms", fixed(ttft, 0)),
        note: note.to_owned(),
    }
}

fn ruler(letter: &str, laid: &Laid, picture: &Picture) -> Ruler {
    let (numbers, under) = match laid.mark.as_str() {
        "token" if laid.piled.iter().any(|n| *n > 1) => {
            (Numbers::Gaps, "all marks of a chunk at its end")
        }
        "token" => (Numbers::Counts, "one mark per token"),
        "event" => (Numbers::Gaps, "one mark per chunk, in ms"),
        _ => (Numbers::Gaps, "one length, in ms"),
    };
    Ruler {
        name: format!("Ruler {letter}"),
        under: under.to_owned(),
        numbers,
        marks: marks(laid, picture),
        reading: if laid.counts.is_empty() { String::new() } else { laid.reading.clone() },
        result: result(laid),
    }
}

/// The marks of a ruler, each with the event that it belongs to.
fn marks(laid: &Laid, picture: &Picture) -> Vec<Mark> {
    let at_its_time =
        |time: f64| picture.events.iter().position(|event| (event.at - time).abs() < SAME);
    let even = laid.mark == "token" && laid.piled.iter().all(|n| *n == 1);
    let tokens = if even { owners(laid, picture) } else { None };
    laid.marks
        .iter()
        .zip(&laid.piled)
        .enumerate()
        .map(|(i, (time, piled))| {
            let event = match (&tokens, even) {
                (Some(owners), _) => owners.get(i).copied().flatten(),
                // The split is not known: only what lies on an event is told.
                (None, true) => None,
                (None, false) => at_its_time(*time),
            };
            Mark { at: *time, piled: u32::try_from(*piled).unwrap_or(u32::MAX), event }
        })
        .collect()
}

/// For each mark of a ruler of tokens the event that brought its token; nothing where the tokens of the
/// events are not known or are not those that the ruler counts.
fn owners(laid: &Laid, picture: &Picture) -> Option<Vec<Option<usize>>> {
    let mut owner = Vec::new();
    for (at, event) in picture.events.iter().enumerate() {
        let tokens = event.tokens?.round().max(0.0) as usize;
        owner.extend(std::iter::repeat_n(Some(at), tokens));
    }
    let counted = picture.tokens.map_or(owner.len(), |n| n.round().max(0.0) as usize);
    if counted != owner.len() || owner.is_empty() {
        return None;
    }
    let first = picture.events.first()?.at;
    if laid.from < first - SAME {
        // The first mark is the send.
        return Some(std::iter::once(None).chain(owner).collect());
    }
    // A ruler that leaves the first tokens of the first event out starts at its last one.
    let skipped = owner.len().checked_sub(laid.marks.len())?;
    Some(owner.into_iter().skip(skipped).collect())
}

/// The name of an event, and what each ruler makes of it.
fn card(at: usize, picture: &Picture, stream: &Stream) -> (String, Vec<(String, String)>) {
    let Some(event) = picture.events.get(at) else { return (String::new(), Vec::new()) };
    let mut lines = Vec::new();
    let rulers = [("A", &picture.a, &stream.a), ("B", &picture.b, &stream.b)];
    let mut zeros = false;
    for (letter, laid, ruler) in rulers {
        if let (Some(laid), Some(ruler)) = (laid, ruler) {
            // With zeros is said of times per token, where no ruler shows it already.
            zeros |= laid.mark == "ends" || laid.piled.iter().any(|n| *n > 1);
            lines.extend(part(at, laid, ruler).map(|said| (letter.to_owned(), said)));
        }
    }
    let tokens = event.tokens.map_or(0.0, f64::round);
    if let (Some(gap), false, 2.0..=6.0) = (event.gap, zeros, tokens) {
        let rest = ", 0".repeat(tokens as usize - 1);
        lines.push(("with zeros".to_owned(), format!("{}{rest}", fixed(gap, 1))));
    }
    (name(at, event.tokens), lines)
}

/// What one ruler makes of an event; nothing of a ruler that has one length and no mark of it.
fn part(at: usize, laid: &Laid, ruler: &Ruler) -> Option<String> {
    let own = |mark: &Mark| mark.event == Some(at);
    let (Some(first), Some(last)) =
        (ruler.marks.iter().position(own), ruler.marks.iter().rposition(own))
    else {
        return (laid.mark == "token").then(|| "its marks are not known".into());
    };
    let time = |i: usize| ruler.marks.get(i).map(|mark| mark.at);
    let Some((before, end)) = first.checked_sub(1).and_then(time).zip(time(last)) else {
        return Some("starts here".into());
    };
    let ms = |v: f64| format!("{} ms", fixed(v, 1));
    let count = last - first + 1;
    let piled = ruler.marks.get(last).map_or(1, |mark| mark.piled);
    Some(match laid.mark.as_str() {
        "token" if piled > 1 => format!("{}, then {} × 0", ms(end - before), piled - 1),
        "token" if count == 1 => format!("1 token of {}", ms(end - before)),
        "token" => {
            format!("{} tokens × {}", fixed(count as f64, 0), ms((end - before) / count as f64))
        }
        "event" => format!("one gap of {}", ms(end - before)),
        _ => ms(end - before),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bridge::StreamEvent;

    /// 110 ms, then chunks of 2 and 3 tokens after 40 and 60 ms.
    fn picture(tokens: &[Option<f64>]) -> Picture {
        let times = [110.0, 150.0, 210.0];
        let events: Vec<StreamEvent> = times
            .iter()
            .zip(tokens)
            .enumerate()
            .map(|(i, (at, tokens))| StreamEvent {
                at: *at,
                gap: (i > 0).then(|| at - times[i - 1]),
                tokens: *tokens,
            })
            .collect();
        let a = Laid {
            mark: "event".into(),
            from: 110.0,
            to: 210.0,
            marks: times.to_vec(),
            piled: vec![1; 3],
            span: 100.0,
            count: 2.0,
            counts: "gaps".into(),
            result: 50.0,
            reading: "100 ms ÷ 2 gaps".into(),
        };
        let b = Laid {
            mark: "token".into(),
            marks: (0..6).map(|i| 110.0 + 20.0 * f64::from(i)).collect(),
            piled: vec![1; 6],
            count: 5.0,
            counts: "tokens".into(),
            result: 20.0,
            reading: "100 ms ÷ 5 tokens".into(),
            ..a.clone()
        };
        Picture {
            at: 4,
            of: 60,
            tokens: Some(6.0),
            ttft: Some(110.0),
            e2e: Some(210.0),
            events,
            rebuilt: false,
            a: Some(a),
            b: Some(b),
            pinned: Some(2),
            split: "6 tokens in 3 chunks.".into(),
            chosen: "close to both numbers".into(),
        }
    }

    fn owned(laid: &Laid, picture: &Picture) -> Vec<Option<usize>> {
        marks(laid, picture).iter().map(|mark| mark.event).collect()
    }

    #[test]
    fn every_token_is_a_mark_of_the_event_that_brought_it() {
        let picture = picture(&[Some(1.0), Some(2.0), Some(3.0)]);
        let b = picture.b.clone().unwrap();
        let want = [0, 1, 1, 2, 2, 2].map(Some);
        assert_eq!(owned(&b, &picture), want);
        assert_eq!(owned(picture.a.as_ref().unwrap(), &picture), [0, 1, 2].map(Some));
        // Over n from the send on: the send is a mark of no event.
        let whole = Laid {
            from: 0.0,
            marks: (0..=6).map(|i| 35.0 * f64::from(i)).collect(),
            piled: vec![1; 7],
            ..b
        };
        let got = owned(&whole, &picture);
        assert_eq!(got[0], None);
        assert_eq!(got[1..], want);
    }

    #[test]
    fn a_ruler_that_skips_tokens_of_the_first_event_starts_at_its_last() {
        let picture = picture(&[Some(2.0), Some(1.0), Some(3.0)]);
        let b = picture.b.clone().unwrap();
        let later = Laid { marks: b.marks[1..].to_vec(), piled: vec![1; 5], ..b };
        assert_eq!(owned(&later, &picture), [0, 1, 2, 2, 2].map(Some));
    }

    #[test]
    fn an_unknown_split_opens_no_fan() {
        for tokens in [[Some(1.0), None, None], [Some(1.0), Some(1.0), Some(1.0)]] {
            let picture = picture(&tokens);
            let got = owned(picture.b.as_ref().unwrap(), &picture);
            assert_eq!(got, [None; 6], "three tokens are not the six that the ruler counts");
        }
    }

    #[test]
    fn a_card_says_what_both_rulers_make_of_a_chunk() {
        let picture = picture(&[Some(1.0), Some(2.0), Some(3.0)]);
        let ruler =
            |letter, laid: &Option<Laid>| laid.as_ref().map(|laid| ruler(letter, laid, &picture));
        let stream =
            Stream { a: ruler("A", &picture.a), b: ruler("B", &picture.b), ..Stream::default() };
        let (name, lines) = card(2, &picture, &stream);
        assert_eq!(name, "Chunk 3: 3 tokens");
        let said: Vec<String> = Event { lines, ..Event::default() }.said().collect();
        assert_eq!(
            said,
            ["A: one gap of 60.0 ms", "B: 3 tokens × 20.0 ms", "with zeros: 60.0, 0, 0"]
        );
        let (name, lines) = card(0, &picture, &stream);
        assert_eq!((name.as_str(), lines[0].1.as_str()), ("Chunk 1: 1 token", "starts here"));
    }

    #[test]
    fn the_wait_is_said_to_be_on_the_rulers_that_it_is_on() {
        let picture = picture(&[Some(1.0), Some(2.0), Some(3.0)]);
        let (a, b) = (picture.a.as_ref(), picture.b.as_ref());
        assert_eq!(wait(110.0, [a, b]).note, "on neither ruler");
        let whole = Laid { from: 0.0, ..b.unwrap().clone() };
        assert_eq!(wait(110.0, [a, Some(&whole)]).note, "on ruler B only");
        assert_eq!(wait(110.0, [a, b]).words, "wait for the first token: 110 ms");
    }
}
