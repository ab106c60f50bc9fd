//! What the page knows: decisions with undo, where the reader is, what is loaded.

use super::client::{Client, Loaded};
use super::edits::{Asked, Decisions, Edits};
use super::imports::Imports;
use super::parts::strip::plural;
use super::parts::theme::ThemeChoice;
use super::parts::toast::Toasts;
use super::remember::Memory;
use crate::engine::Arrangement;
use crate::engine::protocol::{Query, Request};
use crate::link::{Link, Screen, Sheet};
use crate::model::{Level, ReportPlan, RunId};
use crate::views::curves::{CurveAxes, Regroup, Sweep};
use crate::views::detective::NumberAsk;
use crate::views::distributions::DistributionsAsk;
use crate::views::explain::ExplainAsk;
use crate::views::goodput::GoodputAsk;
use crate::views::library::{Group, LibraryView, RunRow};
use crate::views::requests::RequestsAsk;
use crate::views::{Context, SavedSet};
use crate::web::files::{self, Incoming, Named};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Among up to this many files, one that is named otherwise is looked into for a saved set.
const FEW: usize = 4;
/// A saved set is never larger, in bytes.
const SET_BYTES: f64 = 65_536.0;

/// Everything shared between screens. Copied freely: it holds only signals and handles.
#[derive(Clone, Copy)]
pub struct State {
    /// The engine.
    pub client: Client,
    /// Files on their way in, and those that were not read.
    pub imports: Imports,
    /// Messages of a few seconds.
    pub toasts: Toasts,
    pub(super) edits: RwSignal<Edits>,
    /// What the views are asked under. Change it with [`State::edit`].
    pub context: Memo<Context>,
    /// The screen.
    pub screen: RwSignal<Screen>,
    /// The open sheet.
    pub sheet: RwSignal<Option<Sheet>>,
    /// Axes of the main curve.
    pub axes: RwSignal<CurveAxes>,
    /// What the Goodput screen shows.
    pub goodput: RwSignal<GoodputAsk>,
    /// What the Distributions screen shows.
    pub distributions: RwSignal<DistributionsAsk>,
    /// The two numbers that are explained.
    pub explain: RwSignal<ExplainAsk>,
    /// What is shown of the requests of a run.
    pub requests: RwSignal<RequestsAsk>,
    /// Light, dark, or as the system.
    pub theme: RwSignal<ThemeChoice>,
    /// What is loaded.
    pub library: Signal<Loaded<LibraryView>>,
    /// Whether any run is loaded.
    pub loaded: Memo<bool>,
    /// Whether anything a server said of itself is loaded.
    pub served: Memo<bool>,
    /// The number that is looked for in the sheet of that.
    pub number: RwSignal<NumberAsk>,
    /// Whether the key sheet is open.
    pub help: RwSignal<bool>,
    /// How much of its runs' data a report carries; none where it is not to be opened again.
    pub carried: RwSignal<Option<Level>>,
    /// How much of the runs' data a session file holds.
    pub saved: RwSignal<Level>,
    /// What is remembered on this device.
    pub memory: Memory,
    /// The letters of the data that came in a link.
    pub inside: RwSignal<Option<String>>,
}

/// The state, from any component.
///
/// # Panics
/// Outside of `App`, which provides it.
#[expect(clippy::expect_used, reason = "App provides it before any component runs")]
pub fn use_state() -> State {
    use_context().expect("App provides the state")
}

impl State {
    /// The state as the address says, with an engine started.
    pub fn new(link: Link) -> Self {
        let client = Client::new();
        let arrangement = Arrangement {
            groups: link.groups,
            gpus: link.gpus,
            marks: link.marks,
            ..Arrangement::default()
        };
        let asked = Asked::of(&link.distributions);
        let start = Decisions { context: link.context, arrangement, asked, ..Decisions::default() };
        let edits = RwSignal::new(Edits::starting(start));
        let context = Memo::new(move |_| edits.with(|e| e.now.context.clone()));
        // Differences in selection don't change the Library, but limits change its findings.
        let library =
            client.query_last::<LibraryView>(move || Some((context.get(), Query::Library)));
        let loaded = Memo::new(move |_| {
            library.with(|l| l.value.as_ref().is_some_and(|view| !view.groups.is_empty()))
        });
        let served = Memo::new(move |_| {
            library.with(|l| l.value.as_ref().is_some_and(|view| !view.servers.is_empty()))
        });
        let state = Self {
            client,
            imports: Imports::new(client),
            toasts: Toasts::new(),
            edits,
            context,
            screen: RwSignal::new(link.screen),
            sheet: RwSignal::new(link.sheet),
            axes: RwSignal::new(link.axes),
            goodput: RwSignal::new(link.goodput),
            distributions: RwSignal::new(link.distributions),
            explain: RwSignal::new(link.explain),
            requests: RwSignal::new(link.requests),
            theme: RwSignal::new(ThemeChoice::stored()),
            library,
            loaded,
            served,
            number: RwSignal::new(NumberAsk::default()),
            help: RwSignal::new(false),
            carried: RwSignal::new(Some(Level::Requests)),
            saved: RwSignal::new(Level::Events),
            memory: Memory::new(),
            inside: RwSignal::new(None),
        };
        state.imports.on_landed(move |batch| state.landed(batch));
        state.carry_out(&Decisions::default());
        state
    }

