//! What a sweep says, in sentences: its two peaks, its knee, where it saturates, which limit binds.

use crate::metrics::{Curve, CurvePoint, Goodput, GoodputPeak, Peak, Within};
use crate::model::{Limit, Metric, Stat};
use crate::units::{fixed, significant};
use crate::views::capacity::percent;
use crate::views::slo::limit_in_words;

/// What the sentences are about.
pub struct Told<'a> {
    /// The limits behind goodput.
    pub limits: &'a [Limit],
    /// The statistic that limits are held against where the runs hold no requests.
    pub limit_stat: Stat,
    /// Whether bounds of the goodput stand beside the sentences where the runs hold no requests.
    pub bounded: bool,
    /// A load by its place on the curve: "12 req/s".
    pub load: &'a dyn Fn(usize) -> String,
}

/// One sentence a finding, the goodput peak first.
pub fn told(curve: &Curve, about: &Told<'_>) -> Vec<String> {
    if let [point] = curve.points.as_slice() {
        let mut sentences =
            vec!["One load level: no curve. Add runs at other loads to see one.".to_owned()];
        sentences.extend(kept(point).map(|kept| format!("{}: {kept}.", (about.load)(0))));
        sentences.extend(below(curve, about));
        return sentences;
    }
    let mut sentences = Vec::new();
    if !about.limits.is_empty() {
        sentences.push(match curve.goodput_peak {
            Some(peak) => goodput(curve, peak, about),
            None => no_goodput(curve, about),
        });
    }
    let printed = curve.points.iter().all(|point| point.judged.is_err());
    if let (true, Some(best)) = (printed, curve.best_within) {
        let share = if about.bounded {
            ""
        } else {
            " What share of the requests keeps them can’t be told from printed values."
        };
        sentences.push(format!(
            "Highest throughput of the loads whose {} values keep all limits: at {}.{share}",
            about.limit_stat.name(),
            (about.load)(best)
        ));
    }
    sentences.extend(curve.throughput_peak.map(|peak| throughput(curve, peak, about)));
    sentences.extend(binding(curve, about));
    sentences.extend(open(curve, about));
    sentences.push(match &curve.knee {
        Ok(knee) => format!("Knee at {}: {}.", (about.load)(knee.index), knee.rule),
        Err(because) => format!("No clear knee: {because}."),
    });
    if let Some(from) = curve.saturated_from {
        let sent = curve.points.iter().all(|point| point.achieved_rate.is_some());
        let rate = if sent { "sent" } else { "asked for" };
        sentences.push(format!(
            "Saturated from {} on: under 90 % of the rate {rate} is served, at every higher load too.",
            (about.load)(from)
        ));
    }
    sentences.extend(below(curve, about));
    sentences
}

/// "68 of 84 sent keep all limits (81.0 %), 81.0 % of those that finished".
fn kept(point: &CurvePoint) -> Option<String> {
    let goodput = point.judged.as_ref().ok()?;
    let at_most = if goodput.good.exact().is_some() { "" } else { "at most " };
    Some(format!(
        "{at_most}{} of {} sent keep all limits ({}), {} of those that finished",
        fixed(goodput.good.high, 0),
        fixed(goodput.sent, 0),
        percent(goodput.share_of_sent),
        percent(goodput.share_of_finished)
    ))
}

fn goodput(curve: &Curve, peak: GoodputPeak, about: &Told<'_>) -> String {
    let kept = curve.points.get(peak.index).and_then(kept);
    let kept = kept.map_or_else(String::new, |kept| format!(": {kept}"));
    format!(
        "Goodput peaks at {}, {} req/s{kept}{}.",
        (about.load)(peak.index),
        rate(peak.value),
        edge(curve, peak.index, peak.at_edge, about)
    )
}

