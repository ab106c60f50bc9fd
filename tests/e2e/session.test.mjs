// App → session → app and report → app: what was loaded, chosen and named is back, beside what is there.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SGLANG = at("tests/fixtures/sglang-bench/0.5.23-native-speculative.jsonl");

/** Saves by a press of a button of the Report screen and gives the file. */
async function saved(app, name) {
  const [download] = await Promise.all([
    app.page.waitForEvent("download"),
    app.page.getByRole("region", { name: "What the report holds" }).getByRole("button", { name }).click(),
  ]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** The comparison as it stands: ruler in the address, and each value of three rows. */
async function comparison(app) {
  await app.table.waitFor();
  const rows = {};
  for (const metric of ["TTFT", "E2E", "Output throughput"]) rows[metric] = await app.values(metric);
  return rows;
}

async function arranged(t) {
  const app = await open(t);
  await app.openSamples();
  await app.page.keyboard.press("Shift+D");
  await app.eventually(() => assert.match(app.page.url(), /def=/));
  const before = await comparison(app);
  const address = app.page.url().split("#")[1].split("?")[1];
  await app.go("Report");
  return { app, before, address };
}

test("a session brings everything back, and Undo takes its view away again", async (t) => {
  const { app, before, address } = await arranged(t);
  await app.eventually(async () => assert.match(await app.page.getByRole("button", { name: /^Save session/ }).innerText(), /\d kB/));
  await accessible(app);
  const file = await saved(app, /^Save session/);
  assert.match(file.name, /^same-ruler-\d{4}-\d\d-\d\d-\d+-runs\.sameruler$/);
  assert.deepEqual([...file.bytes.subarray(0, 2)], [0x1f, 0x8b]);

  const other = await open(t);
  await dropFiles(other, [SGLANG], other.drop);
  await other.compareOne();
  const own = other.page.url().split("#")[1];
  await dropFiles(other, [file]);
  await other.page.getByRole("status").filter({ hasText: /Opened the session/ }).waitFor();
  await other.eventually(() => assert.equal(other.page.url().split("?")[1], address));
  await other.go("Compare");
  await other.eventually(async () => assert.deepEqual(await comparison(other), before));
  await other.go("Library");
  await other.page.getByRole("checkbox", { name: /^Select SGLang/ }).first().waitFor();
  await other.page.keyboard.press("Control+z");
  await other.eventually(() => assert.equal(other.page.url().split("?")[1], own.split("?")[1]));
});

test("a report at request timings opens again, and says what it left out", async (t) => {
  const { app, before } = await arranged(t);
  const file = await saved(app, /^Save report/);
  assert.match(file.bytes.toString("utf8"), /<template id="sameruler-session" data-level="requests">/);
  await app.page.getByRole("radio", { name: "None" }).check();
  const bare = await saved(app, /^Save report/);
  assert.ok(bare.bytes.length < file.bytes.length && !bare.bytes.includes("<template"));

  const other = await open(t);
  await dropFiles(other, [file], other.drop);
  await other.page.getByRole("status").filter({ hasText: /Opened the report .* with request timings/ }).waitFor();
  await other.eventually(async () => assert.deepEqual(await comparison(other), before));
  await dropFiles(other, [bare]);
  await other.page.getByRole("region", { name: /Not read/ }).getByText(/saved without its data/).waitFor();
});
