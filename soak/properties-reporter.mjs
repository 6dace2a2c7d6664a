/** One line of JSON for every test as it ends, with the cases that its properties have tried. */
export default class PropertiesReporter {
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    if (state === "skipped") return;
    const error = state === "failed" ? firstLines(errors[0]?.message) : null;
    this.#tell({
      file: test.module.relativeModuleId,
      name: test.fullName,
      cases: test.meta().cases ?? 0,
      error,
    });
  }

  /** What fails outside of tests: a file that cannot be loaded. */
  onTestModuleEnd(module) {
    for (const { message } of module.errors()) {
      const file = module.relativeModuleId;
      this.#tell({ file, name: file, cases: 0, error: firstLines(message) });
    }
  }

  #tell(line) {
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
}

const firstLines = (text = "it failed") => text.split("\n").slice(0, 4).join(" ").slice(0, 600);
