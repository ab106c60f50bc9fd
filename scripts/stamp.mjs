// Prints one mark for the state of the sources: it changes when any file of the tree or an argument does.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const BUILT = new Set([".git", "target", "dist", "node_modules"]);
const mark = createHash("sha256").update(process.argv.slice(2).join("\n"));

function add(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (folder === "." && BUILT.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) add(path);
    else if (entry.isFile()) mark.update(`\n${path}\n`).update(readFileSync(path));
  }
}

add(".");
console.log(mark.digest("hex"));
