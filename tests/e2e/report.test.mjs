// The report as it leaves: the same numbers as on screen, without scripts and network, and as it was planned.
import assert from "node:assert/strict";
import { readFile, writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import axe from "axe-core";
import { accessible, browser, dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Twelve loads of one sweep: the six of the samples, and the same requests sent a little faster. */
async function twelveLoads() {
  const files = [];
  for (const rate of ["04", "08", "12", "16", "20", "26"]) {
    const text = await readFile(at(`public/samples/sweep/vllm-rate${rate}.json`), "utf8");
    files.push({ name: `sweep/vllm-rate${rate}.json`.split("/")[1], text });
    const more = JSON.parse(text);
    more.request_rate += 1;
    more.duration *= 0.98;
    files.push({ name: `vllm-rate${rate}b.json`, text: JSON.stringify(more) });
  }
  return files;
}

/** The form beside the preview. */
const form = (app) => app.page.getByRole("region", { name: "What the report holds" });

/** Saves the report to a folder of its own, which goes away with the test. */
async function saved(t, app) {
  const [download] = await Promise.all([
    app.page.waitForEvent("download"),
    form(app).getByRole("button", { name: "Save report" }).click(),
  ]);
  const folder = await mkdtemp(join(tmpdir(), "report-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, download.suggestedFilename());
  const bytes = await readFile(await download.path());
  await writeFile(path, bytes);
  return { path, name: download.suggestedFilename(), bytes, html: bytes.toString("utf8") };
}

/** Opens a saved report from disk, with scripts and network off. */
async function fromDisk(t, path, options = {}) {
  const context = await browser().newContext({ javaScriptEnabled: false, offline: true, ...options });
  t.after(() => context.close());
  const asked = [];
  context.on("request", (request) => asked.push(request.url()));
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  assert.deepEqual(asked.filter((url) => url !== pathToFileURL(path).href), [], "a report asks for nothing");
  return page;
}

/** Every value of the screen's table: the run by its column, the metric, the value. */
const ofScreen = (app) =>
  app.table.evaluate((table) => {
    const text = (node, selector) => node.querySelector(selector)?.textContent.replace(/\s+/g, " ").trim() ?? "";
    const found = [];
    for (const row of table.querySelectorAll("tr")) {
      const head = row.querySelector("th[scope=row]");
      if (!head) continue;
      const cells = [...row.querySelectorAll("td")].filter((cell) => cell.querySelector(".cell-value"));
      const metric = text(head, ".metric-name");
      cells.forEach((cell, column) => found.push({ run: column, metric, value: text(cell, ".cell-value") }));
    }
    return found;
  });

/** Every value of the report's tables of the first statistic: run by its letter, metric, value. */
const ofReport = (page) =>
  page.evaluate(() => {
    const own = (node) => [...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.textContent).join("").trim();
    const column = (letter) => [...letter].reduce((sum, c) => sum * 26 + c.charCodeAt(0) - 64, 0) - 1;
    const value = (cell) => {
      const shown = cell.querySelector(".value")?.cloneNode(true);
      shown?.querySelectorAll("sup").forEach((sup) => sup.remove());
      return shown?.textContent.trim() ?? "";
    };
    const found = [];
    for (const section of ["comparison", "goodput"]) {
      const seen = new Set();
      for (const table of document.querySelectorAll(`#${section} table.compare`)) {
        const heads = [...table.querySelectorAll("thead th")].slice(1);
        for (const row of table.querySelectorAll("tbody tr:not(.group)")) {
          const head = row.querySelector("th");
          [...row.querySelectorAll("td")].forEach((cell, at) => {
            const letter = (node) => column(node.querySelector(".letter").textContent.trim());
            const many = table.classList.contains("many");
            const run = many ? letter(head) : letter(heads[at]);
            const metric = many ? own(heads[at]) : own(head);
            // The tables of the first statistic come first.
            if (seen.has(`${run} ${metric}`)) return;
            seen.add(`${run} ${metric}`);
            found.push({ run, metric, value: value(cell) });
          });
        }
      }
    }
    return found;
  });

const bare = (text) => text.replace(/[≈\s]/g, "").replace(/^[–—]$/, "–");

/** Every cell of Compare is in the report with the same value. */
async function sameNumbers(t, app) {
  await app.go("Compare");
  await app.table.waitFor();
  await app.eventually(async () => assert.ok((await ofScreen(app)).length > 10));
  const screen = await ofScreen(app);
  await app.go("Report");
  const file = await saved(t, app);
  const page = await fromDisk(t, file.path);
  const report = new Map((await ofReport(page)).map(({ run, metric, value }) => [`${run} ${metric}`, bare(value)]));
  let compared = 0;
  for (const { run, metric, value } of screen) {
    const there = [...report.keys()].find((key) => key === `${run} ${metric}`);
    assert.ok(there, `run ${run}, ${metric} (${value}) is in the report`);
    assert.equal(report.get(there), bare(value), `run ${run}, ${metric}`);
    compared += 1;
  }
  assert.ok(compared >= 50, `${compared} cells compared`);
  return { file, page, compared };
}

/** What a checker of accessibility finds in the file, with scripts on for the checker alone. */
async function checked(t, path) {
  const context = await browser().newContext({ offline: true, bypassCSP: true });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations));
  assert.deepEqual(found.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
}

/** The pages that it prints to, as how many there are. */
async function printed(t, path) {
  const context = await browser().newContext({ offline: true });
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  return pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

test("the samples: every cell as on screen, from disk, without scripts and network", async (t) => {
  const app = await open(t);
  await app.openSamples();
  await app.go("Goodput");
  await app.setLimit("TTFT", 250);
  const { file } = await sameNumbers(t, app);
  await checked(t, file.path);
  assert.ok(file.bytes.length < 700_000, `${file.bytes.length} bytes`);
  const pages = await printed(t, file.path);
  assert.ok(pages >= 3 && pages < 40, `${pages} pages`);
  const phone = await fromDisk(t, file.path, { viewport: { width: 390, height: 800 } });
  assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, "nothing sticks out on a phone");
});

test("a sweep of twelve loads: every cell as on screen", async (t) => {
  const app = await open(t);
  await dropFiles(app, await twelveLoads(), app.drop);
  await app.page.getByRole("heading", { level: 1 }).filter({ hasNotText: "Put LLM" }).waitFor();
  await app.go("Goodput");
  await app.setLimit("TTFT", 250);
  const { file, compared } = await sameNumbers(t, app);
  assert.ok(compared >= 150, `${compared} cells`);
  await checked(t, file.path);
  const phone = await fromDisk(t, file.path, { viewport: { width: 390, height: 800 } });
  assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, "nothing sticks out on a phone");
});

test("sections are switched off, moved, named and annotated by keyboard, undone, and come back with the report", async (t) => {
  const app = await open(t);
  await app.openSamples();
  await app.go("Report");
  const sections = app.page.getByRole("region", { name: "Sections" });
  const preview = app.page.getByRole("region", { name: "Preview of the report" });
  const heads = () => preview.locator("section > h2").allInnerTexts();
  await app.eventually(async () => assert.ok((await heads()).length > 8));
  await accessible(app);

  await sections.getByRole("checkbox", { name: "Quality and limits" }).focus();
  await app.page.keyboard.press("Space");
  await app.eventually(async () => assert.ok(!(await heads()).some((head) => /Quality/.test(head))));
  await app.page.keyboard.press("Control+z");
  await app.eventually(async () => assert.ok((await heads()).some((head) => /Quality/.test(head))));

  const first = (await sections.getByRole("checkbox").evaluateAll((boxes) => boxes.map((box) => box.parentElement.textContent.trim())))[1];
  await sections.getByRole("button", { name: `Move ${first} up` }).focus();
  await app.page.keyboard.press("Enter");
  await app.eventually(async () => assert.match((await heads())[0], new RegExp(first)));

  await sections.getByRole("button", { name: `Heading and note of ${first}` }).click();
  await sections.getByRole("textbox", { name: "Heading" }).fill("What <ran>");
  await sections.getByRole("textbox", { name: "Note" }).fill("First words.\n\nSecond words.");
  await sections.getByRole("textbox", { name: "Note" }).blur();
  await form(app).getByRole("textbox", { name: "Title" }).fill("Two <tools>");
  await form(app).getByRole("textbox", { name: "Author" }).fill("N. N.");
  await form(app).getByRole("textbox", { name: "Author" }).blur();
  await app.eventually(async () => assert.match((await heads())[0], /What <ran>/));
  await app.eventually(async () => assert.deepEqual(await preview.locator(".remark").allInnerTexts(), ["First words.", "Second words."]));
  const file = await saved(t, app);
  assert.match(file.name, /two-tools/);
  assert.ok(file.html.includes("What &lt;ran&gt;") && file.html.includes("N. N. · "));

  const other = await open(t);
  await dropFiles(other, [{ name: file.name, bytes: file.bytes }], other.drop);
  await other.page.getByRole("status").filter({ hasText: /Opened the report/ }).waitFor();
  await other.go("Report");
  await other.eventually(async () => assert.equal(await form(other).getByRole("textbox", { name: "Title" }).inputValue(), "Two <tools>"));
  const again = await saved(t, other);
  assert.ok(again.html.includes("What &lt;ran&gt;") && again.html.includes("Second words."));
});

test("the report in short goes to the clipboard, and the numbers to a file", async (t) => {
  const app = await open(t, { permissions: ["clipboard-read", "clipboard-write"] });
  await app.openSamples();
  await app.go("Report");
  await app.eventually(async () => assert.match(await form(app).innerText(), /No prompts, no replies/));
  await form(app).getByRole("button", { name: "Copy as Markdown" }).click();
  await app.page.getByRole("status").filter({ hasText: /Copied: report in short/ }).waitFor();
  const text = await app.page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^## [\s\S]*\| Median \|[\s\S]*### Files/);
  const [download] = await Promise.all([
    app.page.waitForEvent("download"),
    form(app).getByRole("button", { name: "Save numbers as CSV" }).click(),
  ]);
  const csv = await readFile(await download.path(), "utf8");
  assert.match(csv, /^# \w[\s\S]*\nrun,metric,unit,origin,value,mean,p50,/);
});
