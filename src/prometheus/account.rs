//! A server's account of a stretch of time: what its histograms, counters and gauges say, added up by a
//! named rule.

use super::change::{Reading, Readings, Rise, Starts};
use super::engine::{Engine, engine};
use super::keys::{Folded, Keys, Labels, Role, key};
use super::names::{self, Measure, Name, Vantage};
use super::seen::Seen;
use crate::model::{Dump, Family, FamilyKind, Point, SampleKind, Series};
use crate::stats::{Histogram, HistogramError, Repair, raised};
use std::collections::BTreeMap;

/// Which stretch of time an account is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// From one reading to another.
    TwoScrapes,
    /// Since the server's start: one reading.
    SinceStart,
    /// Over three or more readings.
    Range,
}

impl Stretch {
    /// Stable id, as in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::TwoScrapes => "two-scrapes",
            Self::SinceStart => "since-start",
            Self::Range => "range",
        }
    }
}

/// The stretch, and how long it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Its kind.
    pub stretch: Stretch,
    /// Its length in seconds, where the dump has times.
    pub seconds: Option<f64>,
    /// Number of readings.
    pub scrapes: usize,
}

/// What is asked of a dump.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// Labels by which series stay apart.
    pub by: Vec<String>,
}

/// A server's account of a stretch of time.
#[derive(Debug, Clone)]
pub struct Account {
    /// The stretch.
    pub span: Span,
    /// The engine; `None` where no name is known.
    pub engine: Option<Engine>,
    /// Histograms in the order of the file.
    pub histograms: Vec<ServerHistogram>,
    /// Counters in the order of the file.
    pub counters: Vec<ServerCounter>,
    /// Gauges in the order of the file.
    pub gauges: Vec<ServerGauge>,
    /// Summaries in the order of the file.
    pub summaries: Vec<ServerSummary>,
    /// Which labels were folded, and how.
    pub folded: Vec<Folded>,
}

/// What all rows have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The series in PromQL's spelling, without labels that were folded.
    pub key: String,
    /// The family's name as the file has it.
    pub family: String,
    /// The labels that stayed.
    pub labels: Vec<(String, String)>,
    /// What it means; `None` of a name that no table has.
    pub name: Option<&'static Name>,
    /// How many series it is made of.
    pub series: usize,
    /// How often one of them began anew.
    pub resets: usize,
    /// Whether the numbers are lower bounds: something before a restart, or after a series ended, is lost.
    pub at_least: bool,
    /// How many of its series came up within the stretch, and count from zero.
    pub appeared: usize,
}

impl Row {
    /// The id of its meaning: `ttft/server`.
    pub fn meaning(&self) -> Option<String> {
        self.name.map(Name::meaning)
    }

    /// Its unit as a symbol; empty of a bare number and of what is not known.
    pub fn unit(&self) -> &'static str {
        self.name.map_or_else(|| unit_by_name(&self.family), |name| name.unit.symbol())
    }

    /// What turns its numbers into seconds, where they are times.
    pub fn seconds(&self) -> Option<f64> {
        match self.name {
            Some(name) => name.unit.seconds(),
            None => (self.unit() == "s").then_some(1.0),
        }
    }

    /// The value of a label that stayed.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// A unit that a name says by convention.
fn unit_by_name(family: &str) -> &'static str {
    let base = family.strip_suffix("_total").unwrap_or(family);
    let units =
        [("_seconds", "s"), ("_milliseconds", "ms"), ("_bytes", "bytes"), ("_tokens", "tokens")];
    units.iter().find(|(end, _)| base.ends_with(end)).map_or("", |(_, unit)| unit)
}

