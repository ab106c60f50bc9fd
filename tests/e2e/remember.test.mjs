// Memory on this device: nothing before it is asked for, all of it after, and gone when it is wiped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, home, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const VLLM = at("tests/fixtures/vllm-bench/0.33-chat-speculative.json");
const SGLANG = at("tests/fixtures/sglang-bench/0.5.23-native-speculative.jsonl");

/** Everything that a page of this origin could have left on the device. */
const left = (app) =>
  app.page.evaluate(async () => {
    const files = [];
    const folder = await navigator.storage.getDirectory();
    for await (const name of folder.keys()) files.push(name);
    const databases = (await indexedDB.databases()).map(({ name }) => name);
    return { files, databases, caches: await caches.keys(), local: Object.keys(localStorage), session: Object.keys(sessionStorage), cookies: document.cookie };
  });
const NOTHING = { files: [], databases: [], caches: [], local: [], session: [], cookies: "" };

const toggle = (app) => app.page.getByRole("checkbox", { name: "Remember on this device" });

/** Two runs, one renamed, under another ruler; remembered where `on`. */
async function loaded(t, on, options) {
  const app = await open(t, options);
  await dropFiles(app, [VLLM, SGLANG], app.drop);
  await app.table.waitFor();
  await app.page.keyboard.press("Shift+D");
  await app.go("Library");
  if (on) {
    assert.deepEqual(await left(app), NOTHING, "nothing before the toggle");
    await toggle(app).check();
  }
  const box = app.page.getByRole("checkbox", { name: /^Select SGLang/ });
  await box.focus();
  await app.page.keyboard.press("F2");
  await app.page.getByRole("textbox", { name: "New name" }).waitFor();
  await app.page.keyboard.type("Ours");
  await app.page.keyboard.press("Enter");
  await app.page.getByRole("checkbox", { name: /^Select Ours/ }).waitFor();
  if (on) await settled(app);
  await app.go("Compare");
  return app;
}

/** Waits until bytes are kept and no longer change. */
async function settled(app) {
  await app.page.getByText(/Remember on this device:? ?: [\d.]+ [kM]B\./).waitFor();
  await app.page.waitForTimeout(2_500);
}

/** The page anew, by its bare address: what a next visit is. */
async function visit(app) {
  await app.page.goto("about:blank");
  await app.page.goto(home());
  await app.started();
}

for (const [where, route, kept] of [
  ["private files", undefined, { files: ["session.sameruler"], databases: [] }],
  ["a database where private files can’t be written", (page) => page.addInitScript(() => delete globalThis.FileSystemFileHandle?.prototype.createWritable), { files: [], databases: ["sameruler"] }],
]) {
  test(`what is asked to be remembered is back at the next visit: in ${where}`, async (t) => {
    const app = await loaded(t, true, { route });
    const cells = await app.comparison();
    await app.page.waitForTimeout(2_500);
    const on = await left(app);
    assert.deepEqual({ files: on.files, databases: on.databases, local: on.local }, { ...kept, local: ["sameruler-remember"] });
    const address = new URL(app.page.url()).hash;

    await visit(app);
    await app.page.getByRole("status").filter({ hasText: /Remembered on this device.*2 runs/ }).waitFor();
    await app.eventually(() => assert.equal(new URL(app.page.url()).hash, address));
    assert.deepEqual(await app.comparison(), cells, "the same numbers and view at a next visit");
    await app.page.getByRole("button", { name: "Undo" }).or(app.page.getByRole("status")).first().waitFor();
    await app.page.reload();
    await app.started();
    assert.deepEqual(await app.comparison(), cells, "and when the page is loaded again");

    await app.go("Library");
    await accessible(app);
    await app.page.getByText(/can’t be undone/).waitFor();
    await app.page.getByRole("button", { name: "Wipe" }).click();
    await app.eventually(async () => assert.deepEqual(await left(app), NOTHING));
    assert.equal(await toggle(app).isChecked(), false);
    await app.page.waitForTimeout(2_500);
    assert.deepEqual(await left(app), NOTHING, "and nothing is written any more");
    await visit(app);
    await app.headline.waitFor();
  });
}

test("turned off, it is gone without a question", async (t) => {
  const app = await loaded(t, true);
  await app.go("Library");
  await toggle(app).uncheck();
  await app.eventually(async () => assert.deepEqual(await left(app), NOTHING));
  await visit(app);
  await app.headline.waitFor();
});

test("never turned on, nothing is left on the device", async (t) => {
  const app = await loaded(t, false);
  await app.openDefinitions();
  await app.page.keyboard.press("Escape");
  for (const name of ["Explain", "Quality", "Report", "Library"]) await app.go(name);
  assert.deepEqual(await left(app), NOTHING);
});

test("a browser that keeps nothing says so, and the rest goes on", async (t) => {
  const app = await loaded(t, false, {
    route: (page) =>
      page.addInitScript(() => {
        const refuse = () => Promise.reject(new DOMException("no", "SecurityError"));
        StorageManager.prototype.getDirectory = refuse;
        IDBFactory.prototype.open = () => {
          throw new DOMException("no", "SecurityError");
        };
      }),
  });
  await app.go("Library");
  await toggle(app).check();
  await app.page.getByRole("status").filter({ hasText: /Not remembered .* keeps? nothing here|Not remembered .* private window/ }).waitFor();
  await app.eventually(async () => assert.equal(await toggle(app).isChecked(), false));
  await app.go("Compare");
  await app.table.waitFor();
});