    /// Changes runs, ruler, limits or statistic as one undoable step, and says so with Undo.
    pub fn edit(self, said: impl Into<String>, change: impl FnOnce(&mut Context)) {
        self.decide(said, |d| change(&mut d.context));
    }

    /// As [`State::edit`] for what changes with every key or pixel: steps with one key that follow
    /// each other are one, and nothing is said.
    pub fn nudge(
        self,
        said: impl Into<String>,
        key: &'static str,
        change: impl FnOnce(&mut Context),
    ) {
        self.edits.update(|e| {
            e.step(said, Some(key), |d| change(&mut d.context));
        });
    }

    /// Asks something else of the distributions. What was typed goes with undo, the digits of one number as one
    /// step; the rest belongs to the browser's history.
    pub fn ask(self, typed: Option<&'static str>, change: impl FnOnce(&mut DistributionsAsk)) {
        let mut ask = self.distributions.get_untracked();
        change(&mut ask);
        let asked = Asked::of(&ask);
        self.edits.update(|e| match typed {
            Some(what) => {
                e.step(format!("{what} asked for"), Some(what), |d| d.asked = asked);
            }
            None => e.now.asked = asked,
        });
        self.distributions.set(ask);
    }

    /// Changes what is wanted of the report as one undoable step.
    pub fn plan_report(self, said: &str, change: impl FnOnce(&mut ReportPlan)) {
        self.decide(said, |d| change(&mut d.report));
    }

    pub(super) fn decide(self, said: impl Into<String>, change: impl FnOnce(&mut Decisions)) {
        let said = said.into();
        let before = self.edits.with_untracked(|e| e.now.clone());
        let changed = self.edits.try_update(|e| e.step(said.clone(), None, change));
        if changed == Some(true) {
            self.carry_out(&before);
            self.toasts.with_undo(said);
        }
    }

    /// Gives a run another name.
    pub fn rename(self, id: RunId, old: String, new: String) {
        let new = new.trim().to_owned();
        if new.is_empty() || new == old {
            return;
        }
        // The old name must be part of the state before, or undo could not bring it back.
        self.edits.update(|e| {
            e.amend(|d| {
                d.names.entry(id.clone()).or_insert_with(|| old.clone());
            });
        });
        self.decide(format!("Renamed “{old}” to “{new}”"), |d| {
            d.names.insert(id, new);
        });
    }

    /// Takes runs out of the Library.
    pub fn remove(self, ids: Vec<RunId>, said: String) {
        self.decide(said, |d| {
            d.context.runs.retain(|run| !ids.contains(run));
            if d.context.baseline.as_ref().is_some_and(|b| ids.contains(b)) {
                d.context.baseline = None;
            }
            d.removed.extend(ids);
        });
    }

    /// Takes a run of several files apart into its files.
    pub fn take_apart(self, run: &RunRow) {
        let ids: BTreeSet<RunId> =
            run.pieces.iter().map(|piece| &piece.id).chain([&run.id]).cloned().collect();
        let said = format!("{} taken apart into {} files", run.name, ids.len());
        self.decide(said, |d| {
            d.arrangement.together.retain(|set| set.is_disjoint(&ids));
            d.arrangement.apart.extend(ids);
        });
    }

    /// Makes one run of several, each of which holds a part of it.
    pub fn join(self, runs: &[RunRow]) {
        let pieces = |run: &RunRow| run.pieces.iter().map(|p| p.id.clone()).collect::<Vec<_>>();
        let ids: BTreeSet<RunId> =
            runs.iter().flat_map(|run| [vec![run.id.clone()], pieces(run)].concat()).collect();
        self.decide(format!("{} files joined into one run", ids.len()), |d| {
            d.arrangement.apart.retain(|id| !ids.contains(id));
            d.arrangement.together.retain(|set| set.is_disjoint(&ids));
            d.arrangement.together.push(ids);
        });
    }

