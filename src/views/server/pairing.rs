//! Which dumps belong together: the page before a run and the page after it.

use super::Beside;
use crate::model::{RunId, ServerDump};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the Server screen is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServerAsk {
    /// Dumps that the reader chose, in order; none leaves the choice to what is found.
    pub dumps: Vec<RunId>,
    /// The client’s run beside them.
    pub beside: Beside,
}

/// Dumps that are read together, and why.
#[derive(Debug, Clone)]
pub(super) struct Paired<'d> {
    /// In order of time.
    pub dumps: Vec<&'d ServerDump>,
    /// Why these: a sentence.
    pub because: String,
}

/// Two start times of one process differ by rounding alone, in seconds.
const SAME_START: f64 = 1.0;

/// Words in a file’s name that say when its page was taken, the earlier one first.
const WORDS: [(&str, &str); 4] =
    [("before", "after"), ("start", "end"), ("pre", "post"), ("begin", "end")];

/// The dumps to read: those chosen, or the last pair that is found, or else the last dump.
pub(super) fn paired<'d>(all: &[&'d ServerDump], ask: &ServerAsk) -> Option<Paired<'d>> {
    let chosen: Vec<&ServerDump> =
        ask.dumps.iter().filter_map(|id| all.iter().find(|dump| dump.id == *id).copied()).collect();
    if !chosen.is_empty() {
        return Some(Paired { dumps: chosen, because: "Chosen by hand.".into() });
    }
    let single: Vec<&ServerDump> =
        all.iter().copied().filter(|dump| dump.dump.scrapes.len() < 2).collect();
    let pairs = single.iter().enumerate().flat_map(|(at, &one)| {
        single.iter().skip(at + 1).filter_map(move |&other| pair(one, other))
    });
    // Names say it best; among equals the pair that came last is the one of interest.
    let best = pairs.max_by_key(|(rank, _)| *rank).map(|(_, paired)| paired);
    best.or_else(|| {
        let longest = all.iter().copied().max_by_key(|dump| dump.dump.scrapes.len())?;
        let because = match (longest.dump.scrapes.len(), all.len()) {
            (0 | 1, 1) => "The only dump.".to_owned(),
            (0 | 1, _) => "No two dumps are of one process; choose two by hand.".to_owned(),
            (_, 1) => "One file with several readings.".to_owned(),
            _ => "The file with the most readings.".to_owned(),
        };
        Some(Paired { dumps: vec![longest], because })
    })
}

/// The dumps to read of one server: those named, in this order; one alone with the page that is its before or
/// after, where there is one.
pub(super) fn named<'d>(all: &[&'d ServerDump], ids: &[RunId]) -> Option<Paired<'d>> {
    let [id] = ids else {
        return paired(all, &ServerAsk { dumps: ids.to_vec(), ..ServerAsk::default() });
    };
    let own = all.iter().find(|dump| dump.id == *id).copied()?;
    let single = |dump: &ServerDump| dump.dump.scrapes.len() < 2;
    let others = all.iter().copied().filter(|dump| dump.id != *id && single(dump));
    let pairs = others.filter(|_| single(own)).filter_map(|other| pair(own, other));
    let best = pairs.max_by_key(|(rank, _)| *rank).map(|(_, paired)| paired);
    best.or_else(|| Some(Paired { dumps: vec![own], because: "The dump that was named.".into() }))
}

/// Two dumps as before and after, with how sure that is; `None` where they are not of one process.
fn pair<'d>(one: &'d ServerDump, other: &'d ServerDump) -> Option<(u8, Paired<'d>)> {
    let (first, second) = (totals(one), totals(other));
    let shared = first.keys().filter(|key| second.contains_key(*key)).count();
    let named = by_name(one, other);
    // A restart between the two is told by what the counters say; a name alone says what was meant.
    if shared == 0 || (named.is_none() && !one_process(one, other)) {
        return None;
    }
    let rises = |from: &Totals, to: &Totals| {
        from.iter().all(|(key, was)| to.get(key).is_none_or(|now| now >= was))
    };
    let (up, down) = (rises(&first, &second), rises(&second, &first));
    let timed = first_time(one).zip(first_time(other)).map(|(a, b)| a <= b);
    let (rank, forward, because) = match (named, timed, up, down) {
        (Some(forward), ..) => (3, forward, "By their names: before and after."),
        (None, Some(forward), up, down) if (forward && up) || (!forward && down) => {
            (2, forward, "By their times, of one process.")
        }
        (None, None, true, _) => (1, true, "No counter falls from the first to the second."),
        (None, None, _, true) => (1, false, "No counter falls from the first to the second."),
        _ => return None,
    };
    let dumps = if forward { vec![one, other] } else { vec![other, one] };
    Some((rank, Paired { dumps, because: because.into() }))
}