/// A histogram over the stretch.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerHistogram {
    /// Key, meaning, restarts.
    pub row: Row,
    /// Number of observations, as `_count` says it, or else the bucket up to +Inf.
    pub count: Option<f64>,
    /// Their sum.
    pub sum: Option<f64>,
    /// The buckets; or why there are none that can be used, as a clause.
    pub buckets: Result<Histogram, String>,
    /// The bucket up to +Inf as it stands beside `_count`, where both are there.
    pub counted_twice: Option<(f64, f64)>,
    /// Set when counts fell from one edge to the next and were raised.
    pub repair: Option<Repair>,
    /// Edges that not all of its series have, which were left out.
    pub edges_lost: usize,
}

impl ServerHistogram {
    /// Σ ÷ n, which buckets don’t blur.
    pub fn mean(&self) -> Option<f64> {
        let count = self.count.filter(|count| *count > 0.0)?;
        Some(self.sum? / count)
    }

    /// Its buckets, if they can be used.
    pub fn histogram(&self) -> Option<&Histogram> {
        self.buckets.as_ref().ok()
    }
}

/// A counter over the stretch.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerCounter {
    /// Key, meaning, restarts.
    pub row: Row,
    /// By how much it rose; of one reading, its total.
    pub delta: f64,
    /// That a second, where the length of the stretch is known.
    pub rate: Option<f64>,
    /// What each of several series gave: what it differs in, and its rise.
    pub parts: Vec<(String, f64)>,
}

/// A gauge over the stretch.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerGauge {
    /// Key and meaning.
    pub row: Row,
    /// (number of the reading, time in seconds where there is one, value), in order.
    pub readings: Vec<(u32, Option<f64>, f64)>,
}

impl ServerGauge {
    /// The last value.
    pub fn last(&self) -> Option<f64> {
        self.readings.last().map(|reading| reading.2)
    }

    /// The first value.
    pub fn first(&self) -> Option<f64> {
        self.readings.first().map(|reading| reading.2)
    }
}

/// A summary: quantiles that the server worked out itself, over a window of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerSummary {
    /// Key, meaning, restarts.
    pub row: Row,
    /// Number of observations.
    pub count: Option<f64>,
    /// Their sum.
    pub sum: Option<f64>,
    /// (quantile, value) as the last reading has them; of one series only, since quantiles of several
    /// are never averaged.
    pub quantiles: Vec<(f64, f64)>,
}

impl Account {
    /// The histogram of a meaning, summed over all its labels that stayed apart; `None` where there is
    /// none, or more than one model’s.
    pub fn histogram(&self, measure: Measure, vantage: Vantage) -> Option<&ServerHistogram> {
        let mut found = self
            .histograms
            .iter()
            .filter(|h| h.row.name.is_some_and(|n| n.measure == measure && n.vantage == vantage));
        let first = found.next()?;
        // The old and the new name of one thing stand beside each other in some versions.
        let same = |other: &ServerHistogram| {
            first.row.name.and_then(|n| n.instead) == other.row.name.map(|n| n.name)
        };
        found.all(same).then_some(first)
    }

    /// The engine’s own histogram of a measure.
    pub fn server(&self, measure: Measure) -> Option<&ServerHistogram> {
        self.histogram(measure, Vantage::Server)
    }

    /// The rise of a counter by its name without prefix, summed over the labels with a meaning.
    pub fn counter(&self, name: &str) -> Option<f64> {
        let of_name = |c: &&ServerCounter| c.row.name.is_some_and(|n| n.name == name);
        let mut found = self.counters.iter().filter(of_name).peekable();
        found.peek()?;
        Some(found.map(|counter| counter.delta).sum())
    }

    /// The rise of the engine’s counter of a measure, summed over the labels with a meaning; `None` where
    /// two names count the same.
    pub fn counted(&self, measure: Measure) -> Option<f64> {
        let of = |c: &&ServerCounter| {
            c.row.name.is_some_and(|n| n.measure == measure && n.vantage == Vantage::Server)
        };
        let mut found = self.counters.iter().filter(of).peekable();
        let name = found.peek()?.row.family.clone();
        let same: Vec<&ServerCounter> = found.filter(|c| c.row.family == name).collect();
        Some(same.iter().map(|counter| counter.delta).sum())
    }