    /// Puts runs into one group by name; without a name each goes back to where it is found by itself.
    pub fn group(self, runs: &[RunRow], name: Option<&str>) {
        let said = match name {
            Some(name) => format!("{} put into “{name}”", plural(runs.len(), "run")),
            None => format!("{} back in the groups that were found", plural(runs.len(), "run")),
        };
        self.decide(said, |d| {
            for run in runs {
                match name {
                    Some(name) => d.arrangement.groups.insert(run.id.clone(), name.to_owned()),
                    None => d.arrangement.groups.remove(&run.id),
                };
            }
        });
    }

    /// Puts the sweeps in another order: names, merges, runs that go elsewhere.
    pub fn regroup(self, change: &Regroup, sweeps: &[Sweep]) {
        let Some((said, groups)) = change.of(sweeps) else { return };
        self.decide(said, |d| {
            for (run, group) in groups {
                match group {
                    Some(name) => d.arrangement.groups.insert(run, name),
                    None => d.arrangement.groups.remove(&run),
                };
            }
        });
    }

    /// Takes over what a link says of the runs that was followed while the page was open.
    pub fn follow(self, link: Link) {
        self.decide("Opened a link", |d| {
            d.context = link.context;
            d.arrangement.groups = link.groups;
            d.arrangement.gpus = link.gpus;
            d.arrangement.marks.extend(link.marks);
            d.asked = Asked::of(&link.distributions);
        });
    }

