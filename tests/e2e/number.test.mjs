// “Whose number is this?”: a number that somebody saw, and the definitions that give it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, dropFiles, open } from "./harness.mjs";

// E ÷ n: 600, 1200 and 1800 ms over 11 tokens, 109.1 ms on average; (E − T) ÷ (n − 1) is 100 ms.
const RUN = {
  name: "hand.csv",
  text: "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\na,10,11,100,600\nb,10,11,200,1200\nc,10,11,300,1800\n",
};

async function loaded(t, options) {
  const app = await open(t, options);
  await dropFiles(app, [RUN], app.drop);
  await app.compareOne();
  return app;
}

async function ask(app, number) {
  const sheet = app.page.getByRole("dialog", { name: "Whose number is this?" });
  const field = sheet.getByLabel("Number");
  await field.fill(number);
  await field.press("Enter");
  return sheet;
}

test("a number leads to the definition that gives it, which can be taken and undone", async (t) => {
  const app = await loaded(t);
  await app.page.keyboard.press("n");
  const sheet = await ask(app, "109.1 ms");
  await sheet.getByText("109.1 ms is mean TPOT with the first token inside (E ÷ n), over ok requests").waitFor();
  await accessible(app);
  assert.match(app.page.url(), /sheet=number/);
  assert.doesNotMatch(app.page.url(), /109/, "what was typed is no part of the link");
  const first = sheet.getByRole("list").first().getByRole("listitem").first();
  await first.getByRole("button", { name: "Use this definition" }).click();
  await first.getByText("In force now.").waitFor();
  assert.match(app.page.url(), /tpot:whole-over-n/);
  await app.page.getByRole("button", { name: "Undo" }).first().click();
  await app.eventually(() => assert.doesNotMatch(app.page.url(), /whole-over-n/));
});

test("a number of nobody is said to be one, and what is no number to be none", async (t) => {
  const app = await loaded(t, { viewport: { width: 390, height: 844 } });
  await app.page.keyboard.press("n");
  const sheet = await ask(app, "123.456789 ms");
  await sheet.getByText("None of our definitions gives 123.456789 ms for this run.").waitFor();
  await sheet.getByRole("heading", { name: "What comes closest" }).waitFor();
  await ask(app, "fast");
  await sheet.getByRole("alert").getByText("“fast” is no number").waitFor();
  await app.page.keyboard.press("Escape");
  assert.equal(await sheet.count(), 0);
});
