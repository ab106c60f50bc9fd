// The pipeline itself: the page paints before the Wasm, keeps early files, starts, and reaches its worker.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, dropFiles, home, open } from "./harness.mjs";

test("the first paint needs no Wasm and keeps what is dropped on it", async (t) => {
  const release = deferred();
  t.after(() => release.resolve());
  const app = await open(t, {
    started: false,
    route: (page) => page.route("**/*_bg.wasm*", async (route) => release.promise.then(() => route.continue()).catch(() => {})),
  });
  await app.headline.waitFor();
  await accessible(app);
  await dropFiles(app, [{ name: "a.json", text: "{}" }, { name: "b.csv", text: "x" }], app.drop);
  assert.equal(await app.page.getByRole("status").textContent(), "2 items are waiting for the page to start.");
  assert.equal(app.page.url(), home());
  const names = await app.page.evaluate(() => window.__sameruler_queue.map((item) => item.name));
  assert.deepEqual(names, ["a.json", "b.csv"]);
  release.resolve();
  await app.started();
});

test("the app starts without a word in the console", async (t) => {
  const app = await open(t);
  const mark = await app.page.evaluate(() => performance.getEntriesByName("sameruler-interactive").length);
  assert.equal(mark, 1);
});

for (const name of ["engine", "importer"]) test(`the ${name} worker starts under the content policy and knows its build`, async (t) => {
  const app = await open(t);
  const { first, build } = await app.page.evaluate(async (name) => {
    const build = document.querySelector("meta[name=build]").content;
    const worker = new Worker(`worker-start.js?v=${build}`, { name });
    const first = await new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve([...event.data[0]]);
      worker.onerror = (event) => reject(new Error(event.message));
    });
    worker.terminate();
    return { first, build };
  }, name);
  assert.equal(first[0], 0, "the first kind of message: ready");
  assert.ok(String.fromCharCode(...first).endsWith(build), "it names the build");
  assert.match(build, /^[0-9a-f]{16}$/);
  const script = await (await fetch(new URL("worker-start.js", home()))).text();
  assert.ok(script.includes(`"${build}"`), "the worker script carries the page's build");
});

test("the host forbids framing and inline scripts", async () => {
  const answer = await fetch(home());
  const policy = answer.headers.get("content-security-policy");
  assert.match(policy, /frame-ancestors 'none'/);
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /script-src[^;]*'unsafe-inline'/);
  assert.doesNotMatch(await answer.text(), /<script(?![^>]*\bsrc=)/);
});

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}
