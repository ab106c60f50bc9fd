// Makes public/samples/ out of recorded result files: node scripts/make-samples.mjs FOLDER
//
// FOLDER holds the result files of clients against one scripted server (no model): S2 is a server that sends
// several tokens a chunk, measured by five tools, with its own metrics around one of them; S5 is a sweep of one tool through saturation. What is left
// out is what nothing here reads: texts, identities, the set-up of the tools, states of their schedulers.
// The page opens them in the order of SAMPLES in src/ui/told.rs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const from = process.argv[2];
if (!from) {
  console.error("Name the folder with the recorded files: node scripts/make-samples.mjs FOLDER");
  process.exit(1);
}

const BUDGET = 150_000;
const TEXTS = ["generated_texts"];
const AIPERF = [
  ...["x_correlation_id", "conversation_id", "root_correlation_id", "worker_id", "record_processor_id", "session_num", "turn_index"],
  ...["profiling_index", "phase_index", "phase_name", "context_overflow_skip", "phase_kind", "agent_depth", "request_ack_ns", "decode_duration"],
  ...["output_token_count", "usage_prompt_tokens_diff_pct", "osl_mismatch_diff_pct", "usage_completion_tokens_diff_pct", "usage_prompt_tokens", "usage_total_tokens", "time_to_second_token", "good_request_count"],
  ...["prefill_throughput_per_user", "output_token_throughput_per_user", "e2e_output_token_throughput"],
];
const INFERENCE_PERF = ["request", "response", "response_chunks", "chunk_times", "extra_info", "labels", "lora_adapter", "graph_event_id"];
/** What both a request and the run of GuideLLM have: the first follows from the times of the request. */
const GUIDELLM_BOTH = [
  ...["request_latency", "request_dispatch_delay", "time_to_first_token_ms", "time_to_first_output_token_ms"],
  ...["time_per_output_token_ms", "inter_token_latency_ms", "tokens_per_second", "output_tokens_per_second"],
];
const GUIDELLM_RATES = ["requests_per_second", "request_concurrency", "prompt_tokens_per_second", "request_goodput"];
const GUIDELLM_COUNTS = ["prompt_token_count", "output_token_count"];
const GUIDELLM = [
  // Texts, and what may be told of a machine.
  ...["request_args", "output", "reasoning_output", "tool_calls", "api_key", "api_routes", "target", "extras", "environment", "outputs"],
  // Of the set-up and the scheduler.
  ...["validate_backend", "branches", "prefix_buckets", "data_column_mapper", "data_preprocessors", "data_finalizer", "data_loader"],
  ...["end_queuing_constraints", "end_processing_constraints", "scheduler_constraints", "scheduler_state", "scheduler_metrics", "warnings"],
  // Of the statistics: what no metric here is, and all but those of finished requests.
  ...["text", "image", "video", "audio", "tool_call", "pdf", "mean_ci", "percentile_cis", "root_dispatch_delay", "metrics.turns"],
  ...["request_scheduled_latency", "turn_predecessor_delay", "turn_scheduling_delay", "request_streaming_iterations_count"],
  ...["total_token_count", "output_tokens_per_iteration", "iter_tokens_per_iteration"],
  ...["time_to_last_round_trip_ms", "avg_round_trip_time_ms"],
  ...[...GUIDELLM_BOTH, ...GUIDELLM_RATES, ...GUIDELLM_COUNTS].flatMap((key) => [`${key}.errored`, `${key}.incomplete`, `${key}.total`]),
  // Of a request: identities, states, and what follows from its times.
  ...["input_metrics", "output_metrics", "response_metrics", "request_id", "response_id"],
  ...["status", "scheduler_start_time", "settings", "traceback", "error", "started_at", "completed_at"].map((key) => `info.${key}`),
  ...["conversation_id", "preceding_nodes", "parent_node_ids", "node_id", "agent_id", "history_len"].map((key) => `info.${key}`),
  ...["turn_index", "scheduler_process_id", "scheduler_node_id"].map((key) => `info.${key}`),
  ...["queued", "dequeued", "scheduled_at", "finalized", "predecessor_completed"].map((key) => `timings.${key}`),
  ...["first_request_iteration", "last_request_iteration", "request_iterations", "last_request_sent"].map((key) => `timings.${key}`),
  ...["request_sent_sum", "request_sent_count", "token_received_sum", "token_received_count"].map((key) => `timings.${key}`),
  ...[...GUIDELLM_BOTH, "cached_tokens", "total_tokens"].map((key) => `successful.${key}`),
];

