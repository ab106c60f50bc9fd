//! Whether a page is OpenMetrics 1.0 to the letter.
//!
//! Reading never asks this: it keeps the reader's grammar honest against the public suite
//! (github.com/prometheus/OpenMetrics, tests/testdata/parsers, 211 cases). The rules are those of the
//! specification (prometheus.io/docs/specs/om/open_metrics_spec), as the suite draws them.

use super::families;
use super::scanner::{self, Exemplar, Label, Line, Metadata, Named, Says, Syntax, Tail, Value};
use crate::model::FamilyKind;
use std::collections::BTreeSet;

/// What is not OpenMetrics, and in which line, from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct NotOpenMetrics {
    /// The line.
    pub line: u64,
    /// Why.
    pub reason: &'static str,
}

/// Checks a whole page.
///
/// # Errors
/// The first thing that OpenMetrics 1.0 forbids.
pub fn check(page: &str) -> Result<(), NotOpenMetrics> {
    let mut rules = Rules::default();
    let mut number = 0;
    let wrong = |number, reason| NotOpenMetrics { line: number, reason };
    let mut lines = page.split('\n').peekable();
    while let Some(line) = lines.next() {
        // Behind the last line end is no line.
        if line.is_empty() && lines.peek().is_none() && number > 0 {
            break;
        }
        number += 1;
        if rules.ended {
            return Err(wrong(number, "text behind `# EOF`"));
        }
        let line = scanner::line(line, Syntax::Strict).map_err(|f| wrong(number, f.reason))?;
        rules.take(&line).map_err(|reason| wrong(number, reason))?;
    }
    rules.close().map_err(|reason| wrong(number, reason))?;
    if rules.ended { Ok(()) } else { Err(wrong(number, "no `# EOF` at the end")) }
}

type Ruling = Result<(), &'static str>;

/// What is known at one line of the page.
#[derive(Default)]
struct Rules {
    ended: bool,
    family: Option<Family>,
    /// Every sample name that a family before may have used.
    taken: BTreeSet<String>,
}

/// The family whose lines are being read.
#[derive(Default)]
struct Family {
    name: String,
    kind: Option<FamilyKind>,
    unit: Option<String>,
    helped: bool,
    samples: Vec<Sample>,
    groups: BTreeSet<Labels>,
}

type Labels = Vec<(String, String)>;

struct Sample {
    ending: String,
    /// Labels that the samples of one metric share.
    group: Labels,
    le: Option<f64>,
    value: f64,
    time: Option<f64>,
}

impl Rules {
    fn take(&mut self, line: &Line<'_>) -> Ruling {
        match line {
            Line::Eof => self.ended = true,
            Line::Blank | Line::Comment(_) => {}
            Line::Metadata(metadata) => self.metadata(metadata)?,
            Line::Sample(named, tail) => self.sample(named, tail)?,
        }
        Ok(())
    }

    /// The family of this name, which begins here unless it is being read.
    fn begin(&mut self, name: &str) -> Result<&mut Family, &'static str> {
        if self.family.as_ref().is_none_or(|family| family.name != name) {
            self.close()?;
            self.family = Some(Family { name: name.to_owned(), ..Family::default() });
        }
        self.family.as_mut().ok_or("no family")
    }

    fn metadata(&mut self, metadata: &Metadata<'_>) -> Ruling {
        let family = self.begin(&metadata.name)?;
        if !family.samples.is_empty() {
            return Err("metadata behind the family’s samples");
        }
        let again = match metadata.says {
            Says::Help => std::mem::replace(&mut family.helped, true),
            Says::Unit => family.unit.replace(metadata.text.to_owned()).is_some(),
            Says::Type => {
                let known = families::kind(metadata.text);
                let exact = metadata.text.bytes().all(|b| b.is_ascii_lowercase());
                let kind = known.filter(|_| exact && metadata.text != "untyped");
                family.kind.replace(kind.ok_or("an unknown TYPE")?).is_some()
            }
        };
        if again { Err("the same metadata twice") } else { Ok(()) }
    }

    fn sample(&mut self, named: &Named<'_>, tail: &Tail<'_>) -> Ruling {
        let belongs = |family: &Family| {
            let ending = named.name.strip_prefix(family.name.as_str());
            ending.is_some_and(|ending| endings(family.kind).contains(&ending))
        };
        let family = match self.family.take_if(|family| belongs(family)) {
            Some(family) => self.family.insert(family),
            None => self.begin(&named.name)?,
        };
        family.sample(named, tail)
    }

    /// Checks the family that ends here.
    fn close(&mut self) -> Ruling {
        let Some(family) = self.family.take() else { return Ok(()) };
        let mut names: BTreeSet<&str> = endings(family.kind).iter().copied().collect();
        names.insert("");
        for ending in names {
            if !self.taken.insert(format!("{}{ending}", family.name)) {
                return Err("a name that another family uses");
            }
        }
        if let Some(unit) = family.unit.as_deref().filter(|unit| !unit.is_empty()) {
            if !family.name.ends_with(&format!("_{unit}")) {
                return Err("a unit that the name does not end with");
            }
            if matches!(family.kind, Some(FamilyKind::Info | FamilyKind::StateSet)) {
                return Err("a unit of an info or a stateset");
            }
        }
        if matches!(family.kind, Some(FamilyKind::Histogram | FamilyKind::GaugeHistogram)) {
            return histograms(&family.samples);
        }
        Ok(())
    }
}

