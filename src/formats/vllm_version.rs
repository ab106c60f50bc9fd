//! Which client of the vLLM family wrote a result, guessed from its keys: no file names its version.
//!
//! The version decides what the clocks mean. Periods after vLLM's history up to 0.33.0 and its
//! descendants; `docs/formats.md` has them as a table.

use super::record::Record;
use super::slots::ends_at_last_event;
use crate::model::{EndRule, FirstTokenRule, Requests, TokenSource};

/// What is known of the client that wrote a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Generation {
    /// The client's name for people.
    pub(super) client: &'static str,
    /// Its versions, such as `0.15 to 0.26`.
    pub(super) versions: String,
    /// The fingerprint, in words.
    pub(super) because: String,
    /// What stops its time to first token.
    pub(super) first_token: FirstTokenRule,
    /// What stops its latency.
    pub(super) end: EndRule,
    /// Who counts its output tokens.
    pub(super) tokens: TokenSource,
    /// Whether mean and median of the end-to-end latency are swapped.
    pub(super) swapped: bool,
    /// Whether it can be a client that writes the time to first token once more as the first gap.
    pub(super) repeats_first: bool,
}

/// The client's protocol in neutral words.
pub(super) fn endpoint(record: &Record) -> Option<&'static str> {
    let word = record.text("backend").or_else(|| record.text("endpoint_type"))?;
    Some(match word {
        word if word.contains("chat") => "chat",
        word if word.contains("responses") => "responses",
        word if word.contains("embedding")
            || word.contains("rerank")
            || word.contains("pooling") =>
        {
            "embeddings"
        }
        word if word.contains("audio") => "audio",
        "vllm" | "openai" | "openai-completions" | "sglang" | "sgl" | "lmdeploy" | "scalellm"
        | "llama.cpp" => "completions",
        "tgi" | "tensorrt-llm" => "/generate_stream",
        "deepspeed-mii" => "/mii",
        _ => return None,
    })
}

/// The generation of a record. `requests` settles what keys alone can't.
pub(super) fn generation(record: &Record, requests: Option<&Requests>) -> Generation {
    let chat = matches!(endpoint(record), Some("chat" | "responses" | "audio"));
    let mut known = descendant(record).unwrap_or_else(|| stock(record));
    // 0.7.0 moved from the client's tokenizer and the end marker to the server's count and the last
    // event: a file with arrays shows on which side it is, whatever its keys allow.
    let last = requests
        .filter(|requests| requests.e2e.is_absent())
        .zip(record.number("mean_tpot_ms"))
        .and_then(|(requests, printed)| ends_at_last_event(requests, printed));
    let early = match known.age {
        Age::Unsure => last == Some(false) && !chat,
        age => age == Age::Before07,
    };
    if known.age == Age::Unsure && last.is_some() && !chat {
        let (versions, why) = if early {
            ("0.6.4 to 0.6.6", "the printed TPOT is longer than the gaps allow")
        } else {
            ("0.7.0 to 0.7.3", "the printed TPOT follows from the gaps exactly")
        };
        if known.client == "vLLM" {
            versions.clone_into(&mut known.versions);
        }
        known.because = format!("{}, {why}", known.because);
    }
    let (first_token, end, tokens) = if early {
        (FirstTokenRule::FirstText, EndRule::StreamEnd, TokenSource::Retokenized)
    } else if !chat {
        (FirstTokenRule::FirstEvent, EndRule::LastToken, TokenSource::Server)
    } else if known.age == Age::Since027 {
        (FirstTokenRule::FirstText, EndRule::LastToken, TokenSource::Server)
    } else {
        (FirstTokenRule::FirstEvent, EndRule::LastMessage, TokenSource::Server)
    };
    // TensorRT-LLM's client stops at the last message on every protocol.
    let end = if known.client == TRTLLM { EndRule::LastMessage } else { end };
    Generation {
        client: known.client,
        versions: known.versions,
        because: known.because,
        first_token,
        end,
        tokens,
        swapped: known.swapped,
        repeats_first: known.repeats_first,
    }
}

/// Name of TensorRT-LLM's copy of the client.
pub(super) const TRTLLM: &str = "TensorRT-LLM serve";

/// On which side of the changes of clock a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    /// First text, end marker, client's tokenizer.
    Before07,
    /// 0.6.4 to 0.7.3 have the same keys.
    Unsure,
    /// Any event, last event or message, server's count.
    Since07,
    /// Chat too stops at events with text.
    Since027,
}

struct Known {
    client: &'static str,
    versions: String,
    because: String,
    age: Age,
    swapped: bool,
    repeats_first: bool,
}

fn known(client: &'static str, age: Age, versions: &str, because: &str) -> Known {
    Known {
        client,
        versions: versions.into(),
        because: because.into(),
        age,
        swapped: false,
        repeats_first: false,
    }
}

