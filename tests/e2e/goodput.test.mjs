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
