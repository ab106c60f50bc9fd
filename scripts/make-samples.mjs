// Makes public/samples/ out of recorded result files: node scripts/make-samples.mjs FOLDER
//
// FOLDER holds the result files of two clients against one scripted server (no model): S2 is a server that
// sends several tokens a chunk, S5 a sweep through saturation. What is left out: the generated texts, which
// nothing here reads. Times are written to the nanosecond, which is as fine as the clients' clocks are.
// The page opens them in the order of SAMPLES in src/ui/told.rs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const from = process.argv[2];
if (!from) {
  console.error("Name the folder with the recorded files: node scripts/make-samples.mjs FOLDER");
  process.exit(1);
}

const FILES = [
  ["S2/vllm/run.json", "several-tokens-a-chunk/vllm.json"],
  ["S2/sglang/run.jsonl", "several-tokens-a-chunk/sglang.jsonl"],
  ...["04", "08", "12", "16", "20", "26"].map((rate) => [`S5/vllm/rate${rate}.json`, `sweep/vllm-rate${rate}.json`]),
];
const LEFT_OUT = new Set(["generated_texts"]);
const BUDGET = 150_000;

// Only values inside arrays are rounded: what the tool printed stays as printed.
const toNanoseconds = (value) => (Array.isArray(value) ? value.map(toNanoseconds) : typeof value === "number" ? Number(value.toFixed(9)) : value);

const to = new URL("../public/samples/", import.meta.url);
let total = 0;
for (const [source, name] of FILES) {
  // The reviver keeps numbers; `Infinity` in these files is quoted by their writers or absent.
  const whole = JSON.parse(readFileSync(join(from, source), "utf8"));
  const kept = Object.entries(whole)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, value]) => [key, Array.isArray(value) ? toNanoseconds(value) : value]);
  const text = JSON.stringify(Object.fromEntries(kept)) + "\n";
  const at = new URL(name, to);
  mkdirSync(new URL(".", at), { recursive: true });
  writeFileSync(at, text);
  total += gzipSync(text, { level: 9 }).length;
}
console.log(`${FILES.length} files, ${(total / 1000).toFixed(1)} kB gzipped of ${BUDGET / 1000} kB`);
if (total > BUDGET) process.exit(1);
