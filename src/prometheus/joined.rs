//! Several dumps as one: readings of one server in order of time.

use super::order::{Given, in_order, strangers};
use crate::model::{Dump, Family, FamilyKind, Point, Series};
use crate::notice::{Notices, Place, Severity};
use std::collections::BTreeMap;

/// Family, name and labels of a series.
type Key = (u32, String, Vec<(String, String)>);

/// Readings of one server as one dump: in order of their times where all have one, or else as given.
/// Series are matched by name and labels.
pub fn joined(dumps: &[&Dump]) -> Dump {
    joined_told(dumps, Given::InOrder, &mut Notices::new())
}

/// [`joined`], saying in `out` what was turned round, and what are no two readings of one server: such
/// dumps stand side by side as one reading each since its own start, and nothing is subtracted.
pub fn joined_told(dumps: &[&Dump], given: Given, out: &mut Notices) -> Dump {
    let strange = dumps
        .iter()
        .enumerate()
        .find_map(|(at, one)| dumps.iter().skip(at + 1).find_map(|other| strangers(one, other)));
    if let Some(because) = strange {
        let text = format!(
            "These are no readings of one server: {because}. Each page is taken as totals since its own start, side \
             by side, and nothing is subtracted."
        );
        out.add(Severity::Warn, "two-servers", Place::WholeFile, text);
        return side_by_side(dumps);
    }
    one_after_another(&in_order(dumps, given, out))
}

/// The last readings of several servers as one.
fn side_by_side(dumps: &[&Dump]) -> Dump {
    let last: Vec<Dump> = dumps.iter().map(|dump| last_reading(dump)).collect();
    let mut all = one_after_another(&last.iter().collect::<Vec<_>>());
    all.scrapes.truncate(1);
    for series in &mut all.series {
        // What every process exports stands in all pages: the first one’s is kept.
        series.points.truncate(1);
        for point in &mut series.points {
            point.scrape = 0;
        }
    }
    all
}

/// Readings in the order given as one dump.
fn one_after_another(order: &[&Dump]) -> Dump {
    let Some((first, others)) = order.split_first() else { return Dump::default() };
    let mut all = (*first).clone();
    let mut families: BTreeMap<String, u32> = BTreeMap::new();
    for (at, family) in all.families.iter().enumerate() {
        families.entry(family.name.clone()).or_insert(at as u32);
    }
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for (at, series) in all.series.iter().enumerate() {
        places.entry((series.family, series.name.clone(), series.labels.clone())).or_insert(at);
    }
    for dump in others {
        let offset = all.scrapes.len() as u32;
        all.scrapes.extend(dump.scrapes.iter().cloned());
        for series in &dump.series {
            let Some(family) = dump.families.get(series.family as usize) else { continue };
            let number = *families.entry(family.name.clone()).or_insert_with(|| {
                all.families.push(family.clone());
                all.families.len() as u32 - 1
            });
            if let Some(own) = all.families.get_mut(number as usize) {
                complete(own, family);
            }
            let points = series.points.iter().map(|p| Point { scrape: p.scrape + offset, ..*p });
            let place = (number, series.name.clone(), series.labels.clone());
            if let Some(own) = places.get(&place).and_then(|at| all.series.get_mut(*at)) {
                own.points.extend(points);
                continue;
            }
            places.insert(place, all.series.len());
            let points = points.collect();
            all.series.push(Series { family: number, points, ..series.clone() });
        }
    }
    all
}

/// What two readings say of one family: a cut file may lack its TYPE.
fn complete(own: &mut Family, other: &Family) {
    if own.kind == FamilyKind::Unknown {
        own.kind = other.kind;
    }
    if own.help.is_none() {
        own.help.clone_from(&other.help);
    }
}

/// The last reading of a dump alone.
pub fn last_reading(dump: &Dump) -> Dump {
    let Some(last) = dump.scrapes.len().checked_sub(1) else { return dump.clone() };
    let number = last as u32;
    let series = dump.series.iter().filter_map(|series| {
        let point = series.points.iter().rfind(|point| point.scrape == number)?;
        let points = vec![Point { scrape: 0, ..*point }];
        Some(Series { points, ..series.clone() })
    });
    Dump {
        shape: dump.shape,
        scrapes: dump.scrapes.get(last).cloned().into_iter().collect(),
        families: dump.families.clone(),
        series: series.collect(),
    }
}
