//! Which of several dumps was read first, and whether they are readings of one server at all.

use super::change::SAME_START;
use crate::model::{Dump, Series};
use crate::notice::{Notices, Place, Severity};
use crate::units::UnixTime;
use std::collections::BTreeMap;

/// Whether somebody said which dump is the earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// By name: only what proves the opposite turns them.
    InOrder,
    /// As files come: where all counters fall, the second is the earlier.
    AsTheyCome,
}

/// Labels that name one process or one place of it.
const PLACES: &[&str] =
    &["instance", "pod", "pod_name", "replica", "replica_id", "host", "hostname", "node"];

/// Names that every process exports, whatever it serves.
const OF_ANY_PROCESS: &[&str] = &["process_", "python_", "go_", "promhttp_", "scrape_", "http_"];

/// Why two dumps can’t be two readings of one server, as a clause; `None` where they may be.
pub fn strangers(one: &Dump, other: &Dump) -> Option<String> {
    let (a, b) = (totals(one), totals(other));
    if a.is_empty() || b.is_empty() || a.keys().any(|key| b.contains_key(key)) {
        return None;
    }
    let differs = PLACES.iter().find_map(|label| {
        let (a, b) = (value(one, label)?, value(other, label)?);
        (a != b).then(|| format!("{label} is {a} in the one and {b} in the other"))
    });
    Some(differs.unwrap_or_else(|| "no counter or histogram is in both".to_owned()))
}

/// Whether two dumps name the same start of their process.
pub fn one_process(one: &Dump, other: &Dump) -> bool {
    start(one).zip(start(other)).is_some_and(|(a, b)| (a - b).abs() <= SAME_START)
}

/// The dumps in order of time, as far as it is known, and else as they were given. What turned them, and
/// what can’t be told, stands in `out`.
pub(super) fn in_order<'d>(dumps: &[&'d Dump], given: Given, out: &mut Notices) -> Vec<&'d Dump> {
    let mut order: Vec<&Dump> = dumps.to_vec();
    let mut turned = None;
    for end in 1..order.len() {
        for at in (1..=end).rev() {
            let (Some(&before), Some(&after)) = (order.get(at - 1), order.get(at)) else { break };
            let Some(because) = earlier(after, before, given) else { break };
            turned.get_or_insert(because);
            order.swap(at - 1, at);
        }
    }
    if let Some(because) = turned {
        let text = match given {
            Given::InOrder => format!(
                "The two readings are swapped: {because}. They are taken the other way round here; exchange \
                 --before and --after."
            ),
            Given::AsTheyCome => format!(
                "The files are not in order of time: {because}. The earlier is taken first; name them with --before \
                 and --after if that is wrong."
            ),
        };
        out.add(Severity::Warn, "swapped", Place::WholeFile, text);
    }
    for pair in order.windows(2) {
        if let [before, after] = pair {
            doubts(before, after, out);
        }
    }
    order
}

/// What can’t be told of two readings in order.
fn doubts(before: &Dump, after: &Dump, out: &mut Notices) {
    match (start(before), start(after)) {
        (Some(then), Some(now)) if (now - then).abs() > SAME_START => {
            let text = format!(
                "The pages are of two processes: process_start_time_seconds is {then} in the one and {now} in the \
                 other. Nothing is subtracted: the numbers are what the later process counted since its start. If \
                 the server was not started anew in between, these are two servers: ask about each page by itself."
            );
            out.add(Severity::Warn, "other-process", Place::WholeFile, text);
        }
        (None, _) | (_, None) if created(before, after).is_none() => {
            let fall = Fall::of(before, after);
            let text = if fall.all() {
                "No counter is higher in the later reading, some are lower, and no start time tells why: the \
                 server began anew, the readings are swapped, or they are of two servers. Compare the files’ dates."
                    .to_owned()
            } else if fall.lower > 0 {
                format!(
                    "Of {} counts that both readings hold, the later one has {} lower and {} higher, and no \
                     start time tells why: the server began anew, or they are of two servers. Compare the files’ \
                     dates.",
                    fall.shared, fall.lower, fall.higher
                )
            } else {
                return;
            };
            out.add(Severity::Warn, "order-unknown", Place::WholeFile, text);
        }
        _ => {}
    }
}

