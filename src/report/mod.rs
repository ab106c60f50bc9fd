//! The report: views and chart specs as one static HTML file that needs no script and no network.
//!
//! Knows the views' plain data and how charts become SVG. Must not know browsers, file formats or
//! formulas: it prints what the views say and rounds nothing. The same input gives the same bytes;
//! the date is passed in. Everything that comes from a file is escaped text.

mod by_value;
mod compare;
mod curve;
mod definitions;
mod distributions;
mod explain;
mod figure;
mod goodput;
mod inside;
mod page;
mod provenance;
mod quality;
mod raw;
mod runs;
mod sections;
mod self_check;
mod sensitivity;
mod server;
mod summary;
mod verdict;
mod window;

pub use page::{Page, escaped, page};
pub use sections::{OutlineRow, section_ids};
pub use self_check::{SelfCheckError, self_check};

use crate::model::{Level, Limit, ReportPlan, Stat};
use crate::views::Ruler;
use crate::views::compare::CompareView;
use crate::views::curves::CurvesView;
use crate::views::definitions::DefinitionsView;
use crate::views::distributions::DistributionsView;
use crate::views::explain::ExplainView;
use crate::views::goodput::{GoodputMaps, GoodputView};
use crate::views::library::LibraryView;
use crate::views::quality::QualityView;
use crate::views::raw::RawTable;
use crate::views::repeats::RepeatsView;
use crate::views::run_card::RunCardView;
use crate::views::sensitivity::SensitivityView;
use crate::views::server::ServerView;
use crate::views::slo::SloView;
use crate::views::window::WindowView;

/// Everything a report is made from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportInput {
    /// Title, author, sections and notes as the reader wants them.
    pub plan: ReportPlan,
    /// Date to print, `2026-11-29`; the core has no clock.
    pub date: String,
    /// The definitions everything was asked under.
    pub ruler: Ruler,
    /// The limits of the SLO; empty means that there is no goodput.
    pub limits: Vec<Limit>,
    /// What is loaded; only rows of runs that stand in the comparison are printed.
    pub library: LibraryView,
    /// The comparison once a statistic. The first one leads: finding, signs, all of its rows; of the
    /// others only the latencies are printed, since the rest does not depend on the statistic.
    pub comparisons: Vec<Comparison>,
    /// Whole beside windowed, where the window is not the whole run.
    pub window: Option<WindowView>,
    /// The curves; left out when they have no chart and nothing to say about it.
    pub curves: CurvesView,
    /// Goodput of each sweep by load, and over two limits; none where no limit is set.
    pub goodput: Vec<(GoodputView, GoodputMaps)>,
    /// The SLO written out for each run; nothing where no limit is set.
    pub slo: SloView,
    /// Every sample of one metric; left out where no run has samples or printed percentiles of it.
    pub distributions: DistributionsView,
    /// What servers said of themselves, beside one of the runs.
    pub server: ServerView,
    /// The disagreement that the reader explained, or the most important one.
    pub explain: Option<ExplainView>,
    /// Whether another question would give another verdict.
    pub sensitivity: SensitivityView,
    /// The definitions sheet under the same ruler.
    pub definitions: DefinitionsView,
    /// The runs at length, in the order of the columns.
    pub cards: Vec<RunCardView>,
    /// What the checks say of the runs, and what was decided about it.
    pub quality: QualityView,
    /// The files behind the runs, each once.
    pub sources: Vec<SourceFile>,
    /// Tables to compute on.
    pub raw: Vec<RawTable>,
    /// The data that it carries so that it can be opened again.
    pub data: Option<Carried>,
}

/// The data of a report's runs, at the end of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// How much of the data.
    pub level: Level,
    /// Requests whose timings it holds.
    pub requests: u64,
    /// A session file as text of letters, digits, `+`, `/` and `=`; empty in a draft.
    pub block: String,
}

/// The comparison under one statistic.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The statistic of its latency rows.
    pub stat: Stat,
    /// The view.
    pub view: CompareView,
    /// What the runs say together, where all are repeats of one measurement.
    pub repeats: Option<RepeatsView>,
}

/// One input file as the provenance table names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Name with the folders under which it was added; never a place on the writer's disk.
    pub file: String,
    /// "vLLM 0.8.5", or the guess in words.
    pub made_by: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 in hex.
    pub sha256: String,
}

/// The name to save a report under: `same-ruler-2026-11-29-two-tools-one-server.html`.
pub fn file_name(input: &ReportInput) -> String {
    const LONGEST: usize = 48;
    let mut name = String::from("same-ruler");
    for part in [input.date.as_str(), page::title(input)] {
        let mut slug = String::new();
        for word in part.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
            if slug.len() + word.len() > LONGEST {
                break;
            }
            slug.push('-');
            slug.push_str(&word.to_ascii_lowercase());
        }
        name.push_str(&slug);
    }
    name.push_str(".html");
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_is_plain_ascii_and_short() {
        let file_name = |title: &str, date: &str| {
            file_name(&ReportInput {
                plan: ReportPlan { title: title.into(), ..ReportPlan::default() },
                date: date.into(),
                ..ReportInput::default()
            })
        };
        assert_eq!(
            file_name("Two tools, one server: ITL 30.6 or 14.0 ms?", "2026-11-29"),
            "same-ruler-2026-11-29-two-tools-one-server-itl-30-6-or-14-0-ms.html"
        );
        assert_eq!(file_name("../../étc <x>", ""), "same-ruler-tc-x.html");
        assert!(file_name(&"word ".repeat(40), "2026-11-29").len() < 80);
    }
}