    /// Requests that ended well by the engine’s counter: those that it counts as aborted or failed leave no
    /// E2E. `None` without such a counter.
    pub fn finished(&self) -> Option<f64> {
        const BADLY: [&str; 2] = ["abort", "error"];
        let of = |c: &&ServerCounter| {
            c.row
                .name
                .is_some_and(|n| n.measure == Measure::Finished && n.vantage == Vantage::Server)
        };
        let mut found = self.counters.iter().filter(of).peekable();
        found.peek()?;
        let well =
            found.filter(|c| !c.row.label("finished_reason").is_some_and(|r| BADLY.contains(&r)));
        Some(well.map(|counter| counter.delta).sum())
    }

    /// Whether the engine is this one.
    pub fn is(&self, id: &str) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.exporter.id == id)
    }
}

/// One child of a family: all labels but `le`, and its readings.
#[derive(Debug, Default)]
struct Child {
    readings: BTreeMap<u32, Reading>,
    points: Vec<Point>,
    quantiles: BTreeMap<u32, Vec<(f64, f64)>>,
}

/// What a server says of the stretch from the first reading of a dump to its last.
pub fn account(dump: &Dump, ask: &Ask) -> Account {
    let seen = Seen::of(dump);
    let starts = Starts::of(dump);
    let last =
        dump.series.iter().flat_map(|s| s.points.iter().map(|p| p.scrape)).max().unwrap_or(0);
    let readings = Readings { last, single: last == 0, starts: &starts };
    let span = span(dump, last);
    let mut keys = Keys::new(dump, &ask.by);
    let mut account = Account {
        span,
        engine: engine(&seen),
        histograms: Vec::new(),
        counters: Vec::new(),
        gauges: Vec::new(),
        summaries: Vec::new(),
        folded: Vec::new(),
    };
    for (at, family) in dump.families.iter().enumerate() {
        if family.name.ends_with("_created") {
            continue;
        }
        let series: Vec<&Series> = dump.series.iter().filter(|s| s.family as usize == at).collect();
        let name = names::known(&family.name, &seen).map(|known| known.name);
        let kind = kind(family, name);
        let family = &Family { kind, ..family.clone() };
        let (order, children) = children(family, &series);
        if children.is_empty() {
            continue;
        }
        let all: Vec<&Labels> = order.iter().collect();
        keys.remember(name, kind, &all);
        let asked = |label: &str| ask.by.iter().any(|by| by == label);
        let told = |label: &str| name.is_none_or(|name| name.labels.contains(&label));
        let groups = groups(&order, |label| match keys.role(label, name, kind) {
            // Where the label is the same everywhere, it tells nothing of a family that the table has.
            Role::Meaning if !told(label) && !asked(label) && !varies(&order, label) => Role::Part,
            role => role,
        });
        let about =
            About { family, name, readings: &readings, span: &span, dump, children: &children };
        for (labels, copies) in groups {
            match kind {
                FamilyKind::Histogram => account.histograms.push(about.histogram(labels, &copies)),
                FamilyKind::Counter => account.counters.extend(about.counter(labels, &copies)),
                FamilyKind::Summary => account.summaries.push(about.summary(labels, &copies)),
                FamilyKind::Gauge | FamilyKind::Unknown => {
                    account.gauges.extend(about.gauge(labels, &copies))
                }
                FamilyKind::GaugeHistogram | FamilyKind::Info | FamilyKind::StateSet => {}
            }
        }
    }
    account.folded = keys.folded();
    account
}

/// Whether a label has more than one value among children.
fn varies(all: &[Labels], label: &str) -> bool {
    let mut values = all.iter().map(|labels| value(labels, label));
    let first = values.next();
    values.any(|value| Some(value) != first)
}

fn value<'a>(labels: &'a Labels, name: &str) -> Option<&'a str> {
    labels.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