const CHUNKS = "several-tokens-a-chunk";
/** Where a file comes from, where it goes, what is left out, and to how many decimals of a second its times are cut. */
const FILES = [
  ["S2/vllm/run.json", `${CHUNKS}/vllm.json`, TEXTS, 9],
  // What the server counted before that run and after it.
  ["S2/vllm/metrics_run_before.txt", `${CHUNKS}/metrics-before.txt`],
  ["S2/vllm/metrics_run_after.txt", `${CHUNKS}/metrics-after.txt`],
  ["S2/sglang/run.jsonl", `${CHUNKS}/sglang.jsonl`, TEXTS, 9],
  ["S2/aiperf/run/profile_export.jsonl", `${CHUNKS}/aiperf/profile_export.jsonl`, AIPERF],
  ["S2/aiperf/run/profile_export_aiperf.json", `${CHUNKS}/aiperf/profile_export_aiperf.json`, ["cli_command", "urls", "artifacts"]],
  ["S2/inference-perf/run/per_request_lifecycle_metrics.json", `${CHUNKS}/inference-perf/per_request_lifecycle_metrics.json`, INFERENCE_PERF, 9],
  ["S2/inference-perf/run/summary_lifecycle_metrics.json", `${CHUNKS}/inference-perf/summary_lifecycle_metrics.json`, []],
  ["S2/guidellm/run.json", `${CHUNKS}/guidellm.json`, GUIDELLM],
  ...["04", "08", "12", "16", "20", "26"].map((rate) => [`S5/vllm/rate${rate}.json`, `sweep/vllm-rate${rate}.json`, TEXTS, 8]),
];

// JavaScript would write 60.0 as 60 and cut long integers: numbers pass as strings behind a mark.
const MARK = "\u0001";
const marked = (text) => text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => (token[0] === '"' ? token : `"\\u0001${token}"`));
const unmarked = (text) => text.replace(/"\\u0001([^"]*)"/g, "$1");

/** A value without the members in `out`, named alone or behind the member they are in. What is cut are lists of
 * numbers; what a tool printed stays as it is. */
function kept(value, out, cut, name = "", listed = false) {
  if (Array.isArray(value)) return value.map((item) => kept(item, out, cut, name, true));
  if (typeof value === "string" && value[0] === MARK && cut && listed) return MARK + Number(Number(value.slice(1)).toFixed(cut));
  if (typeof value !== "object" || value === null) return value;
  const left = (key) => out.includes(key) || out.includes(`${name}.${key}`) || key.startsWith("http_req_");
  const members = Object.entries(value).filter(([key]) => !left(key));
  return Object.fromEntries(members.map(([key, member]) => [key, kept(member, out, cut, key)]));
}

/** JSON without what is left out. JSON Lines are several documents, one a line. */
function documents(whole, source, out, cut) {
  const each = source.endsWith(".jsonl") ? whole.trim().split("\n") : [whole];
  return each.map((text) => unmarked(JSON.stringify(kept(JSON.parse(marked(text)), out, cut)))).join("\n") + "\n";
}

/** A page of metrics without its HELP lines. */
const page = (whole) => whole.split("\n").filter((line) => !line.startsWith("# HELP")).join("\n");

const to = new URL("../public/samples/", import.meta.url);
let total = 0;
for (const [source, name, out, cut] of FILES) {
  const whole = readFileSync(join(from, source), "utf8");
  const text = source.endsWith(".txt") ? page(whole) : documents(whole, source, out, cut);
  const at = new URL(name, to);
  mkdirSync(new URL(".", at), { recursive: true });
  writeFileSync(at, text);
  const gzipped = gzipSync(text, { level: 9 }).length;
  console.log(`${(gzipped / 1000).toFixed(1).padStart(8)} kB  ${name}`);
  total += gzipped;
}
console.log(`${FILES.length} files, ${(total / 1000).toFixed(1)} kB gzipped of ${BUDGET / 1000} kB`);
if (total > BUDGET) process.exit(1);
