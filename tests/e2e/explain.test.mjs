// Explain: two files, one computed sentence, the explanation in the clipboard; by keys; in both themes; on a phone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (file) => fileURLToPath(new URL(`../../public/samples/several-tokens-a-chunk/${file}`, import.meta.url));
const FILES = [at("vllm.json"), at("sglang.jsonl")];
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

const heading = (app, name) => app.page.getByRole("heading", { level: 1, name });
const said = (app, words) => app.page.getByRole("status").filter({ hasText: words }).waitFor();
const clipboard = (app) => app.page.evaluate(() => navigator.clipboard.readText());
const suggestion = (app) => app.page.getByRole("region", { name: "The most important disagreement" });

/** Drops the files as somebody would who has never seen the app, and follows the one button. */
async function explained(t, options = {}, files = FILES) {
  const app = await open(t, options);
  await dropFiles(app, files, app.drop);
  await app.table.waitFor();
  await suggestion(app).getByRole("button", { name: "Explain" }).click();
  await heading(app, /^A .*, B .*: that is /).waitFor();
  return app;
}

/** The numbers at the ends of the lines of a copied explanation: A, the steps and what is left over, B. */
function numbers(text) {
  const lines = text.split("\n").slice(2, text.split("\n").findIndex((line) => /^B /.test(line)) + 1);
  const number = (line) => Number(/ ([+−]?[\d,.]+) ms/.exec(line)[1].replace("−", "-").replaceAll(",", ""));
  return lines.map(number);
}

