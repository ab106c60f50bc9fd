// Pictures of every screen for docs/screenshots: light and dark, 1280 and 390 px, from the built-in samples.
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "../../scripts/chromium.mjs";
import { serve } from "../../scripts/static.mjs";
import { App } from "./pages/app.mjs";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const OUT = process.argv[2] ?? fileURLToPath(new URL("../../docs/screenshots", import.meta.url));
const SIZES = [
  { width: 1280, height: 860 },
  { width: 390, height: 844 },
];

/** Each screen: how to get there from the samples, which open on Compare. */
const SCREENS = {
  first: null,
  compare: async () => {},
  definitions: async (app) => app.openDefinitions(),
  library: async (app) => app.go("Library"),
  run: async (app) => {
    await app.go("Library");
    await app.openRun("vLLM");
  },
  curves: async (app) => app.openSweep(),
  goodput: async (app) => {
    await app.openSweep();
    await app.go("Goodput");
    await app.page.getByRole("heading", { name: /^Looser limits/ }).waitFor();
  },
  distributions: async (app) => {
    await app.go("Distributions");
    await app.page.getByRole("heading", { name: /^Mean TTFT by input length/ }).waitFor();
  },
  requests: async (app) => {
    await app.go("Requests");
    await app.page.getByRole("figure").first().waitFor();
    await app.page.getByRole("button", { name: "Next request" }).click();
    await app.page.getByRole("region", { name: /^Request \d/ }).waitFor();
  },
  explain: async (app) => {
    await app.page.getByRole("region", { name: "The most important disagreement" }).getByRole("button", { name: "Explain" }).click();
    await app.page.getByRole("radio", { name: "Same rows, two definitions" }).check({ force: true });
    await app.page.getByText("Left over 0.00 ms", { exact: true }).waitFor();
  },
  server: async (app) => {
    await app.go("Server metrics");
    await app.page.getByRole("heading", { name: "What the buckets can and cannot say" }).waitFor();
  },
  quality: async (app) => {
    await app.go("Quality");
    await app.page.getByRole("list", { name: "Findings", exact: true }).waitFor();
  },
  report: async (app) => app.go("Report"),
};

const server = await serve(DIST);
const browser = await chromium.launch(launchOptions());
await mkdir(OUT, { recursive: true });
for (const colorScheme of ["light", "dark"]) {
  for (const viewport of SIZES) {
    for (const [name, reach] of Object.entries(SCREENS)) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
      const page = await context.newPage();
      const app = new App(page);
      await page.goto(server.url);
      await app.started();
      try {
        if (reach) {
          await app.openSamples();
          await reach(app);
        }
        const toast = page.getByRole("button", { name: "Dismiss message" });
        while (await toast.count()) await toast.first().click();
        await page.mouse.move(0, 0);
        await page.waitForTimeout(300);
      } catch (error) {
        console.error(`${name} ${colorScheme} ${viewport.width}: ${error.message.split("\n")[0]}`);
        process.exitCode = 1;
      }
      await page.screenshot({ path: `${OUT}/${name}-${colorScheme}-${viewport.width}.png` });
      await context.close();
    }
  }
}
await browser.close();
await server.close();
