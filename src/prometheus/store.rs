//! Collects samples into series and readings while a file is read, in bounded memory.
//!
//! A page that is scraped again repeats its series: the first repetition begins a new reading, nothing is
//! merged. What a server repeats within one page by mistake is told from that by its length.

use super::families::{self, Announced};
use crate::model::{Dump, DumpShape, FamilyKind, Point, Scrape, Series};
use crate::notice::{Notices, Place, Severity};
use crate::units::UnixTime;
use std::collections::{BTreeMap, BTreeSet};

/// So many values are held at most: 64 MB of points. Beyond, every second reading goes.
const MOST_POINTS: usize = 1_000_000;
/// So many series are held at most: a server exports some thousand.
const MOST_SERIES: usize = 250_000;
/// So many repeated series in a row are a new reading and no mistake of the server.
const REPEATS: usize = 3;

/// Number of a series in the store.
pub(super) type SeriesNumber = usize;

/// A series so far.
struct Held {
    name: String,
    labels: Vec<(String, String)>,
    /// Name and labels as the file writes them.
    written: Box<str>,
    points: Vec<Point>,
    /// Reading of its last sample.
    scrape: Option<u32>,
    /// The series that came after it when it was last read.
    next: SeriesNumber,
}

/// A reading so far.
#[derive(Default)]
struct Open {
    scrape: Scrape,
    /// Latest time of its samples.
    latest: Option<f64>,
    samples: usize,
    /// Whether it belongs to the reading before it, until a series comes again.
    tentative: bool,
}

/// A sample whose series came already in this reading.
struct Repeated {
    series: SeriesNumber,
    value: f64,
    at: Option<UnixTime>,
    line: u64,
}

/// What was read so far.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of the reading as it goes")]
pub(super) struct Store {
    pub(super) shape: DumpShape,
    series: Vec<Held>,
    by_labels: BTreeMap<Box<str>, SeriesNumber>,
    announced: BTreeMap<String, Announced>,
    order: Vec<String>,
    scrapes: Vec<Open>,
    /// First reading of those that may be one.
    group: u32,
    last: Option<SeriesNumber>,
    first: Option<SeriesNumber>,
    repeated: Vec<Repeated>,
    /// What the next reading is called and when it was taken.
    ahead: Scrape,
    boundary: bool,
    /// Whether series hold runs of timed samples, as a database writes them.
    timed: bool,
    points: usize,
    most_points: usize,
    thinned: bool,
    /// Whether thinning frees no more.
    full: bool,
    dropped_points: u64,
    dropped_series: u64,
    native: u64,
}

impl Store {
    pub(super) fn new(shape: DumpShape) -> Self {
        Self {
            shape,
            series: Vec::new(),
            by_labels: BTreeMap::new(),
            announced: BTreeMap::new(),
            order: Vec::new(),
            scrapes: vec![Open::default()],
            group: 0,
            last: None,
            first: None,
            repeated: Vec::new(),
            ahead: Scrape::default(),
            boundary: false,
            timed: false,
            points: 0,
            most_points: MOST_POINTS,
            thinned: false,
            full: false,
            dropped_points: 0,
            dropped_series: 0,
            native: 0,
        }
    }

    /// Whether no value and no series was read.
    pub(super) fn is_empty(&self) -> bool {
        self.series.is_empty() && self.native == 0
    }

    /// The series that a line begins with, if it is one of those that are likely to come now, and the
    /// length of its name and labels.
    pub(super) fn expected(&self, line: &str) -> Option<(SeriesNumber, usize)> {
        let last = self.last?;
        [self.series.get(last)?.next, last].into_iter().find_map(|number| {
            let written = &self.series.get(number)?.written;
            let rest = line.strip_prefix(&**written)?;
            rest.starts_with([' ', '\t']).then_some((number, written.len()))
        })
    }

