// Requests: the stall of a scripted run found and followed, by pointer and by keys; in both themes; on a phone.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { accessible, dropFiles, open } from "./harness.mjs";

/** A vLLM result of fifty requests, of which number 20 stands still for 1.5 s after its fifteenth token. */
function run({ count = 50, rows = true } = {}) {
  const each = (of) => Array.from({ length: count }, (_, at) => of(at));
  const gaps = (at) => Array.from({ length: 39 }, (_, gap) => (at === 19 && gap === 14 ? 1.5 : 0.014 + ((at * 7 + gap * 3) % 5) / 1000));
  const requests = {
    ttfts: each((at) => 0.05 + (at % 9) / 200),
    itls: each(gaps),
    start_times: each((at) => 1000 + at * 0.125),
    input_lens: each((at) => 50 + at),
    output_lens: each(() => 40),
    generated_texts: each(() => "x"),
    errors: each(() => ""),
  };
  return JSON.stringify({
    date: "20261129-120000",
    endpoint_type: "openai-chat",
    backend: "openai-chat",
    model_id: "made/model",
    tokenizer_id: "made/model",
    num_prompts: count,
    request_rate: 8,
    burstiness: 1,
    max_concurrency: null,
    duration: count * 0.125 + 1,
    completed: count,
    total_input_tokens: count * 60,
    total_output_tokens: count * 40,
    request_throughput: 7,
    output_throughput: 280,
    mean_ttft_ms: 70,
    ...(rows ? requests : {}),
  });
}

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

async function requests(t, options = {}, file = run()) {
  const app = await open(t, options);
  await dropFiles(app, [{ name: "run.json", text: file }], app.drop);
  // One run with its requests opens on Distributions, one of totals alone on Compare.
  await app.page.getByRole("heading", { level: 1, name: "Distributions" }).or(app.table).waitFor();
  await app.go("Requests");
  await app.page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  return app;
}

const finding = (app) => app.page.getByRole("heading", { level: 2, name: /stood still/ });
const card = (app, number) => app.page.getByRole("region", { name: `Request ${number}`, exact: true });
const row = (app, number) => app.page.getByRole("button", { name: `Request ${number}`, exact: true });
const said = (app, words) => app.page.getByRole("status").filter({ hasText: words }).waitFor();

test("the stall is the title, the strip says what hides it, and the way to it leads to its request", async (t) => {
  const app = await requests(t);
  await finding(app).waitFor();
  assert.equal(await finding(app).innerText(), "One answer stood still for 1.50 s, and the usual numbers hide it");
  const strip = await app.page.getByText("hides it").count();
  assert.equal(strip, 2);
  await app.page.getByText("shows it").waitFor();
  await app.page.getByRole("button", { name: /Next stall/ }).click();
  await said(app, "stall 1.50 s · 1 request");
  await card(app, 20).waitFor();
  assert.match(await card(app, 20).innerText(), /gap after token 15\s+1,500 ms/);
  assert.match(app.page.url(), /pick=20/);
  // The longest gap first: the row is the first one.
  await app.eventually(async () => assert.equal(await row(app, 20).getAttribute("aria-pressed"), "true"));
});

test("a stretch of time becomes the window, and undo takes it back", async (t) => {
  const app = await requests(t);
  await finding(app).waitFor();
  const window = app.page.getByRole("button", { name: "Use as window" });
  assert.ok(await window.isDisabled());
  const start = app.page.getByRole("slider", { name: "Start of the stretch of time" });
  await start.focus();
  for (let i = 0; i < 3; i += 1) await app.page.keyboard.press("PageUp");
  await app.eventually(async () => assert.ok(await window.isEnabled()));
  await window.click();
  await app.eventually(() => assert.match(app.page.url(), /window:brush:/));
  await app.page.getByRole("button", { name: /^Window/ }).filter({ hasText: " s" }).waitFor();
  await app.page.keyboard.press("Control+z");
  await app.eventually(() => assert.doesNotMatch(app.page.url(), /window:brush:/));
});

test("only the requests of a stretch are shown, and the whole run comes back", async (t) => {
  const app = await requests(t);
  await app.page.getByRole("button", { name: /Next stall/ }).click();
  await card(app, 20).waitFor();
  await app.page.getByRole("button", { name: "Filter only" }).click();
  await app.page.getByRole("heading", { name: /^\d+ of 50 requests$/ }).waitFor();
  assert.match(app.page.url(), /time=/);
  await app.page.getByRole("button", { name: "Whole run", exact: true }).click();
  await app.page.getByRole("heading", { name: "50 requests", exact: true }).waitFor();
});

