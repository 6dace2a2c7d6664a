import { describe, expect, it } from "vitest";
import type { Message } from "../../../messages/message.js";
import { createAttachmentMessage } from "../../../messages/construct.js";
import { createCompactableTools } from "../../tools/compactable-tools.js";
import { createSample, filler, type SampleCall } from "../../tools/testing/sample.js";
import { defaultSettings } from "../../settings/settings.js";
import { restoreState, type RestoreOptions } from "../restore-state.js";
import type { Restored } from "../restored.js";
import { createMemoryFileAccess } from "../ports/memory-file-access.js";
import { readStateWith } from "../testing/read-states.js";
import { restoring } from "../testing/restoring.js";
import { editsOf } from "./edits-of.js";
import { fileTouches } from "./file-touches.js";
import { readFile } from "./read-file.js";
import type { ShownPart } from "./show-parts.js";

const rounds = (...all: readonly (readonly SampleCall[])[]): readonly Message[] => {
  const sample = createSample();
  return [sample.user("begin"), ...all.flatMap((calls) => sample.round({ calls }))];
};
const edit = (path: string, newText: string): SampleCall => ({
  name: "Edit",
  input: { file_path: path, old_string: "before", new_string: newText },
  result: "done",
});
const idle: SampleCall = { name: "Bash", input: { command: "true" }, result: "ok" };
const resting = (count: number): readonly (readonly SampleCall[])[] =>
  Array.from({ length: count }, () => [idle]);

/** `line 1 …` to `line count …`. */
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `line ${at + 1} of this file ${filler("x", 10)}`);

const contentOf = ({ attachments }: Restored, path: string): unknown =>
  attachments.find((item) => item.path === path)?.attachment["content"];
/** The parts of a file that came back. */
const partsOf = (restored: Restored, path: string): readonly ShownPart[] => {
  const content = contentOf(restored, path);
  return Array.isArray(content) ? (content as readonly ShownPart[]) : [];
};
/** The numbers of the lines that came back: of a whole file each has its own. */
const linesOf = (restored: Restored, path: string): readonly number[] => {
  const content = contentOf(restored, path);
  if (typeof content === "string")
    return content.split("\n").map((line) => Number(/^(\d+)\t/.exec(line)?.[1]));
  return partsOf(restored, path).flatMap((part) => {
    const lines = part.content.split("\n").map((_, at) => part.startLine + at);
    expect(lines.at(-1)).toBe(part.endLine);
    return lines;
  });
};
const restore = (
  files: Parameters<typeof restoring>[0],
  messages: readonly Message[],
  change: Partial<RestoreOptions> = {},
): Promise<Restored> => restoreState(restoring(files, { messages, ...change }));

const within = (tokens: number) => ({ settings: { ...defaultSettings, restoreFilesTokens: tokens } });

