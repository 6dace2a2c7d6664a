import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AREAS } from "./demo-areas.js";

const nouns = ["ledger", "parcel", "signal", "window", "branch", "anchor", "filter", "buffer", "marker"];
const verbs = ["read", "merge", "split", "count", "order", "check", "trim", "store", "match", "fold", "pick"];
const FILES = 7;
const FUNCTIONS = 22;

/** Sources that look like somebody's, for where there are no real ones. Always the same. */
export async function writeMadeUpProject(work: string): Promise<void> {
  for (let area = 0; area < AREAS; area += 1) {
    const folder = join(work, "packages", "app", "src", `${at(nouns, area)}-${area}`);
    await mkdir(folder, { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      const name = `${at(verbs, area + file)}-${at(nouns, file * 3 + area)}`;
      await writeFile(join(folder, `${name}.ts`), fileText(area * FILES + file));
    }
  }
}

const at = (list: readonly string[], index: number): string => list[index % list.length] ?? "";

function fileText(seed: number): string {
  const functions = Array.from({ length: FUNCTIONS }, (_, index) => functionText(seed * FUNCTIONS + index));
  return `${functions.join("\n\n")}\n`;
}

function functionText(seed: number): string {
  const [verb, noun, other] = [at(verbs, seed), at(nouns, seed * 5 + 1), at(nouns, seed * 7 + 3)];
  const name = `${verb}${noun.charAt(0).toUpperCase()}${noun.slice(1)}${seed}`;
  return [
    `/** Gives the ${noun} that ${other} ${seed} needs, and undefined where there is none to ${verb}. */`,
    `export function ${name}(${noun}: readonly number[], limit = ${seed + 3}): number | undefined {`,
    `  const ${other}Total = ${noun}.reduce((sum, value) => sum + value * ${(seed % 17) + 1}, ${seed % 11});`,
    `  if (${other}Total > limit) return ${noun}.at(${seed % 5});`,
    `  return ${noun}.length === 0 ? undefined : ${other}Total % ${(seed % 23) + 2};`,
    "}",
  ].join("\n");
}