/// What may stand behind the family's name in those of its samples.
const fn endings(kind: Option<FamilyKind>) -> &'static [&'static str] {
    match kind {
        Some(FamilyKind::Counter) => &["_total", "_created"],
        Some(FamilyKind::Histogram) => &["_bucket", "_sum", "_count", "_created"],
        Some(FamilyKind::GaugeHistogram) => &["_bucket", "_gsum", "_gcount"],
        Some(FamilyKind::Summary) => &["", "_sum", "_count", "_created"],
        Some(FamilyKind::Info) => &["_info"],
        _ => &[""],
    }
}

impl Family {
    fn sample(&mut self, named: &Named<'_>, tail: &Tail<'_>) -> Ruling {
        let Value::Number(value) = tail.value else { return Err("a native histogram") };
        let ending = named.name.strip_prefix(self.name.as_str()).unwrap_or_default();
        let label = |name: &str| {
            named.labels.iter().find(|(label, _)| label == name).map(|(_, value)| value.as_ref())
        };
        if self.kind == Some(FamilyKind::StateSet) && label(&self.name).is_none() {
            return Err("a stateset without its label");
        }
        let mut le = None;
        if ending == "_bucket" {
            let edge = label("le").ok_or("a bucket without `le`")?;
            let number = scanner::number(edge).filter(|edge| !edge.is_nan());
            le = Some(number.ok_or("an `le` that is no number")?);
            if le == Some(f64::INFINITY) && edge != "+Inf" {
                return Err("an `le` of infinity other than `+Inf`");
            }
        }
        let quantile = self.kind == Some(FamilyKind::Summary) && ending.is_empty();
        if quantile {
            let number = label("quantile").and_then(scanner::number);
            if !number.is_some_and(|q| (0.0..=1.0).contains(&q)) {
                return Err("a quantile that is none from 0 to 1");
            }
        }
        self.value(ending, value, quantile)?;
        self.exemplar(ending, tail.exemplar)?;
        let time = tail.time.and_then(scanner::number);
        let group = self.group(&named.labels, ending);
        self.order(&group, time)?;
        self.samples.push(Sample { ending: ending.to_owned(), group, le, value, time });
        Ok(())
    }

    fn value(&self, ending: &str, value: f64, quantile: bool) -> Ruling {
        let counted = matches!(ending, "_total" | "_sum" | "_count" | "_bucket" | "_gcount");
        let whole = matches!(ending, "_count" | "_bucket" | "_gcount");
        if (counted || ending == "_gsum") && value.is_nan() {
            return Err("a count that is NaN");
        }
        if (counted || quantile) && value < 0.0 {
            return Err("a negative count");
        }
        if whole && value.fract() != 0.0 {
            return Err("a count that is not whole");
        }
        let states: &[f64] = match self.kind {
            Some(FamilyKind::StateSet) => &[0.0, 1.0],
            Some(FamilyKind::Info) => &[1.0],
            _ => return Ok(()),
        };
        if states.contains(&value) { Ok(()) } else { Err("a state other than 0 and 1") }
    }

