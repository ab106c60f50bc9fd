// Files of every kind dropped together: the good ones are there, each bad one says what it is and what to do.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const VLLM = at("tests/fixtures/vllm-bench/0.33-chat-speculative.json");

test("bad files are refused by name and the good one is there", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sameruler-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const whole = await readFile(VLLM, "utf8");
  const made = {
    "cut.json": whole.slice(0, 20_000),
    "empty.json": "",
    "picture.json": await readFile(at("tests/fixtures/foreign/chart.png")),
    "package-lock.json": '{"name":"x","lockfileVersion":3,"requires":true,"packages":{}}',
    "other.csv": "user,score\na,1\n",
    "good.json": whole,
    "zeros.json": "",
  };
  for (const [name, content] of Object.entries(made)) await writeFile(join(folder, name), content);
  await truncate(join(folder, "zeros.json"), 200_000_000);
  const app = await open(t);
  await dropFiles(app, Object.keys(made).map((name) => join(folder, name)), app.drop);
  const tray = app.page.getByRole("region", { name: /Not read/ });
  await tray.waitFor();
  await app.eventually(async () => assert.equal(await tray.getByRole("listitem").count(), 6));
  const said = (await tray.innerText()).replace(/\s+/g, " ");
  for (const words of [/cut\.json.*The file is cut/, /empty\.json.*The file is empty/, /picture\.json.*PNG image/, /package-lock\.json.*package lock of npm/, /other\.csv.*“user”, “score”/, /zeros\.json.*zero bytes/]) {
    assert.match(said, words);
  }
  await app.page.getByRole("checkbox", { name: /^Select vLLM/ }).waitFor();
});

test("a large file is read off the page's thread and can be cancelled", async (t) => {
  const app = await open(t);
  const request = (n) => `[${Array.from({ length: 400 }, (_, i) => 0.02 + ((n * 31 + i) % 97) / 1e5).join(",")}]`;
  const n = 8_000;
  const lens = (value) => `[${Array(n).fill(value).join(",")}]`;
  const text = `{"backend":"vllm","model_id":"made/large","num_prompts":${n},"request_rate":"inf","duration":100.5,"completed":${n},"total_input_tokens":${n * 10},"total_output_tokens":${n * 401},"request_throughput":1,"output_throughput":1,"total_token_throughput":1,"input_lens":${lens(10)},"output_lens":${lens(401)},"ttfts":${lens(0.1)},"itls":[${Array.from({ length: n }, (_, i) => request(i)).join(",")}],"errors":${lens('""')}}`;
  assert.ok(text.length > 20e6, `${text.length} bytes`);
  // The page answers while the worker reads: frames are drawn between the drop and the cancel.
  await app.page.evaluate(() => {
    globalThis.frames = 0;
    const tick = () => {
      globalThis.frames += 1;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await dropFiles(app, [{ name: "large.json", text }], app.drop);
  const cancel = app.page.getByRole("button", { name: /Cancel/ });
  await cancel.waitFor();
  await cancel.click();
  await app.eventually(async () => assert.equal(await cancel.count(), 0));
  assert.ok((await app.page.evaluate(() => globalThis.frames)) > 2, "frames were drawn meanwhile");
  assert.equal(await app.table.count(), 0, "nothing was added");
  await dropFiles(app, [{ name: "large.json", text }]);
  await app.compareOne({ timeout: 60_000 });
});

test("what was loaded stays when the same file is dropped again", async (t) => {
  const app = await open(t);
  await dropFiles(app, [VLLM], app.drop);
  await app.compareOne();
  await dropFiles(app, [VLLM]);
  await app.page.getByRole("status").filter({ hasText: /already loaded/i }).waitFor();
});
