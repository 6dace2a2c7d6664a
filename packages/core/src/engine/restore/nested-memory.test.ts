import { describe, expect, it } from "vitest";
import { createNestedMemory, memoryPathsFor, type NestedMemoryOptions } from "./nested-memory.js";
import { createMemoryFileAccess, type MemoryFile } from "./ports/memory-file-access.js";
import { createMemoryReadState } from "../tools/read-state.js";

function memoryOf(files: Readonly<Record<string, MemoryFile>>, more: Partial<NestedMemoryOptions> = {}) {
  const disk = createMemoryFileAccess(files);
  const readState = createMemoryReadState();
  const errors: string[] = [];
  const memory = createNestedMemory({
    workingDirectory: "/w",
    files: disk,
    readState,
    clock: { now: () => 7 },
    onError: (error, path) =>
      errors.push(`${path}: ${error instanceof Error ? error.message : String(error)}`),
    ...more,
  });
  const turn = async (...paths: readonly string[]) => {
    for (const path of paths) memory.touch(path);
    return (await memory.handleTriggers()).map(({ path }) => path);
  };
  return { disk, readState, errors, memory, turn };
}
const text = (content: string): MemoryFile => ({ content, mtime: 3 });

describe("nested memory", () => {
  const tree = {
    "/w/AGENTS.md": text("top"),
    "/w/a/AGENTS.md": text("a"),
    "/w/a/b/CLAUDE.md": text("b"),
    "/w/other/AGENTS.md": text("other"),
  };

  it("attaches what stands between the working directory and the path, once", async () => {
    const { turn, readState, memory, errors } = memoryOf(tree);
    memory.touch("/w/a/b/c.ts");
    memory.touch("a/b/d.ts");
    expect(await memory.handleTriggers()).toEqual([
      { type: "nested_memory", path: "/w/a/AGENTS.md", displayPath: "a/AGENTS.md", content: "a" },
      { type: "nested_memory", path: "/w/a/b/CLAUDE.md", displayPath: "a/b/CLAUDE.md", content: "b" },
    ]);
    expect(readState.get("/w/a/AGENTS.md")).toEqual({ content: "a", timestamp: 7, mtime: 3, isMemory: true });
    expect(await turn("/w/a/b/c.ts")).toEqual([]);
    expect(await turn("/w/other/x", "/elsewhere/x", "/w/x")).toEqual(["/w/other/AGENTS.md"]);
    expect(errors).toEqual([]);
  });

  it("is handled for some paths alone, and tells of what was attached and by what", async () => {
    const told: string[] = [];
    const { memory, turn, errors } = memoryOf(tree, {
      onLoaded(path, trigger) {
        told.push(`${path} ${trigger}`);
        throw new Error("no hook");
      },
    });
    memory.touch("/w/other/x");
    expect(await memory.handleTriggers(["a/x"])).toMatchObject([{ path: "/w/a/AGENTS.md" }]);
    expect(await turn()).toEqual(["/w/other/AGENTS.md"]);
    expect(told).toEqual(["/w/a/AGENTS.md a/x", "/w/other/AGENTS.md /w/other/x"]);
    expect(errors).toEqual(["/w/a/AGENTS.md: no hook", "/w/other/AGENTS.md: no hook"]);
  });

  it("for files that come back changes nothing, and leaves out what is known", async () => {
    const { memory, turn, readState } = memoryOf(tree);
    const isKnown = (path: string): boolean => path === "/w/a/AGENTS.md";
    expect(await memory.forFiles(["/w/a/b/c.ts"], isKnown)).toEqual([
      {
        attachment: {
          type: "nested_memory",
          path: "/w/a/b/CLAUDE.md",
          displayPath: "a/b/CLAUDE.md",
          content: "b",
        },
        read: { path: "/w/a/b/CLAUDE.md", content: "b", timestamp: 7, mtime: 3, isMemory: true },
      },
    ]);
    expect(readState.snapshot().reads).toEqual([]);
    expect(await turn("/w/a/b/c.ts")).toEqual(["/w/a/AGENTS.md", "/w/a/b/CLAUDE.md"]);
  });

  it("triggers are cleared when they are handled", async () => {
    const { turn, memory, disk } = memoryOf({});
    expect(await turn("/w/a/x")).toEqual([]);
    disk.write("/w/a/AGENTS.md", text("late"));
    expect(await memory.handleTriggers()).toEqual([]);
    expect(await turn("/w/a/x")).toEqual(["/w/a/AGENTS.md"]);
  });

  it("what the model has read itself does not come; after a compaction everything may come again", async () => {
    const { turn, readState, memory } = memoryOf(tree);
    readState.remember("/w/a/AGENTS.md", { timestamp: 1, mtime: 3 });
    expect(await turn("/w/a/x")).toEqual([]);
    readState.clear();
    memory.reset();
    expect(await turn("/w/a/x")).toEqual(["/w/a/AGENTS.md"]);
    memory.reset();
    expect(await turn("/w/a/x")).toEqual([]);
  });

  it("asks in order: for the path, the directories between, the working directory", async () => {
    const rules = {
      forPath: async (path: string) => [`/user/for${path}`],
      inDirectory: async (directory: string) => [`${directory}/rules.md`],
    };
    expect(await memoryPathsFor("a/b/c.ts", { workingDirectory: "/w", rules })).toEqual([
      "/user/for/w/a/b/c.ts",
      "/w/a/AGENTS.md",
      "/w/a/CLAUDE.md",
      "/w/a/rules.md",
      "/w/a/b/AGENTS.md",
      "/w/a/b/CLAUDE.md",
      "/w/a/b/rules.md",
      "/w/rules.md",
    ]);
    expect(await memoryPathsFor("/w/a/", { workingDirectory: "/w", names: ["NOTES.md"] })).toEqual([
      "/w/a/NOTES.md",
    ]);
    expect(await memoryPathsFor("D:\\w\\a\\c.ts", { workingDirectory: "D:\\w", names: ["X"] })).toEqual([
      "D:/w/a/X",
    ]);
  });

  it("loads only what is permitted; errors are told and never raised, also those of the log", async () => {
    const { turn, errors } = memoryOf(
      { ...tree, "/w/c/AGENTS.md": { kind: "denied" }, "/w/d/AGENTS.md": { kind: "outside" } },
      {
        isPermitted: (path) => !path.startsWith("/w/a/b/"),
        rules: {
          forPath: async () => {
            throw new Error("no rules");
          },
          inDirectory: async () => [],
        },
      },
    );
    expect(await turn("/w/a/b/c.ts", "/w/c/x", "/w/d/x")).toEqual(["/w/a/AGENTS.md"]);
    expect(errors).toEqual([
      "/w/a/b/c.ts: no rules",
      "/w/c/x: no rules",
      "/w/d/x: no rules",
      "/w/c/AGENTS.md: a memory file could not be read: denied",
      "/w/d/AGENTS.md: a memory file could not be read: outside",
    ]);
    const deaf = memoryOf(
      {},
      {
        isPermitted: () => Promise.reject(new Error("broken")),
        onError: () => {
          throw new Error("broken log");
        },
      },
    );
    expect(await deaf.turn("/w/a/x")).toEqual([]);
  });

  it("the same text under two names comes once, a blank file not at all", async () => {
    const { turn } = memoryOf({
      "/w/a/AGENTS.md": text("same"),
      "/w/a/CLAUDE.md": text("same"),
      "/w/a/b/AGENTS.md": text(" \n"),
    });
    expect(await turn("/w/a/b/x")).toEqual(["/w/a/AGENTS.md"]);
  });

  it("a large file is cut, and known only as far as it was shown", async () => {
    const { memory, readState } = memoryOf(
      { "/w/a/AGENTS.md": text("one\ntwo\nthree\n") },
      { maxCharacters: 8 },
    );
    memory.touch("/w/a/x");
    const [attachment] = await memory.handleTriggers();
    expect(attachment?.["content"]).toBe("one\ntwo\n[cut here: read the file for the rest]");
    expect(readState.get("/w/a/AGENTS.md")).toMatchObject({ offset: 1, limit: 2, content: "one\ntwo" });
  });
});