test("a newcomer with two files has the explanation in the clipboard, and its steps add up", async (t) => {
  const start = Date.now();
  const app = await explained(t, CLIPBOARD);
  assert.match(app.page.url(), /#v1\/explain\?/);
  await app.page.getByRole("button", { name: "Copy as text" }).click();
  await said(app, "Copied: the explanation as text");
  const text = await clipboard(app);
  const took = Date.now() - start;
  const [a, ...rest] = numbers(text);
  const b = rest.pop();
  assert.ok(rest.length > 0, text);
  assert.equal((a + rest.reduce((sum, step) => sum + step, 0)).toFixed(2), b.toFixed(2), text);
  for (const [letter, number] of [["A", a], ["B", b]]) {
    const slot = app.page.getByRole("region", { name: new RegExp(`^${letter}:`) });
    assert.match(await slot.innerText(), new RegExp(number.toFixed(2)), "the slot shows the copied number");
  }
  assert.ok(took < 60_000, `${took} ms`);
  await app.page.getByRole("button", { name: "Copy as Markdown" }).click();
  await said(app, "Copied: the explanation as Markdown");
  assert.match(await clipboard(app), /^\*\*A .*\*\*\n\n\| \| Step \| ms \| Why \|/);
});

test("a link opens the same explanation for a colleague with the same files", async (t) => {
  const app = await explained(t, CLIPBOARD);
  await app.page.getByRole("radio", { name: "Same rows, two definitions" }).check({ force: true });
  await app.page.getByText(/^Left over 0\.00 ms$/).waitFor();
  const title = await app.page.getByRole("heading", { level: 1 }).innerText();
  await app.page.getByRole("button", { name: "Copy link" }).click();
  await said(app, "Copied: link to this explanation");
  const link = new URL(await clipboard(app));
  const other = await open(t, { path: link.hash });
  await dropFiles(other, FILES);
  await heading(other, title).waitFor();
});

test("by keys alone: swap, choose, change the order, average, copy", async (t) => {
  const app = await open(t, CLIPBOARD);
  const { keyboard } = app.page;
  await dropFiles(app, FILES, app.drop);
  await app.table.waitFor();
  await suggestion(app).getByRole("button", { name: "Explain" }).focus();
  await keyboard.press("Enter");
  await heading(app, /^A waits for chunks, B counts tokens: /).waitFor();
  await keyboard.press("s");
  await heading(app, /^A counts tokens, B waits for chunks: /).waitFor();
  await said(app, "A and B have changed places");
  await keyboard.press("s");
  await heading(app, /^A waits for chunks, B counts tokens: /).waitFor();
  await app.page.getByRole("radio", { name: "Two runs" }).focus();
  await keyboard.press("ArrowLeft");
  await keyboard.press("ArrowLeft");
  await app.page.getByText(/^Left over 0\.00 ms$/).waitFor();
  await app.page.getByText(/^The \d steps in words/).focus();
  await keyboard.press("Enter");
  const steps = app.page.getByRole("list", { name: "From A to B" });
  const second = steps.getByRole("listitem").nth(2);
  const name = /^Move “(.*)” up$/.exec(await second.getByRole("button").first().getAttribute("aria-label"))[1];
  await second.getByRole("button", { name: `Move “${name}” up` }).focus();
  await keyboard.press("ArrowUp");
  await said(app, `${name} is now step 1 of 2`);
  await app.eventually(async () => assert.match(await steps.getByRole("listitem").nth(1).innerText(), new RegExp(name)));
  assert.match(app.page.url(), /order=/);
  await app.page.getByRole("checkbox", { name: /average over both orders/ }).focus();
  await keyboard.press("Space");
  await app.eventually(() => assert.match(app.page.url(), /average=1/));
  await app.page.getByRole("button", { name: "Change B" }).focus();
  await keyboard.press("Enter");
  await app.page.getByRole("combobox", { name: "Metric of B" }).focus();
  await keyboard.press("Tab");
  await app.eventually(async () => assert.equal(await app.page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Statistic of B"));
  await app.page.getByRole("heading", { name: "Typical disagreements" }).waitFor();
  await app.page.getByRole("button", { name: "Copy as text" }).focus();
  await keyboard.press("c");
  await said(app, "Copied: the explanation as text");
});

test("a cell of Compare leads to the printed number and to the baseline", async (t) => {
  const app = await open(t);
  await dropFiles(app, FILES, app.drop);
  await app.table.waitFor();
  const row = app.table.getByRole("row").filter({ has: app.page.getByRole("rowheader", { name: /^ITL\b/ }) });
  await row.getByRole("gridcell").nth(1).click();
  await app.page.getByRole("button", { name: "Explain the printed number against this one" }).click();
  await app.page.getByRole("radio", { name: "Reported against recomputed", checked: true }).waitFor();
  await app.go("Compare");
  await row.getByRole("gridcell").nth(1).click();
  await app.page.keyboard.press("Escape");
  await app.page.keyboard.press("Shift+E");
  await app.page.getByRole("radio", { name: "Two runs", checked: true }).waitFor();
});

const slot = (app, letter) => app.page.getByRole("region", { name: new RegExp(`^${letter}:`) });

test("a number that somebody saw is typed, found, and stands in the slot", async (t) => {
  const app = await explained(t);
  await app.page.getByRole("button", { name: "Change A" }).click();
  const field = app.page.getByRole("textbox", { name: "A number you saw, for A" });
  await field.fill("30.60 ms");
  await field.press("Enter");
  const found = app.page.getByRole("list", { name: "What the number for A can be" });
  await found.getByRole("button", { name: /ITL/ }).first().click();
  await said(app, "A is now ");
  await app.eventually(async () => assert.match(await slot(app, "A").innerText(), /30\.60/));
  assert.match(app.page.url(), /a=[0-9a-f]{12},itl,mean/);
  await field.fill("123456.7 ms");
  await field.press("Enter");
  await app.page.getByText(/No definition gives 123456\.7 ms/).waitFor();
});

test("a printed number stands in either slot, and a server’s in B", async (t) => {
  const pages = ["metrics-before.txt", "metrics-after.txt"].map(at);
  const app = await explained(t, {}, [...FILES, ...pages]);
  await app.page.getByRole("radio", { name: "Same rows, two definitions" }).check({ force: true });
  await app.page.getByText(/^Left over 0\.00 ms$/).waitFor();
  await app.page.getByRole("button", { name: "Change B" }).click();
  await app.page.getByRole("combobox", { name: "Definition of B" }).selectOption({ label: "as printed" });
  await app.eventually(async () => assert.match(await slot(app, "B").innerText(), /as printed/));
  await app.page.getByRole("radio", { name: "Reported against recomputed", checked: true }).waitFor();
  await app.page.getByRole("button", { name: "A and B change places" }).click();
  await app.eventually(async () => assert.match(await slot(app, "A").innerText(), /as printed/));
  await app.page.getByRole("button", { name: "Close the choices of B" }).waitFor();
  await app.page.getByRole("combobox", { name: "Run of B" }).selectOption({ label: "server, metrics-after.txt" });
  await app.page.getByRole("combobox", { name: "Definition of B" }).getByRole("option", { name: "by its histogram" }).waitFor({ state: "attached" });
  await app.page.getByText(/^Left over [+−\d]/).waitFor();
  await app.page.getByRole("button", { name: "A and B change places" }).click();
  await said(app, "The server’s number stands in B");
});

test("an answer of “Whose number is this?” leads to Explain", async (t) => {
  const app = await open(t);
  await dropFiles(app, FILES.slice(0, 1), app.drop);
  await app.compareOne();
  await app.page.keyboard.press("n");
  const sheet = app.page.getByRole("dialog", { name: "Whose number is this?" });
  await sheet.getByRole("textbox", { name: "Number" }).fill("30.60 ms");
  await sheet.getByRole("button", { name: "Find", exact: true }).click();
  await sheet.getByRole("button", { name: /^Explain / }).first().click();
  await app.eventually(async () => assert.match(await slot(app, "B").innerText(), /30\.60/));
  assert.equal(await sheet.count(), 0, "the sheet has closed");
});

test("a point of Curves and a number of the run card lead to Explain", async (t) => {
  const app = await open(t);
  await app.openSamples();
  await app.openSweep();
  const card = app.page.getByRole("region", { name: /^goodput peak|^pinned/ });
  await card.getByRole("button", { name: /^Explain / }).first().click();
  await app.page.getByRole("radio", { name: "Reported against recomputed" }).waitFor();
  await slot(app, "A").waitFor();
  await app.go("Library");
  await app.openRun("vLLM");
  await app.page.getByRole("dialog").getByRole("button", { name: /^Explain mean_/ }).first().click();
  await app.page.getByRole("radio", { name: "Reported against recomputed", checked: true }).waitFor();
});

test("a phone reads the finding before the choices, and no message lies over what is left over", async (t) => {
  const options = { ...CLIPBOARD, viewport: { width: 390, height: 844 }, reducedMotion: "reduce" };
  const app = await explained(t, options);
  const top = async (locator) => (await locator.boundingBox()).y;
  const modes = app.page.getByRole("group", { name: "What is explained" });
  assert.ok((await top(app.page.getByRole("heading", { level: 1 }))) < (await top(modes)), "the headline comes first");
  const left = app.page.getByText(/^Left over /);
  await left.scrollIntoViewIfNeeded();
  await app.page.getByRole("button", { name: "A and B change places" }).press("Enter");
  await said(app, "A and B have changed places");
  await left.scrollIntoViewIfNeeded();
  const message = await app.page.getByText("A and B have changed places").boundingBox();
  const line = await left.boundingBox();
  assert.ok(message.y + message.height <= line.y || line.y + line.height <= message.y, "the message stands elsewhere");
});

test("a typical disagreement opens to its paragraph, its formula and the definition", async (t) => {
  const app = await explained(t);
  const column = app.page.getByRole("region", { name: "Typical disagreements" });
  await column.getByText("Chunk against token").click();
  await column.getByRole("button", { name: /^ITL: / }).first().click();
  await app.page.getByRole("dialog", { name: "Definitions" }).waitFor();
});

test("without a run the screen says what to drop", async (t) => {
  const app = await open(t);
  await dropFiles(app, [at("metrics-after.txt")], app.drop);
  await app.screens.waitFor();
  await said(app, "of server metrics added");
  await app.go("Explain");
  await heading(app, /same server/).waitFor();
  await accessible(app);
});

test("Explain is accessible in light and dark, and no wider than a phone", async (t) => {
  for (const colorScheme of ["light", "dark"]) {
    const app = await explained(t, { colorScheme, reducedMotion: "reduce" });
    await app.page.getByRole("button", { name: "Change A" }).click();
    await app.page.getByText(/in words/).click();
    await accessible(app);
  }
  const app = await explained(t, { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
  const width = await app.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `Explain is ${width} px wide`);
  await accessible(app);
});
