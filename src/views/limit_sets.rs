//! Ready-made sets of limits, and the share of requests that must keep the limits.

use super::context::Ruler;
use crate::metrics::Preset;
use crate::metrics::settings::{GoodputMissing, GoodputUnit};
use crate::model::Limit;

/// A set of limits to start from. They are ours, and no standard: what a product needs is for it to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitSet {
    /// Its name.
    pub name: &'static str,
    /// What it is meant for, as a sentence.
    pub meant: &'static str,
    /// Its limits, as they are written.
    limits: &'static [&'static str],
}

/// The sets in the order of the screen.
pub const LIMIT_SETS: [LimitSet; 3] = [
    LimitSet {
        name: "Chat",
        meant: "An answer that begins at once and comes faster than it is read: 20 tokens a second.",
        limits: &["ttft<=500ms", "tpot<=50ms"],
    },
    LimitSet {
        name: "Code completion",
        meant: "A short suggestion while somebody types: only when the whole of it is there does it count.",
        limits: &["ttft<=200ms", "e2e<=1s"],
    },
    LimitSet {
        name: "Document",
        meant: "A long prompt, which may take its time to be read, and an answer at reading speed.",
        limits: &["ttft<=5s", "tpot<=100ms"],
    },
];

impl LimitSet {
    /// Its limits, in the order in which a context keeps them.
    pub fn limits(&self) -> Vec<Limit> {
        let mut limits: Vec<Limit> = self.limits.iter().filter_map(|l| l.parse().ok()).collect();
        limits.sort_by_key(Limit::place);
        limits
    }
}

/// The dimension that holds the share.
const UNIT: &str = "goodput-unit";

/// The share of the sent requests that must keep all limits, in percent, where one is set.
pub fn wanted_percent(ruler: &Ruler) -> Option<f64> {
    let Ruler::Same { preset, changes } = ruler else { return None };
    let unit = match changes.get(UNIT) {
        Some(unit) => GoodputUnit::parse(unit)?,
        None => Preset::find(preset)?.settings.goodput_unit,
    };
    match unit {
        GoodputUnit::MaxLoadAtAttainment(share) => Some(tidy(share * 100.0)),
        _ => None,
    }
}

/// The ruler with another share in percent, or with none. Nothing where each run is in its own tool's
/// words: no tool's own goodput knows a share.
pub fn with_percent(ruler: &Ruler, percent: Option<f64>) -> Option<Ruler> {
    let Ruler::Same { preset, changes } = ruler else { return None };
    let mut changes = changes.clone();
    match percent {
        Some(percent) => {
            let unit = GoodputUnit::MaxLoadAtAttainment(tidy(percent) / 100.0).to_string();
            GoodputUnit::parse(&unit)?;
            changes.insert(UNIT.to_owned(), unit);
        }
        None => {
            changes.remove(UNIT);
        }
    }
    Some(Ruler::Same { preset: preset.clone(), changes })
}

/// A percentage without what a division by 100 leaves behind.
fn tidy(percent: f64) -> f64 {
    (percent * 1e6).round() / 1e6
}

/// The dimension that says what a limit does to a request without the metric.
const MISSING: &str = "goodput-missing";

/// What a limit does to a request that lacks the metric, with its words, in the order to offer them.
pub const MISSING_VALUES: [(GoodputMissing, &str); 3] = [
    (GoodputMissing::Fails, "fails"),
    (GoodputMissing::Passes, "passes"),
    (GoodputMissing::NotApplicable, "is left out"),
];

/// Which of [`MISSING_VALUES`] is in force; none where each run is in its own tool’s words.
pub fn missing_value(ruler: &Ruler) -> Option<usize> {
    let Ruler::Same { preset, changes } = ruler else { return None };
    let now = match changes.get(MISSING) {
        Some(choice) => GoodputMissing::from_id(choice)?,
        None => Preset::find(preset)?.settings.goodput_missing,
    };
    MISSING_VALUES.iter().position(|(choice, _)| *choice == now)
}

/// The ruler with another of them. Nothing where each run is in its own tool’s words.
pub fn with_missing(ruler: &Ruler, choice: GoodputMissing) -> Option<Ruler> {
    let Ruler::Same { preset, changes } = ruler else { return None };
    let mut changes = changes.clone();
    if Preset::find(preset)?.settings.goodput_missing == choice {
        changes.remove(MISSING);
    } else {
        changes.insert(MISSING.to_owned(), choice.id().to_owned());
    }
    Some(Ruler::Same { preset: preset.clone(), changes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::slo::limits_in_words;

    #[test]
    fn every_set_is_written_as_limits_are() {
        for set in LIMIT_SETS {
            assert_eq!(set.limits().len(), set.limits.len(), "{}", set.name);
        }
        assert_eq!(limits_in_words(&LIMIT_SETS[0].limits()), "TTFT ≤ 500 ms, TPOT ≤ 50 ms");
        assert_eq!(limits_in_words(&LIMIT_SETS[1].limits()), "TTFT ≤ 200 ms, E2E ≤ 1,000 ms");
    }

    #[test]
    fn a_share_is_set_read_back_and_taken_away() {
        let plain = Ruler::default();
        assert_eq!(wanted_percent(&plain), None);
        for percent in [99.0, 99.9, 50.0, 100.0, 0.1] {
            let with = with_percent(&plain, Some(percent)).unwrap();
            assert_eq!(wanted_percent(&with), Some(percent));
            assert_eq!(with.unknown(), None, "{with:?}");
            assert_eq!(with_percent(&with, None), Some(plain.clone()));
        }
        assert_eq!(with_percent(&plain, Some(120.0)), None);
        assert_eq!(with_percent(&plain, Some(0.0)), None);
        assert_eq!(with_percent(&Ruler::Own, Some(99.0)), None);
    }

    #[test]
    fn what_a_missing_value_does_is_read_and_set() {
        let common = Ruler::default();
        let now = missing_value(&common).unwrap();
        for (at, (choice, _)) in MISSING_VALUES.iter().enumerate() {
            let ruler = with_missing(&common, *choice).unwrap();
            assert_eq!(missing_value(&ruler), Some(at));
        }
        let same = with_missing(&common, MISSING_VALUES[now].0);
        assert_eq!(same, Some(common), "the default is no change");
        assert_eq!(missing_value(&Ruler::Own), None);
    }
}
