// What the reader says about the runs: files of one run, taken apart and joined; groups; all with undo.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFolder, open } from "./harness.mjs";

const fixture = (path) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));

/** A folder as AIPerf leaves it, `run`, with a run of vLLM beside it. */
async function results(t) {
  const root = await mkdtemp(join(tmpdir(), "sameruler-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, "run"));
  const name = "0.13-chat-speculative";
  await cp(fixture(`aiperf-records/${name}.jsonl`), join(root, "run/profile_export.jsonl"));
  await cp(fixture(`aiperf-summary/${name}.json`), join(root, "run/profile_export_aiperf.json"));
  for (const end of ["json", "csv"]) await cp(fixture(`aiperf-server-metrics/0.13-speculative.${end}`), join(root, `run/server_metrics_export.${end}`));
  await cp(fixture("vllm-bench/0.33-chat-speculative.json"), join(root, "run/vllm.json"));
  return join(root, "run");
}

const select = (app, name) => app.page.getByRole("checkbox", { name, exact: true });
const runs = (app) => app.page.getByRole("checkbox", { name: /^Select (?!all)/ });
const undo = (app) => app.page.getByRole("status").getByRole("button", { name: "Undo", exact: true }).click();
const count = (app, n) => app.eventually(async () => assert.equal(await runs(app).count(), n));
const arrange = (app) => app.page.getByRole("button", { name: "Arrange", exact: true }).click();

/** Selects exactly the runs of these names. */
async function only(app, names) {
  for (const box of await runs(app).all()) {
    const name = (await box.getAttribute("aria-label")).replace("Select ", "");
    if ((await box.isChecked()) !== names.includes(name)) await box.click();
  }
}

async function opened(t) {
  const app = await open(t);
  await dropFolder(app, await results(t));
  await app.page.getByRole("status").filter({ hasText: /2 runs added|5 runs added/ }).waitFor({ timeout: 60_000 });
  await app.go("Library");
  await count(app, 2);
  return app;
}

test("the files of one run are one row, can be taken apart, and Undo puts them together", async (t) => {
  const app = await opened(t);
  await app.page.getByText("2 runs from 5 files, 3 of them joined to another").waitFor();
  const row = app.page.getByRole("row").filter({ has: select(app, "Select AIPerf") });
  assert.match(await row.innerText(), /\+ 3 files/);
  await accessible(app);
  await row.hover();
  await row.getByRole("button", { name: /^Details/ }).click();
  const card = app.page.getByRole("dialog");
  await card.getByText("Joined to it").first().waitFor();
  await card.getByText(/more printed by the tool/).click();
  await accessible(app);
  await app.page.keyboard.press("Escape");
  await row.hover();
  await row.getByRole("button", { name: /^Take apart/ }).click();
  await count(app, 5);
  await undo(app);
  await count(app, 2);
  assert.match(await row.innerText(), /\+ 3 files/);
});

test("selected runs are one group by the reader's name, until Undo or until taken back", async (t) => {
  const app = await opened(t);
  await only(app, ["AIPerf", "vLLM"]);
  await arrange(app);
  const panel = app.page.getByRole("dialog", { name: "Arrange the selected runs" });
  await panel.getByRole("button", { name: "Group", exact: true }).click();
  await panel.getByRole("alert").filter({ hasText: "A group needs a name." }).waitFor();
  assert.ok(await panel.getByRole("button", { name: "Join as files of one run" }).isDisabled(), "two tables of requests");
  await accessible(app);
  await panel.getByRole("textbox").fill("mine");
  await app.page.keyboard.press("Enter");
  const heading = app.page.getByRole("rowheader").filter({ hasText: "mine" });
  await heading.filter({ hasText: "your group" }).waitFor();
  await count(app, 2);
  await accessible(app);
  await undo(app);
  await heading.waitFor({ state: "detached" });
  await app.page.keyboard.press("Control+Shift+z");
  await heading.waitFor();
  await arrange(app);
  await panel.getByRole("button", { name: "Back to the groups that were found" }).click();
  await heading.waitFor({ state: "detached" });
  await undo(app);
  await heading.waitFor();
});

test("files that were taken apart can be joined by hand", async (t) => {
  const app = await opened(t);
  const row = app.page.getByRole("row").filter({ has: select(app, "Select AIPerf") }).first();
  await row.hover();
  await row.getByRole("button", { name: /^Take apart/ }).click();
  await count(app, 5);
  for (const file of ["profile_export.jsonl", "profile_export_aiperf.json"]) {
    const box = app.page.getByRole("row").filter({ hasText: `run/${file}` }).getByRole("checkbox");
    if (!(await box.isChecked())) await box.click();
  }
  for (const file of ["server_metrics_export.json", "server_metrics_export.csv", "vllm.json"]) {
    const box = app.page.getByRole("row").filter({ hasText: `run/${file}` }).getByRole("checkbox");
    if (await box.isChecked()) await box.click();
  }
  await arrange(app);
  await app.page.getByRole("button", { name: "Join as files of one run" }).click();
  await count(app, 4);
  assert.match(await app.page.getByRole("row").filter({ hasText: "run/profile_export.jsonl" }).innerText(), /\+ 1 file/);
  await undo(app);
  await count(app, 5);
});

test("groups fold by their button, by arrow keys and all at once, and the filter looks inside", async (t) => {
  const app = await opened(t);
  const fold = app.page.getByRole("button", { name: "Runs of run", exact: true });
  await fold.click();
  await count(app, 0);
  await app.page.getByRole("searchbox", { name: "Filter runs" }).fill("server_metrics_export.csv");
  await count(app, 1);
  await app.page.getByRole("searchbox", { name: "Filter runs" }).fill("");
  await count(app, 0);
  await app.page.getByRole("checkbox", { name: "Select all of run" }).focus();
  await app.page.keyboard.press("ArrowRight");
  await count(app, 2);
  await app.page.keyboard.press("ArrowDown");
  await app.eventually(async () => assert.match(await app.page.evaluate(() => document.activeElement.ariaLabel), /^Select (AIPerf|vLLM)$/));
  await app.page.keyboard.press("ArrowUp");
  await app.page.keyboard.press("ArrowLeft");
  await count(app, 0);
});