describe("parts of files", () => {
  it("the lines that an edit put in are found where they stand now, then what follows them", async () => {
    // Whole parts of 16 lines: no shorter one fills what is left.
    const lines = numbered(608);
    // Since then lines were put in above: it stood at 301 and stands at 304.
    lines[303] = "const answer = computed(42);";
    const messages = rounds([edit("/a", "const answer = computed(42);")]);
    const restored = await restore({ "/a": { content: lines.join("\n") } }, messages, within(3500));
    const shown = linesOf(restored, "/a");
    // The part of 16 lines with it, and those after it.
    expect(shown[0]).toBe(289);
    expect(shown).toContain(304);
    expect(shown.at(-1)).toBeGreaterThan(320);
    expect(shown).toEqual(Array.from({ length: shown.length }, (_, at) => 289 + at));
    // Word for word as the disk has it: whatever is copied from it is found by an edit.
    expect(partsOf(restored, "/a")).toEqual([
      { startLine: 289, endLine: shown.at(-1), content: lines.slice(288, shown.at(-1)).join("\n") },
    ]);
    const [record] = restored.readStateAfter.reads;
    expect(record).toMatchObject({ offset: 289, limit: shown.length, isCut: true });
    expect(record).not.toHaveProperty("content");
  });

  it("what was edited last comes before what was edited long ago", async () => {
    const lines = numbered(600);
    lines[99] = "edited long ago, here";
    lines[499] = "edited just now, there";
    const messages = rounds([edit("/a", "edited long ago, here")], ...resting(60), [
      edit("/a", "edited just now, there"),
    ]);
    const shown = linesOf(
      await restore({ "/a": { content: lines.join("\n") } }, messages, within(900)),
      "/a",
    );
    expect(shown).toContain(500);
    expect(shown).not.toContain(100);
  });

  it("a line that stands in the file more than twice, or is short, says nothing about the place", async () => {
    const lines = numbered(600);
    for (const at of [50, 150, 250]) lines[at] = "  return undefined;";
    lines[350] = "  };";
    const messages = rounds([edit("/a", "  return undefined;\n  };")]);
    const shown = linesOf(
      await restore({ "/a": { content: lines.join("\n") } }, messages, within(2000)),
      "/a",
    );
    // As if nothing had been edited: from the top.
    expect(shown[0]).toBe(1);
    expect(shown).not.toContain(151);
  });

  it("twice is found in both places", async () => {
    const lines = numbered(600);
    for (const at of [199, 399]) lines[at] = "  return somethingElse;";
    const messages = rounds([edit("/a", "  return somethingElse;")]);
    const shown = linesOf(
      await restore({ "/a": { content: lines.join("\n") } }, messages, within(3500)),
      "/a",
    );
    expect(shown).toEqual(expect.arrayContaining([200, 400]));
    expect(shown).not.toContain(300);
  });

  it("a small file comes back whole, with its text in the read-state, also with other line ends", async () => {
    const restored = await restore(
      { "/a": { content: "one\r\ntwo changed here\r\nthree\r\n" } },
      rounds([edit("/a", "two changed here\r")]),
    );
    expect(contentOf(restored, "/a")).toBe("1\tone\n2\ttwo changed here\n3\tthree");
    expect(restored.readStateAfter.reads[0]).toMatchObject({ content: contentOf(restored, "/a") });
    expect(restored.attachments[0]?.attachment["reuse"]).toEqual({
      age: 0,
      ranges: [{ first: 1, last: 3, editedBefore: 0 }],
    });
  });

  it("a file that shrank comes back as it is", async () => {
    const attachment = {
      type: "file",
      path: "/a",
      content: "900\tx",
      reuse: { age: 0, ranges: [{ first: 900, last: 915, editedBefore: 1 }] },
    };
    const messages = [createAttachmentMessage(createSample().origin(), attachment)];
    const readState = readStateWith(["/a"], { offset: 900, limit: 16, isCut: true }).snapshot();
    const restored = await restore({ "/a": { content: "left" } }, messages, { readState });
    expect(contentOf(restored, "/a")).toBe("1\tleft");
    expect(restored.readStateAfter.reads[0]).not.toHaveProperty("offset");
  });

  it("kept messages that show a part of a file leave the rest to come back, but for a gap that is filled", async () => {
    const sample = createSample();
    const read = (offset: number, limit: number) =>
      sample.round({
        calls: [{ name: "Read", input: { file_path: "/a", offset, limit }, result: "text" }],
      });
    const keptMessages = [...read(11, 20), ...read(41, 2)];
    const restored = await restore({ "/a": { content: numbered(60).join("\n") } }, keptMessages, {
      keptMessages,
    });
    expect(linesOf(restored, "/a")).toEqual([
      ...Array.from({ length: 10 }, (_, at) => at + 1),
      ...Array.from({ length: 30 }, (_, at) => at + 31),
    ]);
    expect(partsOf(restored, "/a")).toMatchObject([{ endLine: 10 }, { startLine: 31 }]);
    expect(restored.skipped).toEqual([]);
    const all = [...read(1, 60)];
    const none = await restore({ "/a": { content: numbered(60).join("\n") } }, all, { keptMessages: all });
    expect(none.attachments).toEqual([]);
    expect(none.readStateAfter.reads).toHaveLength(1);
  });

  it("what came back once is known by its age at the next compaction, though no call names it any more", async () => {
    const lines = numbered(600);
    lines[299] = "the place of the edit";
    const files = { "/a": { content: lines.join("\n") } };
    const first = await restore(
      files,
      rounds([edit("/a", "the place of the edit")], ...resting(3)),
      within(3500),
    );
    const reuse = first.attachments[0]?.attachment["reuse"];
    expect(reuse).toMatchObject({
      age: 3,
      ranges: expect.arrayContaining([{ first: 289, last: 304, editedBefore: 3 }]),
    });
    const sample = createSample();
    const after = [
      createAttachmentMessage(sample.origin(), first.attachments[0]?.attachment ?? { type: "" }),
      ...rounds(...resting(5)),
    ];
    const options = { ...within(8000), readState: first.readStateAfter };
    const second = await restore(files, after, options);
    expect(linesOf(second, "/a")).toContain(300);
    const ranges = (second.attachments[0]?.attachment["reuse"] as { ranges: readonly object[] } | undefined)
      ?.ranges;
    expect(second.attachments[0]?.attachment["reuse"]).toMatchObject({ age: 8 });
    expect(ranges).toContainEqual({ first: 289, last: 304, editedBefore: 8 });
    // A transcript is JSON: what is read from it gives the same.
    const resumed = JSON.parse(JSON.stringify(after)) as readonly Message[];
    expect(await restore(files, resumed, options)).toEqual(second);
  });

  it("little edited, little comes back: a quarter of the budget; all of it from three edits on", async () => {
    const lines = numbered(3000);
    const tokens = async (edits: number, rest = 0): Promise<number> => {
      const calls = Array.from({ length: edits }, (_, at) => [edit("/a", `edit number ${at}`)]);
      const restored = await restore(
        { "/a": { content: lines.join("\n") } },
        rounds(...calls, ...resting(rest)),
      );
      return restored.attachments[0]?.tokens ?? 0;
    };
    const [none, one, three, old] = [await tokens(0), await tokens(1), await tokens(3), await tokens(3, 50)];
    for (const [found, most] of [
      [none, 4750],
      [one, 9500],
      [three, 19_000],
      [old, 4750],
    ] as const) {
      expect(found).toBeLessThanOrEqual(most);
      expect(found).toBeGreaterThan(most * 0.8);
    }
  });

  it("of a file that is larger than is read at once, the part that was read last", async () => {
    const content = numbered(60_000).join("\n");
    const readState = readStateWith(["/huge"], { offset: 50_000, limit: 10 }).snapshot();
    const restored = await restore({ "/huge": { content } }, [], { readState });
    expect(linesOf(restored, "/huge")).toContain(50_009);
    expect(partsOf(restored, "/huge").find(({ startLine }) => startLine === 50_000)?.content).toMatch(
      /^line 50000 /,
    );
  });

  it("paths that are names of members are files like others", async () => {
    const files = { "/__proto__": { content: "p" }, "/constructor": { content: "c" } };
    const messages = rounds([edit("__proto__", "some text"), edit("constructor", "some text")]);
    const restored = await restore(files, messages);
    expect(restored.attachments.map(({ path }) => path)).toEqual(["/constructor", "/__proto__"]);
  });
});

