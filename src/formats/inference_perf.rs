//! What the files of one inference-perf run have in common: names, and how a file is read whole.

use super::Input;
use super::documents::{self, Document, Ticker};
use super::error::Fault;
use super::tree::{Tree, TreeSeed};
use crate::notice::Notices;

const REQUESTS: &str = "per_request_lifecycle_metrics.json";
const SUMMARY: &str = "summary_lifecycle_metrics.json";
const LIFECYCLE: &str = "_lifecycle_metrics.json";
const PROMETHEUS: &str = "_prometheus_metrics.json";

/// What the names of all files of a run share: the user's prefix, with the stage where a file is of one.
/// `None` for adapters and sessions, which are other things than the run's requests.
pub(super) fn stem(name: &str) -> Option<&str> {
    let base = name.strip_suffix(LIFECYCLE).or_else(|| name.strip_suffix(PROMETHEUS))?;
    if base.contains("adapter_") {
        return None;
    }
    base.strip_suffix("per_request")
        .or_else(|| base.strip_suffix("summary"))
        .or_else(|| stage(base))
}

fn stage(base: &str) -> Option<&str> {
    let before = base.trim_end_matches(|c: char| c.is_ascii_digit());
    (before.len() < base.len() && before.ends_with("stage_")).then_some(base)
}

/// The names of the files beside `name` that tell of the same requests.
pub(super) fn beside(name: &str) -> Vec<String> {
    if let Some(prefix) = name.strip_suffix(REQUESTS) {
        return vec![format!("{prefix}{SUMMARY}")];
    }
    if stem(name).is_none() {
        return Vec::new();
    }
    let mut names = Vec::new();
    if let Some(prefix) = name.strip_suffix(SUMMARY) {
        names.push(format!("{prefix}{REQUESTS}"));
    }
    let other = |from, to| name.strip_suffix(from).map(|base| format!("{base}{to}"));
    names.extend(other(LIFECYCLE, PROMETHEUS).or_else(|| other(PROMETHEUS, LIFECYCLE)));
    names
}

/// Reads every object of a file as a tree, without the members in `skip`.
pub(super) fn trees(
    input: &mut Input<'_>,
    skip: &[&str],
    out: &mut Notices,
) -> Result<Vec<Document<Tree>>, Fault> {
    let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
    documents::read(input.text, TreeSeed { skip, ticker: &ticker }, &ticker, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_run_share_their_prefix() {
        assert_eq!(stem("per_request_lifecycle_metrics.json"), Some(""));
        assert_eq!(stem("vllm-summary_lifecycle_metrics.json"), Some("vllm-"));
        assert_eq!(stem("vllm-stage_3_lifecycle_metrics.json"), Some("vllm-stage_3"));
        assert_eq!(stem("vllm-stage_3_prometheus_metrics.json"), Some("vllm-stage_3"));
        assert_eq!(stem("adapter_a_stage_3_lifecycle_metrics.json"), None);
        assert_eq!(stem("summary_session_lifecycle_metrics.json"), None);
        assert_eq!(stem("stage_x_lifecycle_metrics.json"), None);
        assert_eq!(stem("result.json"), None);
    }

    #[test]
    fn companions_are_named() {
        assert_eq!(
            beside("a-per_request_lifecycle_metrics.json"),
            ["a-summary_lifecycle_metrics.json"]
        );
        assert_eq!(
            beside("summary_lifecycle_metrics.json"),
            ["per_request_lifecycle_metrics.json", "summary_prometheus_metrics.json"]
        );
        assert_eq!(beside("stage_0_prometheus_metrics.json"), ["stage_0_lifecycle_metrics.json"]);
        assert!(beside("result.json").is_empty());
    }
}
