// The window: brushed, typed, moved by keys, chosen, taken back, and found again by its link.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, dropFiles, home, open } from "./harness.mjs";

/** The window sheet of the sample runs, opened by its chip. */
async function openWindow(t, options) {
  const app = await open(t, options);
  await app.openSamples();
  await chip(app).click();
  await app.page.getByRole("figure", { name: "The runs over time" }).waitFor();
  await app.page.getByRole("table", { name: /the whole run and the window/ }).first().waitFor();
  return app;
}

const chip = (app) => app.page.getByRole("button", { name: /^Window/ });
const says = (app, words) => app.eventually(async () => assert.match(await chip(app).innerText(), words));
const edge = (app, name) => app.page.getByRole("slider", { name });
const seconds = async (app, name) => Number(await edge(app, name).getAttribute("aria-valuenow"));

/** Output throughput of the first run: whole, window, ratio. */
const output = async (app) => {
  const table = app.page.getByRole("table", { name: /the whole run and the window/ }).first();
  const row = table.getByRole("row").filter({ has: app.page.getByRole("rowheader", { name: /^Output throughput/ }) });
  return row.getByRole("cell").allInnerTexts();
};

/** Drags over the timeline from one share of its width to another. */
async function drag(app, from, to) {
  const box = await app.page.locator(".brush").boundingBox();
  const left = (await edge(app, "Start of the window").boundingBox()) ?? box;
  assert.ok(left, "the brush is there");
  const y = box.y + 40;
  const x = (share) => box.x + 56 + (box.width - 70) * share;
  await app.page.mouse.move(x(from), y);
  await app.page.mouse.down();
  await app.page.mouse.move(x((from + to) / 2), y, { steps: 4 });
  await app.page.mouse.move(x(to), y, { steps: 4 });
}

test("brushing is felt at once, is one step, and undo takes it back", async (t) => {
  const app = await openWindow(t);
  await says(app, /whole run/);
  const [whole] = await output(app);
  await drag(app, 0.3, 0.7);
  // Not let go yet: the sheet follows, the strip does not.
  await app.eventually(async () => assert.notEqual((await output(app))[2], "1.00"));
  assert.match(await chip(app).innerText(), /whole run/);
  await app.page.mouse.up();
  await says(app, /\d+ to \d+.* s/);
  assert.match(new URL(app.page.url()).hash, /set=duration:window,window:brush:[\d.]+\.\.[\d.]+/);
  const [still, inside, ratio] = await output(app);
  assert.equal(still, whole, "the whole run stays what it is");
  assert.notEqual(inside, "–");
  assert.ok(Number(ratio) > 0, ratio);
  await app.page.getByRole("status").filter({ hasText: /Window: now/ }).getByRole("button", { name: "Undo" }).click();
  await says(app, /whole run/);
});

test("what can be dragged can be typed and moved by keys", async (t) => {
  const app = await openWindow(t);
  const from = app.page.getByRole("spinbutton", { name: "From", exact: true });
  const to = app.page.getByRole("spinbutton", { name: "to", exact: true });
  await from.fill("1");
  await from.press("Enter");
  await to.fill("4");
  await to.press("Enter");
  await says(app, /1 to 4 s/);
  await to.fill("0.5");
  await to.press("Enter");
  await app.page.getByText("The end must lie after the start.").waitFor();
  await says(app, /1 to 4 s/);

  await edge(app, "Start of the window").focus();
  const start = await seconds(app, "Start of the window");
  await app.page.keyboard.press("ArrowRight");
  await app.eventually(async () => assert.ok((await seconds(app, "Start of the window")) > start));
  const step = (await seconds(app, "Start of the window")) - start;
  await app.page.keyboard.press("Shift+ArrowRight");
  await app.eventually(async () => {
    const moved = (await seconds(app, "Start of the window")) - start;
    assert.ok(Math.abs(moved - 11 * step) < 1e-6, `${moved} is not eleven steps of ${step}`);
  });
  // Fields and keys that follow each other are one step.
  await app.page.keyboard.press("Escape");
  await app.page.keyboard.press("Control+z");
  await says(app, /whole run/);
});

test("windows and edge rules are chosen, and a link brings all back", async (t) => {
  const app = await openWindow(t);
  await app.page.getByRole("radio", { name: /^steady/ }).check();
  await says(app, /steady at 0.9 of the peak/);
  await app.page.getByRole("radio", { name: /^by end/ }).check();
  await app.eventually(() => assert.match(new URL(app.page.url()).hash, /window-edge:by-end/));
  const share = app.page.getByRole("spinbutton", { name: /share of the peak/ });
  await share.fill("0.8");
  await share.press("Enter");
  await says(app, /steady at 0.8 of the peak/);
  const link = app.page.url();
  assert.match(link, /sheet=window/);

  const other = await open(t, { path: link.slice(home().length) });
  await other.page.getByRole("button", { name: /Open the sample runs/ }).first().click();
  await other.page.getByRole("figure", { name: "The runs over time" }).waitFor();
  await says(other, /steady at 0.8 of the peak/);
  await other.eventually(async () => assert.ok(await other.page.getByRole("radio", { name: /^by end/ }).isChecked()));
});

test("a cold first wave is found and left out with one click", async (t) => {
  const app = await open(t);
  const row = (at) => `${at},100,2,${at < 8 ? 9000 + at : 700 + at},${at < 8 ? 10000 : 1500}`;
  const text = ["request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms", ...Array.from({ length: 80 }, (_, at) => row(at))].join("\n");
  await dropFiles(app, [{ name: "cold.csv", text }]);
  await app.compareOne();
  await app.page.keyboard.press("w");
  const offers = app.page.getByRole("list", { name: "Offers" });
  await offers.getByText("all 8 slowest are the first 8 started").waitFor();
  await app.page.getByText("There is no timeline: the file holds no send times").waitFor();
  await offers.getByRole("button", { name: /Leave out the first wave of 8: TTFT p90 .* s/ }).click();
  await says(app, /without the first 8/);
  await offers.waitFor({ state: "hidden" });
  await app.page.getByText("72 of 80 requests inside, 8 outside").waitFor();
  await app.page.keyboard.press("Control+z");
  await says(app, /whole run/);
});

test("in each tool’s own words the sheet says what a window does", async (t) => {
  const app = await openWindow(t, { path: "#v1/compare?def=own" });
  await app.page.getByText(/in its own tool’s words/).first().waitFor();
  await says(app, /as each tool/);
  await app.page.getByRole("radio", { name: /^after first completion/ }).check();
  await says(app, /after the first completion/);
});

for (const colorScheme of ["light", "dark"]) test(`the sheet is accessible on a ${colorScheme} phone and desk`, async (t) => {
  const app = await openWindow(t, { colorScheme });
  await accessible(app, { within: ".sheet" });
  const phone = await open(t, { colorScheme, viewport: { width: 390, height: 844 } });
  await phone.openSamples();
  await phone.page.keyboard.press("w");
  await phone.page.getByRole("figure", { name: "The runs over time" }).waitFor();
  await accessible(phone, { within: ".sheet" });
  const wide = await phone.page.locator(".sheet-body").evaluate((body) => body.scrollWidth - body.clientWidth);
  assert.ok(wide <= 0, `nothing sticks out sideways: ${wide} px`);
});
