// Quality: what the checks found, what can be done about it, and that a decision changes the numbers elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, dropFiles, open } from "./harness.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Six of its replies hold no token, and the client wrote them as successes with TTFT 0. */
const EMPTIES = at("tests/fixtures/sglang-bench/0.5.23-native-failures.jsonl");
const OTHER = at("tests/fixtures/vllm-bench/0.33-chat-failures.json");

/** The findings that are listed. */
const findings = (app) => app.page.getByRole("list", { name: "Findings", exact: true });

/** A finding by its name. */
const finding = (app, name) => findings(app).locator("> li").filter({ has: app.page.getByRole("button", { name, exact: true }) });

/** What has the focus, by its words. */
const focus = (app) => app.page.evaluate(() => document.activeElement?.innerText ?? "");

/** Opens both files and goes to Quality by its keys. */
async function opened(t, options = {}) {
  const app = await open(t, options);
  await dropFiles(app, [EMPTIES, OTHER]);
  await app.go("Compare");
  await app.table.waitFor();
  return app;
}

async function quality(app) {
  await app.page.keyboard.press("g");
  await app.page.keyboard.press("q");
  await findings(app).waitFor();
}

test("requests that are left out change the comparison, undo brings them back, a link restores it", async (t) => {
  const app = await opened(t);
  // The common ruler leaves empty replies out anyway; SGLang's own counts them as successes.
  await app.page.getByText("Each in its own words").click();
  await app.page.getByText(/mixed definitions/i).first().waitFor();
  const before = await app.values("TTFT");
  await app.page.getByText(/is not compared: missing written as zero/).waitFor();
  await quality(app);
  const row = finding(app, "Missing written as zero").first();
  assert.match(await row.innerText(), /6\s+of 80/);
  assert.match(await row.innerText(), /TTFT mean[^]*81\.8[^]*88\.9/);
  await row.getByRole("button", { name: /^Exclude 6 rows: Missing written as zero, SGLang/ }).click();
  await app.page.getByRole("status").filter({ hasText: /6 requests of SGLang.* left out/ }).waitFor();
  await row.getByText("6 left out").waitFor();
  await app.page.getByRole("button", { name: /Left out\s*6 requests/ }).waitFor();
  const link = new URL(app.page.url()).hash;
  assert.match(link, /without=[0-9a-f]{12}\.missing-as-zero/);

  await app.go("Compare");
  await app.eventually(async () => assert.notDeepEqual(await app.values("TTFT"), before));
  const after = await app.values("TTFT");
  await app.page.keyboard.press("Control+z");
  await app.eventually(async () => assert.deepEqual(await app.values("TTFT"), before));

  const other = await open(t, { path: link.replace("quality", "compare") });
  await dropFiles(other, [OTHER, EMPTIES]);
  await other.table.waitFor();
  await other.eventually(async () => assert.deepEqual((await other.values("TTFT")).sort(), after.sort()));
});

test("the old link to the notices opens Quality", async (t) => {
  const app = await open(t, { path: "#v1/compare?sheet=notices" });
  await dropFiles(app, [EMPTIES]);
  await app.eventually(() => assert.match(app.page.url(), /#v1\/quality/));
});

test("findings are walked, opened, settled, muted and taken back by keys alone", async (t) => {
  const app = await opened(t);
  const { keyboard } = app.page;
  await quality(app);
  const name = findings(app).getByRole("button", { expanded: false }).first();
  const first = await name.innerText();
  await keyboard.press("ArrowDown");
  await app.eventually(async () => assert.equal(await focus(app), first));
  await keyboard.press("ArrowDown");
  await app.eventually(async () => assert.notEqual(await focus(app), first));
  await keyboard.press("ArrowUp");
  await app.eventually(async () => assert.equal(await focus(app), first));

  await keyboard.press("Enter");
  await findings(app).getByRole("button", { expanded: true }).waitFor();
  await app.page.getByText(/Source: /).first().waitFor();
  await keyboard.press("Enter");
  await findings(app).getByRole("button", { expanded: true }).waitFor({ state: "detached" });

  await keyboard.press("x");
  await app.page.getByRole("status").filter({ hasText: /left out|set to|let on/ }).waitFor();
  await app.eventually(async () => assert.equal(await focus(app), first));
  await keyboard.press("u");
  await app.page.getByRole("status").filter({ hasText: "is open again" }).waitFor();

  await keyboard.press("m");
  await app.page.getByRole("status").filter({ hasText: /muted/ }).waitFor();
  await app.page.getByText("1 muted").waitFor();
  await app.eventually(async () => assert.notEqual(await focus(app), ""));
  assert.notEqual(await focus(app), first, "the next finding has the focus");
  await keyboard.press("Control+z");
  await app.page.getByText("1 muted").waitFor({ state: "detached" });
});

test("a run that is held back is on no curve until it is let on", async (t) => {
  const app = await opened(t);
  await app.go("Curves");
  await app.page.getByText(/is on no curve: missing written as zero/).first().waitFor();
  await app.page.getByRole("button", { name: /^Let it on: SGLang/ }).click();
  await app.eventually(() => assert.match(app.page.url(), /let=[0-9a-f]{12}/));
  await app.page.getByRole("button", { name: /^Let it on: SGLang/ }).waitFor({ state: "detached" });
});

test("Quality is accessible in light and dark, and no wider than a phone", async (t) => {
  for (const colorScheme of ["light", "dark"]) {
    const app = await opened(t, { colorScheme, reducedMotion: "reduce" });
    await quality(app);
    await findings(app).getByRole("button").first().click();
    await accessible(app);
  }
  const app = await opened(t, { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
  await app.go("Quality");
  await findings(app).waitFor();
  await findings(app).getByRole("button").first().click();
  const width = await app.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `Quality is ${width} px wide`);
  await accessible(app);
});
