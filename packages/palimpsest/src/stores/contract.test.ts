import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transcriptStoreContract } from "@palimpsest/core/testing";
import { afterAll, describe, it } from "vitest";
import { createJsonlStore, createMemoryStore } from "./index.js";

const directories: string[] = [];

afterAll(async () => {
  await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })));
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-contract-"));
  directories.push(directory);
  return join(directory, "transcripts");
}

const stores = {
  memory: () => createMemoryStore(),
  "jsonl, durability process": async () => createJsonlStore({ directory: await newDirectory() }),
  "jsonl, durability disk": async () =>
    createJsonlStore({ directory: await newDirectory(), durability: "disk" }),
};

describe.each(Object.entries(stores))("transcript store contract: %s", (_name, createStore) => {
  for (const requirement of transcriptStoreContract) {
    it(requirement.name, () => requirement.run(createStore));
  }
});
