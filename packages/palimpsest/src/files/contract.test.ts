import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { fileAccessContract, type FileHarness } from "../../../core/src/testing/file-access-contract.js";
import { createFileAccess } from "./file-access.js";

const directories: string[] = [];

afterAll(async () => {
  await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })));
});

async function createHarness(): Promise<FileHarness> {
  const root = await mkdtemp(join(tmpdir(), "palimpsest-files-"));
  directories.push(root);
  let changes = 0;
  return {
    files: createFileAccess({ roots: [root] }),
    path: (name) => join(root, name),
    async write(name, content) {
      changes += 1;
      await writeFile(join(root, name), content);
      await utimes(join(root, name), changes, changes);
    },
    remove: (name) => rm(join(root, name)),
  };
}

describe("file access contract: disk", () => {
  for (const requirement of fileAccessContract) {
    it(requirement.name, () => requirement.run(createHarness));
  }
});