    /// Says how many accelerators served the runs of a sweep; none takes back what was said.
    pub fn say_gpus<'r>(
        self,
        sweep: &str,
        runs: impl Iterator<Item = &'r RunId>,
        gpus: Option<u32>,
    ) {
        let said = match gpus {
            Some(gpus) => format!("{sweep} was served by {}", plural(gpus as usize, "GPU")),
            None => format!("How many GPUs served {sweep} is not known"),
        };
        self.decide(said, |d| {
            for run in runs {
                match gpus {
                    Some(gpus) => d.arrangement.gpus.insert(run.clone(), gpus),
                    None => d.arrangement.gpus.remove(run),
                };
            }
        });
    }

    /// Selects or deselects runs.
    pub fn select(self, ids: &[RunId], on: bool, said: impl Into<String>) {
        let order = self.all_ids();
        self.edit(said, |context| {
            context.runs.retain(|run| !ids.contains(run));
            if on {
                context.runs.extend(ids.iter().cloned());
                context.runs.sort_by_key(|id| order.iter().position(|other| other == id));
            }
        });
    }

    /// Selects exactly these runs.
    pub fn select_only(self, ids: Vec<RunId>, said: impl Into<String>) {
        self.edit(said, |context| {
            context.baseline = context.baseline.take().filter(|b| ids.contains(b));
            context.runs = ids;
        });
    }

    /// Takes differences against a run; selects it if it is not.
    pub fn set_baseline(self, id: RunId, name: &str) {
        self.edit(format!("Baseline is now {name}"), |context| {
            if !context.runs.contains(&id) {
                context.runs.push(id.clone());
            }
            context.baseline = Some(id);
        });
    }

    /// The baseline in force.
    pub fn baseline(self) -> Option<RunId> {
        let context = self.context.get();
        context
            .baseline
            .filter(|id| context.runs.contains(id))
            .or_else(|| context.runs.first().cloned())
    }

    /// Takes the last step back.
    pub fn undo(self) {
        self.travel(Edits::undo, "Undone");
    }

    /// Does the last undone step again.
    pub fn redo(self) {
        self.travel(Edits::redo, "Done again");
    }

    fn travel(self, go: impl FnOnce(&mut Edits) -> Option<String>, word: &str) {
        let before = self.edits.with_untracked(|e| e.now.clone());
        match self.edits.try_update(go).flatten() {
            Some(said) => {
                self.carry_out(&before);
                self.toasts.say(format!("{word}: {said}"));
            }
            None => self.toasts.say(format!("Nothing to be {}", word.to_lowercase())),
        }
    }

    /// What Undo would take back.
    pub fn undoable(self) -> Option<String> {
        self.edits.with(|e| e.undoable().map(str::to_owned))
    }

    /// What Redo would do again.
    pub fn redoable(self) -> Option<String> {
        self.edits.with(|e| e.redoable().map(str::to_owned))
    }

    /// Tells the session what of the decisions is its business: names, removals, arrangement.
    pub(super) fn carry_out(self, before: &Decisions) {
        let now = self.edits.with_untracked(|e| e.now.clone());
        for (id, name) in &now.names {
            if before.names.get(id) != Some(name) {
                self.client.tell(&Request::Rename { id: id.clone(), name: name.clone() });
            }
        }
        if now.asked != before.asked {
            self.distributions.update(|ask| now.asked.put(ask));
        }
        if now.arrangement != before.arrangement {
            self.client.tell(&Request::Arrange { arrangement: now.arrangement.clone() });
        }
        let gone: Vec<_> = now.removed.difference(&before.removed).cloned().collect();
        if !gone.is_empty() {
            self.client.tell(&Request::Remove { ids: gone });
        }
        let back: Vec<_> = before.removed.difference(&now.removed).cloned().collect();
        if !back.is_empty() {
            self.client.tell(&Request::Restore { ids: back });
        }
    }

    /// Goes to a screen.
    pub fn go(self, screen: Screen) {
        self.sheet.set(None);
        if self.screen.get_untracked() != screen
            && let Some(window) = web_sys::window()
        {
            window.scroll_to_with_x_and_y(0.0, 0.0);
        }
        self.screen.set(screen);
    }

    /// Opens a sheet, or closes it when it is the open one.
    pub fn toggle(self, sheet: Sheet) {
        self.sheet.update(|open| *open = (open.as_ref() != Some(&sheet)).then_some(sheet));
    }

    /// Takes in files and folders.
    pub fn take(self, incoming: Vec<Incoming>) {
        if incoming.iter().any(|item| matches!(item, Incoming::Folder(_))) {
            self.toasts.say("Opening the folder.");
        }
        spawn_local(async move {
            let walked = files::walk(incoming).await;
            if walked.files.is_empty() && walked.unopened.is_empty() {
                self.toasts.say("No file in what was given.");
            }
            self.imports.unopened(walked.unopened);
            let files = self.apply_sets(walked.files).await;
            self.imports.add(files, false);
        });
    }

    /// Applies the saved sets of definitions among files, each as a step with undo, and gives back the
    /// others.
    async fn apply_sets(self, all: Vec<Named>) -> Vec<Named> {
        let few = all.len() <= FEW;
        let mut others = Vec::with_capacity(all.len());
        for file in all {
            let named = file.name.ends_with(SavedSet::ENDING);
            let json = Path::new(&file.name)
                .extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
            let may_be = named || few && json;
            if !may_be || file.blob.size() > SET_BYTES {
                others.push(file);
                continue;
            }
            match files::text(&file.blob).await {
                Some(text) if SavedSet::claims(&text) => match SavedSet::read(&text) {
                    Ok(set) => {
                        let (said, ruler) = (set.said(), set.ruler());
                        if self.context.with_untracked(|context| context.ruler == ruler) {
                            // Nothing to undo, but what was dropped must not vanish without a word.
                            self.toasts.say(said);
                        } else {
                            self.edit(said, |context| context.ruler = ruler);
                        }
                    }
                    Err(error) => {
                        self.toasts.say(format!("{} was not applied: {error}.", file.name));
                    }
                },
                _ => others.push(file),
            }
        }
        others
    }

    fn all_ids(self) -> Vec<RunId> {
        self.rows().into_iter().map(|row| row.id).collect()
    }

    /// All loaded runs in the order of the Library.
    pub fn rows(self) -> Vec<RunRow> {
        self.groups().into_iter().flat_map(|group| group.rows).collect()
    }

    /// Findings of the selected runs that ask for a decision.
    pub fn open_findings(self) -> usize {
        self.library.with(|l| l.value.as_ref().map_or(0, |view| view.open))
    }

    /// The palette index of each selected run: as it is shown, or of one whose file is not here as it was said.
    pub(super) fn marks(self) -> BTreeMap<RunId, u8> {
        let mut marks = self.edits.with(|e| e.now.arrangement.marks.clone());
        self.library.with(|l| {
            let groups = l.value.iter().flat_map(|view| &view.groups);
            let shown = groups.flat_map(|group| &group.rows).map(|row| (&row.id, row.style));
            marks
                .extend(shown.filter_map(|(id, style)| Some((id.clone(), style.try_into().ok()?))));
        });
        marks
    }

    /// The groups of the Library.
    pub fn groups(self) -> Vec<Group> {
        self.library.with(|l| l.value.as_ref().map(|v| v.groups.clone()).unwrap_or_default())
    }

    /// The selected runs that are loaded, in the order of their columns.
    pub fn selected(self) -> Vec<RunRow> {
        let rows = self.rows();
        self.context
            .get()
            .runs
            .iter()
            .filter_map(|id| rows.iter().find(|row| &row.id == id).cloned())
            .collect()
    }
}