/// Why no peak is named: there is no goodput, none keeps the limits, or bounds leave it open.
fn no_goodput(curve: &Curve, about: &Told<'_>) -> String {
    let known = || curve.points.iter().filter_map(|point| point.goodput);
    let because = curve.points.iter().find_map(|point| match &point.judged {
        Err(because) => Some(because),
        Ok(goodput) => goodput.per_second.as_ref().err(),
    });
    match (&curve.no_goodput_peak, because) {
        (Some(open), _) if known().any(|goodput| goodput.high > 0.0) => {
            let most = known().map(|goodput| goodput.high).fold(0.0, f64::max);
            let at = curve.points.iter().position(|p| p.goodput.is_some_and(|g| g.high >= most));
            let at = at.map_or_else(String::new, |at| {
                format!(
                    " At {} at most {} req/s keep all limits.",
                    (about.load)(at),
                    significant(most, 4)
                )
            });
            format!("No goodput peak can be named: {open}.{at}")
        }
        (_, Some(because)) if about.bounded => {
            format!("Goodput is known within bounds only: {because}.")
        }
        (_, Some(because)) => format!("No goodput: {because}."),
        (_, None) => "No request keeps all limits at any load.".to_owned(),
    }
}

fn throughput(curve: &Curve, peak: Peak, about: &Told<'_>) -> String {
    let what = if peak.metric == Metric::OutputThroughput { "Output" } else { "Request" };
    format!(
        "{what} throughput peaks at {}, {} {}{}.",
        (about.load)(peak.index),
        significant(peak.value, 4),
        peak.metric.unit().symbol(),
        edge(curve, peak.index, peak.at_edge, about)
    )
}

/// "; bracketed by 8 req/s and 16 req/s", or that the peak may lie beyond.
fn edge(curve: &Curve, index: usize, at_edge: bool, about: &Told<'_>) -> String {
    let next = (index + 1).min(curve.points.len().saturating_sub(1));
    match index.checked_sub(1).filter(|_| !at_edge) {
        Some(before) => {
            format!("; bracketed by {} and {}", (about.load)(before), (about.load)(next))
        }
        None => ", at the edge of the sweep: the true peak may be higher".to_owned(),
    }
}

/// "At 4 req/s and 8 req/s bounds leave open which limit binds."
fn open(curve: &Curve, about: &Told<'_>) -> Option<String> {
    let open = |point: &CurvePoint| {
        let bounded =
            |goodput: &Goodput| goodput.each.iter().any(|each| each.met.exact().is_none());
        point.judged.as_ref().is_ok_and(|goodput| goodput.binding.is_none() && bounded(goodput))
    };
    let at = curve.points.iter().enumerate().filter(|(_, point)| open(point));
    let loads = joined(&at.map(|(at, _)| (about.load)(at)).collect::<Vec<_>>())?;
    Some(format!(
        "Which limit binds can’t be told at {loads}: how many requests keep each is known within bounds only."
    ))
}

/// "4 req/s, 8 req/s and 12 req/s"; nothing of none.
fn joined(loads: &[String]) -> Option<String> {
    let (last, before) = loads.split_last()?;
    Some(match before {
        [] => last.clone(),
        before => format!("{} and {last}", before.join(", ")),
    })
}

/// "TTFT ≤ 250 ms binds at 12 req/s and 16 req/s."
fn binding(curve: &Curve, about: &Told<'_>) -> Vec<String> {
    about
        .limits
        .iter()
        .filter_map(|limit| {
            let binds = |point: &CurvePoint| point.binding().is_some_and(|b| b.limit == *limit);
            let at: Vec<String> = curve
                .points
                .iter()
                .enumerate()
                .filter(|(_, point)| binds(point))
                .map(|(at, _)| (about.load)(at))
                .collect();
            let loads = joined(&at)?;
            Some(format!("{} binds at {loads}.", limit_in_words(limit)))
        })
        .collect()
}

/// "At 10 req/s the client sent 6.99 req/s, 30 % below the request."
fn below(curve: &Curve, about: &Told<'_>) -> Vec<String> {
    curve
        .points
        .iter()
        .enumerate()
        .filter_map(|(at, point)| {
            let below = point.sent_below?;
            Some(format!(
                "At {} the client sent {} req/s, {} % below the request.",
                (about.load)(at),
                significant(point.achieved_rate?, 3),
                fixed(below * 100.0, 0)
            ))
        })
        .collect()
}

/// "8.864", "at most 10.86".
fn rate(within: Within) -> String {
    let at_most = if within.exact().is_some() { "" } else { "at most " };
    format!("{at_most}{}", significant(within.high, 4))
}
