// Prints how long a change of definition takes on the built app: four runs of 10,000 requests with 2.5 million
// gaps in all, from the click to new numbers on the screen. Budgets: product.md D.2.
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "./chromium.mjs";
import { serve } from "./static.mjs";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const [RUNS, REQUESTS, GAPS] = [4, 10_000, 62];
const BUDGET = 150;

/** The same numbers on every machine. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One result of vLLM's serving benchmark, with all its rows. */
function result(seed) {
  const random = seeded(seed);
  const rows = Array.from({ length: REQUESTS }, (_, at) => at);
  const list = (of) => `[${rows.map(of).join(",")}]`;
  const gaps = () => Array.from({ length: GAPS }, () => (0.01 - 0.01 * Math.log(1 - random())).toFixed(6)).join(",");
  return `{"date":"20261129-120000","endpoint_type":"openai-chat","backend":"openai-chat","label":null,"model_id":"made","tokenizer_id":"made","num_prompts":${REQUESTS},"request_rate":100.0,"burstiness":1.0,"max_concurrency":null,"duration":${REQUESTS / 100 + seed},"completed":${REQUESTS},"failed":0,"total_input_tokens":${REQUESTS * 100},"total_output_tokens":${REQUESTS * (GAPS + 1)},"input_lens":${list(() => 100)},"output_lens":${list(() => GAPS + 1)},"ttfts":${list(() => (0.05 + 0.1 * random()).toFixed(6))},"itls":${list(() => `[${gaps()}]`)},"start_times":${list((at) => (at / 100).toFixed(3))},"errors":${list(() => '""')}}`;
}

const server = await serve(DIST);
const browser = await chromium.launch(launchOptions());
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(server.url);
await page.locator("html[data-app=ready]").waitFor({ state: "attached" });
const files = Array.from({ length: RUNS }, (_, n) => ({ name: `made-${n}.json`, mimeType: "application/json", buffer: Buffer.from(result(n + 1)) }));
const bytes = files.reduce((total, file) => total + file.buffer.length, 0);
const loading = Date.now();
await page.locator("input[type=file]").first().setInputFiles(files);
await page.getByRole("grid", { name: "Metrics by run" }).waitFor({ timeout: 300_000 });
console.log(`${RUNS} files, ${(bytes / 1e6).toFixed(0)} MB, read and compared in ${Date.now() - loading} ms`);
await page.keyboard.press("d");
await page.getByRole("region", { name: "Worked example" }).waitFor();

/** From the click on a choice to other numbers in the row of the metric, on the page's own clock. */
async function change(choice) {
  return page.evaluate(
    async (choice) => {
      const choices = [...document.querySelectorAll("[role=dialog] label, [role=dialog] button")];
      const face = choices.find((each) => each.textContent.trim().startsWith(choice));
      const radio = face.querySelector("input") ?? face;
      const rows = () => [...document.querySelectorAll("[role=row], tr")].filter((r) => r.textContent.trim().startsWith("ITL"));
      const shown = () => rows().map((r) => r.textContent).join("");
      if (!rows().length) return -1;
      const before = shown();
      const start = performance.now();
      radio.click();
      while (shown() === before && performance.now() - start < 60_000) await new Promise((next) => setTimeout(next, 2));
      return performance.now() - start;
    },
    choice,
  );
}

/** Until the row has stood still for a second: the intervals of the last change change it as well. */
async function settled() {
  await page.evaluate(async () => {
    const shown = () => [...document.querySelectorAll("[role=row], tr")].map((r) => r.textContent).join("");
    let [last, since] = [shown(), performance.now()];
    while (performance.now() - since < 1000) {
      await new Promise((next) => setTimeout(next, 50));
      if (shown() !== last) [last, since] = [shown(), performance.now()];
    }
  });
}

const steps = [["ITL", "request mean"], ["ITL", "zeros in chunk"], ["ITL", "chunk gap"], ["ITL", "whole"], ["ITL", "zeros in chunk"]];
for (const [dimension, choice] of steps) {
  await settled();
  const took = await change(choice);
  console.log(`${`${dimension} = ${choice}`.padEnd(32)}${took.toFixed(0).padStart(8)} ms  budget ${BUDGET} ms to new numbers`);
}
await browser.close();
await server.close();
