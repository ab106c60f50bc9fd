//! Series into families: by their TYPE lines, and by their names where there are none.
//!
//! A TYPE line wins: `iteration_tokens_total` stays a histogram, a gauge with `gt` and `le` a gauge. Pages
//! without TYPE, and those of `/federate`, whose every family is `untyped`, are put together by suffix.

use crate::model::{Family, FamilyKind, Series};
use std::collections::{BTreeMap, BTreeSet};

/// What the metadata lines say of a family.
#[derive(Debug, Default)]
pub(super) struct Announced {
    /// The TYPE line.
    pub kind: Option<FamilyKind>,
    /// The HELP line.
    pub help: Option<String>,
    /// The UNIT line.
    pub unit: Option<String>,
    /// In which reading, behind how many samples, each of HELP, TYPE and UNIT came last.
    pub since: [Option<(u32, usize)>; 3],
}

/// The kind behind a TYPE line's word, in any case.
pub(super) fn kind(word: &str) -> Option<FamilyKind> {
    Some(match word.to_ascii_lowercase().as_str() {
        "counter" => FamilyKind::Counter,
        "gauge" => FamilyKind::Gauge,
        "histogram" => FamilyKind::Histogram,
        "gaugehistogram" => FamilyKind::GaugeHistogram,
        "summary" => FamilyKind::Summary,
        "info" => FamilyKind::Info,
        "stateset" => FamilyKind::StateSet,
        "unknown" | "untyped" => FamilyKind::Unknown,
        _ => return None,
    })
}

/// Whether a series only rises but for restarts, judged by its name alone.
pub(super) fn counts(name: &str) -> bool {
    ["_total", "_bucket", "_sum", "_count"].iter().any(|ending| name.ends_with(ending))
}

/// The endings of a kind's samples behind the family's name.
const fn endings(kind: FamilyKind) -> &'static [&'static str] {
    match kind {
        FamilyKind::Counter => &["_total", "_created"],
        FamilyKind::Histogram => &["_bucket", "_sum", "_count", "_created"],
        FamilyKind::GaugeHistogram => {
            &["_bucket", "_gsum", "_gcount", "_sum", "_count", "_created"]
        }
        FamilyKind::Summary => &["_sum", "_count", "_created"],
        FamilyKind::Info => &["_info"],
        FamilyKind::Gauge | FamilyKind::StateSet | FamilyKind::Unknown => &[],
    }
}

/// Gives each series its family; the families in the order of the file.
pub(super) fn assemble(
    series: &mut [Series],
    announced: &BTreeMap<String, Announced>,
    order: &[String],
) -> Vec<Family> {
    let typed = typed_samples(announced, order);
    let shapes = Shapes::of(series, &typed);
    let mut families: Vec<Family> = Vec::new();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    for series in series.iter_mut() {
        let found = match typed.get(series.name.as_str()) {
            Some(name) => {
                let kind = announced.get(*name).and_then(|known| known.kind);
                ((*name).to_owned(), kind.unwrap_or_default())
            }
            None => shapes.family(series),
        };
        let (name, kind) = found;
        // OpenMetrics calls a counter's family by what stands before `_total`.
        let total = kind == FamilyKind::Counter
            && series.name.strip_suffix("_total").is_some_and(|base| base == name);
        series.family = if let Some(number) = numbers.get(&name) {
            *number
        } else {
            let known = announced.get(&name);
            let number = families.len() as u32;
            families.push(Family {
                name: name.clone(),
                kind,
                help: known.and_then(|k| k.help.clone()),
                unit: known.and_then(|k| k.unit.clone()),
            });
            numbers.insert(name, number);
            number
        };
        if total && let Some(family) = families.get_mut(series.family as usize) {
            family.name.clone_from(&series.name);
        }
    }
    // Families that were announced and have no sample: the server knows them and saw nothing.
    for name in order.iter().filter(|name| !numbers.contains_key(*name)) {
        let Some(known) = announced.get(name) else { continue };
        if let Some(kind) = known.kind.filter(|kind| *kind != FamilyKind::Unknown) {
            let (help, unit) = (known.help.clone(), known.unit.clone());
            families.push(Family { name: name.clone(), kind, help, unit });
        }
    }
    families
}

/// Which family the samples of a name belong to by TYPE. A TYPE of the very name comes first.
fn typed_samples<'a>(
    announced: &'a BTreeMap<String, Announced>,
    order: &'a [String],
) -> BTreeMap<String, &'a str> {
    let mut typed: BTreeMap<String, &str> = BTreeMap::new();
    let known = |name: &str| {
        let kind = announced.get(name)?.kind?;
        (kind != FamilyKind::Unknown).then_some(kind)
    };
    for name in order {
        if let Some(kind) = known(name) {
            // Some pages announce `x_bucket` where they mean `x`.
            let base = match kind {
                FamilyKind::Histogram => name.strip_suffix("_bucket").unwrap_or(name),
                _ => name,
            };
            for ending in endings(kind) {
                typed.entry(format!("{base}{ending}")).or_insert(name);
            }
        }
    }
    for name in order.iter().filter(|name| known(name).is_some()) {
        typed.insert(name.clone(), name);
    }
    typed
}

/// What the names of series without a TYPE say together.
struct Shapes {
    histograms: BTreeSet<String>,
    summaries: BTreeSet<String>,
}

impl Shapes {
    fn of(series: &[Series], typed: &BTreeMap<String, &str>) -> Self {
        let (mut histograms, mut summaries) = (BTreeSet::new(), BTreeSet::new());
        let names: BTreeSet<&str> = series.iter().map(|s| s.name.as_str()).collect();
        let has = |base: &str, ending: &str| names.contains(format!("{base}{ending}").as_str());
        for series in series.iter().filter(|s| !typed.contains_key(&s.name)) {
            let name = series.name.as_str();
            let counted = |base: &str| has(base, "_sum") && has(base, "_count");
            // `gt` beside `le` marks a range of a gauge, as SGLang's routing keys have.
            if series.label("le").is_some() && series.label("gt").is_none() {
                match name.strip_suffix("_bucket") {
                    Some(base) => _ = histograms.insert(base.to_owned()),
                    // Triton documents bucket lines without `_bucket`.
                    None if counted(name) => _ = histograms.insert(name.to_owned()),
                    None => {}
                }
            } else if series.label("quantile").is_some() {
                summaries.insert(name.to_owned());
            } else if let Some(base) = name.strip_suffix("_count").filter(|base| counted(base)) {
                summaries.insert(base.to_owned());
            }
        }
        Self { histograms, summaries }
    }

    fn family(&self, series: &Series) -> (String, FamilyKind) {
        let name = series.name.as_str();
        let parts = ["_bucket", "_sum", "_count", "_created", ""];
        for (bases, kind) in
            [(&self.histograms, FamilyKind::Histogram), (&self.summaries, FamilyKind::Summary)]
        {
            let base = parts
                .iter()
                .find_map(|part| name.strip_suffix(part).filter(|base| bases.contains(*base)));
            if let Some(base) = base {
                return (base.to_owned(), kind);
            }
        }
        let kind = if name.ends_with("_total") { FamilyKind::Counter } else { FamilyKind::Unknown };
        (name.to_owned(), kind)
    }
}
