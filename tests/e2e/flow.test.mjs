// The whole way of a user: drop real files, compare, change the ruler, move a limit, save the report, read it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "../../scripts/chromium.mjs";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const VLLM = at("tests/fixtures/vllm-bench/0.33-chat-speculative.json");
const SGLANG = at("tests/fixtures/sglang-bench/0.5.23-native-speculative.jsonl");
const SWEEP = ["04", "08", "12", "16", "20", "26"].map((rate) => at(`public/samples/sweep/vllm-rate${rate}.json`));

test("two real files are compared on one ruler, and another ruler changes the numbers", async (t) => {
  const app = await open(t);
  await dropFiles(app, [VLLM, SGLANG], app.drop);
  await app.table.waitFor();
  await app.page.getByRole("heading", { name: /vLLM shows 2\.8 times the ITL of SGLang at the same TPOT/ }).waitFor();
  assert.deepEqual(await app.values("ITL"), ["29.6", "29.1"]);
  assert.deepEqual(await app.values("TPOT"), ["13.53", "13.56"]);

  await app.openDefinitions();
  await app.page.getByRole("region", { name: "Presets" }).getByRole("button", { name: "SGLang", exact: true }).click();
  await app.page.getByRole("status").filter({ hasText: /values changed/ }).waitFor();
  await app.page.keyboard.press("Escape");
  assert.equal((await app.values("ITL"))[1], "10.7", "SGLang's own ITL spreads each gap over its tokens");

  await app.page.keyboard.press("Control+z");
  await app.eventually(async () => assert.deepEqual(await app.values("ITL"), ["29.6", "29.1"]));
});

test("a sweep becomes a curve whose goodput peak follows the limit", async (t) => {
  const app = await open(t);
  await dropFiles(app, SWEEP, app.drop);
  await app.chart.waitFor();
  await app.setLimit("TTFT", 250);
  await app.setLimit("TPOT", 18);
  await app.setLimit("E2E", 900);
  await app.page.getByRole("heading", { name: /goodput peaks at 12 req\/s, 8\.86 req\/s within limits/ }).first().waitFor();
  await app.setLimit("TTFT", 110);
  await app.page.getByRole("heading", { name: /goodput peaks at 8 req\/s/ }).first().waitFor();
});

test("the saved report says the same without script and without network", async (t) => {
  const app = await open(t);
  await dropFiles(app, [VLLM, SGLANG], app.drop);
  await app.table.waitFor();
  const shown = { itl: await app.values("ITL"), ttft: await app.values("TTFT") };
  await app.go("Report");
  const download = app.page.waitForEvent("download");
  await app.page.getByRole("button", { name: "Save report" }).first().click();
  const file = await (await download).path();
  const html = await readFile(file, "utf8");
  assert.doesNotMatch(html, /<script(?![^>]*type="application\/json")/, "no script that runs");

  const browser = await chromium.launch(launchOptions());
  t.after(() => browser.close());
  const context = await browser.newContext({ javaScriptEnabled: false, offline: true });
  const page = await context.newPage();
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.setContent(html);
  for (const [name, values] of [["ITL", shown.itl], ["TTFT", shown.ttft]]) {
    const rows = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${name}\\b`) }) });
    const text = (await rows.allInnerTexts()).join(" ").replace(/\s+/g, " ");
    for (const value of values) assert.ok(text.includes(value), `${name}: “${value}” in “${text}”`);
  }
  assert.deepEqual(requests.filter((url) => !/^(about|data):/.test(url)), [], "the report asks for nothing");
});

test("a link brings the view back once its files are there, and Back works", async (t) => {
  const app = await open(t);
  await dropFiles(app, [VLLM, SGLANG], app.drop);
  await app.table.waitFor();
  await app.page.getByRole("radio", { name: "p99" }).or(app.page.getByRole("button", { name: "p99", exact: true })).first().click();
  await app.eventually(() => assert.match(app.page.url(), /stat=p99/));
  await app.eventually(async () => assert.deepEqual(await app.values("TTFT"), ["≈ 140", "≈ 135"]));
  const link = new URL(app.page.url()).hash;
  await app.go("Curves");
  await app.page.goBack();
  await app.table.waitFor();

  const other = await open(t, { path: link });
  await dropFiles(other, [SGLANG, VLLM]);
  await other.table.waitFor();
  await other.eventually(async () => assert.deepEqual(await other.values("TTFT"), ["≈ 140", "≈ 135"]));
});

test("every screen passes the accessibility checker", async (t) => {
  for (const colorScheme of ["light", "dark"]) {
    const app = await open(t, { colorScheme, reducedMotion: "reduce" });
    await accessible(app);
    await app.openSamples();
    await accessible(app);
    await app.openDefinitions();
    await accessible(app);
    await app.page.keyboard.press("Escape");
    await app.go("Library");
    await accessible(app);
    await app.openSweep();
    await accessible(app);
    await app.go("Quality");
    await app.page.getByRole("heading", { level: 1, name: /finding|passed|comparison/i }).waitFor();
    await accessible(app);
    await app.go("Report");
    await accessible(app);
  }
});

test("no screen is wider than a phone", async (t) => {
  const app = await open(t, { viewport: { width: 390, height: 844 } });
  const fits = async (name) => {
    const width = await app.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${name} is ${width} px wide`);
  };
  await fits("first");
  await app.openSamples();
  for (const name of ["Library", "Compare", "Curves", "Goodput", "Distributions", "Requests", "Explain", "Server metrics", "Quality", "Report"]) {
    await app.go(name);
    await app.page.waitForTimeout(200);
    await fits(name);
  }
});

test("a queue is laid beside a sweep as a dashed model, and a load without a steady state says so", async (t) => {
  const app = await open(t);
  await dropFiles(app, SWEEP, app.drop);
  await app.chart.waitFor();
  await app.page.getByText(/no steady state at 16, 20 and 26 req\/s/).first().waitFor();
  await app.page.getByLabel("What goes up").selectOption({ label: "E2E mean" });
  await app.page.getByLabel("Queue as a reference, not measured").selectOption({ label: "M/M/1 model" });
  await app.page.getByText(/Dashed, M\/M\/1: A model of one server/).first().waitFor();
  await app.eventually(() => assert.match(app.page.url(), /model=mm1/));

  await app.chart.getByRole("listbox").focus();
  for (let step = 0; step < 7; step += 1) await app.page.keyboard.press("ArrowRight");
  await app.page.keyboard.press("Enter");
  const card = app.page.getByRole("complementary", { name: "Measured load" });
  await card.getByText(/No steady state at this load: 12 more requests in flight every second/).waitFor();
  await card.getByRole("heading", { name: "Arrivals outrun completions" }).waitFor();

  // A queue says nothing of a time per token.
  await app.page.getByLabel("What goes up").selectOption({ label: "TPOT mean" });
  await app.page.getByLabel("Queue as a reference, not measured").waitFor({ state: "detached" });
});
