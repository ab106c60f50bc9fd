//! The two numbers: what each is, its value, and the lists to choose another from.

use super::seen::Seen;
use super::{Asking, View, part};
use crate::model::RunId;
use crate::ui::parts::icons::{Glyph, Icon};
use crate::ui::parts::select::Select;
use crate::ui::parts::stamp::Stamp;
use crate::ui::state::use_state;
use crate::views::explain::{Chosen, ExplainAsk, Side, Slot, SlotChoices, SlotView};
use leptos::prelude::*;

/// A, the button that changes them about, B.
#[component]
pub(super) fn Slots(view: View, asking: Asking) -> impl IntoView {
    let state = use_state();
    let fixed = part(view, |v| v.fixed.clone());
    let swap = move |_| match fixed.get_untracked() {
        None => {
            asking.change(ExplainAsk::swapped);
            state.toasts.say("A and B have changed places");
        }
        Some(why_not) => state.toasts.say(why_not),
    };
    view! {
        <div class="slots">
            <SlotCard view asking side=Side::A/>
            <button
                type="button"
                id="explain-swap"
                class="slot-swap"
                aria-label="A and B change places"
                aria-keyshortcuts="s"
                title="A and B change places (s)"
                on:click=swap
            >
                <Icon name=Glyph::Swap/>
            </button>
            <SlotCard view asking side=Side::B/>
        </div>
    }
}

/// One number.
#[component]
fn SlotCard(view: View, asking: Asking, side: Side) -> impl IntoView {
    let letter = side.letter();
    let open = RwSignal::new(false);
    let shown = Memo::new(move |_| {
        let at = usize::from(side == Side::B);
        view.with(|v| v.as_ref().and_then(|v| v.slots.get(at).cloned()).unwrap_or_default())
    });
    let choices = Memo::new(move |_| {
        let at = usize::from(side == Side::B);
        view.with(|v| v.as_ref().and_then(|v| v.choices.get(at).cloned()).unwrap_or_default())
    });
    let held =
        Memo::new(move |_| view.with(|v| v.as_ref().and_then(|v| v.ask.slot(side).cloned())));
    let title_id = format!("slot-{letter}-title");
    let panel = format!("slot-{letter}-choices");
    let heading = move || title(&shown.get(), held.get().as_ref());
    let class = match side {
        Side::A => "slot slot-a",
        Side::B => "slot slot-b",
    };
    let change = move || {
        if open.get() {
            format!("Close the choices of {letter}")
        } else {
            format!("Change {letter}")
        }
    };
    view! {
        <section class=class aria-labelledby=title_id.clone()>
            <div class="slot-face">
                <span class="letter" aria-hidden="true">{letter}</span>
                <h2 id=title_id.clone()>
                    <span class="visually-hidden">{format!("{letter}: ")}</span>
                    {heading}
                </h2>
                <button
                    type="button"
                    id=format!("slot-{letter}-change")
                    class="slot-change"
                    aria-expanded=move || open.get().to_string()
                    aria-controls=panel.clone()
                    aria-label=change
                    title=change
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    <Icon name=Glyph::Pencil/>
                </button>
                <p class="slot-value" class:hollow=move || shown.with(|s| s.hollow)>
                    {move || value(&shown.get())}
                </p>
                <p class="slot-stamp">{move || stamp(shown.get())}</p>
                <p class="slot-run">{move || run_words(&shown.get(), held.get().as_ref(), &choices.get())}</p>
            </div>
            <div id=panel.clone() hidden=move || !open.get()>
                <Choices choices held asking side/>
            </div>
        </section>
    }
}

/// “ITL mean”, also where there is no bridge.
fn title(shown: &SlotView, slot: Option<&Slot>) -> String {
    if !shown.title.is_empty() {
        return shown.title.clone();
    }
    slot.map_or_else(String::new, |slot| {
        let stat = if slot.metric.is_distribution() { slot.stat.name() } else { String::new() };
        format!("{} {stat}", slot.metric.name()).trim_end().to_owned()
    })
}

/// The number with its unit; a dash where it can't be had.
fn value(shown: &SlotView) -> AnyView {
    if !shown.known {
        return view! { <b>"—"</b> }.into_any();
    }
    let long = shown.value.chars().count() > 8;
    view! {
        <b class:long=long>{shown.value.clone()}</b>
        " "
        {shown.unit.clone()}
    }
    .into_any()
}

/// The stamp, which opens the definition at length.
fn stamp(shown: SlotView) -> AnyView {
    let SlotView { stamp, title, definition, .. } = shown;
    if definition.is_empty() {
        return stamp.into_any();
    }
    view! { <Stamp text=stamp title=title definition=definition/> }.into_any()
}

