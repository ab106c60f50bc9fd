// Sets of definitions: saved from the sheet, dropped on another page, taken back by undo.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const VLLM = at("tests/fixtures/vllm-bench/0.33-chat-speculative.json");
const SGLANG = at("tests/fixtures/sglang-bench/0.5.23-native-speculative.jsonl");

test("a set is saved with its name, and applied where it is dropped, with undo", async (t) => {
  const app = await open(t);
  await dropFiles(app, [VLLM, SGLANG], app.drop);
  await app.table.waitFor();
  const common = await app.values("ITL");
  await app.openDefinitions();
  await app.page.getByRole("region", { name: "Presets" }).getByRole("button", { name: "SGLang", exact: true }).click();
  await app.page.getByRole("textbox", { name: "Name of this set" }).fill("Ours, 2026");
  await accessible(app);
  const download = app.page.waitForEvent("download");
  await app.page.getByRole("button", { name: "Save as set" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "ours-2026.sameruler-set.json");
  const text = await readFile(await saved.path(), "utf8");
  assert.deepEqual(JSON.parse(text), { schema: "sameruler.set/1", name: "Ours, 2026", preset: "sglang", changes: {} });
  await app.page.keyboard.press("Escape");
  const spread = await app.values("ITL");
  assert.notDeepEqual(spread, common);

  const other = await open(t);
  await dropFiles(other, [VLLM, SGLANG], other.drop);
  await other.table.waitFor();
  await dropFiles(other, [{ name: "ours.json", type: "application/json", text }]);
  await other.page.getByRole("status").filter({ hasText: "Definitions are now “Ours, 2026”" }).waitFor();
  await other.eventually(async () => assert.deepEqual(await other.values("ITL"), spread));
  await other.page.keyboard.press("Control+z");
  await other.eventually(async () => assert.deepEqual(await other.values("ITL"), common));
});

test("a set of a newer version says what was not understood; one that is none is refused in words", async (t) => {
  const app = await open(t);
  await dropFiles(app, [VLLM, SGLANG], app.drop);
  await app.table.waitFor();
  const newer = { schema: "sameruler.set/2", name: "New", preset: "sglang", changes: { itl: "by-photon" } };
  await dropFiles(app, [{ name: "new.sameruler-set.json", text: JSON.stringify(newer) }]);
  await app.page.getByRole("status").filter({ hasText: /“New”, without what this version does not understand: .*itl=by-photon/ }).waitFor();
  const broken = { schema: "sameruler.set/1", preset: "k6", changes: {} };
  await dropFiles(app, [{ name: "k6.sameruler-set.json", text: JSON.stringify(broken) }]);
  await app.page.getByRole("status").filter({ hasText: /k6\.sameruler-set\.json was not applied: there is no preset “k6”/ }).waitFor();
});
