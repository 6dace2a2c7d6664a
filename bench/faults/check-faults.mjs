import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readInvariants } from "../../soak/table-of-invariants.mjs";

/**
 * What is wrong with a list of faults, a sentence each: a text that is not in its file exactly once, an invariant of ARCHITECTURE.md
 * that none breaks, one that is not in the table, a name that is there twice.
 */
export async function checkFaults(root, faults) {
  const invariants = (await readInvariants(root)).map(({ holds }) => holds);
  const names = faults.map(({ name }) => name);
  const wrong = [
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `two faults are named ${name}`),
    ...invariants
      .filter((holds) => !faults.some(({ invariant }) => invariant === holds))
      .map((holds) => `no fault breaks the invariant "${holds}"`),
    ...faults
      .filter(({ invariant }) => !invariants.includes(invariant))
      .map(({ name, invariant }) => `${name} breaks "${invariant}", which ARCHITECTURE.md does not list`),
  ];
  for (const { name, edits } of faults) {
    for (const { file, from, to } of edits) {
      const text = await readFile(join(root, file), "utf8").catch(() => "");
      const count = text.split(from).length - 1;
      if (count !== 1) wrong.push(`${name}: ${file} has ${count} times, instead of once: ${from}`);
      if (from === to) wrong.push(`${name} changes nothing in ${file}`);
    }
  }
  return wrong;
}

/** Makes the edits of a fault in the copy, and gives what takes them back. */
export async function plant(root, { edits }) {
  const before = new Map();
  for (const { file, from, to } of edits) {
    const path = join(root, file);
    const text = await readFile(path, "utf8");
    if (!before.has(path)) before.set(path, text);
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
  return async () => {
    for (const [path, text] of before) await writeFile(path, text);
  };
}
