//! Which dumps belong together: the page before a run and the page after it.

use super::Beside;
use crate::model::{RunId, ServerDump};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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
        return Some(by_hand(chosen));
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
            (0 | 1, 1) => "This is the only dump.".to_owned(),
            (0 | 1, _) => "No two dumps are of one process; choose two by hand.".to_owned(),
            (_, 1) => "The file holds several readings.".to_owned(),
            _ => "This is the file with the most readings.".to_owned(),
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
    best.or_else(|| {
        Some(Paired { dumps: vec![own], because: "This is the dump that was named.".into() })
    })
}

/// Said of what the reader chose himself.
fn by_hand_words(dumps: usize) -> String {
    let what = if dumps == 1 { "The dump was" } else { "The dumps were" };
    format!("{what} chosen by hand.")
}

/// What the reader chose: two pages in the order that their counters tell, and what speaks against their being
/// of one server.
fn by_hand(chosen: Vec<&ServerDump>) -> Paired<'_> {
    let single = |dump: &ServerDump| dump.dump.scrapes.len() < 2;
    let [one, other] = *chosen.as_slice() else {
        let because = by_hand_words(chosen.len());
        return Paired { dumps: chosen, because };
    };
    let mut said = vec![by_hand_words(chosen.len())];
    said.extend(apart(one, other));
    let (first, second) = (totals(one), totals(other));
    let (up, down) = (rises(&first, &second), rises(&second, &first));
    if single(one) && single(other) && down && !up {
        said.push(format!(
            "The counters run backwards from {} to {}: the second is taken as the page before.",
            one.name, other.name
        ));
        return Paired { dumps: vec![other, one], because: said.join(" ") };
    }
    Paired { dumps: chosen, because: said.join(" ") }
}

/// What speaks against two pages being of one server, as a sentence.
fn apart(one: &ServerDump, other: &ServerDump) -> Option<String> {
    let file = |dump: &ServerDump| dump.provenance.file.clone();
    let both = format!("{} and {}", file(one), file(other));
    let no_server = "what rose from the one to the other is no number of one server";
    if !one_process(one, other) {
        return Some(format!(
            "{both} name two starts of a process: {no_server}, or it was restarted."
        ));
    }
    let (of_one, of_other) = (models(one), models(other));
    if !of_one.is_empty() && !of_other.is_empty() && of_one.is_disjoint(&of_other) {
        let words =
            |models: &BTreeSet<String>| models.iter().cloned().collect::<Vec<_>>().join(", ");
        return Some(format!(
            "{both} serve two models, {} and {}: {no_server}.",
            words(&of_one),
            words(&of_other)
        ));
    }
    let (first, second) = (totals(one), totals(other));
    let shared = || first.iter().filter_map(|(key, was)| Some((*was, *second.get(key)?)));
    if shared().next().is_none() {
        return Some(format!("{both} share no counter: {no_server}."));
    }
    if shared().any(|(was, is)| is > was) && shared().any(|(was, is)| is < was) {
        return Some(format!(
            "From the first of {both} to the second some counters rise and others fall: {no_server}, or it was restarted."
        ));
    }
    let folder = |file: String| file.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let told = start(one).is_some() && start(other).is_some();
    (!told && folder(file(one)) != folder(file(other))).then(|| {
        format!("{both} lie in two folders, and neither names its process: whether they are of one server can’t be told.")
    })
}

/// The models that the labels of a page name.
fn models(server: &ServerDump) -> BTreeSet<String> {
    let labels = server.dump.series.iter().flat_map(|series| &series.labels);
    labels.filter(|(name, _)| *name == "model_name").map(|(_, model)| model.clone()).collect()
}

/// Whether no counter falls from the one to the other.
fn rises(from: &Totals, to: &Totals) -> bool {
    from.iter().all(|(key, was)| to.get(key).is_none_or(|now| now >= was))
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
    let (up, down) = (rises(&first, &second), rises(&second, &first));
    let timed = first_time(one).zip(first_time(other)).map(|(a, b)| a <= b);
    let (rank, forward, because) = match (named, timed, up, down) {
        (Some(forward), ..) => (3, forward, "Their names say which is before and which after."),
        (None, Some(forward), up, down) if (forward && up) || (!forward && down) => {
            (2, forward, "Their times say which is before, and they are of one process.")
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
    start(one).zip(start(other)).is_none_or(|(a, b)| (a - b).abs() < SAME_START)
}

/// When a page’s process started, in seconds since 1970, where the page names it.
fn start(server: &ServerDump) -> Option<f64> {
    let mut series = server.dump.series.iter();
    let named = series.find(|series| series.name == "process_start_time_seconds")?;
    Some(named.points.last()?.value)
}

/// Whether the first is the earlier one by the names, where their folders agree and their names differ in
/// such a word alone.
fn by_name(one: &ServerDump, other: &ServerDump) -> Option<bool> {
    earlier_by_name(&one.provenance.file, &other.provenance.file)
}

/// Whether the first of two files is the earlier page by their names, where they differ in a word such as
/// “before” and “after” alone.
pub fn earlier_by_name(one: &str, other: &str) -> Option<bool> {
    let (a, b) = (one.to_lowercase(), other.to_lowercase());
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

    #[test]
    fn pages_chosen_by_hand_say_what_speaks_against_them() {
        let said = |one: &ServerDump, two: &ServerDump| {
            let dumps = vec![one.id.clone(), two.id.clone()];
            let ask = ServerAsk { dumps, ..ServerAsk::default() };
            let all = [one, two];
            let found = paired(&all, &ask).unwrap();
            (found.dumps.last().unwrap().provenance.file.clone(), found.because)
        };
        let page = |model: &str, value: u32| {
            format!("# TYPE a_total counter\na_total{{model_name=\"{model}\"}} {value}\n")
        };
        let (early, late) = (dump("x/a.txt", &page("m", 3)), dump("x/b.txt", &page("m", 9)));
        assert_eq!(said(&early, &late), ("x/b.txt".into(), by_hand_words(2)));
        let (last, because) = said(&late, &early);
        assert_eq!(last, "x/b.txt", "the later page, whichever was named first");
        assert!(because.contains("run backwards from b.txt to a.txt"), "{because}");
        for (other, words) in [
            (dump("x/c.txt", &page("n", 9)), "serve two models, m and n"),
            (dump("y/c.txt", &page("m", 9)), "lie in two folders"),
            (dump("x/c.txt", "# TYPE b_total counter\nb_total 3\n"), "share no counter"),
        ] {
            let (_, because) = said(&early, &other);
            assert!(because.contains(words), "{because}");
        }
        let two = |a: u32, b: u32| {
            format!("# TYPE a_total counter\na_total {a}\n# TYPE b_total counter\nb_total {b}\n")
        };
        let (_, because) = said(&dump("x/a", &two(3, 9)), &dump("x/b", &two(9, 3)));
        assert!(because.contains("some counters rise and others fall"), "{because}");
        let process = |at: f64, value: u32| {
            format!("process_start_time_seconds {at}\n# TYPE a_total counter\na_total {value}\n")
        };
        let (_, because) = said(&dump("x/a", &process(1e9, 1)), &dump("x/b", &process(1.1e9, 2)));
        assert!(because.contains("two starts of a process"), "{because}");
    }
}
