import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultSettings } from "@palimpsest/core";
import { createHeuristicEstimator } from "@palimpsest/core/engine";
import { createMemoryReadState } from "@palimpsest/core/restore";
import { afterEach, beforeEach, expect, it } from "vitest";
import { restoreState } from "../../../core/src/engine/restore/restore-state.js";
import { createStaleReadWatch, staleReadHint } from "../../../core/src/engine/restore/stale-reads.js";
import { createFileAccess } from "./file-access.js";

let base: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "palimpsest-restore-"));
  await mkdir(join(base, "work"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** An agent that reads files one after the other. */
async function readAll(names: readonly string[]) {
  const files = createFileAccess({ roots: [join(base, "work")] });
  const readState = createMemoryReadState();
  const path = (name: string): string => join(base, "work", name);
  for (const name of names) {
    await writeFile(path(name), `${name} as it was`);
    const outcome = await files.read(path(name));
    if (outcome.kind !== "text") throw new Error(outcome.kind);
    readState.remember(path(name), { content: outcome.content, timestamp: 1, mtime: outcome.mtime });
  }
  return { files, readState, path };
}

it("restores what the disk holds now, and skips what it does not or must not", async () => {
  const { files, readState, path } = await readAll(["1", "2", "3", "4", "5", "6", "AGENTS.md"]);
  await writeFile(path("6"), "changed");
  await rm(path("5"));
  await writeFile(join(base, "secret"), "secret");
  await rm(path("4"));
  await symlink(join(base, "secret"), path("4"));
  await writeFile(path("3"), "bin\0ary");
  const restored = await restoreState({
    ports: { files },
    readState: readState.snapshot(),
    estimator: createHeuristicEstimator(),
    settings: { ...defaultSettings, restoreFiles: 5 },
    clock: { now: () => 2 },
  });
  expect(restored.attachments.map(({ attachment }) => attachment["content"])).toEqual([
    "1\tchanged",
    "1\t2 as it was",
    "1\t1 as it was",
  ]);
  expect(restored.skipped).toEqual([
    { channel: "files", path: path("AGENTS.md"), reason: "memory" },
    { channel: "files", path: path("5"), reason: "gone" },
    { channel: "files", path: path("4"), reason: "outside" },
    { channel: "files", path: path("3"), reason: "binary" },
  ]);
  expect(JSON.stringify(restored)).not.toContain("secret");
});

it("tells once which files changed since they were read", async () => {
  const { files, readState, path } = await readAll(["1", "2", "3"]);
  const watch = createStaleReadWatch({ readState, files });
  expect(await watch.check()).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 15));
  await writeFile(path("1"), "changed");
  await rm(path("3"));
  const hint = staleReadHint(await watch.check());
  expect(hint?.split("\n").slice(1)).toEqual([`- ${path("3")} (no longer there)`, `- ${path("1")}`]);
  expect(await watch.check()).toEqual([]);
});