/// “vLLM, as vLLM (own); reported 30.60 =”.
fn run_words(shown: &SlotView, slot: Option<&Slot>, choices: &SlotChoices) -> String {
    let named =
        |id: &RunId| choices.runs.iter().find(|(other, _)| other == id).map(|(_, name)| name);
    let run = slot.and_then(|slot| named(slot.run.as_ref()?)).unwrap_or(&shown.run).clone();
    let source = slot.and_then(|slot| choices.sources.iter().find(|(s, _)| *s == slot.source));
    let source = source.map(|(_, words)| words.as_str());
    let words: Vec<&str> =
        [Some(run.as_str()), source].into_iter().flatten().filter(|w| !w.is_empty()).collect();
    let words = words.join(", ");
    if shown.reported.is_empty() { words } else { format!("{words}; {}", shown.reported) }
}

/// The lists, and the field for a number that somebody saw.
#[component]
fn Choices(
    choices: Memo<SlotChoices>,
    held: Memo<Option<Slot>>,
    asking: Asking,
    side: Side,
) -> impl IntoView {
    let state = use_state();
    let letter = side.letter();
    let choose = move |chosen: Chosen| {
        if side == Side::A && matches!(chosen, Chosen::Server(_)) {
            state.toasts.say("A server’s number stands in B");
        }
        asking.change(|ask| ask.choose(side, chosen));
    };
    let choose_run = move |id: RunId| {
        let server = choices.with_untracked(|c| c.servers.contains(&id));
        match held.get_untracked().filter(|_| server) {
            Some(slot) => choose(Chosen::Server(Slot { run: Some(id), ..slot })),
            None => choose(Chosen::Run(id)),
        }
    };
    let runs = List {
        of: |c| &c.runs,
        at: |c, s| c.runs.iter().position(|(id, _)| Some(id) == s.run.as_ref()),
    };
    let metrics = List {
        of: |c| &c.metrics,
        at: |c, s| c.metrics.iter().position(|(metric, _)| *metric == s.metric),
    };
    let stats =
        List { of: |c| &c.stats, at: |c, s| c.stats.iter().position(|(stat, _)| *stat == s.stat) };
    let sources = List {
        of: |c| &c.sources,
        at: |c, s| c.sources.iter().position(|(source, _)| *source == s.source),
    };
    let has_stats = Memo::new(move |_| choices.with(|c| !c.stats.is_empty()));
    view! {
        <div class="slot-choices">
            <Select
                short="run"
                label=format!("Run of {letter}")
                options=runs.words(choices)
                chosen=runs.chosen(choices, held)
                on_choose=Callback::new(move |at| runs.take(choices, at, choose_run))
            />
            <Select
                short="metric"
                label=format!("Metric of {letter}")
                options=metrics.words(choices)
                chosen=metrics.chosen(choices, held)
                on_choose=Callback::new(move |at| metrics.take(choices, at, |metric| choose(Chosen::Metric(metric))))
            />
            <Show when=move || has_stats.get()>
                <Select
                    short="statistic"
                    label=format!("Statistic of {letter}")
                    options=stats.words(choices)
                    chosen=stats.chosen(choices, held)
                    on_choose=Callback::new(move |at| stats.take(choices, at, |stat| choose(Chosen::Stat(stat))))
                />
            </Show>
            <Select
                short="definition"
                label=format!("Definition of {letter}")
                options=sources.words(choices)
                chosen=sources.chosen(choices, held)
                on_choose=Callback::new(move |at| sources.take(choices, at, |source| choose(Chosen::Source(source))))
            />
            <Seen choices held asking side/>
        </div>
    }
}

/// One of the four lists of a slot.
struct List<T: 'static> {
    of: fn(&SlotChoices) -> &Vec<(T, String)>,
    at: fn(&SlotChoices, &Slot) -> Option<usize>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T: Clone> List<T> {
    fn words(self, choices: Memo<SlotChoices>) -> Signal<Vec<String>> {
        Signal::derive(move || {
            choices.with(|c| (self.of)(c).iter().map(|(_, words)| words.clone()).collect())
        })
    }

    fn chosen(self, choices: Memo<SlotChoices>, held: Memo<Option<Slot>>) -> Signal<usize> {
        Signal::derive(move || {
            choices.with(|c| held.with(|s| s.as_ref().and_then(|s| (self.at)(c, s)))).unwrap_or(0)
        })
    }

    fn take(self, choices: Memo<SlotChoices>, at: usize, choose: impl FnOnce(T)) {
        let value =
            choices.with_untracked(|c| (self.of)(c).get(at).map(|(value, _)| value.clone()));
        if let Some(value) = value {
            choose(value);
        }
    }
}
