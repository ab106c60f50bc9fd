//! Several dumps as one: readings of one server in order of time.

use crate::model::{Dump, Family, FamilyKind, Point, Series};
use crate::units::UnixTime;
use std::collections::BTreeMap;

/// Family, name and labels of a series.
type Place = (u32, String, Vec<(String, String)>);

/// Readings of one server as one dump: in order of their times where all have one, or else as given.
/// Series are matched by name and labels.
pub fn joined(dumps: &[&Dump]) -> Dump {
    let mut order: Vec<&Dump> = dumps.to_vec();
    if order.iter().all(|dump| first_time(dump).is_some()) {
        order.sort_by(|a, b| {
            let time = |dump: &Dump| first_time(dump).unwrap_or(f64::NAN);
            time(a).total_cmp(&time(b))
        });
    }
    let Some((first, others)) = order.split_first() else { return Dump::default() };
    let mut all = (*first).clone();
    let mut families: BTreeMap<String, u32> = BTreeMap::new();
    for (at, family) in all.families.iter().enumerate() {
        families.entry(family.name.clone()).or_insert(at as u32);
    }
    let mut places: BTreeMap<Place, usize> = BTreeMap::new();
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

fn first_time(dump: &Dump) -> Option<f64> {
    let points = || dump.series.iter().flat_map(|s| &s.points).find_map(|p| p.at);
    dump.scrapes.first().and_then(|scrape| scrape.at).or_else(points).map(UnixTime::as_secs)
}
