import { execFileSync } from "node:child_process";

/** Minutes without the end of any test after which nothing more is to be hoped for, on the busiest machine. */
const PATIENCE = Number(process.env.PALIMPSEST_TEST_PATIENCE ?? 20);

/** The one limit on tests: each has the time that it needs, as long as one of them comes to its end now and then. */
export default class WatchdogReporter {
  #files = new Set();
  #tests = new Set();
  #timer;

  onTestRunStart() {
    this.#wait();
  }

  onTestModuleQueued(module) {
    this.#files.add(module);
  }

  onTestModuleEnd(module) {
    this.#files.delete(module);
    this.#wait();
  }

  onTestCaseReady(test) {
    this.#tests.add(test);
  }

  onTestCaseResult(test) {
    this.#tests.delete(test);
    this.#wait();
  }

  onTestRunEnd() {
    clearTimeout(this.#timer);
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), PATIENCE * 60_000);
  }

  /** Ends all processes: a test that never waits cannot be interrupted otherwise, and is not even known by its name. */
  #giveUp() {
    const files = Array.from(this.#files, (module) => `  ${module.relativeModuleId}`);
    const tests = Array.from(this.#tests, (test) => `  ${test.module.relativeModuleId}: ${test.fullName}`);
    console.error(`no test has ended for ${PATIENCE} minutes; running were`);
    console.error([...files, ...tests].join("\n"));
    for (const pid of descendants(process.pid)) process.kill(pid, "SIGKILL");
    process.exit(1);
  }
}

/** All that a process has started, and what that has started. */
function descendants(ancestor) {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent) =>
    listed.filter(([, ppid]) => ppid === parent).flatMap(([pid]) => [...below(pid), pid]);
  // The one that has just made the list is gone.
  return below(ancestor).filter((pid) => isAlive(pid));
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