fn span(dump: &Dump, last: u32) -> Span {
    let stretch = match last {
        0 => Stretch::SinceStart,
        1 => Stretch::TwoScrapes,
        _ => Stretch::Range,
    };
    let at = |number: u32| {
        let own = dump.scrapes.get(number as usize).and_then(|scrape| scrape.at);
        let points = || {
            let points = dump.series.iter().flat_map(|series| &series.points);
            points.filter(|p| p.scrape == number).find_map(|p| p.at)
        };
        own.or_else(points).map(|at| at.as_secs())
    };
    let seconds = (last > 0).then(|| Some(at(last)? - at(0)?)).flatten();
    Span { stretch, seconds: seconds.filter(|s| *s > 0.0), scrapes: last as usize + 1 }
}

/// The kind of a family: as it says itself, or as the table or its name does.
fn kind(family: &Family, name: Option<&Name>) -> FamilyKind {
    if family.kind != FamilyKind::Unknown {
        return family.kind;
    }
    match name {
        Some(name) => name.kind,
        None if family.name.ends_with("_total") => FamilyKind::Counter,
        None => FamilyKind::Unknown,
    }
}

/// The children of a family by their labels, in the order of the file.
fn children(family: &Family, series: &[&Series]) -> (Vec<Labels>, BTreeMap<Labels, Child>) {
    let (mut order, mut children) = (Vec::new(), BTreeMap::<Labels, Child>::new());
    for one in series {
        let sample = family.sample(one);
        let inner = match sample {
            SampleKind::Created => continue,
            SampleKind::Bucket => Some("le"),
            SampleKind::Quantile => Some("quantile"),
            SampleKind::Value | SampleKind::Sum | SampleKind::Count => None,
        };
        let outer = one.labels.iter().filter(|(label, _)| Some(label.as_str()) != inner);
        let labels: Labels = outer.cloned().collect();
        let child = children.entry(labels.clone()).or_insert_with(|| {
            order.push(labels);
            Child::default()
        });
        let step = inner.and_then(|label| one.label(label)?.parse::<f64>().ok());
        for point in one.points.iter().filter(|point| !point.value.is_nan()) {
            let (scrape, value) = (point.scrape, point.value);
            match (sample, step) {
                (SampleKind::Bucket, Some(edge)) => {
                    child.readings.entry(scrape).or_default().put(edge, value);
                }
                (SampleKind::Quantile, Some(quantile)) => {
                    child.quantiles.entry(scrape).or_default().push((quantile, value));
                }
                (SampleKind::Sum, _) => {
                    child.readings.entry(scrape).or_default().sum = Some(value);
                }
                (SampleKind::Count, _) => {
                    child.readings.entry(scrape).or_default().count = Some(value);
                }
                (SampleKind::Value, _) => child.points.push(*point),
                _ => {}
            }
        }
    }
    (order, children)
}

/// Children of one key: in each group, sets of copies.
type Group = (Labels, Vec<Vec<Labels>>);

/// Puts children together by the roles of their labels.
fn groups(order: &[Labels], role: impl Fn(&str) -> Role) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut sets: BTreeMap<(Labels, Labels), usize> = BTreeMap::new();
    let mut places: BTreeMap<Labels, usize> = BTreeMap::new();
    for labels in order {
        let keep = |wanted: &dyn Fn(Role) -> bool| -> Labels {
            labels.iter().filter(|(label, _)| wanted(role(label))).cloned().collect()
        };
        let own = keep(&|role| role == Role::Meaning);
        let apart = keep(&|role| role != Role::Copy);
        let group = *places.entry(own.clone()).or_insert_with(|| {
            groups.push((own.clone(), Vec::new()));
            groups.len() - 1
        });
        let Some((_, copies)) = groups.get_mut(group) else { continue };
        let set = *sets.entry((own, apart)).or_insert_with(|| {
            copies.push(Vec::new());
            copies.len() - 1
        });
        if let Some(set) = copies.get_mut(set) {
            set.push(labels.clone());
        }
    }
    groups
}

