// Sweeps named and rearranged by hand, a metric against a metric, and GPUs that are typed and never assumed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SWEEP = ["04", "08", "12", "16", "20", "26"].map((rate) => at(`public/samples/sweep/vllm-rate${rate}.json`));

const parts = (app, name) => new URLSearchParams(app.page.url().split("?")[1]).getAll(name);

async function opened(t, options = {}) {
  const app = await open(t, options);
  await dropFiles(app, SWEEP, options.path ? undefined : app.drop);
  await app.chart.waitFor();
  return app;
}

/** Opens the menu over the sweeps. */
async function sweeps(app) {
  await app.page.getByRole("button", { name: "Sweeps", exact: true }).click();
  return app.page.getByRole("dialog", { name: "Name and rearrange the sweeps" });
}

const names = (panel) => panel.getByRole("textbox", { name: /^Name of / });

test("a sweep is renamed, loses a run and takes it back, each a step of undo, and the link keeps it", async (t) => {
  const app = await opened(t);
  const panel = await sweeps(app);
  await names(panel).fill("tp 4");
  await app.page.keyboard.press("Enter");
  await app.page.getByRole("heading", { name: /^tp 4: / }).first().waitFor();
  await accessible(app);

  const run = panel.getByRole("combobox", { name: "Sweep of 26 req/s, vllm-rate26.json" });
  await run.selectOption({ label: "on its own" });
  await app.eventually(async () => assert.equal(await names(panel).count(), 2));
  assert.ok(await panel.isVisible(), "the menu stays open while runs go elsewhere");
  await run.selectOption({ label: "tp 4" });
  await app.eventually(async () => assert.equal(await names(panel).count(), 1));
  // A list has no undo of its own.
  await run.press("Control+z");
  await app.eventually(async () => assert.equal(await names(panel).count(), 2));
  await app.eventually(() => assert.equal(parts(app, "group").length, 2));

  const other = await opened(t, { path: new URL(app.page.url()).hash });
  const there = await sweeps(other);
  await other.eventually(async () => assert.equal(await names(there).count(), 2));
  assert.equal(await there.getByRole("textbox", { name: "Name of tp 4" }).inputValue(), "tp 4");
  await there.getByRole("combobox", { name: /^Put (?!tp 4).* into$/ }).selectOption({ label: "tp 4" });
  await other.eventually(async () => assert.equal(await names(there).count(), 1));
  await there.getByRole("button", { name: "Back to the sweeps that were found" }).click();
  await other.eventually(() => assert.deepEqual(parts(other, "group"), []));
});

test("a metric stands against a metric, and is in the link", async (t) => {
  const app = await opened(t);
  await app.page.getByRole("combobox", { name: "What goes up" }).selectOption({ label: "Output throughput" });
  await app.page.getByRole("combobox", { name: "What goes right" }).selectOption({ label: "TPOT p50" });
  await app.eventually(() => assert.deepEqual(parts(app, "x"), ["tpot.median"]));
  await app.chart.getByRole("button", { name: "Table" }).or(app.page.getByRole("button", { name: "Table", exact: true })).first().click();
  await app.page.getByRole("columnheader", { name: "TPOT p50, ms" }).waitFor();
  const other = await opened(t, { path: new URL(app.page.url()).hash });
  await other.eventually(async () => {
    const chosen = await other.page.getByRole("combobox", { name: "What goes right" }).evaluate((list) => list.selectedOptions[0].textContent);
    assert.equal(chosen, "TPOT p50");
  });
});

test("typed GPUs give an axis and a goodput per GPU, and undo takes both away", async (t) => {
  const app = await opened(t);
  const axis = app.page.getByRole("combobox", { name: "What goes right" });
  const offered = () => axis.getByRole("option", { name: "output tok/s per GPU", exact: true }).count();
  assert.equal(await offered(), 0, "no count is assumed");
  const panel = await sweeps(app);
  await panel.getByRole("spinbutton", { name: /^GPUs that served / }).fill("4");
  await app.page.keyboard.press("Enter");
  await app.eventually(async () => assert.equal(await offered(), 1));
  assert.match(parts(app, "gpus")[0], /^4:/);
  await app.page.keyboard.press("Escape");
  await app.go("Goodput");
  await app.page.getByRole("button", { name: /^Chat/ }).click();
  await app.page.getByRole("button", { name: "Per GPU" }).click();
  await app.page.getByRole("figure", { name: /good requests a second and GPU/ }).waitFor();
  await app.page.getByText("4 GPUs as typed: the file does not say how many served.", { exact: true }).waitFor();
  assert.deepEqual(parts(app, "per"), ["gpu"]);
  await accessible(app);
  await app.page.getByRole("button", { name: "Compare the peak with its neighbours" }).click();
  await app.table.waitFor();
  await app.eventually(() => assert.ok(parts(app, "runs")[0].split(",").length <= 3));
});
