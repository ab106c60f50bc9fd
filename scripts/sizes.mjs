// Prints what the built app weighs and how soon it is interactive, against the budgets; fails beyond one.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { findChromium, launchOptions } from "./chromium.mjs";
import { serve } from "./static.mjs";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const KB = 1000;
const RUNS = 7;

/** Each part of the build: which files, and the most it may weigh. The glue of a module counts with it. */
const PARTS = [
  { name: "page, style, scripts", of: (file) => /\.(html|css|js|svg|webmanifest)$/.test(file) && !GLUE.test(file), gzip: 36 * KB },
  { name: "app Wasm and glue", of: (file) => /^app-/.test(file), gzip: 1390 * KB, brotli: 1000 * KB },
  { name: "engine Wasm and glue", of: (file) => /^engine(_bg)?\.(js|wasm)$/.test(file), gzip: 1230 * KB, brotli: 940 * KB },
  { name: "importer Wasm and glue", of: (file) => /^importer(_bg)?\.(js|wasm)$/.test(file), gzip: 620 * KB, brotli: 490 * KB },
  { name: "sample runs", of: (file) => /^samples\//.test(file), gzip: 150 * KB },
];
const GLUE = /^(app-|(engine|importer)\.js|samples\/)/;

/** Navigation to the first paint and to the mounted app, cold cache, on this machine. */
const TIMES = [
  { name: "first paint", of: () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime, ms: 800 },
  { name: "interactive", of: () => performance.getEntriesByName("sameruler-interactive")[0]?.startTime, ms: 2000 },
];

function files(folder = "") {
  return readdirSync(join(DIST, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    return entry.isDirectory() ? files(`${path}/`) : [path];
  });
}

function weigh(path) {
  const bytes = readFileSync(join(DIST, path));
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  return { path, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotli.length };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const kb = (bytes) => `${(bytes / KB).toFixed(1)}`.padStart(9);
let over = 0;

function verdict(pairs) {
  const limits = pairs.filter(([, , most]) => most);
  const broken = limits.filter(([, is, most]) => is > most);
  over += broken.length;
  return limits.map(([unit, , most]) => `${unit} ≤ ${most >= KB && unit !== "ms" ? `${most / KB} kB` : most}`).join(", ") + (broken.length ? "  OVER BUDGET" : "");
}

if (!statSync(DIST, { throwIfNoEntry: false })) {
  console.error("There is no dist/ yet.\nBuild it: make build");
  process.exit(1);
}

const weights = files().map(weigh);
console.log(`${"kB".padEnd(34)}${"raw".padStart(9)}${"gzip".padStart(9)}${"brotli".padStart(9)}  budget`);
for (const part of PARTS) {
  const own = weights.filter(({ path }) => part.of(path));
  if (!own.length) continue;
  const sum = (key) => own.reduce((total, file) => total + file[key], 0);
  console.log(`${part.name.padEnd(34)}${kb(sum("raw"))}${kb(sum("gzip"))}${kb(sum("brotli"))}  ${verdict([["gzip", sum("gzip"), part.gzip], ["brotli", sum("brotli"), part.brotli]])}`);
  for (const file of own.sort((a, b) => b.raw - a.raw)) {
    console.log(`  ${file.path.padEnd(32)}${kb(file.raw)}${kb(file.gzip)}${kb(file.brotli)}`);
  }
}
const all = (key) => kb(weights.reduce((total, file) => total + file[key], 0));
console.log(`${"the whole".padEnd(34)}${all("raw")}${all("gzip")}${all("brotli")}`);
const rest = weights.filter(({ path }) => !PARTS.some((part) => part.of(path)));
if (rest.length) console.log(`without a budget: ${rest.map(({ path, raw }) => `${path} ${(raw / KB).toFixed(1)} kB`).join(", ")}`);

if (findChromium()) await clock();
else console.log("Start times were not measured: no Chromium or Chrome was found (make test installs one).");

async function clock() {
  const { chromium } = await import("playwright-core");
  const server = await serve(DIST);
  const browser = await chromium.launch(launchOptions());
  const seen = TIMES.map(() => []);
  for (let run = 0; run < RUNS; run++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(server.url);
    await page.locator("html[data-app=ready]").waitFor({ state: "attached" });
    await page.waitForFunction(TIMES[0].of);
    for (const [at, time] of TIMES.entries()) seen[at].push(await page.evaluate(time.of));
    await context.close();
  }
  await browser.close();
  await server.close();
  console.log(`\n${`ms after navigation, ${RUNS} cold starts`.padEnd(43)}${"median".padStart(9)}${"worst".padStart(9)}  budget`);
  for (const [at, time] of TIMES.entries()) {
    const middle = median(seen[at]);
    console.log(`${time.name.padEnd(43)}${middle.toFixed(0).padStart(9)}${Math.max(...seen[at]).toFixed(0).padStart(9)}  ${verdict([["ms", middle, time.ms]])}`);
  }
}

if (over) console.log(`\n${over} over budget`);
process.exitCode = over ? 1 : 0;
