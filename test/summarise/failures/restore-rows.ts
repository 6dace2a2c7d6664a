import { execFileSync } from "node:child_process";
import { mkdtemp, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { createMemoryPlan } from "../../../packages/core/src/engine/restore/ports/plan-source.js";
import { createMemoryTodos } from "../../../packages/core/src/engine/restore/ports/todo-source.js";
import type { Restored, SkippedItem } from "../../../packages/core/src/engine/restore/restored.js";
import { restoreState, type RestorePorts } from "../../../packages/core/src/engine/restore/restore-state.js";
import { createFileAccess } from "../../../packages/palimpsest/src/files/file-access.js";
import { expectCompacted } from "../host.js";
import { COMPACTED, type FailureRow, type Outcome, type Provocation, type Stage } from "./stage.js";

/** A directory with what the model has read, one good file among it. */
interface Files {
  readonly root: string;
  readonly good: string;
  /** The one that something is wrong with. */
  readonly bad: string;
}

const GOOD = "export const good = true;\n";

async function createFiles(stage: Stage): Promise<Files> {
  const root = await mkdtemp(join(tmpdir(), "palimpsest-failures-"));
  stage.notes.set("root", root);
  const files = { root, good: join(root, "good.ts"), bad: join(root, "bad.ts") };
  for (const path of [files.good, files.bad]) {
    await writeFile(path, GOOD);
    const { mtimeMs } = await stat(path);
    stage.readState.remember(path, { content: GOOD, timestamp: stage.host.clock.now(), mtime: mtimeMs });
  }
  stage.readState.forget("/work/known.ts");
  return files;
}

const cleanUp = async ({ notes }: Stage): Promise<void> => {
  const root = notes.get("root");
  if (typeof root === "string") await rm(root, { recursive: true, force: true });
};

interface Restoring {
  readonly ports?: Partial<RestorePorts>;
  readonly denied?: readonly string[];
}

/** Restores for real, from the read-state as it is when the compaction begins. */
function restoring(stage: Stage, { root }: Files, { ports, denied = [] }: Restoring = {}): Provocation {
  const { host, readState } = stage;
  return {
    ports: {
      restore: ({ keptMessages, variant, signal }) =>
        restoreState({
          ports: { files: createFileAccess({ roots: [root], denied }), ...ports },
          readState: readState.snapshot(),
          keptMessages,
          variant,
          estimator: host.estimator,
          settings: host.settings,
          clock: host.clock,
          signal,
        }),
    },
  };
}

const filesIn = (outcome: Outcome): readonly string[] =>
  (expectCompacted(outcome).restored?.attachments ?? []).flatMap(({ path }) => path ?? []);

const skippedIn = (outcome: Outcome): readonly SkippedItem[] =>
  expectCompacted(outcome).restored?.skipped ?? [];

interface BadFile {
  readonly name: string;
  readonly reason: string;
  readonly spoil: (path: string) => Promise<void>;
  readonly denied?: readonly string[];
}

const badFiles: readonly BadFile[] = [
  { name: "is gone", reason: "gone", spoil: (path) => rm(path) },
  {
    name: "is binary now",
    reason: "binary",
    spoil: (path) => writeFile(path, Buffer.from([0x7f, 0x45, 0, 0, 0xff, 0xfe, 0, 1])),
  },
  {
    name: "is a link to what lies outside",
    reason: "outside",
    spoil: async (path) => {
      await rm(path);
      await symlink("/etc/hostname", path);
    },
  },
  { name: "may not be read any more", reason: "denied", spoil: () => Promise.resolve(), denied: ["bad.ts"] },
  {
    name: "is a pipe now",
    reason: "unreadable",
    spoil: async (path) => {
      await rm(path);
      execFileSync("mkfifo", [path]);
    },
  },
];

const byFork = { outcome: "by fork", told: COMPACTED } as const;

const badFileRow = ({ name, reason, spoil, denied = [] }: BadFile): FailureRow => ({
  name: `a file that was read ${name}`,
  provoke: async (stage) => {
    const files = await createFiles(stage);
    await spoil(files.bad);
    stage.notes.set("files", files);
    return restoring(stage, files, { denied });
  },
  expected: byFork,
  check: ({ notes }, outcome) => {
    const { good, bad } = notes.get("files") as Files;
    expect(filesIn(outcome)).toEqual([good]);
    expect(skippedIn(outcome)).toEqual([{ channel: "files", path: bad, reason }]);
    const { restored } = expectCompacted(outcome);
    expect(restored?.readStateAfter.reads.map(({ path }) => path)).toEqual([good]);
  },
  cleanUp,
});

const plan = Array.from({ length: 30 }, (_, step) => `${step + 1}. step ${step + 1}`).join("\n");
const todos = Array.from({ length: 10 }, (_, item) => ({ content: `item ${item}`, status: "pending" }));

const stateOf = ({ root }: Files): Partial<RestorePorts> => ({
  todos: createMemoryTodos(todos),
  plan: createMemoryPlan({ path: join(root, "plan.md"), content: plan, isPlanMode: false }),
});

const channelsIn = (outcome: Outcome): readonly string[] =>
  (expectCompacted(outcome).restored?.attachments ?? []).map(({ channel }) => channel);

function restoringFails(name: string, restore: () => Promise<Restored>): FailureRow {
  return {
    name: `restoring as a whole ${name}: nothing comes back, and the read-state says so`,
    provoke: () => ({ ports: { restore } }),
    expected: byFork,
    check: (_stage, outcome) => {
      const { restored, attachments } = expectCompacted(outcome);
      expect(attachments).toEqual([]);
      expect(restored?.readStateAfter).toEqual({ reads: [] });
    },
  };
}

const otherRows: readonly FailureRow[] = [
  {
    name: "a file that was read has changed on disk: what is there now comes back",
    provoke: async (stage) => {
      const files = await createFiles(stage);
      await writeFile(files.bad, "export const changed = 1;\n");
      await utimes(files.bad, 2_000_000_000, 2_000_000_000);
      return restoring(stage, files);
    },
    expected: byFork,
    check: (_stage, outcome) => {
      const { attachments, restored } = expectCompacted(outcome);
      expect(JSON.stringify(attachments)).toContain("export const changed = 1;");
      expect(restored?.readStateAfter.reads[0]).toMatchObject({ mtime: 2_000_000_000_000 });
    },
    cleanUp,
  },
  {
    name: "a file that was read is huge: it is cut",
    host: { resultTokens: 1500 },
    provoke: async (stage) => {
      const files = await createFiles(stage);
      await writeFile(files.bad, "a line of a very long file\n".repeat(200_000));
      return restoring(stage, files);
    },
    expected: byFork,
    check: (_stage, outcome) => {
      const { restored, attachments } = expectCompacted(outcome);
      expect(restored?.attachments.map(({ isTruncated }) => isTruncated)).toEqual([true, false]);
      expect(restored?.attachments[0]?.tokens).toBeLessThanOrEqual(5500);
      expect(JSON.stringify(attachments[0]).length).toBeLessThan(40_000);
    },
    cleanUp,
  },
  {
    name: "what comes back is larger than what is saved: files go first, plan and todos stay",
    provoke: async (stage) => {
      const files = await createFiles(stage);
      for (const path of [files.good, files.bad]) {
        await writeFile(path, "a line of a long file\n".repeat(250));
      }
      const { size } = stage.host.input();
      const provoked = restoring(stage, files, { ports: stateOf(files) });
      // Room for the summary, plan and todos, and not for two thousand tokens more.
      const tokensBefore = size.overhead + 5000;
      return { ...provoked, input: { size: { ...size, tokensBefore } } };
    },
    expected: byFork,
    check: (_stage, outcome) => {
      expect(channelsIn(outcome)).toEqual(["todos", "plan"]);
      expect(skippedIn(outcome).map(({ reason }) => reason)).toEqual(["dropped", "dropped"]);
      const { restored, live } = expectCompacted(outcome);
      expect(restored?.readStateAfter.reads).toEqual([]);
      expect(JSON.stringify(live)).toContain("30. step 30");
      expect(JSON.stringify(live)).toContain("item 9");
    },
    cleanUp,
  },
  {
    name: "a channel throws: the others come back",
    provoke: async (stage) => {
      const files = await createFiles(stage);
      const ports: Partial<RestorePorts> = {
        ...stateOf(files),
        todos: { todos: () => Promise.reject(new Error("no disk")) },
      };
      return restoring(stage, files, { ports });
    },
    expected: byFork,
    check: (_stage, outcome) => {
      expect(channelsIn(outcome)).toEqual(["files", "files", "plan"]);
      expect(skippedIn(outcome)).toMatchObject([{ channel: "todos", reason: "channel-failed" }]);
    },
    cleanUp,
  },
  restoringFails("rejects", () => Promise.reject(new Error("no disk"))),
  restoringFails("throws", () => {
    throw new Error("no disk");
  }),
];

export const restoreRows: readonly FailureRow[] = [...badFiles.map(badFileRow), ...otherRows];
