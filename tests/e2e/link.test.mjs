// Round trips: what leaves the page as a report, a session or a link comes back with every cell that was shown.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const VLLM = at("tests/fixtures/vllm-bench/0.33-chat-speculative.json");
const SGLANG = at("tests/fixtures/sglang-bench/0.5.23-native-speculative.jsonl");
const GUIDELLM = at("public/samples/several-tokens-a-chunk/guidellm.json");
const AIPERF = ["profile_export.jsonl", "profile_export_aiperf.json"].map((name) => at(`public/samples/several-tokens-a-chunk/aiperf/${name}`));
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

const hash = (app) => new URL(app.page.url()).hash;
const said = (app, words) => app.page.getByRole("status").filter({ hasText: words }).waitFor();
const clipboard = (app) => app.page.evaluate(() => navigator.clipboard.readText());
const share = (app) => app.page.getByRole("button", { name: "Share" }).click();
const inside = (app) => app.page.getByRole("dialog", { name: "Share" }).getByRole("button", { name: /^Copy link with aggregates inside/ });

async function saved(app, press) {
  const [download] = await Promise.all([app.page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Four runs of four tools, in an order, under a ruler and against a baseline of the reader's own. */
async function arranged(t, options) {
  const app = await open(t, options);
  await dropFiles(app, [SGLANG, ...AIPERF, VLLM, GUIDELLM], app.drop);
  await app.table.waitFor();
  await app.page.keyboard.press("Shift+D");
  await app.go("Library");
  await app.page.getByRole("checkbox", { name: /^Select vLLM/ }).focus();
  await app.page.keyboard.press("b");
  await app.eventually(() => assert.match(app.page.url(), /base=/));
  await app.go("Compare");
  const cells = await app.comparison();
  assert.ok(cells.length > 15 && cells[0].length === 5, `${cells.length} rows`);
  return { app, cells };
}

test("a session and a report bring back every cell of Compare", async (t) => {
  const { app, cells } = await arranged(t);
  await share(app);
  const menu = app.page.getByRole("dialog", { name: "Share" });
  // The levels by keys, each with its size.
  const levels = menu.getByRole("group", { name: "Data in the session" });
  await app.eventually(async () => assert.equal((await levels.innerText()).match(/\d kB/g)?.length, 3));
  await levels.getByRole("radio", { name: /^Events/ }).focus();
  await app.page.keyboard.press("ArrowLeft");
  assert.ok(await levels.getByRole("radio", { name: /^Requests/ }).isChecked());
  const less = await saved(app, () => menu.getByRole("button", { name: /^Save session/ }).click());
  await share(app);
  await levels.getByRole("radio", { name: /^Events/ }).check();
  const session = await saved(app, () => menu.getByRole("button", { name: /^Save session/ }).click());
  assert.ok(less.bytes.length < session.bytes.length, `${less.bytes.length} and ${session.bytes.length} bytes`);
  await app.go("Report");
  const form = app.page.getByRole("region", { name: "What the report holds" });
  await form.getByRole("group", { name: "Data in the report" }).getByRole("radio", { name: "Events" }).check();
  const report = await saved(app, () => form.getByRole("button", { name: "Save report" }).click());

  for (const file of [session, report]) {
    const other = await open(t);
    await dropFiles(other, [file], other.drop);
    await said(other, /Opened the/);
    await other.go("Compare");
    assert.deepEqual(await other.comparison(), cells, file.name);
  }
});

test("a link restores every cell of Compare, whatever order the files come in", async (t) => {
  const { app, cells } = await arranged(t);
  const other = await open(t, { path: hash(app) });
  await other.page.getByText(/settings and no data/).waitFor();
  for (const file of [GUIDELLM, AIPERF[1], VLLM]) await dropFiles(other, [file]);
  await dropFiles(other, [AIPERF[0], SGLANG]);
  await other.eventually(async () => assert.equal(await other.page.getByText(/settings and no data/).count(), 0));
  assert.deepEqual(await other.comparison(), cells);
});

test("a link with aggregates inside opens in an empty app, and once more when that is loaded again", async (t) => {
  const { app } = await arranged(t, CLIPBOARD);
  await share(app);
  await app.eventually(async () => assert.match(await inside(app).innerText(), /\d kB of 16\.0 kB/));
  const shown = (await inside(app).innerText()).match(/[\d.]+ kB/)[0];
  await accessible(app);
  await inside(app).click();
  await said(app, `link with aggregates inside, ${shown}`);
  const link = new URL(await clipboard(app));
  assert.ok(link.hash.length <= 16_001 && `${(link.hash.length - 1) / 1e3}`.startsWith(shown.slice(0, 3)), `${link.hash.length} and ${shown}`);
  assert.equal(hash(app).includes("data="), false, "the address of whoever copies it stays as it was");
  await share(app);
  const menu = app.page.getByRole("dialog", { name: "Share" });
  await menu.getByRole("radio", { name: /^Printed/ }).check();
  const session = await saved(app, () => menu.getByRole("button", { name: /^Save session/ }).click());
  const file = await open(t);
  await dropFiles(file, [session], file.drop);
  await said(file, /Opened the session .* with printed aggregates/);
  const cells = await file.comparison();

  const other = await open(t, { path: link.hash });
  await said(other, /Opened the link of .*: 4 runs added, with printed aggregates/);
  assert.deepEqual(await other.comparison(), cells, "as the session at the same level");
  assert.match(hash(other), /base=.*&data=/);
  await other.page.reload();
  await other.started();
  assert.deepEqual(await other.comparison(), cells, "loaded again");
  // The files take the place of what was printed.
  await dropFiles(other, [SGLANG, VLLM, GUIDELLM, ...AIPERF]);
  const { cells: whole } = await arranged(t);
  await other.eventually(async () => assert.deepEqual(await other.comparison(), whole), { timeout: 20_000 });
});

test("a followed link with aggregates is one step, and a damaged one leaves the rest of it", async (t) => {
  const { app } = await arranged(t, CLIPBOARD);
  await share(app);
  await app.eventually(async () => assert.equal(await inside(app).getAttribute("aria-disabled"), "false"));
  await inside(app).click();
  await said(app, /link with aggregates inside/);
  const link = new URL(await clipboard(app)).hash;

  const other = await open(t);
  await dropFiles(other, [at("public/samples/several-tokens-a-chunk/vllm.json")], other.drop);
  await other.compareOne();
  const own = hash(other);
  await other.page.evaluate((to) => location.assign(to), link);
  await said(other, /Opened the link/);
  await other.eventually(() => assert.match(other.page.url(), /base=/));
  await other.page.keyboard.press("Control+z");
  await other.eventually(() => assert.equal(hash(other).replace(/&data=.*/, ""), own));
  await other.go("Library");
  assert.equal(await other.page.getByRole("checkbox", { name: /^Select (vLLM|SGLang|AIPerf|GuideLLM)/ }).count(), 5, "what came stays");

  const cut = await open(t, { path: link.slice(0, -40) });
  await said(cut, /data .* (cut|ends)/i);
  await cut.page.getByText(/settings and no data/).waitFor();
  assert.match(hash(cut), /base=/);
  assert.equal(hash(cut).includes("data="), false);
  await dropFiles(cut, [SGLANG, ...AIPERF, VLLM, GUIDELLM]);
  await cut.table.waitFor();
});
