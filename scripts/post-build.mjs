// Trunk's post-build hook: makes the staged page obey its own content policy and gives the build a name.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const staging = process.env.TRUNK_STAGING_DIR;
if (!staging) {
  console.error("post-build.mjs is run by Trunk; use `make build`.");
  process.exit(1);
}

const at = (name) => join(staging, name);
const short = (...parts) => parts.reduce((h, part) => h.update(part), createHash("sha256")).digest("hex").slice(0, 16);

// The build is named by what differs between builds but has no hash in its file name: the workers.
const WORKERS = ["importer", "engine"];
const build = short(...WORKERS.flatMap((name) => [readFileSync(at(`${name}.js`)), readFileSync(at(`${name}_bg.wasm`))]));

let page = readFileSync(at("index.html"), "utf8");
const inline = [...page.matchAll(/<script\b(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
if (inline.length !== 1) {
  console.error(`Expected one inline script from Trunk, found ${inline.length}: has its template changed?`);
  process.exit(1);
}
const [tag, source] = inline[0];
const start = `start-${short(source)}.js`;
writeFileSync(at(start), source.trim() + "\n");
page = page.replace(tag, () => `<script type="module" src="./${start}"></script>`);

// Comments and indents are for who reads the source: a fourteenth of the styles' gzip. The page vouches for the
// bytes of each style.
const vouched = (text) => `sha384-${createHash("sha384").update(text).digest("base64")}`;
for (const name of readdirSync(staging).filter((name) => name.endsWith(".css"))) {
  const style = readFileSync(at(name), "utf8");
  const lean = style.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\n\s*/g, "\n").trimStart();
  if (!page.includes(vouched(style))) {
    console.error(`index.html does not vouch for ${name} by its SHA-384: has Trunk's template changed?`);
    process.exit(1);
  }
  page = page.replace(vouched(style), () => vouched(lean));
  writeFileSync(at(name), lean);
}

writeFileSync(at("index.html"), stamp(page, "index.html"));
writeFileSync(at("worker-start.js"), stamp(readFileSync(at("worker-start.js"), "utf8"), "worker-start.js"));

function stamp(text, name) {
  if (!text.includes("__BUILD__")) {
    console.error(`${name} has no place for the build's name.`);
    process.exit(1);
  }
  return text.replaceAll("__BUILD__", build);
}
