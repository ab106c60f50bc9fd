// Finds the browser for the tests: $CHROMIUM, else a Chromium or Chrome of this machine.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC = ["/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

const runs = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The path of a browser, or null. */
export function findChromium() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const named = process.env.CHROMIUM ? [process.env.CHROMIUM] : [];
  return [...named, ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...MAC].find(runs) ?? null;
}

/** How the tests start it: no sandbox for root (Chromium refuses otherwise), nothing that talks to the network by itself. */
export function launchOptions() {
  const root = process.getuid?.() === 0;
  return {
    executablePath: findChromium(),
    args: [...(root ? ["--no-sandbox"] : []), "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = findChromium();
  if (path) console.log(path);
  else process.exit(1);
}
