// Limits of every kind by keyboard, errors in place, and the capacity plan under the curve.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SWEEP = ["04", "08", "12", "16", "20", "26"].map((rate) => at(`public/samples/sweep/vllm-rate${rate}.json`));

const slo = (app) => new URLSearchParams(app.page.url().split("?")[1]).get("slo");

test("a limit on ITL and one that grows with length are added by keys, and an error stands where it was made", async (t) => {
  const app = await open(t);
  const { keyboard } = app.page;
  await dropFiles(app, SWEEP, app.drop);
  await app.chart.waitFor();
  await app.page.getByRole("button", { name: "Add limit" }).focus();
  await keyboard.press("Enter");
  const sheet = app.page.getByRole("dialog", { name: "Limits" });
  const bound = sheet.getByRole("textbox", { name: "at most" });
  await bound.focus();
  await keyboard.type("fast");
  await keyboard.press("Enter");
  await sheet.getByText(/not a number with ms or s/).waitFor();
  assert.equal(await bound.getAttribute("aria-invalid"), "true");
  assert.equal(slo(app), null, "what is no limit changes nothing");

  await bound.fill("200 ms");
  await keyboard.press("Enter");
  await sheet.getByText("ITL max ≤ 200 ms", { exact: true }).waitFor();
  await app.eventually(() => assert.equal(slo(app), "itl.max:200"));

  await sheet.getByRole("combobox", { name: "Limit on" }).selectOption("ttft");
  await bound.fill("250ms");
  await keyboard.press("Enter");
  await sheet.getByText(/stands in its own field above/).waitFor();
  await bound.fill("input_tokens/512s");
  await keyboard.press("Enter");
  await sheet.getByText("TTFT ≤ input tokens ÷ 512 s", { exact: true }).waitFor();
  await app.eventually(() => assert.equal(slo(app), "ttft:input_tokens/512s,itl.max:200"));
  await sheet.getByRole("heading", { name: "The SLO written out" }).waitFor();
  await accessible(app);

  await sheet.getByRole("button", { name: "Take away ITL max ≤ 200 ms" }).click();
  await app.eventually(() => assert.equal(slo(app), "ttft:input_tokens/512s"));
});

