//! A dump taken apart into families, children and keys, and added up into an account.

use super::account::{Account, Ask, Span, Stretch};
use super::change::{Reading, Readings, Starts};
use super::engine::engine;
use super::keys::{Keys, Labels, Role};
use super::names::{self, Name};
use super::seen::Seen;
use super::summed::Summed;
use crate::model::{Dump, Family, FamilyKind, Point, SampleKind, Series};
use crate::units::UnixTime;
use std::collections::BTreeMap;

/// One child of a family: all labels but `le`, and its readings.
#[derive(Debug, Default)]
pub(super) struct Child {
    pub readings: BTreeMap<u32, Reading>,
    pub points: Vec<Point>,
    pub quantiles: BTreeMap<u32, Vec<(f64, f64)>>,
}

/// What a server says of the stretch from the first reading of a dump to its last.
pub fn account(dump: &Dump, ask: &Ask) -> Account {
    let seen = Seen::of(dump);
    let starts = Starts::of(dump);
    let last =
        dump.series.iter().flat_map(|s| s.points.iter().map(|p| p.scrape)).max().unwrap_or(0);
    let readings = Readings { last, single: last == 0, starts: &starts, times: times(dump, last) };
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
        says_start: starts.told(),
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
            Summed { family, name, readings: &readings, span: &span, dump, children: &children };
        for (labels, copies) in groups {
            match kind {
                FamilyKind::Histogram => account.histograms.push(about.histogram(labels, &copies)),
                FamilyKind::Counter => account.counters.extend(about.counter(labels, &copies)),
                FamilyKind::Summary => account.summaries.push(about.summary(labels, &copies)),
                FamilyKind::Gauge | FamilyKind::Unknown => {
                    account.gauges.extend(about.gauge(labels, &copies));
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

pub(super) fn value<'a>(labels: &'a Labels, name: &str) -> Option<&'a str> {
    labels.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

fn span(dump: &Dump, last: u32) -> Span {
    let stretch = match last {
        0 => Stretch::SinceStart,
        1 => Stretch::TwoScrapes,
        _ => Stretch::Range,
    };
    let seconds = (last > 0).then(|| Some(time(dump, last)? - time(dump, 0)?)).flatten();
    Span { stretch, seconds: seconds.filter(|s| *s > 0.0), scrapes: last as usize + 1 }
}

/// The time of a reading in seconds, by its heading or by a sample in it.
fn time(dump: &Dump, number: u32) -> Option<f64> {
    let own = dump.scrapes.get(number as usize).and_then(|scrape| scrape.at);
    let points = || {
        let points = dump.series.iter().flat_map(|series| &series.points);
        points.filter(|p| p.scrape == number).find_map(|p| p.at)
    };
    own.or_else(points).map(UnixTime::as_secs)
}

/// The times of all readings, where each has one.
fn times(dump: &Dump, last: u32) -> Option<Vec<f64>> {
    (0..=last).map(|number| time(dump, number)).collect()
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