type Totals = BTreeMap<String, f64>;

/// The last value of each counter-like series.
fn totals(server: &ServerDump) -> Totals {
    let counts = |name: &str| {
        name.ends_with("_total") || name.ends_with("_count") || name.ends_with("_bucket")
    };
    let series = server.dump.series.iter().filter(|series| counts(&series.name));
    let last = series.filter_map(|series| {
        let value = series.points.last()?.value;
        Some((format!("{} {:?}", series.name, series.labels), value))
    });
    last.collect()
}

/// Whether two dumps name the same start of their process, or at least none of them another.
fn one_process(one: &ServerDump, other: &ServerDump) -> bool {
    let start = |server: &ServerDump| {
        let mut series = server.dump.series.iter();
        let named = series.find(|series| series.name == "process_start_time_seconds")?;
        Some(named.points.last()?.value)
    };
    start(one).zip(start(other)).is_none_or(|(a, b)| (a - b).abs() < SAME_START)
}

/// Whether the first is the earlier one by the names, where their folders agree and their names differ in
/// such a word alone.
fn by_name(one: &ServerDump, other: &ServerDump) -> Option<bool> {
    let name = |server: &ServerDump| server.provenance.file.to_lowercase();
    let (a, b) = (name(one), name(other));
    WORDS.iter().find_map(|(early, late)| {
        let turned = |from: &str, to: &str| from.contains(early) && from.replace(early, late) == to;
        match (turned(&a, &b), turned(&b, &a)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    })
}

fn first_time(server: &ServerDump) -> Option<f64> {
    let points = || server.dump.series.iter().flat_map(|s| &s.points).find_map(|p| p.at);
    let scrape = server.dump.scrapes.first().and_then(|scrape| scrape.at);
    scrape.or_else(points).map(crate::units::UnixTime::as_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, Provenance};
    use crate::notice::Notices;
    use crate::prometheus;

    fn dump(file: &str, text: &str) -> ServerDump {
        let dump = prometheus::read(text, &mut Notices::new()).unwrap();
        let digest = Digest::of(format!("{file}{text}").as_bytes());
        ServerDump::new(dump, Provenance::new(file, 1, digest, "prometheus-dump", "x"))
    }

    fn files(all: &[&ServerDump], ask: &ServerAsk) -> Vec<String> {
        let paired = paired(all, ask).unwrap();
        paired.dumps.iter().map(|dump| dump.provenance.file.clone()).collect()
    }

    #[test]
    fn before_and_after_are_found_by_name_by_time_and_by_their_counters() {
        let ask = ServerAsk::default();
        let (early, late) =
            ("# TYPE a_total counter\na_total 3\n", "# TYPE a_total counter\na_total 9\n");
        let (after, before) = (dump("x/m_after.txt", late), dump("x/m_before.txt", early));
        assert_eq!(files(&[&after, &before], &ask), ["x/m_before.txt", "x/m_after.txt"]);
        let (b, a) = (dump("b.txt", late), dump("a.txt", early));
        assert_eq!(files(&[&b, &a], &ask), ["a.txt", "b.txt"], "counters only rise");
        let timed = |file, value, at: u64| dump(file, &format!("a_total {value} {at}\n"));
        let (one, two) = (timed("p", 7, 1_700_000_000_000), timed("q", 5, 1_600_000_000_000));
        assert_eq!(files(&[&one, &two], &ask), ["q", "p"], "by time");
        let (one, two) = (timed("p", 7, 1_600_000_000_000), timed("q", 5, 1_700_000_000_000));
        assert_eq!(files(&[&one, &two], &ask).len(), 1, "a counter that falls in time is no pair");
    }

    #[test]
    fn dumps_of_two_processes_are_no_pair_unless_chosen() {
        let page = |start: f64, value: f64| {
            format!("process_start_time_seconds {start}\n# TYPE a_total counter\na_total {value}\n")
        };
        let (one, two) = (dump("one", &page(1e9, 1.0)), dump("two", &page(1.1e9, 2.0)));
        assert_eq!(files(&[&one, &two], &ServerAsk::default()).len(), 1);
        let ask = ServerAsk { dumps: vec![one.id.clone(), two.id.clone()], ..ServerAsk::default() };
        assert_eq!(files(&[&one, &two], &ask), ["one", "two"]);
        assert!(paired(&[], &ask).is_none());
    }
}
