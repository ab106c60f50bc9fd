// Tables of any other make: somebody says what the columns are, and the file is read as was said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { accessible, dropFiles, endEngine, keepWorkers, open } from "./harness.mjs";

const TABLE = "first token;total;n_out\n50;250;5\n60;300;5\n";
const LOG = { name: "log.csv", text: TABLE };

/** A tar archive of small text files. */
function tar(files) {
  const blocks = files.flatMap(({ name, text }) => {
    const head = Buffer.alloc(512);
    head.write(name);
    head.write("0000644\0", 100);
    head.write(`${text.length.toString(8).padStart(11, "0")}\0`, 124);
    // The checksum counts itself as blanks.
    head.write("        0", 148);
    head.write("ustar\u000000", 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
    body.write(text);
    return [head, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** The dialog, opened from the card of `file`. */
async function ask(app, file) {
  await app.page.getByRole("button", { name: `Say what the columns of ${file} are` }).click();
  const dialog = app.page.getByRole("dialog", { name: "What the columns are" });
  await dialog.waitFor();
  return dialog;
}

/** Says that the times are milliseconds and `n_out` the output tokens. */
async function say(dialog, unit = "ms") {
  await dialog.getByLabel("Unit of “first token”").selectOption(unit);
  await dialog.getByLabel("Unit of “total”").selectOption(unit);
  await dialog.getByLabel("What “n_out” is").selectOption("Output tokens");
}

const focus = (page) => page.evaluate(() => document.activeElement.getAttribute("aria-label") || document.activeElement.innerText || document.activeElement.id);

test("columns that somebody names are read, and their numbers are right", async (t) => {
  const app = await open(t);
  await dropFiles(app, [LOG], app.drop);
  const dialog = await ask(app, "log.csv");
  // The guesses stand there; a unit does not, whatever the size of the numbers.
  assert.equal(await dialog.getByLabel("What “first token” is").inputValue(), "ttft");
  assert.equal(await dialog.getByLabel("What “n_out” is").inputValue(), "unused");
  assert.equal(await dialog.getByLabel("Unit of “total”").inputValue(), "");
  await dialog.getByText("Sure: a usual name").first().waitFor();
  const status = dialog.getByRole("status");
  assert.match(await status.innerText(), /a unit for “first token”; a unit for “total”/);
  await accessible(app);
  // Pressed too early, the button leads to what is needed.
  await dialog.getByRole("button", { name: "Apply" }).press("Enter");
  assert.equal(await focus(app.page), "Unit of “first token”");
  await say(dialog);
  assert.match(await status.innerText(), /All that is needed is there/);
  await accessible(app);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "hidden" });
  await app.page.getByRole("checkbox", { name: "Select CSV", exact: true }).waitFor();
  await app.eventually(async () => assert.equal(await app.page.getByText("Not read").count(), 0));
  await app.eventually(async () => assert.notEqual(await focus(app.page), ""));
  await app.go("Compare");
  await app.table.waitFor();
  assert.deepEqual(await app.values("TTFT"), ["≈ 55.0"]);
  // (250 − 50) / 4 and (300 − 60) / 4 milliseconds.
  assert.deepEqual(await app.values("TPOT"), ["≈ 55.0"]);
});

test("the dialog works by keys alone, and Esc gives the focus back", async (t) => {
  const app = await open(t);
  const { keyboard } = app.page;
  await dropFiles(app, [LOG], app.drop);
  const button = app.page.getByRole("button", { name: "Say what the columns of log.csv are" });
  await button.focus();
  await keyboard.press("Enter");
  const dialog = app.page.getByRole("dialog", { name: "What the columns are" });
  await dialog.waitFor();
  assert.equal(await focus(app.page), "What “first token” is");
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.match(await focus(app.page), /Say what the columns/);

  await keyboard.press("Enter");
  await dialog.waitFor();
  const to = async (label) => {
    for (let i = 0; i < 12 && (await focus(app.page)) !== label; i += 1) await keyboard.press("Tab");
    assert.equal(await focus(app.page), label);
  };
  for (const label of ["Unit of “first token”", "Unit of “total”"]) {
    await to(label);
    await keyboard.type("ms");
  }
  await to("What “n_out” is");
  await keyboard.type("Output tokens");
  assert.match(await dialog.getByRole("status").innerText(), /All that is needed/);
  await to("Apply");
  await keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await app.page.getByRole("checkbox", { name: "Select CSV", exact: true }).waitFor();
});

test("a table that is refused again says why in the dialog", async (t) => {
  const app = await open(t);
  // The fault lies behind the rows that are shown.
  await dropFiles(app, [{ name: "log.csv", text: `${TABLE}${TABLE}60;1,5;5\n` }], app.drop);
  const dialog = await ask(app, "log.csv");
  await say(dialog);
  await dialog.getByRole("button", { name: "Apply" }).click();
  const alert = dialog.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /“1,5” has a comma inside a number[^]*decimal point/);
  assert.equal(await dialog.getByLabel("Unit of “total”").inputValue(), "ms", "what was said stays");
  await accessible(app);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await app.page.getByRole("button", { name: /Say what the columns of log.csv/ }).waitFor();
});

test("files with the same columns are read together, also inside an archive", async (t) => {
  const app = await open(t);
  const other = TABLE.replace("50;250", "51;251");
  await dropFiles(app, [LOG, { name: "second.csv", text: other }, { name: "third.csv.gz", bytes: gzipSync(TABLE.replace("50;250", "52;252")) }, { name: "fourth.csv", text: "a;b\n1;2\n" }], app.drop);
  await app.page.getByText("4 files", { exact: true }).waitFor();
  const dialog = await ask(app, "log.csv");
  await say(dialog);
  await dialog.getByRole("button", { name: "Apply to all 3 files with these columns" }).click();
  await dialog.waitFor({ state: "hidden" });
  await app.eventually(async () => assert.equal(await app.page.getByRole("checkbox", { name: "Select CSV", exact: true }).count(), 3));
  assert.equal(await app.page.getByRole("button", { name: /^Say what the columns of/ }).count(), 1, "the other table still waits");
});

test("what was said of two tables in one archive outlives the engine", async (t) => {
  const app = await open(t, { route: keepWorkers });
  const loads = "crowd;p99 start;speed\n1;50;30\n4;60;90\n";
  await dropFiles(app, [{ name: "box.tar", bytes: tar([LOG, { name: "loads.csv", text: loads }]) }], app.drop);
  const first = await ask(app, "box.tar/log.csv");
  await say(first);
  await first.getByRole("button", { name: "Apply" }).click();
  await first.waitFor({ state: "hidden" });
  await app.page.getByText(/1 run from 1 file/).waitFor();
  const second = await ask(app, "box.tar/loads.csv");
  await second.getByLabel("What “crowd” is").selectOption("Concurrency");
  await second.getByLabel("What “p99 start” is").selectOption("TTFT");
  await second.getByLabel("Unit of “p99 start”").selectOption("ms");
  await second.getByLabel("What “speed” is").selectOption("Output throughput (tok/s)");
  await second.getByRole("button", { name: "Apply" }).click();
  await second.waitFor({ state: "hidden" });
  const whole = async () => {
    await app.page.getByText(/3 runs from/).waitFor();
    await app.eventually(async () => assert.equal(await app.page.getByRole("heading", { name: "Not read" }).count(), 0));
  };
  await whole();
  await endEngine(app);
  await whole();
});
