// Server metrics: a pair of scrapes beside a client's run, read, chosen by hand, by keys, in both themes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (file) => fileURLToPath(new URL(`../../public/samples/several-tokens-a-chunk/${file}`, import.meta.url));
const FILES = [at("metrics-after.txt"), at("vllm.json"), at("metrics-before.txt")];

/** Drops the pair and its run and goes to the screen by its keys. */
async function opened(t, options = {}, files = FILES) {
  const app = await open(t, options);
  await dropFiles(app, files);
  await app.screens.waitFor();
  await app.page.getByRole("status").filter({ hasText: "of server metrics added" }).waitFor();
  await app.page.keyboard.press("g");
  await app.page.keyboard.press("s");
  return app;
}

const heading = (app, level, name) => app.page.getByRole("heading", { level, name });

test("the two p99s are explained, with both sides in the server's buckets", async (t) => {
  const app = await opened(t);
  await heading(app, 1, /p99s of TTFT differ by the width of a bucket.*241 ms on the server, 141 ms at the client/).waitFor();
  assert.match(app.page.url(), /#v1\/server/);
  const table = app.page.getByRole("region", { name: "Client against server, ms" });
  const row = table.getByRole("row").filter({ has: app.page.getByRole("rowheader", { name: "TTFT" }) });
  assert.match((await row.innerText()).replace(/\s+/g, " "), /84\.47 80\.19 \+4\.28 140\.5 242\.5 240\.9 as expected/);
  const figure = app.page.getByRole("figure", { name: "Time to first token", exact: true });
  assert.match(await figure.innerText(), /80\.2 ms[^]*p50\s+60 to 80 ms/);
  await figure.getByRole("button", { name: "Table of “Time to first token”" }).click();
  await figure.getByRole("table").waitFor();
  assert.match(await figure.innerText(), /client, same edges/);
});

test("the client is detached and attached again, one scrape alone says since when it counts", async (t) => {
  const app = await opened(t);
  await heading(app, 1, /differ by the width/).waitFor();
  await app.page.getByRole("combobox", { name: "The run beside the server" }).selectOption({ index: 0 });
  await heading(app, 1, "61 requests between the first scrape and the last").waitFor();
  await app.page.getByRole("button", { name: "As found" }).click();
  await heading(app, 1, /differ by the width/).waitFor();
  await app.page.getByRole("combobox", { name: "The page after the run" }).selectOption({ index: 0 });
  await app.page.getByText(/Since the server’s start, no rate\. The dump was chosen by hand/).waitFor();
});

test("a chart's points are walked by keys", async (t) => {
  const app = await opened(t);
  await heading(app, 1, /differ by the width/).waitFor();
  const points = app.page.getByRole("figure", { name: "Request latency", exact: true }).getByRole("listbox");
  await points.focus();
  await app.page.keyboard.press("ArrowRight");
  await app.eventually(async () => assert.match((await points.innerText()) || (await points.getAttribute("aria-activedescendant")), /./));
  await app.page.keyboard.press("t");
  await app.page.getByRole("figure", { name: "Request latency", exact: true }).getByRole("table").waitFor();
});

test("without a scrape the screen says how to take one", async (t) => {
  const app = await open(t, { permissions: ["clipboard-read", "clipboard-write"] });
  await dropFiles(app, [at("vllm.json")]);
  await app.screens.waitFor();
  // What was read opens a screen of its own accord, which is not to come after ours.
  await app.page.waitForTimeout(2500);
  await app.go("Server metrics");
  await heading(app, 1, "The server’s side of a run").waitFor();
  await app.page.getByRole("button", { name: "Copy the command for before the run" }).click();
  await app.page.getByRole("status").filter({ hasText: "Copied: the command" }).waitFor();
  assert.match(await app.page.evaluate(() => navigator.clipboard.readText()), /^curl -s .*\/metrics > /);
  await accessible(app);
});

test("several readings are lines over time", async (t) => {
  const page = (n) => `${1764410400 + n * 5}\n# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting ${n}\n`;
  const text = Array.from({ length: 9 }, (_, n) => page(n)).join("");
  const app = await opened(t, {}, [{ name: "scrapes.log", text }, { name: "run.json", text: readFileSync(at("vllm.json"), "utf8") }]);
  await app.page.getByRole("figure", { name: "Requests in the engine" }).waitFor();
});

test("Server metrics is accessible in light and dark, and no wider than a phone", async (t) => {
  for (const colorScheme of ["light", "dark"]) {
    const app = await opened(t, { colorScheme, reducedMotion: "reduce" });
    await heading(app, 1, /differ by the width/).waitFor();
    await app.page.getByText(/^Names used/).click();
    await accessible(app);
  }
  const app = await opened(t, { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
  await heading(app, 1, /differ by the width/).waitFor();
  const width = await app.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `Server metrics is ${width} px wide`);
  await accessible(app);
});