test("a ready-made set of limits and a share are chosen by keys, and undone in one step each", async (t) => {
  const app = await open(t);
  const { keyboard } = app.page;
  await dropFiles(app, SWEEP, app.drop);
  await app.chart.waitFor();
  await app.page.getByRole("button", { name: "Add limit" }).click();
  const sheet = app.page.getByRole("dialog", { name: "Limits" });
  const chat = sheet.getByRole("button", { name: /^Chat/ });
  await chat.focus();
  await keyboard.press("Enter");
  await app.eventually(() => assert.equal(slo(app), "ttft:500,tpot:50"));
  assert.equal(await chat.getAttribute("aria-pressed"), "true");
  const share = sheet.getByRole("spinbutton", { name: "Share at least" });
  await share.focus();
  await keyboard.type("99");
  await sheet.getByText(/^vLLM.*: 99 % of the requests sent \(here/).first().waitFor();
  assert.match(app.page.url(), /max-load-at-attainment(:|%3A)0\.99/);
  await share.fill("120");
  await share.blur();
  assert.equal(await share.inputValue(), "99", "more than all is no share");
  await accessible(app);
  await keyboard.press("Escape");
  await sheet.waitFor({ state: "hidden" });
});

test("a demand under the curve gives replicas and the price of the limits, and is kept in the link", async (t) => {
  const app = await open(t);
  await dropFiles(app, SWEEP, app.drop);
  await app.chart.waitFor();
  await app.setLimit("TTFT", 250);
  await app.setLimit("TPOT", 18);
  await app.setLimit("E2E", 900);
  await app.page.getByText(/One replica serves 8\.86 req\/s under the limits/).waitFor();
  await app.page.getByRole("spinbutton", { name: "Demand in requests per second" }).fill("120");
  await app.page.getByText(/120 req\/s needs 14 replicas under the limits .*: the limits cost 4/).first().waitFor();
  await app.page.getByText(/Assumes that replicas add up/).waitFor();
  await app.eventually(() => assert.match(app.page.url(), /demand=120/));
  await accessible(app);
});

/** The Goodput screen over the sweep, with the limits of the worked example. */
async function explored(t, options = {}, { byKeys = false } = {}) {
  const app = await open(t, options);
  await dropFiles(app, SWEEP, app.drop);
  await app.chart.waitFor();
  const heading = app.page.getByRole("heading", { level: 1, name: "Goodput" });
  if (byKeys) {
    await app.page.keyboard.press("g");
    await app.page.keyboard.press("o");
  } else await app.go("Goodput");
  await heading.waitFor();
  return app;
}

const figure = (app, name) => app.page.getByRole("figure", { name });
const limited = async (app) => {
  await app.setLimit("TTFT", 250);
  await app.setLimit("TPOT", 18);
  await app.setLimit("E2E", 900);
  await figure(app, "Peak 8.86 good requests a second, at 12 req/s").waitFor();
};

test("without a limit the screen offers three sets and draws nothing; a set fills it", async (t) => {
  const app = await explored(t);
  await app.page.getByText(/^No limit is set\. A request is good when it keeps every limit/).waitFor();
  assert.equal(await app.page.getByRole("figure").count(), 0, "never an empty chart");
  await accessible(app);
  await app.page.getByRole("button", { name: /^Chat/ }).click();
  await figure(app, /good requests a second/).waitFor();
  assert.equal(slo(app), "ttft:500,tpot:50");
  await app.page.keyboard.press("Control+z");
  await app.page.getByText(/^No limit is set\./).waitFor();
});

test("peak, binding limit, shares at the peak and the map say what the requests of the sweep say", async (t) => {
  const app = await explored(t);
  await app.page.getByRole("button", { name: /^Chat/ }).click();
  await limited(app);
  await figure(app, "From 12 req/s on, TTFT fails most").waitFor();
  const panel = app.page.getByRole("region", { name: "Limits", exact: true });
  for (const words of ["86.9 % meet it at 12 req/s", "68 of 84, 81.0 %", "95 % interval 71 to 88 %"]) {
    await panel.getByText(words).first().waitFor();
  }
  assert.equal(await panel.getByText("binds", { exact: true }).count(), 1, "one limit binds");
  const map = figure(app, /^Looser limits gain at most \d+ %$/);
  await map.getByRole("button", { name: /^Table of/ }).click();
  const rows = map.getByRole("row");
  assert.equal(await rows.count(), 8, "a head and seven limits");
  await map.getByRole("cell", { name: "8.9 @12" }).first().waitFor();
  await app.page.getByText(/^TTFT ≤ 250 ms binds at /).waitFor();
  await accessible(app);
});

test("by keys: the first limit, one and ten per cent, the peak, the table, the map", async (t) => {
  const app = await explored(t, {}, { byKeys: true });
  const { keyboard } = app.page;
  await app.page.getByRole("button", { name: /^Chat/ }).click();
  await limited(app);
  await app.page.getByRole("heading", { level: 1 }).click();
  await keyboard.press("s");
  const first = app.page.getByRole("spinbutton", { name: "TTFT limit in milliseconds" });
  await app.eventually(async () => assert.ok(await first.evaluate((field) => field === document.activeElement)));
  await keyboard.press("ArrowUp");
  assert.equal(await first.inputValue(), "253", "one per cent");
  await keyboard.press("Shift+ArrowUp");
  assert.equal(await first.inputValue(), "278", "ten per cent");
  await first.blur();
  await keyboard.press("Control+z");
  await app.eventually(() => assert.match(slo(app), /^ttft:250,/), "arrows of one limit are one step");

  await keyboard.press("p");
  const chart = figure(app, "Peak 8.86 good requests a second, at 12 req/s");
  const points = chart.getByRole("listbox");
  await app.eventually(async () => assert.ok(await points.evaluate((list) => list === document.activeElement)));
  const chosen = () => chart.getByRole("option", { selected: true, includeHidden: true }).textContent();
  await app.eventually(async () => assert.match(await chosen(), /goodput, requested rate 12\.0 req\/s, .*goodput peak 8\.86 at 12 req\/s/));
  await chart.getByText("within all limits").waitFor();
  await keyboard.press("t");
  await chart.getByRole("table").waitFor();
  await chart.getByRole("cell", { name: "TTFT ≤ 250 ms" }).first().waitFor();
  await keyboard.press("Escape");

  const cells = figure(app, /^Looser limits/).getByRole("listbox");
  await cells.focus();
  for (const key of ["ArrowRight", "ArrowDown", "Enter"]) await keyboard.press(key);
  const cell = figure(app, /^Looser limits/).getByRole("option", { selected: true, includeHidden: true });
  await app.eventually(async () => assert.match(await cell.textContent(), /^TTFT limit, ms 150, peak goodput/));
});

test("tokens, denominator and the pair of the map are in the link and come back", async (t) => {
  const app = await explored(t);
  await app.page.getByRole("button", { name: /^Chat/ }).click();
  await limited(app);
  await app.page.getByRole("radio", { name: "Tokens" }).check({ force: true });
  await figure(app, /tokens of good requests a second, at 12 req\/s$/).waitFor();
  await app.page.getByRole("combobox", { name: "Out of which requests shares are" }).selectOption("1");
  await app.page.getByRole("combobox", { name: "Limits of the map" }).selectOption("1");
  await app.eventually(() => assert.match(app.page.url(), /map=ttft,e2e&count=tokens&of=finished/));
  const other = await open(t, { path: new URL(app.page.url()).hash });
  await dropFiles(other, SWEEP);
  await figure(other, /tokens of good requests a second, at 12 req\/s$/).waitFor();
  await other.page.getByText("share of finished · each limit alone and all together").waitFor();
});

test("printed percentiles are a band with its sentence, and what is not measured is named", async (t) => {
  const app = await open(t);
  const text = "request_rate,p50_ttft_ms,p95_ttft_ms,req_s\n4,100,200,4\n8,150,600,8\n16,700,2000,12\n";
  await dropFiles(app, [{ name: "printed.csv", text }], app.drop);
  // A sweep lands on Curves once it is read.
  await app.page.getByRole("heading", { name: "Curves", level: 1 }).waitFor();
  await app.go("Goodput");
  await app.page.getByRole("button", { name: /^Chat/ }).click();
  await figure(app, /^Goodput peaks somewhere between/).waitFor();
  await app.page.getByText(/^Band: the file holds printed percentiles and no requests/).waitFor();
  const panel = app.page.getByRole("region", { name: "Limits", exact: true });
  await panel.getByText(/^not measured in /).waitFor();
  await app.page.getByRole("button", { name: "Clear the TTFT limit" }).click();
  await figure(app, /^Goodput is not measured in /).waitFor();
  await app.page.getByText(/^Not measured in .* at 4, 8, 16 req\/s: /).waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone everything stays inside the page and words do not overlap, ${colorScheme}`, async (t) => {
    const app = await explored(t, { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme });
    await app.page.getByRole("button", { name: /^Chat/ }).click();
    await limited(app);
    await figure(app, /^Looser limits/).waitFor();
    await accessible(app);
    const faults = await app.page.evaluate(() => {
      const faults = [];
      if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} wide`);
      const seen = [];
      const walker = document.createTreeWalker(document.querySelector(".goodput"), NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.textContent.trim() || node.parentElement.closest(".visually-hidden, option, [hidden]")) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
          if (box.width < 1) continue;
          const words = node.textContent.trim().slice(0, 40);
          if (box.left < -0.5 || box.right > innerWidth + 0.5) faults.push(`“${words}” leaves the page`);
          const hit = seen.find(
            (other) =>
              other.left + 1 < box.right && box.left + 1 < other.right && other.top + 3 < box.bottom && box.top + 3 < other.bottom,
          );
          if (hit) faults.push(`“${words}” lies on “${hit.words}”`);
          seen.push({ left: box.left, right: box.right, top: box.top, bottom: box.bottom, words });
        }
      }
      return faults;
    });
    assert.deepEqual(faults, []);
  });
}
