// Runs tests/web.rs in the browser the end-to-end tests use, so that no driver of a matching version is
// needed: wasm-bindgen-test-runner serves its page, this script opens it and reads what it says.
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { chromium } from "playwright-core";
import { launchOptions } from "./chromium.mjs";

const PATIENCE_MS = 180_000;

/** Compiles the test, without the page's components that it does not touch, and returns the path of its module. */
function compile() {
  const args = ["test", "--locked", "--target", "wasm32-unknown-unknown", "--no-default-features", "--test", "web", "--no-run", "--message-format=json-render-diagnostics"];
  const cargo = spawnSync("cargo", args, { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 1 << 28 });
  if (cargo.status !== 0) process.exit(1);
  const built = cargo.stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  return built.find((message) => message.executable && message.target?.name === "web").executable;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function untilServed(url, runner) {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    if (runner.exitCode !== null) throw new Error(`wasm-bindgen-test-runner ended with ${runner.exitCode}`);
    if (await fetch(url).then((answer) => answer.ok, () => false)) return;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error("wasm-bindgen-test-runner served nothing");
}

const address = `127.0.0.1:${await freePort()}`;
const runner = spawn("wasm-bindgen-test-runner", [compile()], {
  env: { ...process.env, NO_HEADLESS: "1", WASM_BINDGEN_TEST_ADDRESS: address },
  stdio: ["ignore", "ignore", "inherit"],
});
const browser = await chromium.launch(launchOptions());
let report = "";
try {
  await untilServed(`http://${address}/`, runner);
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error.message));
  await page.goto(`http://${address}/`);
  const output = page.locator("#output");
  try {
    await page.waitForFunction(() => /test result: |no tests to run/.test(document.getElementById("output")?.textContent ?? ""), null, { timeout: PATIENCE_MS });
  } finally {
    report = await output.textContent();
    console.log(report);
  }
} finally {
  await browser.close();
  runner.kill();
}
process.exitCode = /test result: ok/.test(report) ? 0 : 1;
