// The page as its users know it: parts are found by role and label, never by class or position.

/** The app in one browser page. */
export class App {
  constructor(page) {
    this.page = page;
  }

  /** The headline of the first screen. */
  get headline() {
    return this.page.getByRole("heading", { level: 1, name: "Put LLM serving benchmarks on the same ruler" });
  }

  /** The place that takes dropped files on the first screen. */
  get drop() {
    return this.page.getByRole("region", { name: "Drop result files" });
  }

  /** Waits until the Wasm runs and the app has mounted. */
  async started() {
    await this.page.locator("html[data-app=ready]").waitFor({ state: "attached" });
  }

  /** The way between screens: the rail, or the bar of a phone. */
  get screens() {
    return this.page.getByRole("navigation", { name: "Screens" });
  }

  /** Goes to a screen by its name. */
  async go(name) {
    const way = this.screens.getByRole("button", { name });
    // A phone keeps some screens behind More.
    if (!(await way.isVisible())) await this.screens.getByRole("button", { name: /^More/ }).click();
    await way.click();
  }

  /** The comparison. */
  get table() {
    return this.page.getByRole("grid", { name: "Metrics by run" });
  }

  /** Opens the built-in runs and waits for their comparison. */
  async openSamples() {
    await this.page.getByRole("button", { name: "Open the sample runs" }).click();
    await this.table.waitFor();
  }

  /** Waits until a run that came alone is shown, which lands on Distributions, and goes on to Compare. */
  async compareOne(options = {}) {
    await this.page.getByRole("heading", { level: 1, name: "Distributions" }).waitFor(options);
    await this.go("Compare");
    await this.table.waitFor();
  }

  /** Opens the Definitions sheet by its key and waits for the worked example. */
  async openDefinitions() {
    await this.page.keyboard.press("d");
    await this.page.getByRole("region", { name: "Worked example" }).waitFor();
  }

  /** Opens the card of a run from the Library. */
  async openRun(name) {
    await this.page.getByRole("row").filter({ hasText: name }).getByRole("button", { name: /details/i }).first().click();
    await this.page.getByRole("dialog").waitFor();
  }

  /** Shows the sweep of the samples on Curves. */
  async openSweep() {
    await this.go("Library");
    await this.page.getByRole("button", { name: "Open curves" }).click();
    await this.chart.waitFor();
  }

  /** The main chart. */
  get chart() {
    return this.page.getByRole("figure").first();
  }

  /** The shown values of a metric, one a run, without units and bounds. */
  async values(metric) {
    const row = this.table.getByRole("row").filter({ has: this.page.getByRole("rowheader", { name: new RegExp(`^${metric}\\b`) }) });
    return row.getByRole("gridcell").evaluateAll((cells) => cells.map((cell) => cell.querySelector(".cell-value")?.textContent.trim() ?? ""));
  }

  /**
   * Compare as it stands, once its intervals are there: each shown cell by row, heads first, with the marks of
   * columns (colour and shape).
   */
  async comparison() {
    await this.table.waitFor();
    const read = () =>
      this.table.getByRole("row").evaluateAll((rows) =>
        rows.map((row) =>
          [...row.cells].map((cell) => {
            const mark = cell.querySelector("[data-marker], .marker");
            return [cell.innerText.replace(/\s+/g, " ").trim(), mark ? mark.outerHTML : ""].join(" ").trim();
          }),
        ),
      );
    let before = await read();
    return this.eventually(async () => {
      await this.page.waitForTimeout(400);
      const now = await read();
      const same = JSON.stringify(now) === JSON.stringify(before);
      before = now;
      if (!same) throw new Error("Compare still changes");
      return now;
    });
  }

  /** Types a limit of the SLO in milliseconds. */
  async setLimit(metric, millis) {
    const field = this.page.getByRole("spinbutton", { name: `${metric} limit in milliseconds` });
    await field.fill(String(millis));
    await field.press("Enter");
  }

  /** Waits until `check` no longer throws. */
  async eventually(check, { timeout = 10_000 } = {}) {
    const end = Date.now() + timeout;
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (Date.now() > end) throw error;
        await this.page.waitForTimeout(50);
      }
    }
  }
}