    /// The number of the series with this name and these labels; nothing where there are too many.
    pub(super) fn series<N: AsRef<str>, V: AsRef<str>>(
        &mut self,
        name: &str,
        labels: &[(N, V)],
        written: &str,
    ) -> Option<SeriesNumber> {
        // An empty label is none (prometheus.io/docs/concepts/data_model).
        let mut sorted: Vec<(&str, &str)> = labels
            .iter()
            .map(|(label, value)| (label.as_ref(), value.as_ref()))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        sorted.sort_unstable();
        let mut key = String::with_capacity(written.len());
        key.push_str(name);
        for (label, value) in &sorted {
            key.extend(["\0", label, "\0", value]);
        }
        if let Some(number) = self.by_labels.get(key.as_str()) {
            return Some(*number);
        }
        if self.series.len() >= MOST_SERIES {
            self.dropped_series += 1;
            return None;
        }
        let number = self.series.len();
        let owned = |(label, value): &(&str, &str)| ((*label).to_owned(), (*value).to_owned());
        self.series.push(Held {
            name: name.to_owned(),
            labels: sorted.iter().map(owned).collect(),
            written: written.into(),
            points: Vec::new(),
            scrape: None,
            next: number + 1,
        });
        self.by_labels.insert(key.into(), number);
        Some(number)
    }

    /// A HELP, TYPE or UNIT line of a family.
    pub(super) fn announced(&mut self, name: &str) -> &mut Announced {
        if !self.announced.contains_key(name) {
            self.order.push(name.to_owned());
        }
        self.announced.entry(name.to_owned()).or_default()
    }

    /// A family is announced that was announced before: if samples came since, this is another page.
    pub(super) fn announced_again(&mut self, since: (u32, usize)) {
        if self.moment() != since && self.current() == since.0 {
            self.boundary = true;
        }
    }

    /// The reading that is being read and how many samples it has.
    pub(super) fn moment(&self) -> (u32, usize) {
        (self.current(), self.scrapes.last().map_or(0, |open| open.samples))
    }

    /// A heading, a date or the end of a page: what comes may be another reading.
    pub(super) fn heading(&mut self, at: Option<UnixTime>, title: Option<&str>) {
        if let Some(at) = at {
            self.ahead.at = Some(at);
        }
        if let Some(title) = title {
            self.ahead.title = Some(title.to_owned());
        }
        self.boundary = true;
    }

    /// One more native histogram that is not kept.
    pub(super) fn native(&mut self) {
        self.native += 1;
    }

