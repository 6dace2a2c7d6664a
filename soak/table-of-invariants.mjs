import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The table of invariants in ARCHITECTURE.md: what each row says that holds, the files of tests that check it and the long runs
 * that do. Throws where the table names a test that is not there.
 */
export async function readInvariants(root) {
  const text = await readFile(join(root, "ARCHITECTURE.md"), "utf8");
  const table = /^## Invariants\n([^#]*)/m.exec(text)?.[1] ?? "";
  const tests = await testFiles(root);
  let checks = "";
  const rows = table.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((line) => {
    const [, , holds = "", checked = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    checks = checked === "″" ? checks : checked;
    const named = [...checks.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
    return {
      holds: holds.replaceAll("`", ""),
      files: named.filter((code) => code.endsWith(".test.ts")).map((code) => fileNamed(code, tests)),
      runs: named.flatMap((code) => /\bsoak .*--only (\S+)/.exec(code)?.[1] ?? []),
    };
  });
}

function fileNamed(code, tests) {
  const found = tests.filter((file) => file === code || file.endsWith(`/${code}`));
  if (found.length !== 1)
    throw new Error(`ARCHITECTURE.md names ${code}, and ${found.length} files of tests are that`);
  return found[0];
}

async function testFiles(root) {
  const folders = ["packages/core/src", "packages/palimpsest/src", "test"];
  const lists = folders.map(async (folder) => {
    const names = await readdir(join(root, folder), { recursive: true });
    return names.filter((name) => name.endsWith(".test.ts")).map((name) => join(folder, name));
  });
  return (await Promise.all(lists)).flat();
}