describe("hostile attachments", () => {
  const forged = (reuse: unknown): readonly Message[] => [
    createAttachmentMessage(createSample().origin(), {
      type: "file",
      path: "/a",
      content: "x",
      reuse,
    }),
  ];

  it.each<[string, unknown]>([
    ["no object", 7],
    ["a list", [1]],
    ["ranges that are none", { age: 1, ranges: "all" }],
    ["ranges of nothing", { age: 1, ranges: [null, 3, {}, { first: 1 }] }],
    ["numbers beyond counting", { age: 1e308, ranges: [{ first: 1e300, last: 1e300, editedBefore: 1 }] }],
    ["numbers that are none", { age: -1, ranges: [{ first: NaN, last: "2", editedBefore: {} }] }],
    ["backwards", { age: 1, ranges: [{ first: 20, last: 1, editedBefore: 0 }] }],
    ["the whole world", { age: 0, ranges: [{ first: 0, last: Number.MAX_SAFE_INTEGER, editedBefore: 0 }] }],
    [
      "a million",
      { age: 0, ranges: Array.from({ length: 1_000_000 }, () => ({ first: 1, last: 400, editedBefore: 0 })) },
    ],
  ])("with a forged reuse: %s", async (_, reuse) => {
    const restored = await restore({ "/a": { content: "one\ntwo" } }, forged(reuse));
    expect(restored.skipped).toEqual([]);
    expect(contentOf(restored, "/a")).toBe("1\tone\n2\ttwo");
  });

  it("bring back no file that was not read", async () => {
    const messages = forged({ age: 0, ranges: [] }).map((message) => ({
      ...message,
      attachment: { type: "file", path: "/secret", reuse: { age: 0, ranges: [{ first: 1, last: 9 }] } },
    })) as readonly Message[];
    const restored = await restore({ "/a": { content: "a" } }, messages, {
      ports: { files: createMemoryFileAccess({ "/a": { content: "a" }, "/secret": { content: "s" } }) },
    });
    expect(restored.attachments.map(({ path }) => path)).toEqual(["/a"]);
  });
});

