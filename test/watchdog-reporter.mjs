/** Minutes without the end of any test after which nothing more is to be hoped for, on the busiest machine. */
const PATIENCE = Number(process.env.PALIMPSEST_TEST_PATIENCE ?? 20);

/** The one limit on tests: each has the time that it needs, as long as one of them comes to its end now and then. */
export default class WatchdogReporter {
  #running = new Set();
  #timer;

  onTestRunStart() {
    this.#wait();
  }

  onTestCaseReady(test) {
    this.#running.add(test);
  }

  onTestCaseResult(test) {
    this.#running.delete(test);
    this.#wait();
  }

  onTestRunEnd() {
    clearTimeout(this.#timer);
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), PATIENCE * 60_000);
  }

  /** Ends the process: a test that never waits cannot be interrupted otherwise. */
  #giveUp() {
    const names = Array.from(this.#running, (test) => `  ${test.module.relativeModuleId}: ${test.fullName}`);
    console.error(`no test has ended for ${PATIENCE} minutes; running were\n${names.join("\n")}`);
    process.exit(1);
  }
}