/// A family under account.
struct About<'a> {
    family: &'a Family,
    name: Option<&'static Name>,
    readings: &'a Readings<'a>,
    span: &'a Span,
    dump: &'a Dump,
    children: &'a BTreeMap<Labels, Child>,
}

impl About<'_> {
    fn row<T>(&self, labels: &Labels, rises: &[(&Labels, Rise<T>)]) -> Row {
        Row {
            key: key(&self.family.name, labels),
            family: self.family.name.clone(),
            labels: labels.clone(),
            name: self.name,
            series: rises.len(),
            resets: rises.iter().map(|(_, rise)| rise.resets).sum(),
            at_least: rises.iter().any(|(_, rise)| rise.at_least()),
            appeared: rises.iter().filter(|(_, rise)| rise.appeared).count(),
        }
    }

    /// One rise of each set of copies: the largest.
    fn rises<'b, T>(
        &'b self,
        copies: &'b [Vec<Labels>],
        rise: impl Fn(&Labels, &Child) -> Option<Rise<T>>,
        size: impl Fn(&T) -> f64,
    ) -> Vec<(&'b Labels, Rise<T>)> {
        let of_set = |set: &'b Vec<Labels>| {
            let all = set
                .iter()
                .filter_map(|labels| Some((labels, rise(labels, self.children.get(labels)?)?)));
            all.max_by(|(_, a), (_, b)| size(&a.value).total_cmp(&size(&b.value)))
        };
        copies.iter().filter_map(of_set).collect()
    }

    fn histogram(&self, labels: Labels, copies: &[Vec<Labels>]) -> ServerHistogram {
        let family = &self.family.name;
        let refused = std::cell::RefCell::new(None);
        let rise = |labels: &Labels, child: &Child| match self.readings.histogram(
            family,
            labels,
            &child.readings,
        )? {
            Ok(rise) => Some(rise),
            Err(reason) => {
                refused.borrow_mut().get_or_insert(reason);
                None
            }
        };
        let rises = self.rises(copies, rise, |reading| reading.count.unwrap_or(0.0));
        let row = self.row(&labels, &rises);
        let all: Vec<&Reading> = rises.iter().map(|(_, rise)| &rise.value).collect();
        if let Some(reason) = refused.into_inner() {
            return ServerHistogram {
                row,
                count: None,
                sum: None,
                buckets: Err(reason),
                counted_twice: None,
                repair: None,
                edges_lost: 0,
            };
        }
        let added = |of: fn(&Reading) -> Option<f64>| -> Option<f64> {
            if all.is_empty() { None } else { all.iter().map(|reading| of(reading)).sum() }
        };
        let infinite = added(|r| r.buckets.last().filter(|b| b.0.is_infinite()).map(|b| b.1));
        let (count, sum) = (added(|r| r.count), added(|r| r.sum));
        let mut repair = None;
        let mut lost = 0;
        let buckets = merged(&all, sum, &mut repair, &mut lost);
        ServerHistogram {
            row,
            count: count.or(infinite),
            sum,
            buckets,
            counted_twice: infinite.zip(count),
            repair,
            edges_lost: lost,
        }
    }

    fn counter(&self, labels: Labels, copies: &[Vec<Labels>]) -> Option<ServerCounter> {
        let rise = |labels: &Labels, child: &Child| {
            self.readings.counter(&self.family.name, labels, &child.points)
        };
        let rises = self.rises(copies, rise, |value| *value);
        if rises.is_empty() {
            return None;
        }
        let delta: f64 = rises.iter().map(|(_, rise)| rise.value).sum();
        let parts = rises.iter().map(|(own, rise)| (differs(own, &labels, &rises), rise.value));
        let parts = if rises.len() > 1 { parts.collect() } else { Vec::new() };
        Some(ServerCounter {
            row: self.row(&labels, &rises),
            delta,
            rate: self.span.seconds.map(|seconds| delta / seconds),
            parts,
        })
    }

    fn gauge(&self, labels: Labels, copies: &[Vec<Labels>]) -> Option<ServerGauge> {
        let mut by_scrape: BTreeMap<u32, (Option<f64>, f64)> = BTreeMap::new();
        for set in copies {
            let mut largest: BTreeMap<u32, Point> = BTreeMap::new();
            for point in set.iter().filter_map(|l| self.children.get(l)).flat_map(|c| &c.points) {
                let so_far = largest.entry(point.scrape).or_insert(*point);
                if point.value > so_far.value {
                    *so_far = *point;
                }
            }
            for (scrape, point) in largest {
                let at = point.at.or_else(|| self.dump.scrapes.get(scrape as usize)?.at);
                let sum = by_scrape.entry(scrape).or_insert((at.map(|at| at.as_secs()), 0.0));
                sum.1 += point.value;
            }
        }
        let readings: Vec<_> =
            by_scrape.into_iter().map(|(s, (at, value))| (s, at, value)).collect();
        let rises: Vec<(&Labels, Rise<f64>)> = Vec::new();
        let row = Row { series: copies.iter().map(Vec::len).sum(), ..self.row(&labels, &rises) };
        (!readings.is_empty()).then_some(ServerGauge { row, readings })
    }

    fn summary(&self, labels: Labels, copies: &[Vec<Labels>]) -> ServerSummary {
        let rise = |labels: &Labels, child: &Child| {
            self.readings.histogram(&self.family.name, labels, &child.readings)?.ok()
        };
        let rises = self.rises(copies, rise, |reading| reading.count.unwrap_or(0.0));
        let added = |of: fn(&Reading) -> Option<f64>| -> Option<f64> {
            if rises.is_empty() { None } else { rises.iter().map(|(_, r)| of(&r.value)).sum() }
        };
        let mut all = copies.iter().flatten().filter_map(|labels| self.children.get(labels));
        let quantiles = match (all.next(), all.next()) {
            (Some(only), None) => only.quantiles.values().next_back().cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        ServerSummary {
            count: added(|r| r.count),
            sum: added(|r| r.sum),
            quantiles,
            row: self.row(&labels, &rises),
        }
    }
}