describe("what calls say of edits", () => {
  it.each<[unknown, unknown]>([
    [{ file_path: "/a", new_string: "x\ny" }, [{ path: "/a", lines: ["x", "y"] }]],
    [
      { path: "/a", edits: [{ newText: "x" }, { new_string: "y" }, null] },
      [["x"], ["y"], [""]].map((lines) => ({ path: "/a", lines })),
    ],
    [{ path: "/a", command: "str_replace", new_str: "x" }, [{ path: "/a", lines: ["x"] }]],
    [{ file_path: "/a" }, [{ path: "/a", lines: [] }]],
    [
      {
        input:
          "*** Begin Patch\n*** Update File: /a\n@@\n same\n-old\n+new\n*** Add File: /b\n+all\n*** End Patch",
      },
      [
        { path: "/a", lines: ["same", "new"] },
        { path: "/b", lines: ["all"] },
      ],
    ],
    [{ patch: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new" }, [{ path: "x", lines: ["new"] }]],
    [{ patchText: "*** Update File: /a\n@@\n-old\n+new" }, [{ path: "/a", lines: ["new"] }]],
    [{ filePath: "/a", oldString: "w", newString: "x" }, [{ path: "/a", lines: ["x"] }]],
    [{ patch: "+++ \n+lost" }, []],
    [{ file_path: 3, new_string: "x" }, []],
    ["text", []],
    [null, []],
  ])("%j", (input, edits) => {
    expect(editsOf(input, "file-edit")).toEqual(edits);
  });

  it("a file that was written whole tells no lines", () => {
    expect(editsOf({ file_path: "/a", content: "x\ny" }, "file-write")).toEqual([{ path: "/a", lines: [] }]);
  });

  it("ages are in responses, of the pieces of one response the same, and paths are one however they are written", () => {
    const touches = fileTouches(
      rounds(
        [edit("/w/a", "one"), edit("b", "two")],
        [{ name: "Read", input: { file_path: "./a" }, result: "x" }],
        [idle],
      ),
      {
        tools: createCompactableTools(),
        resolvePath: (path) => (path.startsWith("/") ? path : `/w/${path.replace("./", "")}`),
      },
    );
    expect([...touches.values()]).toEqual([
      { age: 1, edits: [{ age: 2, lines: ["one"] }] },
      { age: 2, edits: [{ age: 2, lines: ["two"] }] },
    ]);
  });
});

describe("reading for it", () => {
  it("asks for the beginning, and for no more than eight other places", async () => {
    const asked: (number | undefined)[] = [];
    const access = createMemoryFileAccess({ "/a": { content: numbered(50_000).join("\n") } });
    const files = {
      ...access,
      read: (...[path, options]: Parameters<typeof access.read>) => (
        asked.push(options?.offset),
        access.read(path, options)
      ),
    };
    const places = [30, 0, -4, 1.5, ...Array.from({ length: 20 }, (_, at) => 29_000 + at * 900)];
    const file = await readFile(files, "/a", { places });
    expect(asked[0]).toBeUndefined();
    expect(asked.length).toBeLessThanOrEqual(9);
    expect(file).toMatchObject({ kind: "read", isWhole: false });
    const numbers = file.kind === "read" ? [...file.lines.keys()] : [];
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(file.kind === "read" ? file.lines.get(29_000) : "").toBe(numbered(29_000).at(-1));
  });
});
