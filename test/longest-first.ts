import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Longer than all others: what waits for them would wait at the end. */
const longest = ["process/examples.test.ts", "browser/inspector.test.ts"];

/**
 * What starts processes and waits for them comes first, what plays whole conversations next: small files are left to
 * fill up the end, so that no processor is idle while the last long one runs.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- no array, but what this extends
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  if (longest.some((name) => moduleId.endsWith(name))) return -1;
  if (project.name !== "unit") return 0;
  return moduleId.includes("/src/") ? 2 : 1;
}
