//! Ends as their tools printed them: from the printed number to its rows, over the definitions, and from
//! the other's rows to the number that was printed of them.

use super::reported::{Traced, reported, unwalked};
use super::{
    Bridge, Mode, NoBridge, Number, Print, Remainder, Route, Side, build, of_one_unit, words,
};
use crate::model::ReportedValue;

/// The bridge between two numbers of which one or both are as printed; `None` is one of the rows. The ruler
/// of a printed end is that of its tool, whatever the number says.
///
/// # Errors
/// As for [`super::bridge`], and where the rows do not give a printed number at all.
pub fn printed(
    a: (&Number<'_>, Option<&ReportedValue>),
    b: (&Number<'_>, Option<&ReportedValue>),
    route: &Route,
) -> Result<Bridge, NoBridge> {
    of_one_unit(a.0.metric, b.0.metric)?;
    let same_run = a.0.run.id == b.0.run.id;
    let same_number = (a.0.metric, a.0.stat) == (b.0.metric, b.0.stat);
    if let (Some(value), None, true, true) = (a.1, b.1, same_run, same_number) {
        return reported(a.0.run, value, &b.0.settings, b.0.ask, route);
    }
    if let (Some(value), Some(_), true, true) = (a.1, b.1, same_run, same_number) {
        return Ok(one_number(a.0, value));
    }
    let trace = |(number, value): (&Number<'_>, Option<&ReportedValue>)| {
        value.map(|value| Traced::of(number.run, value, number.ask))
    };
    let (of_a, of_b) = (trace(a), trace(b));
    let first = on_rows(a.0, of_a.as_ref());
    let last = on_rows(b.0, of_b.as_ref());
    // Where the rows do not hold what was printed, there is nothing to walk on.
    if let (Some(value), Some(traced)) = (a.1, &of_a)
        && first.value().exact_or_reported().is_none()
    {
        let mut bridge = unwalked(&last, traced.end(a.0.run, value), a.0.run, traced);
        words::say(&mut bridge);
        return Ok(bridge);
    }
    let mut bridge = build(&first, &last, route)?;
    if let (Some(value), Some(traced)) = (b.1, &of_b)
        && last.value().exact_or_reported().is_none()
    {
        let start = match (a.1, &of_a) {
            (Some(printed), Some(of_a)) => of_a.end(a.0.run, printed),
            _ => bridge.a,
        };
        let mut bridge = unwalked(&last, start, b.0.run, traced);
        bridge.b = traced.end(b.0.run, value);
        words::say(&mut bridge);
        return Ok(bridge);
    }
    if same_run {
        bridge.mode = Mode::Reported;
    }
    if let (Some(value), Some(traced)) = (a.1, &of_a) {
        let again = first.value();
        bridge.a = traced.end(a.0.run, value);
        if let Some(again) = again.exact() {
            bridge.prints.push(Print { side: Side::A, rest: traced.rest(value, again, a.0.run) });
        }
    }
    if let (Some(value), Some(traced)) = (b.1, &of_b) {
        let again = last.value();
        bridge.b = traced.end(b.0.run, value);
        if let Some(again) = again.exact() {
            let rest = turned(traced.rest(value, again, b.0.run));
            bridge.prints.push(Print { side: Side::B, rest });
        }
    }
    words::say(&mut bridge);
    Ok(bridge)
}

/// A printed number against itself.
fn one_number(number: &Number<'_>, value: &ReportedValue) -> Bridge {
    let traced = Traced::of(number.run, value, number.ask);
    let end = traced.end(number.run, value);
    let mut bridge = Bridge::between(Mode::Reported, end.clone(), end);
    words::say(&mut bridge);
    bridge
}

/// The number of the rows behind an end.
fn on_rows<'a>(number: &Number<'a>, traced: Option<&'a Traced>) -> Number<'a> {
    match traced {
        Some(traced) => Number { settings: traced.settings, ask: &traced.ask, ..*number },
        None => *number,
    }
}

/// The same the other way round: from the rows to the printed number.
fn turned(rest: Remainder) -> Remainder {
    Remainder {
        change: -rest.change,
        low: rest.high.map(|high| -high),
        high: rest.low.map(|low| -low),
        ..rest
    }
}
