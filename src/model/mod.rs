//! A benchmark run as columns, with where each came from.
//!
//! Knows what a run is: requests, workload, what the tool printed, provenance. Must not know any
//! tool's field names, nor any metric's formula.

mod column;
pub mod dump_pack;
mod level;
mod limit;
mod memory;
pub mod pack;
mod provenance;
mod ragged;
mod report_plan;
mod reported;
mod requests;
mod run;
mod series;
mod server;
mod workload;

pub use column::{Column, Origin};
pub use level::Level;
pub use limit::{Aggregation, Length, Limit, LimitMetric, Pace, Scaled};
pub use memory::Memory;
pub use provenance::{Digest, Part, Piece, Provenance};
pub use ragged::Ragged;
pub use report_plan::{PlannedSection, ReportPlan};
pub use reported::{Further, Metric, Reported, ReportedValue, Stat};
pub use requests::{EndRule, FirstTokenRule, GapKind, Outcome, Requests, TokenSource};
pub use run::{Run, RunId, Tool, ToolVersion};
pub use series::{Dump, DumpShape, Family, FamilyKind, Point, SampleKind, Scrape, Series};
pub use server::ServerDump;
pub use workload::{Load, RequestRate, Workload};
