import { describe, expect, it } from "vitest";
import { fileAccessContract, type FileHarness } from "../../../testing/file-access-contract.js";
import { createMemoryFileAccess } from "./memory-file-access.js";

function createHarness(): FileHarness {
  const files = createMemoryFileAccess();
  let changes = 0;
  return {
    files,
    path: (name) => `/${name}`,
    async write(name, content) {
      files.write(`/${name}`, { content, mtime: (changes += 1) });
    },
    async remove(name) {
      files.remove(`/${name}`);
    },
  };
}

describe("file access contract: memory", () => {
  for (const requirement of fileAccessContract) {
    it(requirement.name, () => requirement.run(createHarness));
  }
});

it("a file may stand for a refusal", async () => {
  const files = createMemoryFileAccess({ "/a": { kind: "binary" } });
  expect([await files.read("/a"), await files.stat("/a")]).toEqual([{ kind: "binary" }, undefined]);
});
