import { describe, expect, it } from "vitest";
import type { AnswerBlock } from "../../simulator/player.js";
import { compareRereads } from "../results/rereads.js";
import { createFileNames } from "./file-names.js";
import { looksOf, rereadWindows, type RoundLooks } from "./reread-windows.js";

const use = (name: string, input: Readonly<Record<string, unknown>>): AnswerBlock => ({
  type: "tool_use",
  id: "t",
  name,
  input,
});
const read = (path: string): AnswerBlock => use("Read", { file_path: path });
const run = (command: string): AnswerBlock => use("Bash", { command });

/** `|` stands for a compaction before the round that follows it. */
function rounds(...list: readonly (readonly AnswerBlock[] | "|")[]): readonly RoundLooks[] {
  const names = createFileNames();
  return list.flatMap((content, at) =>
    content === "|" ? [] : [looksOf(content, { names, isCompacted: list[at - 1] === "|" })],
  );
}
const quiet = (count: number): readonly (readonly AnswerBlock[])[] => Array.from({ length: count }, () => []);

describe("looks", () => {
  const looked = (...content: readonly AnswerBlock[]): readonly string[] =>
    rounds(content)[0]?.looks.map(({ block, class: kind }) => `${block} ${kind}`) ?? [];

  it("are reads, commands and searches; writes, patches, waiting and other tools are none", () => {
    expect(
      looked(read("/a.ts"), run("npm test"), run("sed -n 1,9p /a.ts"), use("Grep", { pattern: "x" })),
    ).toEqual(["0 disk", "1 again", "2 disk", "3 again"]);
    expect(
      looked(
        use("Write", { file_path: "/a.ts", content: "x" }),
        use("Edit", { file_path: "/a.ts", old_string: "x", new_string: "y" }),
        use("apply_patch", { input: "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch" }),
        run("cat > /a.ts <<'END'\nx\nEND\n"),
        use("write_stdin", { session_id: 1, chars: "" }),
        use("BashOutput", { bash_id: "1" }),
        use("WebFetch", { url: "http://127.0.0.1/" }),
        { type: "text", text: "read" },
      ),
    ).toEqual([]);
    expect(looked(use("str_replace_based_edit_tool", { command: "view", path: "/a.ts" }))).toEqual([
      "0 disk",
    ]);
    expect(looked(use("str_replace_based_edit_tool", { command: "create", path: "/a.ts" }))).toEqual([]);
  });
});

describe("reread windows", () => {
  it("hold what was read, written or run before the compaction and is looked at after it", () => {
    const [window, ...more] = rereadWindows(
      rounds(
        [read("/a.ts"), run("npm test")],
        [use("Write", { file_path: "/b.ts", content: "x" })],
        "|",
        [read("/a.ts"), read("/new.ts"), run("npm test"), run("npm test -- b")],
        [read("/b.ts"), read("/new.ts")],
      ),
    );
    expect(more).toEqual([]);
    expect(window).toMatchObject({ start: 2, length: 2, before: [] });
    expect(window?.after.map(({ round, block, class: kind }) => [round, block, kind])).toEqual([
      [2, 0, "disk"],
      [2, 2, "again"],
      [3, 0, "disk"],
    ]);
  });

  it("hold as much before: what was read again without a compaction, seen before the first of those rounds", () => {
    const [window] = rereadWindows(
      rounds([read("/a.ts")], [read("/a.ts"), read("/b.ts")], [read("/b.ts"), read("/a.ts")], "|", [], []),
    );
    expect(window).toMatchObject({ start: 3, length: 2, after: [] });
    expect(window?.before.map(({ round, block }) => [round, block])).toEqual([
      [1, 0],
      [2, 1],
    ]);
  });

  it("have twenty rounds at most, as many on both sides, and end at the next compaction", () => {
    const lengths = (...list: readonly (readonly AnswerBlock[] | "|")[]): readonly number[][] =>
      rereadWindows(rounds(...list)).map(({ start, length }) => [start, length]);
    expect(lengths(...quiet(30), "|", ...quiet(30))).toEqual([[30, 20]]);
    expect(lengths(...quiet(7), "|", ...quiet(30))).toEqual([[7, 7]]);
    expect(lengths(...quiet(30), "|", ...quiet(5), "|", ...quiet(30))).toEqual([
      [30, 5],
      [35, 5],
    ]);
    expect(lengths("|", ...quiet(5))).toEqual([]);
    expect(lengths(...quiet(5))).toEqual([]);
  });
});

describe("predicted against observed", () => {
  const windows = rereadWindows(
    rounds(
      [read("/a.ts"), read("/b.ts"), run("npm test")],
      [read("/a.ts")],
      [],
      "|",
      [read("/a.ts"), read("/a.ts"), run("npm test")],
      [read("/b.ts")],
    ),
  );

  it("counts different files, the calls that read them, and commands; after less before", () => {
    expect(compareRereads(windows, [])).toEqual({
      compactions: 1,
      rounds: 2,
      after: { files: 2, reads: 3, commands: 1 },
      before: { files: 1, reads: 1, commands: 0 },
      observed: { files: 1, reads: 2, commands: 1 },
      predicted: { files: 0, reads: 0, commands: 0 },
      matched: 0,
    });
  });

  it("counts of what was played only what lies in the rounds after, and never what nobody can read again", () => {
    const { predicted } = compareRereads(windows, [
      { turn: 2, key: 1, class: "disk" },
      { turn: 3, key: 1, class: "disk" },
      { turn: 3, key: 2, class: "again" },
      { turn: 3, key: 3, class: "transcript" },
      { turn: 4, key: 1, class: "disk" },
      { turn: 5, key: 4, class: "disk" },
    ]);
    expect(predicted).toEqual({ files: 1, reads: 2, commands: 1 });
  });

  it("says which files are the same", () => {
    const key = windows[0]?.after[0]?.key ?? 0;
    const { matched } = compareRereads(windows, [
      { turn: 3, key, class: "disk" },
      { turn: 4, key, class: "disk" },
      { turn: 4, key: 1, class: "disk" },
    ]);
    expect(matched).toBe(1);
  });
});