/// What sets a series apart from the others of its key: `engine="1"`.
fn differs<T>(own: &Labels, kept: &Labels, all: &[(&Labels, Rise<T>)]) -> String {
    let varies = |(name, value): &&(String, String)| {
        !kept.iter().any(|(kept, _)| kept == name)
            && all.iter().any(|(other, _)| self::value(other, name) != Some(value))
    };
    let labels: Vec<String> =
        own.iter().filter(varies).map(|(name, value)| format!("{name}=\"{value}\"")).collect();
    labels.join(",")
}

/// The buckets of several series added up, at the edges that all have.
fn merged(
    all: &[&Reading],
    sum: Option<f64>,
    repair: &mut Option<Repair>,
    lost: &mut usize,
) -> Result<Histogram, String> {
    let mut parts = Vec::with_capacity(all.len());
    for reading in all {
        let Some((last, _)) = reading.buckets.last() else {
            return Err("it has no buckets".into());
        };
        if !last.is_infinite() {
            return Err(
                "the bucket up to +Inf is missing: the file is cut, or a filter left it out".into(),
            );
        }
        if reading.buckets.len() < 2 {
            return Err("it has no bucket but the one up to +Inf".into());
        }
        let mut buckets = reading.buckets.clone();
        let mended = raised(&mut buckets);
        *repair = repair.or(mended);
        let sum = if all.len() == 1 { sum } else { reading.sum };
        parts.push(Histogram::new(&buckets, sum).map_err(|error| error.to_string())?);
    }
    let most = parts.iter().map(|part| part.edges().len()).max().unwrap_or(0);
    match Histogram::merged(&parts) {
        Ok(merged) => {
            *lost = most - merged.edges().len();
            Ok(merged)
        }
        Err(HistogramError::Empty) => Err("no series of it can be used".into()),
        Err(error) => Err(error.to_string()),
    }
}
