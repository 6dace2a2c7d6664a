import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { CLEARED_RESULT_TEXT } from "../boundaries/cleared-result.js";
import { createCompactableTools } from "../tools/compactable-tools.js";
import { SAMPLE_START } from "../tools/testing/sample.js";
import { chooseFiles, type FileChoiceOptions } from "./choose-files.js";
import type { ReadStateSnapshot } from "../tools/read-state.js";
import { readStateWith } from "./testing/read-states.js";
import { readMessages } from "./testing/tool-reads.js";

const options: FileChoiceOptions = {
  keptMessages: [],
  variant: "up_to",
  tools: createCompactableTools(),
  exclude: {},
  workingDirectory: "/w",
};
const choose = (state: ReadStateSnapshot, change: Partial<FileChoiceOptions> = {}) => {
  const { candidates, kept, skipped } = chooseFiles(state, { ...options, ...change });
  return {
    chosen: candidates.map(({ read }) => read.path),
    kept: kept.map(({ path }) => path),
    skipped: skipped.map(({ path, reason }) => `${path} ${reason}`),
  };
};
const attachment = (fields: object): Message =>
  ({ ...readMessages([{ path: "/x" }])[0], type: "attachment", attachment: fields }) as Message;

describe("which files come back", () => {
  it("the most recently read first", () => {
    const state = readStateWith(["/1", "/2", "/3", "/4", "/5", "/6", "/7"]);
    state.renew("/1");
    expect(choose(state.snapshot()).chosen).toEqual(["/1", "/7", "/6", "/5", "/4", "/3", "/2"]);
  });

  it("of what a kept attachment shows in parts, the rest; of what it shows whole, nothing", () => {
    const ranges = [
      { first: 1, last: 16 },
      { first: 40, last: 55, editedBefore: 3 },
    ];
    const file = { type: "file", content: "1\tone", context: "post-compact" };
    const keptMessages = [
      attachment({ ...file, path: "/parts", reuse: { age: 2, ranges } }),
      attachment({ ...file, path: "/whole" }),
      attachment({ ...file, path: "/empty", reuse: { age: 2, ranges: [] } }),
      attachment({ ...file, path: "/forged", reuse: { ranges: [null, { first: "1", last: 2 }, 7] } }),
    ];
    const state = readStateWith(["/parts", "/whole", "/empty", "/forged"]).snapshot();
    const { candidates, kept, skipped } = chooseFiles(state, { ...options, keptMessages });
    expect(candidates.map(({ read, parts }) => ({ path: read.path, parts }))).toMatchObject([
      {
        path: "/parts",
        parts: [
          { first: 1, last: 16 },
          { first: 40, last: 55 },
        ],
      },
    ]);
    expect(kept.map(({ path }) => path)).toEqual(["/forged", "/empty", "/whole", "/parts"]);
    expect(skipped.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      "/forged visible",
      "/empty visible",
      "/whole visible",
    ]);
  });

  it("neither plans nor memory nor the agent's own state, which take nobody's place", () => {
    const state = readStateWith([
      "/old",
      "/w/plans/p.md",
      "/w/AGENTS.md",
      "/w/sub/CLAUDE.md",
      "/state/todos.json",
      "/w/agents.md",
    ]);
    state.remember("/rules/style.md", { timestamp: 9, mtime: 1, isMemory: true });
    const exclude = { planPaths: ["/w/plans"], ownPaths: ["/state/"] };
    expect(choose(state.snapshot(), { exclude })).toEqual({
      chosen: ["/w/agents.md", "/old"],
      kept: [],
      skipped: [
        "/rules/style.md memory",
        "/state/todos.json own-state",
        "/w/sub/CLAUDE.md memory",
        "/w/AGENTS.md memory",
        "/w/plans/p.md plan",
      ],
    });
    const named = choose(state.snapshot(), { exclude: { memoryNames: ["agents.md"] } });
    expect(named.chosen).toContain("/w/AGENTS.md");
    expect(named.chosen).not.toContain("/w/agents.md");
  });

  it("nothing that the system prompt shows under another name", () => {
    const state = readStateWith([
      "/w/CLAUDE.local.md",
      "/w/.claude/rules/style.md",
      "/w/docs/imported.md",
      "/a",
    ]);
    const exclude = {
      memoryPaths: ["/w/CLAUDE.local.md", ".claude/rules/style.md", "/w/docs/imported.md"],
    };
    expect(choose(state.snapshot(), { exclude }).chosen).toEqual(["/a"]);
  });

  it("exclusions may be relative; one without a name excludes nothing", () => {
    const state = readStateWith(["/w/plan.md", "/w/notes/x", "/a"]);
    const exclude = { planPaths: ["plan.md", ""], ownPaths: ["./notes", ""] };
    expect(choose(state.snapshot(), { exclude }).chosen).toEqual(["/a"]);
  });

  it("none whose read failed since", () => {
    const state = readStateWith(["/1", "/2", "/3"]);
    state.noteFailure("/2");
    expect(choose(state.snapshot(), {})).toEqual({
      chosen: ["/3", "/1"],
      kept: [],
      skipped: ["/2 failed-before"],
    });
  });

  it("none that the kept messages show, however the path is written", () => {
    const state = readStateWith(["/w/a", "/w/b", "/w/c", "/w/d", "/w/e", "/w/f", "C:\\w\\g"]);
    const keptMessages = [
      ...readMessages([
        { path: "/w/./a" },
        { path: "b" },
        { path: "/w/c", result: "File unchanged since last read." },
        { path: "/w/d", isError: true },
        { path: "/w/e", result: `${CLEARED_RESULT_TEXT} Recall it.` },
        { path: "/w/f", name: "Bash" },
        { path: "c:/W/G" },
      ]),
    ];
    expect(choose(state.snapshot(), { keptMessages })).toEqual({
      chosen: ["/w/f", "/w/e", "/w/d", "/w/c"],
      kept: ["C:\\w\\g", "/w/b", "/w/a"],
      skipped: ["C:\\w\\g visible", "/w/b visible", "/w/a visible"],
    });
  });

  it("a file that was attached is visible; a call without its result shows nothing", () => {
    const state = readStateWith(["/w/a", "/w/b", "/w/AGENTS.md"]);
    const keptMessages = [
      attachment({ type: "file", path: "/w/a", content: "1\tx" }),
      attachment({ type: "nested_memory", path: "/w/AGENTS.md", content: "x" }),
      ...readMessages([{ path: "/w/b" }]).slice(0, 1),
    ];
    expect(choose(state.snapshot(), { keptMessages })).toEqual({
      chosen: ["/w/b"],
      kept: ["/w/AGENTS.md", "/w/a"],
      skipped: ["/w/AGENTS.md memory", "/w/a visible"],
    });
  });

  it("of a kept beginning an older read does not count: the newest is gone", () => {
    const state = readStateWith([]);
    state.remember("/w/a", { timestamp: SAMPLE_START + 1, mtime: 1 });
    state.remember("/w/b", { timestamp: SAMPLE_START, mtime: 1 });
    const keptMessages = readMessages([{ path: "/w/a" }, { path: "/w/b" }]);
    expect(choose(state.snapshot(), { keptMessages, variant: "from" })).toMatchObject({
      chosen: ["/w/a"],
      kept: ["/w/b"],
    });
    expect(choose(state.snapshot(), { keptMessages, variant: "up_to" })).toMatchObject({
      chosen: [],
      kept: ["/w/b", "/w/a"],
    });
  });

  it("two spellings of one path are one file", () => {
    const state = readStateWith(["/w/a", "/w/./a"]);
    expect(choose(state.snapshot()).chosen).toEqual(["/w/./a"]);
  });

  it.each<object>([
    { type: "attachment", attachment: null },
    { type: "attachment", attachment: { type: "file", path: 3 } },
    { type: "attachment", attachment: { type: "file", filename: "" } },
    { type: "user", message: null },
    { type: "user", message: { content: [null, 3, { type: "tool_result" }] } },
    { type: "assistant", message: { content: [{ type: "tool_use", name: 3, id: "x", input: null }] } },
    { type: "assistant", message: { content: [{ type: "tool_use", name: "Read", input: { paths: [3] } }] } },
    { type: "nothing that is known" },
  ])("damaged messages show nothing: %j", (damaged) => {
    const keptMessages = [{ uuid: "u", timestamp: "never", ...damaged } as Message];
    expect(choose(readStateWith(["/a"]).snapshot(), { keptMessages }).chosen).toEqual(["/a"]);
  });
});
