// What nobody does on purpose: workers that die, links that were edited, limits that are none, many runs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { dropFiles, endEngine, keepWorkers, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const VLLM = at("tests/fixtures/vllm-bench/0.33-chat-speculative.json");
const SGLANG = at("tests/fixtures/sglang-bench/0.5.23-native-speculative.jsonl");

test("an engine that dies comes back with runs, names and removals", async (t) => {
  const app = await open(t, { route: keepWorkers });
  await app.openSamples();
  await app.go("Library");
  await app.page.getByRole("button", { name: "Rename: SGLang" }).click();
  await app.page.keyboard.type("Mine");
  await app.page.keyboard.press("Enter");
  await app.page.getByRole("button", { name: "Remove: vLLM" }).first().click();
  await app.page.getByText("10 runs from 12 files").waitFor();
  await endEngine(app);
  await app.page.getByText("10 runs from 12 files").waitFor();
  await app.page.getByRole("checkbox", { name: "Select Mine" }).waitFor();
});

test("a link that was edited says what is wrong and changes nothing", async (t) => {
  for (const [fragment, words] of [
    ["#v9/compare", /not made by this version/],
    ["#v1/compare?def=nonsense", /“def”.*“nonsense”/],
    ["#v1/compare?set=tpot:nope", /“set”.*“tpot:nope”/],
    ["#v1/curves?y=goodput.p99", /“y”/],
  ]) {
    const app = await open(t, { path: fragment });
    await app.page.getByRole("status").filter({ hasText: words }).waitFor();
    await app.headline.waitFor();
  }
});

test("a limit is a number above nothing, and a half-typed one changes nothing", async (t) => {
  const app = await open(t);
  await dropFiles(app, [VLLM, SGLANG], app.drop);
  await app.table.waitFor();
  await app.go("Curves");
  const field = app.page.getByRole("spinbutton", { name: "TTFT limit in milliseconds" });
  const type = async (text) => {
    await field.focus();
    await app.page.keyboard.press("Control+a");
    await app.page.keyboard.type(text);
  };
  const limit = () => new URLSearchParams(app.page.url().split("?")[1]).get("slo");
  await type("250");
  await app.eventually(() => assert.equal(limit(), "ttft:250"));
  await type("1.5e3");
  await app.eventually(() => assert.equal(limit(), "ttft:1500"));
  for (const none of ["-5", "1e", "0"]) {
    await type("90");
    await app.eventually(() => assert.equal(limit(), "ttft:90"));
    await type(none);
    await field.blur();
    await app.eventually(async () => assert.match(await field.inputValue(), /^(90|1)$/, none));
    assert.match(limit(), /^ttft:(90|1)$/, none);
  }
});

test("twelve runs of one name are twelve columns with names of their own", async (t) => {
  const text = await readFile(VLLM, "utf8");
  const run = (n) => ({ name: `run-${n}.json`, text: text.replace(/"date": "[^"]*"/, `"date": "20260101-${100000 + n}"`) });
  assert.notEqual(run(1).text, text);
  const app = await open(t);
  await dropFiles(app, Array.from({ length: 12 }, (_, n) => run(n)), app.drop);
  await app.page.getByRole("status").filter({ hasText: "12 runs added" }).waitFor({ timeout: 30_000 });
  await app.go("Compare");
  await app.table.waitFor();
  const heads = await app.table.locator(".head-name").allInnerTexts();
  assert.equal(new Set(heads).size, 12);
});
