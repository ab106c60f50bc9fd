//! Sessions on their way out: as a file, inside a report or a link, and how large each would be.

use super::protocol::{Inside, LevelSize, SaveRequest};
use crate::model::{Level, Run};
use crate::report::Carried;
use crate::session_file::{self, ENDING, SessionFile};

/// The whole file at a level; empty where a run can't be written, which none that was read causes.
pub(super) fn bytes(session: SessionFile, level: Level) -> Vec<u8> {
    session_file::encode(&session.at_level(level)).unwrap_or_default()
}

/// The data of a report at a level.
pub(super) fn in_report(session: SessionFile, level: Level) -> Option<Carried> {
    let carried = drafted(&session, level);
    let file = session_file::encode(&session.at_level(level)).ok()?;
    Some(Carried { block: session_file::block(&file), ..carried })
}

/// What would be carried, without the data themselves.
pub(super) fn drafted(session: &SessionFile, level: Level) -> Carried {
    let of = |run: &Run| run.requests.as_ref().map_or(0, |rows| rows.len() as u64);
    let requests = match level {
        Level::Aggregates => 0,
        Level::Requests | Level::Events => session.runs.iter().map(of).sum(),
    };
    Carried { level, requests, block: String::new() }
}

/// The data of a link; empty where a run can't be written.
pub(super) fn inside(session: SessionFile) -> Inside {
    Inside { letters: session_file::letters(session).unwrap_or_default() }
}

/// The sizes of the whole session and of the data in a report of its selected runs, at each level.
pub(super) fn sizes(whole: &SessionFile, selected: &SessionFile) -> Vec<LevelSize> {
    let of = |session: &SessionFile, level| bytes(session.clone(), level);
    let same = whole.runs.len() == selected.runs.len();
    let at = |level| {
        let file = of(whole, level);
        let inside = if same { &file } else { &of(selected, level) };
        let report = session_file::block(inside).len() as u64;
        LevelSize { level, session: file.len() as u64, report }
    };
    Level::ALL.map(at).to_vec()
}

/// The name to save a session of so many runs under: `same-ruler-2026-11-29-15-runs.sameruler`.
pub(super) fn file_name(runs: usize, request: &SaveRequest) -> String {
    let date = Some(request.date.as_str()).filter(|date| !date.is_empty());
    let runs = if runs == 1 { "1-run".to_owned() } else { format!("{runs}-runs") };
    format!("same-ruler-{}{runs}{ENDING}", date.map(|d| format!("{d}-")).unwrap_or_default())
}
