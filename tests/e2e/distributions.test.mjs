// Distributions: one metric of several runs in four shapes, by hand and by keys, in both themes and on a phone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, open } from "./harness.mjs";

/** Opens the sample runs and goes to the screen by its keys. */
async function opened(t, options = {}) {
  const app = await open(t, options);
  await app.openSamples();
  await app.page.keyboard.press("g");
  await app.page.keyboard.press("d");
  await app.page.getByRole("heading", { level: 1, name: "Distributions" }).waitFor();
  await app.chart.waitFor();
  return app;
}

const part = (app, name) => new URLSearchParams(app.page.url().split("?")[1]).get(name);
const shape = (app, name) => app.page.getByRole("radio", { name, exact: true });
const title = (app) => app.chart.getByRole("heading").first().innerText();
const strip = (app) => app.page.getByRole("region", { name: /^Summary/ }).last();

test("medians are named above the curves, and the strip has the values of Compare", async (t) => {
  const app = await opened(t);
  assert.match(app.page.url(), /#v1\/distributions/);
  await app.eventually(async () => assert.match(await title(app), /^ITL medians: /));
  const rows = strip(app).getByRole("row");
  const cells = (await rows.nth(1).innerText()).replace(/\s+/g, " ");
  await app.page.getByRole("combobox", { name: "Metric" }).selectOption({ label: "TTFT" });
  await app.eventually(async () => assert.match(await title(app), /^TTFT medians: /));
  await app.eventually(() => assert.equal(part(app, "metric"), "ttft"));
  const ttft = (await rows.nth(1).innerText()).replace(/\s+/g, " ");
  assert.notEqual(ttft, cells);
  await app.go("Compare");
  await app.page.getByRole("radio", { name: "p50" }).check();
  const [first] = await app.values("TTFT");
  assert.ok(ttft.includes(first.replace("≈", "").trim()), `${ttft} has ${first}`);
});

test("each shape has its picture, its table and its place in the address", async (t) => {
  const app = await opened(t);
  for (const [name, words, id] of [
    ["Histogram", /./, "histogram"],
    ["Nines", /^The tail: p99/, "nines"],
    ["Shift", /quantile/, "shift"],
  ]) {
    await shape(app, name).check();
    await app.eventually(() => assert.equal(part(app, "shape"), id));
    await app.eventually(async () => assert.match(await title(app), words));
    await accessible(app);
  }
  await shape(app, "ECDF").check();
  await app.eventually(() => assert.equal(part(app, "shape"), null));
  await app.page.getByRole("radio", { name: "x linear" }).check();
  await app.eventually(() => assert.equal(part(app, "scale"), "linear"));
  await app.page.getByRole("radio", { name: "Count" }).check();
  await app.eventually(() => assert.equal(part(app, "samples"), "count"));
  await app.chart.getByRole("button", { name: /^Table of/ }).click();
  const table = app.chart.getByRole("table");
  await table.waitFor();
  assert.match(await table.innerText(), /50 %/);
});

test("a percentile and a value are asked for by keys and answered in words, and kept in the link", async (t) => {
  const app = await opened(t);
  const { keyboard } = app.page;
  const answers = app.page.getByRole("list", { name: "What was asked" });
  await keyboard.press("v");
  await keyboard.type("30");
  await app.eventually(async () => assert.match(await answers.innerText(), /% \([\d,]+ of [\d,]+ gaps\) are at most 30 ms\./));
  await keyboard.press("Tab");
  await app.page.getByRole("spinbutton", { name: /^Percentile/ }).fill("95");
  await app.eventually(async () => assert.match(await answers.innerText(), /p95 is (≈ )?[\d.]+ ms/));
  await app.eventually(() => assert.deepEqual([part(app, "v"), part(app, "q")], ["30", "95"]));
  assert.match(await strip(app).innerText(), /p95/);
  await app.page.getByRole("heading", { level: 1 }).click();
  await app.page.keyboard.press("Control+z");
  await app.eventually(() => assert.deepEqual([part(app, "v"), part(app, "q")], ["30", null]));
  await app.page.keyboard.press("Control+Shift+z");
  await app.eventually(() => assert.deepEqual([part(app, "v"), part(app, "q")], ["30", "95"]));
  await app.page.reload();
  await app.started();
  assert.deepEqual([part(app, "v"), part(app, "q")], ["30", "95"]);
});

test("arrows walk along a line and from run to run, and the card says the share", async (t) => {
  const app = await opened(t);
  const points = app.chart.getByRole("listbox");
  await points.focus();
  const active = async () => {
    const id = await points.getAttribute("aria-activedescendant");
    return id && app.page.locator(`#${id}`).innerText();
  };
  const said = async () => (await active()) ?? assert.fail("no place has the focus");
  const first = await app.eventually(said);
  await app.page.keyboard.press("ArrowRight");
  await app.eventually(async () => assert.notEqual(await said(), first));
  await app.page.keyboard.press("ArrowDown");
  await app.eventually(async () => assert.notEqual((await said()).split(",")[0], first.split(",")[0]));
  await app.chart.getByText(/at or under/).first().waitFor();
  await app.page.keyboard.press("t");
  await app.chart.getByRole("table").waitFor();
});

test("own words are marked as mixed, with the way back and undo", async (t) => {
  const app = await opened(t);
  await app.page.getByRole("radio", { name: "Own words" }).check();
  await app.page.getByText("Mixed definitions.").waitFor();
  await app.page.getByRole("figure", { name: /^On one ruler/ }).waitFor();
  assert.match(await strip(app).innerText(), /same ruler/);
  await accessible(app);
  await app.page.getByRole("button", { name: "Use the same ruler" }).click();
  await app.page.getByText("Mixed definitions.").waitFor({ state: "detached" });
  // The focus has moved on to a select, which has no undo of its own.
  await app.page.keyboard.press("Control+z");
  await app.page.getByText("Mixed definitions.").waitFor();
});

test("the charts of lengths stand under the strip, and a chart is saved as a file", async (t) => {
  const app = await opened(t);
  await app.page.getByRole("region", { name: "Latency by length" }).getByRole("figure").first().waitFor();
  await app.chart.getByRole("button", { name: /^Export/ }).click();
  const download = app.page.waitForEvent("download");
  await app.page.getByRole("button", { name: "CSV, the drawn numbers" }).click();
  assert.match((await download).suggestedFilename(), /itl.*\.csv$/);
});

test("Distributions is accessible in light and dark, and no wider than a phone", async (t) => {
  for (const colorScheme of ["light", "dark"]) {
    const app = await opened(t, { colorScheme, reducedMotion: "reduce" });
    await app.page.getByRole("region", { name: "Latency by length" }).getByRole("figure").first().waitFor();
    await accessible(app);
  }
  const app = await opened(t, { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
  const width = await app.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `Distributions is ${width} px wide`);
  await accessible(app);
});