    fn current(&self) -> u32 {
        u32::try_from(self.scrapes.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Takes the sample of a page.
    pub(super) fn sample(
        &mut self,
        number: SeriesNumber,
        value: f64,
        at: Option<UnixTime>,
        line: u64,
        out: &mut Notices,
    ) {
        if self.boundary {
            self.settle(out);
            self.begin();
        }
        let current = self.current();
        let Some(held) = self.series.get(number) else { return };
        let before = held.scrape;
        if before == Some(current) {
            let timed = at.is_some() && held.points.last().is_some_and(|p| p.at.is_some());
            if timed && self.last == Some(number) {
                self.timed = true;
                self.push(number, value, at);
                return;
            }
            self.repeated.push(Repeated { series: number, value, at, line });
            let samples = self.scrapes.last().map_or(0, |open| open.samples);
            let anew = self.first == Some(number) || self.repeated.len() >= REPEATS.min(samples);
            if anew {
                let repeated = std::mem::take(&mut self.repeated);
                self.begin();
                self.confirm();
                for again in repeated {
                    self.push(again.series, again.value, again.at);
                }
            } else {
                self.follow(number);
            }
            return;
        }
        self.settle(out);
        if before.is_some_and(|scrape| scrape >= self.group) {
            self.confirm();
        }
        self.push(number, value, at);
    }

    /// Takes a value with its own time, whichever reading it belongs to.
    pub(super) fn value(&mut self, number: SeriesNumber, value: f64, at: Option<UnixTime>) {
        self.timed = true;
        self.push(number, value, at);
    }

    /// The unit of a series’ family, where its values say it.
    pub(super) fn unit(&mut self, number: SeriesNumber, unit: &str) {
        let Some(name) = self.series.get(number).map(|held| held.name.clone()) else { return };
        self.announced(&name).unit.get_or_insert_with(|| unit.to_owned());
    }

    /// The reading stands for itself.
    fn confirm(&mut self) {
        self.group = self.current();
        if let Some(open) = self.scrapes.last_mut() {
            open.tentative = false;
        }
    }

    /// Begins another reading, unless the present one is still empty.
    fn begin(&mut self) {
        self.boundary = false;
        let ahead = std::mem::take(&mut self.ahead);
        let dated = ahead.at.is_some();
        match self.scrapes.last_mut() {
            Some(open) if open.samples == 0 => {
                open.scrape.at = ahead.at.or(open.scrape.at);
                open.scrape.title = ahead.title.or_else(|| open.scrape.title.take());
            }
            _ => {
                self.scrapes.push(Open { scrape: ahead, tentative: true, ..Open::default() });
                self.first = None;
                if dated {
                    self.confirm();
                }
            }
        }
    }

    fn follow(&mut self, number: SeriesNumber) {
        if let Some(last) = self.last.and_then(|last| self.series.get_mut(last)) {
            last.next = number;
        }
        self.last = Some(number);
    }

    fn push(&mut self, number: SeriesNumber, value: f64, at: Option<UnixTime>) {
        let at = at.filter(|at| at.as_secs().is_finite());
        self.follow(number);
        self.first.get_or_insert(number);
        if let Some(open) = self.scrapes.last_mut() {
            open.samples += 1;
            let time = at.map(UnixTime::as_secs);
            open.latest = open.latest.into_iter().chain(time).reduce(f64::max);
        }
        if self.points >= self.most_points && !self.full {
            self.thin();
        }
        let scrape = self.current();
        let Some(held) = self.series.get_mut(number) else { return };
        held.scrape = Some(scrape);
        if self.points >= self.most_points {
            self.dropped_points += 1;
            return;
        }
        held.points.push(Point { scrape, at, value });
        self.points += 1;
    }

    /// What was repeated within one reading: the first value stands, as at a Prometheus server.
    fn settle(&mut self, out: &mut Notices) {
        for again in std::mem::take(&mut self.repeated) {
            let Some(held) = self.series.get(again.series) else { continue };
            let first = held.points.last().map_or(f64::NAN, |point| point.value);
            if first.to_bits() == again.value.to_bits() {
                continue;
            }
            out.add(
                Severity::Warn,
                "series-twice",
                Place::LineColumn { line: again.line, column: 1 },
                format!(
                    "One reading holds “{}” twice with different values; the first is kept, as a \
                     Prometheus server does.",
                    held.name
                ),
            );
        }
    }

    /// Drops every second reading between the first and the last. The rises of counters stay exact, and
    /// so do their restarts; a gauge keeps its least and its greatest value.
    fn thin(&mut self) {
        self.thinned = true;
        let current = self.current();
        let even: BTreeSet<u32> = self.kept_readings();
        for held in &mut self.series {
            // What its TYPE line says, and by its name where there is none.
            let kind = self.announced.get(&held.name).and_then(|said| said.kind);
            let counts = kind == Some(FamilyKind::Counter) || families::counts(&held.name);
            thin(held, counts, self.timed, current, &even);
        }
        // Readings that no point stands in any more go as well.
        let mut used: BTreeSet<u32> = BTreeSet::from([0, current, self.group]);
        used.extend(self.series.iter().flat_map(|held| held.points.iter().map(|p| p.scrape)));
        let numbers: BTreeMap<u32, u32> = used.iter().copied().zip(0..).collect();
        let moved = |old: u32| numbers.get(&old).copied();
        for held in &mut self.series {
            for point in &mut held.points {
                point.scrape = moved(point.scrape).unwrap_or(point.scrape);
            }
            held.scrape = held.scrape.and_then(moved);
        }
        self.group = moved(self.group).unwrap_or(0);
        let mut at = 0_u32;
        self.scrapes.retain(|_| {
            at += 1;
            used.contains(&(at - 1))
        });
        self.points = self.series.iter().map(|held| held.points.len()).sum();
        // Thinning for a handful of values each time would take for ever.
        self.full = self.points > self.most_points / 10 * 9;
    }

    /// Every second reading that has not been dropped so far.
    fn kept_readings(&self) -> BTreeSet<u32> {
        (0..=self.current()).step_by(2).collect()
    }

    /// The dump, and what is to be said of it.
    pub(super) fn finish(mut self, out: &mut Notices) -> Dump {
        self.settle(out);
        self.say(out);
        let mut numbers = Vec::with_capacity(self.scrapes.len());
        let mut scrapes: Vec<Scrape> = Vec::new();
        for open in std::mem::take(&mut self.scrapes) {
            if open.samples == 0 && !scrapes.is_empty() {
                numbers.push(scrapes.len() - 1);
                continue;
            }
            let latest = open.latest.map(UnixTime::from_secs);
            match scrapes.last_mut().filter(|_| open.tentative) {
                Some(before) => before.at = before.at.or(open.scrape.at).or(latest),
                None => scrapes.push(Scrape { at: open.scrape.at.or(latest), ..open.scrape }),
            }
            numbers.push(scrapes.len() - 1);
        }
        let mut series: Vec<Series> = Vec::with_capacity(self.series.len());
        for held in self.series {
            let points = held.points.into_iter().map(|point| {
                let number = numbers.get(point.scrape as usize).copied().unwrap_or_default();
                Point { scrape: number as u32, ..point }
            });
            series.push(Series {
                family: 0,
                name: held.name,
                labels: held.labels,
                points: points.collect(),
            });
        }
        if self.timed {
            scrapes = by_time(&mut series);
        }
        if series.iter().all(|s| s.points.is_empty()) {
            scrapes.clear();
        }
        let families = families::assemble(&mut series, &self.announced, &self.order);
        Dump { shape: self.shape, scrapes, families, series }
    }

    fn say(&self, out: &mut Notices) {
        let whole = || Place::WholeFile;
        if self.thinned {
            let said = "The file holds more values than are kept: of the readings between the first and \
                        the last only some are. Rises of counters and their restarts are exact; a gauge \
                        keeps its least and its greatest value.";
            out.add(Severity::Note, "thinned", whole(), said);
        }
        if self.dropped_points > 0 {
            let said = "Values beyond the first million were left out.";
            out.add_many(Severity::Warn, "too-many-values", whole(), self.dropped_points, said);
        }
        if self.dropped_series > 0 {
            let said = format!("Samples of series beyond the first {MOST_SERIES} were left out.");
            out.add_many(Severity::Warn, "too-many-series", whole(), self.dropped_series, said);
        }
        if self.native > 0 {
            let said = "Native histograms are not supported; the classic buckets of the same family are \
                        read where the server exports both.";
            out.add_many(Severity::Warn, "native-histogram", whole(), self.native, said);
        }
    }
}

/// Drops what a series does not need between its first and last point.
fn thin(held: &mut Held, counts: bool, timed: bool, current: u32, even: &BTreeSet<u32>) {
    let last = held.points.len().saturating_sub(1);
    let ends = |order: fn(&f64, &f64) -> std::cmp::Ordering| {
        let values = held.points.iter().map(|p| p.value).enumerate();
        values.min_by(|(_, a), (_, b)| order(a, b)).map(|(at, _)| at)
    };
    let (lowest, highest) = (ends(f64::total_cmp), ends(|a, b| b.total_cmp(a)));
    let falls: BTreeSet<usize> = held
        .points
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| matches!(pair, [a, b] if b.value < a.value))
        .flat_map(|(at, _)| [at, at + 1])
        .filter(|_| counts)
        .collect();
    let mut at = 0;
    held.points.retain(|point| {
        let here = at;
        at += 1;
        let regular = if timed { here % 2 == 0 } else { even.contains(&point.scrape) };
        let edge = here == 0 || here == last || point.scrape == current && !timed;
        let extreme = !counts && (Some(here) == lowest || Some(here) == highest);
        regular || edge || extreme || falls.contains(&here)
    });
}

/// Readings by the times of the points; puts each point into its own and in order.
fn by_time(series: &mut [Series]) -> Vec<Scrape> {
    let time = |point: &Point| point.at.map_or(f64::NEG_INFINITY, UnixTime::as_secs);
    let mut times: Vec<f64> = series.iter().flat_map(|s| s.points.iter().map(time)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    for points in series.iter_mut().map(|s| &mut s.points) {
        points.sort_by(|a, b| time(a).total_cmp(&time(b)));
        for point in points {
            let found = times.binary_search_by(|other| other.total_cmp(&time(point)));
            point.scrape = found.unwrap_or_default() as u32;
        }
    }
    let dated = |time: f64| Some(UnixTime::from_secs(time)).filter(|_| time.is_finite());
    times.into_iter().map(|time| Scrape { at: dated(time), title: None }).collect()
}
