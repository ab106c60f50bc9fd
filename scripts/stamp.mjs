// Prints one mark for what the app is built from: it changes when one of these files or an argument does.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const SOURCES = ["Cargo.lock", "Cargo.toml", "Trunk.toml", "index.html", "package-lock.json", "public", "scripts", "src", "style", "tools.env"];
const mark = createHash("sha256").update(process.argv.slice(2).join("\n"));

function add(path) {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
  else mark.update(`\n${path}\n`).update(readFileSync(path));
}

SOURCES.forEach(add);
console.log(mark.digest("hex"));
