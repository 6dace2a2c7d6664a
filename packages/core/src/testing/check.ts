/** What the contract suites check with: no test framework, an `Error` with a text that says what differs. */

/** Fails with `what` unless `condition` holds. */
export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** Fails unless both are the same JSON value; the order of keys does not count. */
export function checkSame(actual: unknown, expected: unknown, what: string): void {
  const difference = firstDifference(actual, expected, "value");
  if (difference !== undefined) throw new Error(`${what}: ${difference}`);
}

/** Fails unless the promise rejects with an error that has this `code` and a message. */
export async function checkRejects(promise: Promise<unknown>, code: string, what: string): Promise<void> {
  const outcome = await promise.then(
    () => ({ rejected: false as const }),
    (error: unknown) => ({ rejected: true as const, error }),
  );
  check(outcome.rejected, `${what}: expected a rejection with code "${code}", but it resolved`);
  const { error } = outcome;
  check(error instanceof Error, `${what}: rejected with something that is not an Error: ${String(error)}`);
  const actual = "code" in error ? String(error.code) : "none";
  check(actual === code, `${what}: expected code "${code}", got "${actual}" (${error.message})`);
  check(error.message.trim() !== "", `${what}: the error has no message for a person`);
}

function firstDifference(actual: unknown, expected: unknown, path: string): string | undefined {
  if (Object.is(actual, expected)) return undefined;
  if (Array.isArray(actual) && Array.isArray(expected)) {
    if (actual.length !== expected.length) {
      return `${path} has ${actual.length} items instead of ${expected.length}`;
    }
    return firstOf(expected.map((item, index) => firstDifference(actual[index], item, `${path}[${index}]`)));
  }
  if (isObject(actual) && isObject(expected)) {
    const keys = [...new Set([...Object.keys(actual), ...Object.keys(expected)])];
    return firstOf(keys.map((key) => firstDifference(actual[key], expected[key], `${path}.${key}`)));
  }
  return `${path} is ${shown(actual)} instead of ${shown(expected)}`;
}

const firstOf = (differences: readonly (string | undefined)[]): string | undefined =>
  differences.find((difference) => difference !== undefined);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}… (${text.length} characters)` : text;
}
