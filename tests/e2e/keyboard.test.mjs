// The whole way without a mouse: the focus is always somewhere that can be seen, and no edit takes it away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./harness.mjs";

/** What has the focus, in words; "nothing" when the page has lost it. */
const focus = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return "nothing";
    return element.id || element.getAttribute("aria-label") || element.innerText || element.tagName;
  });

/** Waits until the focus is on something whose words match. */
const focused = (app, words) => app.eventually(async () => assert.match(await focus(app.page), words), { timeout: 5_000 });

/** Waits until every number is there under the last decision: a table that is drawn anew takes no keys meanwhile. */
const settled = (app) => app.page.locator('.compare[aria-busy="false"]').waitFor();

/** Goes on by Tab until the focus is on something whose words match. */
async function tabTo(app, words) {
  for (let i = 0; i < 80; i += 1) {
    await app.page.keyboard.press("Tab");
    if (words.test(await focus(app.page))) return;
  }
  assert.fail(`Tab never reaches ${words}`);
}

test("from the first page to a saved report without a mouse", async (t) => {
  const app = await open(t);
  const { keyboard } = app.page;
  await tabTo(app, /How to check/);
  await keyboard.press("Enter");
  await app.page.getByRole("dialog").waitFor();
  await keyboard.press("Escape");
  await focused(app, /How to check/);

  await tabTo(app, /Open the sample runs/);
  await keyboard.press("Enter");
  await app.table.waitFor();
  await focused(app, /^main$/);

  await settled(app);
  // The grid is one stop, and stays one when its rows and columns are drawn anew.
  await tabTo(app, /^cell-0-0$/);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "b"]) await keyboard.press(key);
  await app.page.getByRole("columnheader", { name: /baseline.*SGLang/ }).waitFor();
  await settled(app);
  await focused(app, /^cell-2-2$/);
  await keyboard.press("Enter");
  await app.page.getByRole("dialog").waitFor();
  await keyboard.press("Escape");
  await focused(app, /^cell-2-2$/);
  await keyboard.press("x");
  await app.page.locator("#cell-0-2").filter({ hasText: "vLLM" }).waitFor({ state: "detached" });
  await focused(app, /^cell-/);
  await keyboard.press("Control+z");
  await app.page.locator("#cell-0-2").filter({ hasText: "vLLM" }).waitFor();
  await settled(app);
  await focused(app, /^cell-/);

  await keyboard.press("d");
  await focused(app, /^sheet-title$/);
  await tabTo(app, /^SGLang$/);
  await keyboard.press("Enter");
  await app.page.getByRole("status").filter({ hasText: /Definitions are now SGLang/ }).waitFor();
  await settled(app);
  await focused(app, /^SGLang$/);
  await keyboard.press("Escape");
  await settled(app);
  await focused(app, /^cell-/);

  await keyboard.press("g");
  await keyboard.press("l");
  await focused(app, /^main$/);
  await tabTo(app, /^Select vLLM$/);
  await keyboard.press("F2");
  await focused(app, /^New name$/);
  await keyboard.type("<img src=x onerror=alert(1)>");
  await keyboard.press("Enter");
  await focused(app, /^Select <img src=x onerror=alert\(1\)>$/);
  await keyboard.press("Delete");
  await focused(app, /^Select SGLang$/);
  await keyboard.press("Control+z");
  await app.page.getByRole("checkbox", { name: "Select <img src=x onerror=alert(1)>" }).waitFor();

  await keyboard.press("g");
  await keyboard.press("p");
  await focused(app, /^main$/);
  const download = app.page.waitForEvent("download");
  await keyboard.press("Control+s");
  assert.match((await download).suggestedFilename(), /\.html$/);
  await keyboard.press("?");
  await focused(app, /^Close$/);
  await keyboard.press("Escape");
  await focused(app, /^main$/);
});

test("a button that its own press disables or hides hands the focus on", async (t) => {
  const app = await open(t);
  const { keyboard } = app.page;
  await app.openSamples();
  await app.page.getByRole("button", { name: /^Limits/ }).focus();
  await keyboard.press("Enter");
  await focused(app, /^sheet-title$/);
  await tabTo(app, /Take all limits away/);
  await keyboard.press("Enter");
  // The sheet's first control: the limits to start from.
  await focused(app, /^Chat/);
  await keyboard.press("Escape");
  await focused(app, /Limits/);
  await app.page.getByRole("button", { name: "Undo", exact: true }).first().focus();
  await keyboard.press("Enter");
  await app.eventually(async () => assert.notEqual(await focus(app.page), "nothing"));
});