/// Why `one` was read before `other`, as a clause; `None` where nothing says so.
fn earlier(one: &Dump, other: &Dump, given: Given) -> Option<String> {
    if let Some((a, b)) = first_time(one).zip(first_time(other)) {
        return (a < b).then(|| "their time stamps say so".to_owned());
    }
    if let Some((a, b)) = start(one).zip(start(other))
        && (a - b).abs() > SAME_START
    {
        return (a < b).then(|| {
            "the process of the second page began before that of the first (process_start_time_seconds)"
                .to_owned()
        });
    }
    let fall = Fall::of(other, one);
    if !fall.all() {
        return None;
    }
    let lower = format!(
        "{} of {} counts are lower in the second, and none is higher",
        fall.lower, fall.shared
    );
    if start(one).zip(start(other)).is_some() {
        return Some(format!(
            "{lower}, though the process is the same (process_start_time_seconds)"
        ));
    }
    match created(one, other) {
        Some(moved) if moved.abs() <= SAME_START => {
            Some(format!("{lower}, though both say the same start (_created)"))
        }
        Some(moved) => (moved > 0.0).then(|| {
            "what the second page counts was created before that of the first (_created)".to_owned()
        }),
        None => (given == Given::AsTheyCome)
            .then(|| format!("{lower}; no start time tells whether the server began anew instead")),
    }
}

/// How counts went from one dump to another.
struct Fall {
    shared: usize,
    lower: usize,
    higher: usize,
}

impl Fall {
    fn of(from: &Dump, to: &Dump) -> Self {
        let (from, to) = (totals(from), totals(to));
        let mut fall = Self { shared: 0, lower: 0, higher: 0 };
        for (was, now) in from.iter().filter_map(|(key, was)| Some((*was, *to.get(key)?))) {
            fall.shared += 1;
            fall.lower += usize::from(now < was);
            fall.higher += usize::from(now > was);
        }
        fall
    }

    /// Whether some fell and none rose.
    const fn all(&self) -> bool {
        self.lower > 0 && self.higher == 0
    }
}

type Key<'d> = (&'d str, &'d [(String, String)]);

/// The last value of each count of a server.
fn totals(dump: &Dump) -> BTreeMap<Key<'_>, f64> {
    let counts = |series: &&Series| {
        let ends = ["_total", "_count", "_bucket"].iter().any(|end| series.name.ends_with(end));
        ends && !OF_ANY_PROCESS.iter().any(|begin| series.name.starts_with(begin))
    };
    let last = |series: &'_ Series| series.points.last().map(|point| point.value);
    let series = dump.series.iter().filter(counts);
    series.filter_map(|s| Some(((s.name.as_str(), s.labels.as_slice()), last(s)?))).collect()
}

/// The value of a label, where a dump has one alone.
fn value<'d>(dump: &'d Dump, label: &str) -> Option<&'d str> {
    let mut values = dump.series.iter().filter_map(|series| series.label(label));
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// When the process began, where the dump names one alone.
fn start(dump: &Dump) -> Option<f64> {
    let mut found = dump.series.iter().filter(|s| s.name == "process_start_time_seconds");
    let only = found.next()?;
    if found.next().is_some() {
        return None;
    }
    only.points.last().map(|point| point.value)
}

/// By how much the creation of the series that both have moved from the first to the second, at most;
/// `None` where neither says it.
fn created(one: &Dump, other: &Dump) -> Option<f64> {
    let times = |dump: &'_ Dump| -> BTreeMap<(String, Vec<(String, String)>), f64> {
        let series = dump.series.iter().filter(|s| s.name.ends_with("_created"));
        let last = series
            .filter_map(|s| Some(((s.name.clone(), s.labels.clone()), s.points.last()?.value)));
        last.collect()
    };
    let (one, other) = (times(one), times(other));
    let moved = one.iter().filter_map(|(key, then)| Some(other.get(key)? - then));
    moved.max_by(|a, b| a.abs().total_cmp(&b.abs()))
}

