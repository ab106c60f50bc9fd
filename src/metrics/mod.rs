//! The definition engine: what each metric is, and a run measured by it.
//!
//! Knows columns and formulas. Must not know file formats, nor how results are shown. The catalogue
//! [`DIMENSIONS`] is where pickers, help and `docs/metrics.md` come from.

mod agreement;
mod arrivals;
mod attainment;
pub mod bridge;
mod capacity;
mod cold_start;
mod curve;
mod detective;
mod difference;
pub mod dimensions;
pub mod disagreements;
mod distribution;
mod edition;
mod estimates;
mod evaluate;
mod example;
mod goodput;
mod hints;
mod limit_map;
mod little;
mod measured;
mod own;
pub mod preset;
mod queueing;
mod recount;
mod repeats;
mod request_table;
mod resampled;
mod rows;
mod ruler;
mod samples;
pub mod settings;
mod slo;
mod stalls;
mod stamp;
#[cfg(test)]
pub(crate) mod testing;
mod throughput;
mod timeline;
mod window;
mod within_request;

pub use agreement::{Agreement, Verdict, agreement};
pub use arrivals::{Arrivals, Moment, Steadiness, Steady, arrivals, steady};
pub use attainment::{Attainment, Reached};
pub use capacity::{Needed, Plan, Replica, plan, replicas};
pub use cold_start::{ColdStart, cold_start, cold_start_without};
pub use curve::{
    Axis, Curve, CurveAsk, CurvePoint, GoodputPeak, Knee, Peak, Place, Spread, SpreadMethod,
    achieved_rate, beaten_by, curve, falls_short, highest, of_load, on_axis, place, same_load,
};
pub use detective::{
    Candidate, Change, Detected, Figure, FigureError, Inquiry, Near, WrittenUnit, detect,
};
pub use difference::{
    Clear, Difference, Direction, Method, Ratio, Subject, comparable, difference, difference_of,
    direction, load_kind, no_base,
};
pub use dimensions::{Choice, DIMENSIONS, Dimension, Usage};
pub use distribution::{Bin, By, Distribution, Split, Step};
pub use edition::{EDITIONS, Edition, Outside};
pub use evaluate::{Ask, Counts, Evaluation, Events, Exclusion, METRICS, evaluate};
pub use example::{Example, Worked, example};
pub use goodput::{Goodput, GoodputResult, Kept, LimitShare, Within};
pub use hints::{hint, recording};
pub use limit_map::{
    Counting, MapAxis, MapCell, around, goodput_under, limit_map, share_between, share_of_all,
};
pub use little::{Estimate, InFlight, Little, Reciprocal, decode_per_token, little, reciprocal};
pub use measured::{Measured, Quantile, Summary, Support, Value};
pub use own::{KnownBy, Own, own};
pub use preset::{
    AIPERF, COMMON, GENAI_PERF, GUIDELLM, INFERENCE_PERF, LLMPERF, MLPERF, PRESETS,
    PROMETHEUS_SGLANG, PROMETHEUS_VLLM, Preset, SGLANG, TRTLLM_BENCH, VIDUR, VLLM,
};
pub use queueing::{
    MODEL_NOTE, Queue, QueueModel, kingman_wait, mm1_mean, mm1_quantile, mm1_wait_quantile,
    mm1_within,
};
pub use repeats::{
    Averageable, OverRuns, Pooled, Repeated, RunNumber, Together, over_runs, pooled, repeated,
};
pub use request_table::{RequestTable, not_sampled, request_table};
pub use ruler::{differing_for, dimensions_of};
pub use settings::{Settings, SettingsError};
pub use slo::LimitError;
pub use stalls::{Pause, RULE as STALL_RULE, Stall, Stalls, stalls};
pub use stamp::{long_stamp, stamp, user_speed_stamp};
pub use throughput::Peaks;
pub use timeline::{Counted, Output, Shutter, Timeline, timeline, timeline_of};
pub use window::{Stretch, stretch};
