//! The Definitions sheet: presets, dimensions, and a worked example on one real request.

use crate::model::RunId;
use serde::{Deserialize, Serialize};

/// The whole sheet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DefinitionsView {
    /// Presets in order.
    pub presets: Vec<PresetChoice>,
    /// "Custom, from common ruler: 1 of 16 dimensions changed." Empty when a preset is whole.
    pub custom: String,
    /// The request of the worked example, if a run has requests.
    pub example: Option<ExampleRequest>,
    /// All dimensions; the disputed two first.
    pub dimensions: Vec<DimensionChoice>,
}

/// One preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresetChoice {
    /// Id.
    pub id: String,
    /// Name on the button.
    pub name: String,
    /// Where it was read: tool, versions, file.
    pub note: String,
    /// Whether it is the base of the present ruler.
    pub base: bool,
    /// Whether the present ruler is exactly it.
    pub chosen: bool,
}

/// The request under the worked example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExampleRequest {
    /// The run.
    pub run: RunId,
    /// Palette index.
    pub style: usize,
    /// Name of the run.
    pub name: String,
    /// Request number from 1.
    pub number: usize,
    /// How many requests can be chosen.
    pub of: usize,
    /// TTFT in ms; the drawing's first part.
    pub ttft: Option<f64>,
    /// End in ms from the send.
    pub end: Option<f64>,
    /// Event times in ms from the send.
    pub events: Vec<f64>,
    /// "27 chunks, N = 59 tokens".
    pub caption: String,
}

/// One dimension with its choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DimensionChoice {
    /// Id, such as `tpot`.
    pub id: String,
    /// "TPOT".
    pub label: String,
    /// "what the decode time is divided by".
    pub question: String,
    /// Whether it departs from the preset.
    pub changed: bool,
    /// The choices.
    pub choices: Vec<ChoiceOption>,
    /// The chosen one with the example's numbers filled in: "(982.84 − 96.97) ÷ (59 − 1) = 15.27 ms".
    pub worked: Option<String>,
    /// The chosen one in plain words, and why some others can't be computed here.
    pub meaning: String,
}

/// One choice of a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceOption {
    /// Id, such as `after-first`.
    pub id: String,
    /// "(E−T) ÷ (N−1)".
    pub label: String,
    /// The plain meaning, for a tooltip.
    pub meaning: String,
    /// The example's result, or why it can't be had: "needs tokens".
    pub result: Option<Result<String, String>>,
    /// Whether it is chosen.
    pub chosen: bool,
}