fn first_time(dump: &Dump) -> Option<f64> {
    let points = || dump.series.iter().flat_map(|s| &s.points).find_map(|p| p.at);
    dump.scrapes.first().and_then(|scrape| scrape.at).or_else(points).map(UnixTime::as_secs)
}

#[cfg(test)]
mod tests {
    use super::super::{Ask, account, joined_told, read};
    use super::*;

    fn dump(text: &str) -> Dump {
        read(text, &mut Notices::new()).unwrap()
    }

    fn page(count: u32, more: &str) -> Dump {
        dump(&format!(
            "# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total {count}\n{more}"
        ))
    }

    /// The rise of the counter, and what was said.
    fn told(one: &Dump, other: &Dump, given: Given) -> (f64, Vec<String>) {
        let mut out = Notices::new();
        let dump = joined_told(&[one, other], given, &mut out);
        let rise = account(&dump, &Ask::default()).counters[0].delta;
        (rise, out.iter().map(|notice| notice.kind.clone()).collect())
    }

    #[test]
    fn swapped_readings_of_one_process_are_turned_and_told() {
        let start = "process_start_time_seconds 1000\n";
        let created = "vllm:generation_tokens_created 1000\n";
        for same in [start, created] {
            let (early, late) = (page(10, same), page(70, same));
            for given in [Given::InOrder, Given::AsTheyCome] {
                assert_eq!(told(&early, &late, given), (60.0, vec![]), "{same}");
                assert_eq!(told(&late, &early, given), (60.0, vec!["swapped".into()]), "{same}");
            }
        }
    }

    #[test]
    fn without_a_start_a_fall_may_be_a_restart() {
        let (early, late) = (page(10, ""), page(70, ""));
        assert_eq!(told(&late, &early, Given::InOrder), (10.0, vec!["order-unknown".into()]));
        assert_eq!(told(&late, &early, Given::AsTheyCome), (60.0, vec!["swapped".into()]));
    }

    #[test]
    fn counts_of_which_some_fall_and_others_rise_are_of_a_restart_or_of_two_servers() {
        let page = |a: u32, b: u32, start: &str| {
            dump(&format!(
                "# TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total {a}\n\
                 # TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total {b}\n{start}"
            ))
        };
        let said = |start: &str| {
            let (one, other) = (page(100, 10, start), page(40, 70, start));
            let mut out = Notices::new();
            let both = joined_told(&[&one, &other], Given::InOrder, &mut out);
            let account = account(&both, &Ask::default());
            let cautions = super::super::traps::cautions(&account);
            let restarts = cautions.iter().find(|caution| caution.trap == "restarts").unwrap();
            (out.iter().map(|n| n.kind.clone()).collect::<Vec<_>>(), restarts.text.clone())
        };
        let (kinds, text) = said("");
        assert_eq!(kinds, ["order-unknown"]);
        assert!(text.contains("if the pages are of two servers, they say nothing"), "{text}");
        let (kinds, text) = said("process_start_time_seconds 1000\n");
        assert_eq!(kinds, Vec::<String>::new());
        assert!(text.starts_with("The server began anew between the two pages, or"), "{text}");
    }

    #[test]
    fn another_process_is_told_and_never_subtracted() {
        let first = page(10, "process_start_time_seconds 1000\n");
        let second = page(70, "process_start_time_seconds 2000\n");
        let other = vec!["other-process".to_owned()];
        assert_eq!(told(&first, &second, Given::InOrder), (70.0, other));
        let both = vec!["swapped".to_owned(), "other-process".to_owned()];
        assert_eq!(told(&second, &first, Given::InOrder), (70.0, both));
    }

    #[test]
    fn pages_of_two_servers_stand_side_by_side() {
        let page = |instance: &str, n: u32| {
            dump(&format!(
                "# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total{{instance=\"{instance}\"}} {n}\n\
                 process_start_time_seconds 5\n"
            ))
        };
        let (one, other) = (page("a:1", 10), page("b:1", 70));
        let because = strangers(&one, &other).unwrap();
        assert_eq!(because, "instance is a:1 in the one and b:1 in the other");
        assert_eq!(told(&one, &other, Given::AsTheyCome), (80.0, vec!["two-servers".into()]));
        assert_eq!(strangers(&one, &page("a:1", 20)), None);
    }
}