test("the table sorts, chooses, and is saved whole", async (t) => {
  const app = await requests(t);
  await finding(app).waitFor();
  const head = app.page.getByRole("columnheader", { name: /^TTFT/ });
  await head.getByRole("button").click();
  await app.eventually(async () => assert.equal(await head.getAttribute("aria-sort"), "descending"));
  await head.getByRole("button").click();
  await app.eventually(async () => assert.equal(await head.getAttribute("aria-sort"), "ascending"));
  await row(app, 1).click();
  await card(app, 1).waitFor();
  const [download] = await Promise.all([
    app.page.waitForEvent("download"),
    app.page.getByRole("button", { name: "CSV, all rows" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "requests.csv");
  const lines = (await readFile(await download.path(), "utf8")).split("\n").filter((line) => line && !line.startsWith("#"));
  assert.equal(lines.length, 51);
});

test("by keys alone: next, before, stall, zoom, out, a lane, the table", async (t) => {
  const app = await requests(t, CLIPBOARD);
  await finding(app).waitFor();
  const { keyboard } = app.page;
  await keyboard.press("j");
  await card(app, 1).waitFor();
  await keyboard.press("j");
  await card(app, 2).waitFor();
  await keyboard.press("k");
  await card(app, 1).waitFor();
  await keyboard.press(".");
  await card(app, 20).waitFor();
  await keyboard.press("f");
  await app.eventually(() => assert.match(app.page.url(), /time=/));
  await keyboard.press("f");
  await app.eventually(() => assert.doesNotMatch(app.page.url(), /time=/));
  await app.page.getByRole("listbox").focus();
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await card(app, 21).waitFor();
  await keyboard.press("t");
  await app.page.getByRole("table").filter({ hasText: "What passed" }).waitFor();
  await keyboard.press("Escape");
  await card(app, 21).getByRole("button", { name: "Copy values" }).click();
  await said(app, "Copied: the values of the request");
  assert.match(await app.page.evaluate(() => navigator.clipboard.readText()), /^Request 21 of /);
});

test("a link shows the same requests in the same order", async (t) => {
  const app = await requests(t);
  await app.page.getByRole("combobox", { name: "Order of the lanes" }).selectOption({ label: "longest gap" });
  await app.page.getByRole("combobox", { name: "What colours tell" }).selectOption({ label: "length" });
  await row(app, 20).click();
  await card(app, 20).waitFor();
  const { hash } = new URL(app.page.url());
  assert.match(hash, /^#v1\/requests\?.*by=gap.*paint=length.*pick=20/);
  const other = await open(t, { path: hash });
  await dropFiles(other, [{ name: "run.json", text: run() }]);
  await card(other, 20).waitFor();
  assert.equal(await other.page.getByRole("combobox", { name: "Order of the lanes" }).inputValue(), "4");
});

test("totals only: what would record requests, to be copied", async (t) => {
  const app = await requests(t, CLIPBOARD, run({ rows: false }));
  const nothing = app.page.getByRole("region", { name: "Nothing to show" });
  await nothing.getByText("no single requests").waitFor();
  await nothing.getByRole("button", { name: "Copy" }).click();
  assert.equal(await app.page.evaluate(() => navigator.clipboard.readText()), "--save-result --save-detailed");
  await accessible(app);
});

test("of thousands of requests only the rows in sight are in the page, and all can be reached", async (t) => {
  const app = await requests(t, {}, run({ count: 5000 }));
  const table = app.page.locator(".requests-rows");
  await row(app, 20).waitFor();
  assert.ok((await table.getByRole("row").count()) < 200);
  assert.equal(await table.getByRole("table").getAttribute("aria-rowcount"), "5001");
  await table.evaluate((place) => place.scrollTo(0, place.scrollHeight));
  await app.page.locator('[aria-rowindex="5001"]').waitFor();
  assert.ok((await table.getByRole("row").count()) < 200);
});

test("Requests is accessible in light and dark, and no wider than a phone", async (t) => {
  for (const colorScheme of ["light", "dark"]) {
    const app = await requests(t, { colorScheme, reducedMotion: "reduce" });
    await app.page.getByRole("button", { name: /Next stall/ }).click();
    await card(app, 20).waitFor();
    await accessible(app);
  }
  const app = await requests(t, { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
  await row(app, 20).click();
  await card(app, 20).waitFor();
  const width = await app.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `Requests is ${width} px wide`);
  await accessible(app);
});
