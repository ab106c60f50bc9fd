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
}
