//! One cell of the comparison: difference, value, interval bar, what the tool printed, its own words.

use crate::views::compare::{Cell, CellDifference, CellReported, CellValue, Reading, Sign};
use leptos::either::EitherOf3;
use leptos::prelude::*;

/// The sign of a reported value with its meaning for readers who can't see it.
#[component]
pub fn SignChip(
    /// The sign.
    sign: Sign,
) -> impl IntoView {
    let class = match sign {
        Sign::Equal => "sign sign-equal",
        Sign::Close => "sign sign-close",
        Sign::Differs => "sign sign-differs",
        Sign::ReportedOnly => "sign sign-reported",
    };
    view! {
        <span class=class role="img" aria-label=sign.words() title=sign.words()>
            <span aria-hidden="true">{sign.glyph()}</span>
        </span>
    }
}

/// The content of a cell.
#[component]
pub fn CellContent(
    /// The cell.
    cell: Cell,
    /// The value before the last change of a definition.
    was: Option<String>,
) -> impl IntoView {
    let Cell { value, difference, no_difference, reported, own_words, support, .. } = cell;
    let bar = difference.as_ref().and_then(|d| d.bar);
    let compared = match (difference, no_difference) {
        (Some(difference), _) => EitherOf3::A(view! { <Difference difference=difference /> }),
        (None, Some(because)) => {
            // The card of the cell says the rest: "lengths differ: 45.9 and 37.9 output tokens".
            let short = because.split(':').next().unwrap_or_default().to_owned();
            EitherOf3::B(view! { <i class="cell-diff none" title=because>{short}</i> })
        }
        (None, None) => EitherOf3::C(()),
    };
    let below = match (was, reported) {
        (Some(was), _) => EitherOf3::A(
            view! { <span class="cell-reported">"was " <b class="num">{was}</b></span> },
        ),
        (None, Some(reported)) => EitherOf3::B(view! { <Reported reported=reported /> }),
        (None, None) => EitherOf3::C(()),
    };
    view! {
        <div class="cell">
            <div class="cell-top">{compared} <Value value=value /></div>
            <div class="cell-below">{bar.map(|bar| view! { <Bar bar=bar /> })} {below}</div>
            {support.map(|words| view! { <span class="cell-own">{words}</span> })}
            {own_words.map(|words| view! { <span class="cell-own">{words}</span> })}
        </div>
    }
}

#[component]
fn Value(value: CellValue) -> impl IntoView {
    let (class, text, hint) = match value {
        CellValue::Plain { text, full, weak, extreme } => {
            let text = if weak { format!("≈ {text}") } else { text };
            (if extreme { "cell-value num faint" } else { "cell-value num" }, text, full)
        }
        CellValue::Bound { text, because, .. } => ("cell-value num", text, because),
        CellValue::Reported { text, because, .. } => ("cell-value num hollow", text, because),
        CellValue::Missing { because } => ("cell-value", "—".to_owned(), because),
    };
    view! { <span class=class title=hint>{text}</span> }
}

#[component]
fn Difference(difference: CellDifference) -> impl IntoView {
    let text = difference.text;
    // An arrow says what the sign says; a ratio such as "× 2.4" has none and keeps its text.
    let arrowed = || match text.chars().next() {
        Some('−' | '-') => text.replacen(['−', '-'], "↓ ", 1),
        Some('+') => text.replacen('+', "↑ ", 1),
        _ => text.clone(),
    };
    let (class, shown, said) = match difference.reading {
        Reading::NotClear => ("cell-diff num", text, "no clear difference"),
        Reading::TooFew => {
            // The words may go to a second line, the number stays whole.
            let number = text.replace(' ', "\u{a0}");
            ("cell-diff num few", format!("{number} too few data"), "no interval")
        }
        Reading::Unknown => ("cell-diff num", text, "no interval"),
        Reading::Different => ("cell-diff num clear", arrowed(), "clear difference"),
        Reading::Better => ("cell-diff num better", format!("{} better", arrowed()), "clear"),
        Reading::Worse => ("cell-diff num worse", format!("{} worse", arrowed()), "clear"),
    };
    view! {
        <span class=class title=difference.interval>
            {shown}
            <span class="visually-hidden">{format!(", {said}")}</span>
        </span>
    }
}

#[component]
fn Reported(reported: CellReported) -> impl IntoView {
    let only = reported.sign == Sign::ReportedOnly;
    let number = (!only).then(|| view! { <span class="num">{reported.text}</span> });
    view! {
        <span class="cell-reported" title=reported.because>
            {(!only).then(|| view! { <span class="cell-word">"reported "</span> })}
            <SignChip sign=reported.sign /> {number} {only.then_some("reported only")}
        </span>
    }
}

/// The interval of a difference on the row's scale: zero in the middle, a tick at the difference.
#[component]
fn Bar(bar: [f64; 3]) -> impl IntoView {
    let [low, at, high] = bar.map(|share| share.clamp(-1.0, 1.0) * 15.0);
    view! {
        <svg class="cell-bar" viewBox="-16 -6 32 12" width="32" height="12" aria-hidden="true">
            <rect class="bar-range" x=low y="-1.5" width=(high - low).max(1.0) height="3" />
            <path class="bar-zero" d="M0 -6V6" />
            <path class="bar-at" d=format!("M{at:.1} -4V4") />
        </svg>
    }
}
