// One server and one browser for a test file; every page opened here fails its test on a console error, a
// page error, a breach of the content policy, or a request that a private page has no business to make.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { launchOptions } from "../../scripts/chromium.mjs";
import { serve } from "../../scripts/static.mjs";
import { App } from "./pages/app.mjs";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

/** What a page may ask its own host for once it has started: parts of the build, never data. */
const ASSET = /\.(css|js|json|jsonl|csv|svg|png|txt|wasm|webmanifest|woff2)$/;

let server;
let running;

before(async () => {
  server = await serve(DIST);
  running = await chromium.launch(launchOptions());
});

after(async () => {
  await running?.close();
  await server?.close();
});

/** The browser, for pages that are not the app’s. */
export const browser = () => running;

/** The address of the served app. */
export const home = () => server.url;

/**
 * Opens the app in a browser profile of its own and returns its page object. When test `t` ends, the profile
 * is closed and whatever went wrong in it fails the test.
 *
 * `path` is added to the address (`"#v1/curves"`), `route` prepares the page before it loads, `started: false`
 * does not wait for the app; the rest goes to Playwright (`viewport`, `colorScheme`, `reducedMotion`, …).
 */
export async function open(t, { path = "", route, started = true, ...options } = {}) {
  const context = await running.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const troubles = watch(context);
  const page = await context.newPage();
  await page.exposeBinding("__harness_breach", (_, breach) => troubles.push(`content policy: ${breach}`));
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => globalThis.__harness_breach(`${event.effectiveDirective} ${event.blockedURI}`));
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(troubles, [], "the page stayed quiet and private");
  });
  await route?.(page);
  await page.goto(new URL(path, home()).href, { waitUntil: started ? "load" : "commit" });
  const app = new App(page);
  if (started) await app.started();
  return app;
}

function watch(context) {
  const troubles = [];
  context.on("console", (message) => {
    if (message.type() === "error") troubles.push(`console: ${message.text()}`);
  });
  context.on("weberror", (error) => troubles.push(`error: ${error.error().stack ?? error.error()}`));
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol === "blob:" || url.protocol === "data:") return;
    const own = url.origin === new URL(home()).origin;
    const harmless =
      request.method() === "GET" && (request.isNavigationRequest() || ASSET.test(url.pathname)) && /^(\?v=[0-9a-f]+)?$/.test(url.search);
    if (!own || !harmless) troubles.push(`request: ${request.method()} ${request.url()}`);
  });
  return troubles;
}

/**
 * Drops files on `target` (a locator) by real drag events. A file is a path, or `{ name, text }`, or
 * `{ name, bytes }`. The files pass through an input, so that one of 100 MB is a handle here as it is to a user.
 */
export async function dropFiles(app, files, target = app.page.locator("body")) {
  const { page } = app;
  const input = await page.evaluateHandle(() => Object.assign(document.createElement("input"), { type: "file", multiple: true }));
  await input.setInputFiles(
    files.map((file) =>
      typeof file === "string"
        ? file
        : { name: file.name, mimeType: file.type ?? "application/octet-stream", buffer: Buffer.from(file.bytes ?? file.text) },
    ),
  );
  const transfer = await input.evaluateHandle((element) => {
    const made = new DataTransfer();
    for (const file of element.files) made.items.add(file);
    return made;
  });
  for (const type of ["dragenter", "dragover", "drop"]) {
    await target.evaluate(
      (element, { type, dataTransfer }) => element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer })),
      { type, dataTransfer: transfer },
    );
  }
  await transfer.dispose();
  await input.dispose();
}

/** Drops a folder by the browser's own drag, so that the page gets a directory entry as from a file manager. */
export async function dropFolder(app, path) {
  const session = await app.page.context().newCDPSession(app.page);
  const { width, height } = app.page.viewportSize();
  const at = { x: width / 2, y: height / 2, data: { items: [], files: [path], dragOperationsMask: 1 } };
  for (const type of ["dragEnter", "dragOver", "drop"]) await session.send("Input.dispatchDragEvent", { type, ...at });
  await session.detach();
}

/** Fails with a readable list when axe finds something an assistive technology would trip over. */
export async function accessible(app, { within } = {}) {
  await app.page.evaluate(axe.source);
  const found = await app.page.evaluate(
    (scope) => globalThis.axe.run(scope ?? document, { resultTypes: ["violations"] }).then(({ violations }) => violations),
    within ?? null,
  );
  const list = found.map(({ id, impact, help, nodes }) => `${id} (${impact}): ${help}\n    ${nodes.map((node) => node.html).join("\n    ")}`);
  assert.deepEqual(list, [], "axe finds nothing");
}

/** Keeps the page's workers, so that a test can end one as a trap in its Wasm would. */
export const keepWorkers = (page) =>
  page.addInitScript(() => {
    globalThis.kept = [];
    globalThis.Worker = class extends Worker {
      constructor(...of) {
        super(...of);
        globalThis.kept.push(this);
      }
      terminate() {
        globalThis.kept = globalThis.kept.filter((worker) => worker !== this);
        super.terminate();
      }
    };
  });

/** Ends the engine, the first of the kept workers, as a trap in its Wasm would, and waits for the next one. */
export async function endEngine(app) {
  await app.page.evaluate(() => globalThis.kept[0].onerror(new ErrorEvent("error", { message: "memory", cancelable: true })));
  await app.page.getByRole("status").filter({ hasText: "read once more" }).waitFor();
}
