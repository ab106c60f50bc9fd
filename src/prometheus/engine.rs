//! Which engine wrote a dump, and which of its versions, by names, labels and edges.

use super::names::{self, EXPORTERS, Exporter, Known, Version, versions};
use super::seen::Seen;

/// The engine behind a dump.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Its row.
    pub exporter: &'static Exporter,
    /// The versions that fit, such as “0.11.0…”; `None` where nothing tells.
    pub version: Option<String>,
    /// What tells it, as a clause.
    pub because: String,
    /// A sentence where names and edges tell different versions.
    pub contradiction: Option<String>,
    /// What else wrote into the same dump: a router, a front end, the HTTP layer.
    pub others: Vec<&'static Exporter>,
}

/// The engine behind a dump; `None` where no name is known.
pub fn engine(seen: &Seen) -> Option<Engine> {
    let known: Vec<(&str, Known)> =
        seen.families().filter_map(|family| Some((family, names::known(family, seen)?))).collect();
    let has = |exporter: &Exporter| known.iter().any(|(_, k)| k.exporter.id == exporter.id);
    let mut present = EXPORTERS.iter().copied().filter(|exporter| has(exporter));
    let exporter = present.next()?;
    let own: Vec<&(&str, Known)> =
        known.iter().filter(|(_, k)| k.exporter.id == exporter.id).collect();
    let mut because = Vec::new();
    if let Some((_, first)) = own.first() {
        because.push(match first.prefix.text {
            "" => format!("bare names as {} writes them", first.prefix.by),
            text => format!("names that begin with {text}"),
        });
    }
    let by_names = by_names(&own);
    let by_labels = exporter.labels.iter().filter(|(label, _)| seen.has_label(label));
    let by_labels = by_labels.max_by_key(|(_, since)| *since);
    let by_edges = by_edges(&own, exporter, seen);
    let mut span = Span::default();
    if let Some((name, since)) = by_names.since {
        span.since = Some(since);
        because.push(format!("{name} is there since {since}"));
    }
    if let Some((name, until)) = by_names.until.filter(|(_, until)| span.fits(None, Some(*until))) {
        span.until = Some(until);
        because.push(format!("{name} was there until {until}"));
    }
    if let Some((label, since)) = by_labels
        && span.since.is_none_or(|so_far| so_far < *since)
    {
        span.since = Some(*since);
        because.push(format!("the label {label} is there since {since}"));
    }
    let mut contradiction = None;
    if let Some((family, edges)) = by_edges {
        let said = versions(Some(edges.since), edges.until);
        if span.fits(Some(edges.since), edges.until) {
            span = span.and(edges.since, edges.until);
            because.push(format!("the edges of {family} are those of {said}"));
        } else {
            contradiction = Some(format!(
                "The names are those of {} {}, and the edges of {family} those of {said}: the edges were \
                 replaced, or another program writes under these names.",
                exporter.name,
                versions(span.since, span.until)
            ));
        }
    }
    let version = Some(versions(span.since, span.until)).filter(|text| !text.is_empty());
    Some(Engine {
        exporter,
        version,
        because: because.join("; "),
        contradiction,
        others: present.collect(),
    })
}

/// What narrows the versions: a name with the first or last version that has it.
#[derive(Default)]
struct Narrowed<'a> {
    since: Option<(&'a str, Version)>,
    until: Option<(&'a str, Version)>,
}

fn by_names<'a>(own: &[&(&'a str, Known)]) -> Narrowed<'a> {
    let since = own.iter().filter_map(|(family, k)| Some((*family, k.name.since?)));
    let until = own.iter().filter_map(|(family, k)| Some((*family, k.name.until?)));
    Narrowed {
        since: since.max_by_key(|(_, version)| *version),
        until: until.min_by_key(|(_, version)| *version),
    }
}

/// The latest default edges that a family of the dump has exactly.
fn by_edges<'a>(
    own: &[&(&'a str, Known)],
    exporter: &'static Exporter,
    seen: &Seen,
) -> Option<(&'a str, &'static names::Edges)> {
    let same = |a: &[f64], b: &[f64]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.total_cmp(b).is_eq())
    };
    own.iter().find_map(|(family, k)| {
        let mut defaults = exporter.edges.iter().filter(|edges| edges.name == k.name.name);
        Some((*family, defaults.find(|edges| same(edges.edges, seen.edges(family)))?))
    })
}

/// A span of versions.
#[derive(Default, Clone, Copy)]
struct Span {
    since: Option<Version>,
    until: Option<Version>,
}

impl Span {
    fn fits(self, since: Option<Version>, until: Option<Version>) -> bool {
        let before = |a: Option<Version>, b: Option<Version>| {
            a.zip(b).is_some_and(|(until, since)| until < since)
        };
        !before(self.until, since) && !before(until, self.since)
    }

    fn and(self, since: Version, until: Option<Version>) -> Self {
        let until = match (self.until, until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { since: Some(self.since.map_or(since, |own| own.max(since))), until }
    }
}
