// Prints how long a change of definition takes on the built app: four runs of 10,000 requests with 2.5 million
// gaps in all, from the click to new numbers on the screen; then how Requests moves with a run of 100,000
// requests. Budgets: product.md D.2.
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "./chromium.mjs";
import { serve } from "./static.mjs";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const [RUNS, REQUESTS, GAPS] = [4, 10_000, 62];
const BUDGET = 150;
const [MANY, FEW_GAPS] = [100_000, 20];

/** The same numbers on every machine. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One result of vLLM's serving benchmark, with all its rows. */
function result(seed, requests = REQUESTS, gapsEach = GAPS) {
  const random = seeded(seed);
  const rows = Array.from({ length: requests }, (_, at) => at);
  const list = (of) => `[${rows.map(of).join(",")}]`;
  const gaps = () => Array.from({ length: gapsEach }, () => (0.01 - 0.01 * Math.log(1 - random())).toFixed(6)).join(",");
  return `{"date":"20261129-120000","endpoint_type":"openai-chat","backend":"openai-chat","label":null,"model_id":"made","tokenizer_id":"made","num_prompts":${requests},"request_rate":100.0,"burstiness":1.0,"max_concurrency":null,"duration":${requests / 100 + seed},"completed":${requests},"failed":0,"total_input_tokens":${requests * 100},"total_output_tokens":${requests * (gapsEach + 1)},"input_lens":${list(() => 100)},"output_lens":${list(() => gapsEach + 1)},"ttfts":${list(() => (0.05 + 0.1 * random()).toFixed(6))},"itls":${list(() => `[${gaps()}]`)},"start_times":${list((at) => (at / 100).toFixed(3))},"errors":${list(() => '""')}}`;
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
await page.close();

const wide = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await wide.goto(server.url);
await wide.locator("html[data-app=ready]").waitFor({ state: "attached" });
const many = { name: "many.json", mimeType: "application/json", buffer: Buffer.from(result(9, MANY, FEW_GAPS)) };
const opening = Date.now();
await wide.locator("input[type=file]").first().setInputFiles([many]);
// A run that comes alone lands on Distributions.
await wide.getByRole("heading", { level: 1, name: "Distributions" }).waitFor({ timeout: 300_000 });
console.log(`1 file, ${(many.buffer.length / 1e6).toFixed(0)} MB, ${MANY} requests, read and drawn in ${Date.now() - opening} ms`);
const going = Date.now();
await wide.getByRole("navigation", { name: "Screens" }).getByRole("button", { name: "Requests" }).click();
await wide.locator(".requests-rows tbody th").first().waitFor({ timeout: 300_000 });
console.log(`${"Requests, first picture".padEnd(32)}${String(Date.now() - going).padStart(8)} ms`);

/**
 * The median and the longest time between frames while the pointer goes over an element from one place to
 * another, one step a frame, on the page's own clock. Places are shares of its width and height.
 */
async function frames(name, budget, selector, [from, to], held) {
  const times = await wide.evaluate(
    async ([selector, from, to, held]) => {
      const place = document.querySelector(selector);
      const area = place.getBoundingClientRect();
      const send = (type, share) => {
        const at = (start, end, low, length) => low + length * (start + (end - start) * share);
        const [clientX, clientY] = [at(from[0], to[0], area.left, area.width), at(from[1], to[1], area.top, area.height)];
        place.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, clientX, clientY }));
      };
      const frame = () => new Promise((next) => requestAnimationFrame(next));
      const [times, count] = [[], 120];
      if (held) send("pointerdown", 0);
      await frame();
      for (let step = 0, last = await frame(); step < count; step += 1) {
        send("pointermove", step / count);
        const now = await frame();
        times.push(now - last);
        last = now;
      }
      send(held ? "pointerup" : "pointerleave", 1);
      return times.sort((a, b) => a - b);
    },
    [selector, from, to, held],
  );
  const [median, most] = [times[Math.floor(times.length / 2)], times.at(-1)];
  console.log(`${name.padEnd(32)}${median.toFixed(0).padStart(8)} ms a frame, longest ${most.toFixed(0)} ms  budget ${budget} ms`);
}

await frames("Requests, pointer over lanes", 33, ".chart-lanes", [[0.5, 0.1], [0.6, 0.6]], false);
await frames("Requests, brush", 50, ".requests-brush .brush", [[0.3, 0.5], [0.8, 0.5]], true);

/** The longest time in which the table showed no row in the middle of it while it was scrolled by screens. */
const blank = await wide.evaluate(async () => {
  const place = document.querySelector(".requests-rows");
  const area = place.getBoundingClientRect();
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const filled = () => document.elementFromPoint(area.left + 60, area.top + area.height / 2)?.closest("tr:not(.requests-space)");
  let most = 0;
  for (let at = 0; at < 100; at += 1) {
    place.scrollTop += at < 80 ? 320 : 32 * 1000;
    let since = null;
    for (let wait = 0; wait < 300; wait += 1) {
      const now = await frame();
      if (filled()) break;
      since ??= now;
      most = Math.max(most, (await frame()) - since);
    }
  }
  return most;
});
console.log(`${"Requests, table scrolled".padEnd(32)}${blank.toFixed(0).padStart(8)} ms blank at most  budget 50 ms`);
await browser.close();
await server.close();
