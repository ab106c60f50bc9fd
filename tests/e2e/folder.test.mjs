// A folder dropped as a whole, as people drop theirs: results among notes, logs, pictures and copies.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFolder, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const VLLM = at("tests/fixtures/vllm-bench/0.33-chat-speculative.json");

/** Writes files into a new folder `results` and returns its path. */
async function folder(t, files) {
  const root = await mkdtemp(join(tmpdir(), "sameruler-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, "results", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return join(root, "results");
}

const run = (text, n) => text.replace(/"date": "[^"]*"/, `"date": "20260101-${100000 + n}"`);
const times = (n, make) => Object.fromEntries(Array.from({ length: n }, (_, i) => make(i)));

test("of a whole folder the results are there, the rest is sorted, and no file is lost", async (t) => {
  const whole = await readFile(VLLM, "utf8");
  const path = await folder(t, {
    ...times(30, (i) => [`runs/b${String(i).padStart(2, "0")}/result.json`, run(whole, i)]),
    "runs/copy-of-b07.json": run(whole, 7),
    "runs/copy-of-b08.json": run(whole, 8),
    "runs/cut.json": whole.slice(0, 20_000),
    "runs/.hidden.json": whole,
    ...times(40, (i) => [`logs/server-${i}.png`, Buffer.from("\x89PNG\r\n\x1a\n", "latin1")]),
    ...times(20, (i) => [`npm/${i}/package-lock.json`, `{"name":"x${i}","lockfileVersion":3,"requires":true,"packages":{}}`]),
    ...times(5, (i) => [`empty/${i}.json`, ""]),
  });
  const app = await open(t);
  await dropFolder(app, path);
  await app.page.getByRole("status").filter({ hasText: "30 runs added; 2 already loaded; 66 files not read" }).waitFor({ timeout: 60_000 });
  await app.page.getByText("30 runs from 30 files").waitFor();
  assert.equal(await app.page.getByRole("list", { name: "Files being read" }).count(), 0);
  await app.page.getByRole("button", { name: "Runs of runs", exact: true }).click();
  await app.page.getByRole("cell").filter({ hasText: "results/runs/b00/result.json" }).waitFor();

  const tray = app.page.getByRole("region", { name: "Not read" });
  assert.match(await tray.innerText(), /66 files/);
  const told = tray.getByRole("listitem");
  assert.equal(await told.count(), 1, "only the damaged one at length");
  assert.match(await told.innerText(), /results\/runs\/cut\.json.*The file is cut/s);
  const fold = tray.getByRole("button", { name: /^60 files are something else/ });
  assert.match(await fold.innerText(), /40 × a PNG image, 20 × /);
  await fold.click();
  await tray.getByText("results/logs/server-0.png").waitFor();
  await tray.getByRole("button", { name: /^5 files hold no run/ }).waitFor();
  await app.page.getByRole("button", { name: /2 files were skipped/ }).click();
  await app.page.getByText("results/runs/copy-of-b07.json").waitFor();
  await accessible(app);
  await tray.getByRole("button", { name: /^Dismiss: 60/ }).click();
  await app.eventually(async () => assert.match(await tray.innerText(), /6 files/));
});

test("all that is not read yet can be cancelled at once, and what was read stays", async (t) => {
  const whole = await readFile(VLLM, "utf8");
  const path = await folder(t, times(400, (i) => [`${String(i).padStart(3, "0")}.json`, run(whole, i)]));
  const app = await open(t);
  await dropFolder(app, path);
  const cancel = app.page.getByRole("button", { name: "Cancel all" });
  await cancel.waitFor();
  await cancel.click();
  const said = app.page.getByRole("status").filter({ hasText: /\d+ files cancelled/ });
  await said.waitFor({ timeout: 30_000 });
  const [added, cancelled] = ["run", "file"].map((what) => said.innerText().then((text) => Number(text.match(new RegExp(`(\\d+) ${what}`))?.[1] ?? 0)));
  assert.equal((await added) + (await cancelled), 400);
  assert.equal(await cancel.count(), 0);
  await dropFolder(app, path);
  await app.page.getByText("400 runs from 400 files").waitFor({ timeout: 60_000 });
});
