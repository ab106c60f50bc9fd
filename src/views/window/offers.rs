//! What can be chosen with one click: leaving a cold first wave out, and the steady span.

use super::{Shown, over_its_length, secs};
use crate::metrics::settings::Window;
use crate::metrics::{Settings, cold_start_without, stretch};
use crate::units::fixed;
use crate::views::numbers::decimals;
use serde::{Deserialize, Serialize};

/// A window that is worth a look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// What was seen, as a sentence.
    pub seen: String,
    /// What choosing it does: "Leave out the first wave of 10: TTFT p90 5.63 → 0.700 s".
    pub text: String,
    /// The window as it is spelled.
    pub window: String,
}

/// The share of the peak that the offered span keeps.
const SHARE: f64 = 0.9;
/// A span of fewer requests says too little.
const FEWEST: usize = 10;

/// The offers for the selected runs, those that are chosen already left out.
pub(super) fn offers(runs: &[Shown<'_>]) -> Vec<Offer> {
    let several = runs.len() > 1;
    let name = |shown: &Shown<'_>| {
        if several { format!("{}: ", shown.name) } else { String::new() }
    };
    let mut offers: Vec<Offer> = Vec::new();
    for shown in runs {
        let Some(found) = cold_start_without(shown.run, &shown.excluded) else { continue };
        let (with, without) = (found.p90_with.as_secs(), found.p90_without.as_secs());
        let places = decimals(&[with, without]).min(3);
        offers.push(Offer {
            seen: format!("{}Cold start: by TTFT {}.", name(shown), found.seen()),
            text: format!(
                "Leave out the first {}: TTFT p90 {} → {} s",
                if found.count == 1 {
                    "request".to_owned()
                } else {
                    format!("wave of {}", found.count)
                },
                fixed(with, places),
                fixed(without, places),
            ),
            window: Window::SkipFirst(found.skip).to_string(),
        });
    }
    if let Some(first) = runs.first() {
        let settings = Settings { window: Window::Steady(SHARE), ..first.windowed };
        let settings = over_its_length(settings);
        if let Ok(steady) = stretch(first.run, &settings, &first.excluded)
            && let Some((from, to)) = steady.between
            && steady.inside >= FEWEST
        {
            offers.push(Offer {
                seen: format!(
                    "{}At least {SHARE} of the peak in flight from {} to {} s.",
                    name(first),
                    secs(from.as_secs()),
                    secs(to.as_secs())
                ),
                text: format!(
                    "Measure the steady span{}",
                    if several { " of each run" } else { "" }
                ),
                window: settings.window.to_string(),
            });
        }
    }
    let chosen = runs.first().map(|shown| shown.windowed.window.to_string());
    offers.retain(|offer| Some(&offer.window) != chosen.as_ref());
    offers.dedup_by(|a, b| a.window == b.window);
    offers
}