    fn exemplar(&self, ending: &str, exemplar: Exemplar) -> Ruling {
        let allowed = match self.kind {
            Some(FamilyKind::Histogram | FamilyKind::GaugeHistogram) => ending == "_bucket",
            Some(FamilyKind::Counter) => ending == "_total",
            _ => false,
        };
        if exemplar == Exemplar::Absent || allowed {
            Ok(())
        } else {
            Err("an exemplar out of place")
        }
    }

    /// The labels that tell one metric of the family from another.
    fn group(&self, labels: &[Label<'_>], ending: &str) -> Labels {
        let own = match (self.kind, ending) {
            (Some(FamilyKind::Info), _) => return Labels::new(),
            (Some(FamilyKind::Summary), "") => "quantile",
            (Some(FamilyKind::StateSet), _) => &self.name,
            (Some(FamilyKind::Histogram | FamilyKind::GaugeHistogram), "_bucket") => "le",
            _ => "",
        };
        let others = labels.iter().filter(|(label, _)| label != own);
        let mut group: Labels = others.map(|(l, v)| (l.to_string(), v.to_string())).collect();
        group.sort();
        group
    }

    fn order(&mut self, group: &Labels, time: Option<f64>) -> Ruling {
        match self.samples.last() {
            Some(last) if last.group == *group => {
                if last.time.is_some() != time.is_some() {
                    return Err("samples of one metric with and without a time");
                }
                let info = self.kind == Some(FamilyKind::Info);
                if !info && last.time.zip(time).is_some_and(|(before, now)| now < before) {
                    return Err("times that go backwards");
                }
            }
            Some(_) if self.groups.contains(group) => return Err("samples of one metric apart"),
            _ => {}
        }
        self.groups.insert(group.clone());
        Ok(())
    }
}

/// Checks the samples of all histograms of a family.
fn histograms(samples: &[Sample]) -> Ruling {
    let alike = |a: &Sample, b: &Sample| a.group == b.group && a.time == b.time;
    samples.chunk_by(alike).try_for_each(histogram)
}

fn histogram(samples: &[Sample]) -> Ruling {
    let value = |ending: &str| samples.iter().find(|s| s.ending == ending).map(|s| s.value);
    let buckets: Vec<(f64, f64)> =
        samples.iter().filter_map(|s| s.le.map(|le| (le, s.value))).collect();
    for pair in buckets.windows(2) {
        let [(edge, count), (next, more)] = pair else { continue };
        if next <= edge {
            return Err("buckets out of order");
        }
        if more < count {
            return Err("cumulative buckets that fall");
        }
    }
    let Some((edge, total)) = buckets.last() else { return Err("a histogram without buckets") };
    if *edge < f64::INFINITY {
        return Err("no bucket of `+Inf`");
    }
    let (sum, gauge_sum) = (value("_sum"), value("_gsum"));
    let count = value("_count").or_else(|| value("_gcount"));
    if count.is_some_and(|count| count.to_bits() != total.to_bits()) {
        return Err("a count other than that of the last bucket");
    }
    if count.is_some() != (sum.is_some() || gauge_sum.is_some()) {
        return Err("a sum without a count, or a count without a sum");
    }
    let negative = buckets.iter().any(|(edge, _)| *edge < 0.0);
    if negative && sum.is_some() {
        return Err("a sum beside negative buckets");
    }
    if !negative && gauge_sum.is_some_and(|sum| sum < 0.0) {
        return Err("a negative sum without negative buckets");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn the_first_thing_that_is_forbidden_is_named_with_its_line() {
        let page = "# TYPE a histogram\n# HELP a Help.\na_bucket{le=\"1.0\"} 0\na_bucket{le=\"+Inf\"} 3\n\
                    a_count 3\na_sum 2\n# EOF\n";
        assert_eq!(check(page), Ok(()));
        let cases = [
            ("a_count 3", "a_count 4", "line 7: a count other than that of the last bucket"),
            ("1.0", "+Inf", "line 7: buckets out of order"),
            ("# EOF\n", "", "line 6: no `# EOF` at the end"),
            ("a_sum 2", "a_sum  2", "line 6: no value behind the name"),
        ];
        for (from, to, want) in cases {
            let said = check(&page.replacen(from, to, 1)).map_err(|wrong| wrong.to_string());
            assert_eq!(said, Err(want.to_owned()), "{from} → {to}");
        }
    }
}
