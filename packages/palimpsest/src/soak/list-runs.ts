import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ListedRun } from "./run-soak.js";
import { soakRuns } from "./soak-runs.js";
import type { SoakRun } from "./soak-run.js";

const own = new URL("./soak-runs.js", import.meta.url).href;

/** The runs of this package, and those of a module that exports `soakRuns`. Throws where the module does not. */
export async function listRuns(file: string | undefined): Promise<readonly ListedRun[]> {
  const listed = listedFrom(own, soakRuns);
  if (file === undefined) return listed;
  const module = pathToFileURL(resolve(file)).href;
  const more = ((await import(module)) as { readonly soakRuns?: unknown }).soakRuns;
  if (!Array.isArray(more) || !more.every(isRun)) {
    throw new Error(`${file} must export soakRuns, a list of { name, about, passes, pass }`);
  }
  const all = [...listed, ...listedFrom(module, more)];
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index);
  if (twice !== undefined) throw new Error(`${file} names a run ${twice.name}, which there is already`);
  return all;
}

const listedFrom = (module: string, runs: readonly SoakRun[]): readonly ListedRun[] =>
  runs.map(({ name, about, passes }) => ({ name, about, passes, module }));

function isRun(value: unknown): value is SoakRun {
  const { name, about, passes, pass } = Object(value) as Record<string, unknown>;
  const isNamed = typeof name === "string" && /^[a-z\d]+(?:-[a-z\d]+)*$/.test(name);
  return isNamed && typeof about === "string" && Number.isInteger(passes) && typeof pass === "function";
}