/// Clients that descend from vLLM's and keep its file.
fn descendant(record: &Record) -> Option<Known> {
    let has = |key| record.has(key);
    if has("steady_state") || has("turns_per_conversation") {
        let because = "the key steady_state, which only the Rust client writes";
        return Some(known("vllm-bench (Rust)", Age::Since027, "June 2026 or later", because));
    }
    if has("user_throughput") || has("e2els") || has("avg_decoded_tokens_per_iter") {
        let because =
            "user_throughput or e2els, which only TensorRT-LLM’s copy of the client writes";
        return Some(known(TRTLLM, Age::Since07, "March 2025 or later", because));
    }
    if has("benchmark_start_time_unix") || has("good_completed") {
        let because =
            "benchmark_start_time_unix or good_completed, which only InferenceX’s copy writes";
        return Some(known("InferenceX", Age::Since07, "2026", because));
    }
    // Stock clients dropped best_of in March 2025 and the colon in July 2025.
    let late = record.text("date").is_some_and(|date| date >= "202508");
    if late && has("best_of") && has("request_goodput:") {
        let because = "best_of and “request_goodput:” in a run after July 2025, when vLLM itself had \
                       dropped both";
        return Some(known("InferenceX", Age::Since07, "a copy of vLLM 0.7", because));
    }
    None
}

/// vLLM's own client, newest fingerprint first.
fn stock(record: &Record) -> Known {
    let has = |key: &str| record.has(key);
    let prefixed = |prefix: &str| record.values.iter().any(|(key, _)| key.starts_with(prefix));
    let vllm = |age, versions, because| known("vLLM", age, versions, because);
    if has("latencies") || has("queue_times") {
        return vllm(Age::Since027, "0.27 to 0.33", "the arrays latencies and queue_times");
    }
    if prefixed("probe_") || has("total_input_sequences") || has("mean_client_queue_time_ms") {
        return vllm(Age::Since027, "0.27 or later", "the probe or client queue keys");
    }
    if has("start_times") {
        return vllm(Age::Since07, "0.15 to 0.26", "start_times, but no latencies");
    }
    if has("rtfx") {
        let because = "rtfx, but no latencies, which from 0.27 on stay even in a summary";
        return vllm(Age::Since07, "0.16 to 0.26", because);
    }
    if prefixed("spec_decode_") {
        return vllm(Age::Since07, "0.14 to 0.15", "spec_decode keys, but no rtfx");
    }
    if has("failed") {
        return vllm(Age::Since07, "0.11.1 to 0.15", "failed, but no start_times and no rtfx");
    }
    if has("max_output_tokens_per_s") {
        return vllm(Age::Since07, "0.11.0", "max_output_tokens_per_s, but no failed");
    }
    if has("request_goodput") {
        let because = "request_goodput without a colon, but no max_output_tokens_per_s";
        return vllm(Age::Since07, "0.9.2 to 0.10.2", because);
    }
    if has("request_goodput:") {
        if has("endpoint_type") {
            let because = "endpoint_type and “request_goodput:” with a colon";
            return vllm(Age::Since07, "0.8.0 to 0.9.1", because);
        }
        if has("best_of") {
            let because = "best_of and “request_goodput:” with a colon";
            return vllm(Age::Unsure, "0.6.4 to 0.7.3", because);
        }
        let because = "“request_goodput:” with a colon, but no best_of";
        return vllm(Age::Since07, "0.8.0 to 0.9.1", because);
    }
    if has("total_token_throughput") {
        let because = "total_token_throughput, but no request_goodput";
        return Known { swapped: true, ..vllm(Age::Before07, "0.6.0 to 0.6.3", because) };
    }
    if has("request_inthroughput") {
        return vllm(Age::Before07, "0.3", "the misspelt key request_inthroughput");
    }
    if has("input_throughput") {
        let (versions, because) = match (has("mean_itl_ms"), has("std_ttft_ms")) {
            (true, true) => ("0.5.1 to 0.5.5", "input_throughput with itl and std"),
            (true, false) => ("0.5.0 to 0.5.1", "input_throughput with itl, but no std"),
            (false, _) => ("0.4.0 to 0.4.3", "input_throughput, but no itl"),
        };
        // 0.5.1 to 0.5.4 have the fault; no key tells them from their neighbours.
        let repeats_first = has("mean_itl_ms");
        return Known { repeats_first, ..vllm(Age::Before07, versions, because) };
    }
    if has("endpoint_type") {
        return vllm(Age::Since07, "0.8.0 or later", "endpoint_type");
    }
    vllm(Age::Since07, "unknown", "none of the keys by which versions differ")
}
