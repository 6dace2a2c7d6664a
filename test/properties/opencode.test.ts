import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalise } from "@palimpsest/core";
import { applyBoundaries, liveMessages } from "@palimpsest/core/engine";
import { ImportError, messagesFromOpenCode } from "@palimpsest/core/import";
import { findProblems } from "@palimpsest/core/validity";
import { analyzeRecording } from "../../packages/palimpsest/src/replay/analyze-recording.js";
import { checkRecording } from "../../packages/palimpsest/src/replay/check-recording.js";
import { estimateRecording } from "../../packages/palimpsest/src/replay/estimate-recording.js";
import {
  parseRecording,
  RecordingError,
} from "../../packages/palimpsest/src/replay/readers/read-recording.js";
import {
  madeUpExport,
  openCodeAnswer,
  openCodeCall,
  openCodeUser,
} from "../../packages/palimpsest/src/replay/testing/made-up-opencode.js";

/** What may stand anywhere in a file. */
const junk = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1e300,
  1_773_380_333_273,
  "",
  "REDACTED",
  "__proto__",
  "constructor",
  "user",
  "assistant",
  "text",
  "tool",
  "compaction",
  "step-start",
  "\ud800",
  [],
  [null],
  [[7]],
  {},
  { type: "tool" },
  { status: "completed", output: { a: 1 }, time: { compacted: 1 } },
  { read: "many", write: -4 },
  JSON.parse('{"__proto__":{"role":"user"}}'),
);

/** Every place in a value, as the keys that lead to it. */
function placesIn(value: unknown, keys: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [keys];
  return [keys, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...keys, key]))];
}

/** Another value, or nothing, at a place; the names of prototypes among those that it may get. */
function changed(
  document: unknown,
  keys: readonly string[],
  change: { readonly name: string; readonly value: unknown },
): void {
  let holder = document as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) {
    const inner = holder[key];
    if (typeof inner !== "object" || inner === null) return;
    holder = inner as Record<string, unknown>;
  }
  const last = keys.at(-1);
  if (last === undefined) return;
  if (change.name === "gone") delete holder[last];
  else if (change.name === "own") holder[last] = change.value;
  else if (!Array.isArray(holder))
    Object.defineProperty(holder, change.name, {
      value: change.value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

const session = () => {
  const { info, messages } = madeUpExport();
  return {
    info: { ...info, revert: undefined },
    messages: [
      ...messages.slice(0, 6),
      openCodeUser(10, [{ type: "compaction", auto: true, tail_start_id: "msg_answer3" }], {
        system: "Be brief.",
      }),
      openCodeAnswer(11, [{ type: "text", text: "So far." }], { summary: true, parentID: "msg_user10" }),
      openCodeUser(12, [
        { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA" },
        { type: "subtask", prompt: "look", agent: "build" },
      ]),
      openCodeAnswer(13, [openCodeCall(13), { type: "step-start" }, { type: "text", text: "x" }]),
      ...messages.slice(6),
    ],
  };
};

const places = placesIn(JSON.parse(JSON.stringify(session())));
const hostile = fc.array(
  fc.record({
    place: fc.nat({ max: places.length - 1 }),
    name: fc.constantFrom(
      "own",
      "own",
      "own",
      "gone",
      "gone",
      "__proto__",
      "constructor",
      "toString",
      "type",
    ),
    value: junk,
  }),
  { minLength: 1, maxLength: 12 },
);
type Changes = typeof hostile extends fc.Arbitrary<infer T> ? T : never;
const documentOf = (changes: Changes): unknown => {
  const document: unknown = JSON.parse(JSON.stringify(session()));
  for (const { place, ...change } of changes) changed(document, places[place] ?? [], change);
  return document;
};

describe("whatever an export of OpenCode holds", () => {
  it("a file is refused in one sentence, or is a valid request that can be analysed and estimated", () => {
    let [read, all] = [0, 0];
    fc.assert(
      fc.property(hostile, (changes) => {
        const bytes = new TextEncoder().encode(JSON.stringify(documentOf(changes)));
        let recording;
        all += 1;
        try {
          recording = parseRecording(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(RecordingError);
          expect((error as Error).message).toMatch(/^[^\n]{5,600}$/);
          return;
        }
        read += 1;
        expect(checkRecording(recording).problems).toEqual([]);
        const { accounting, size } = analyzeRecording(recording);
        expect(accounting.total).toBe(size.tokens);
        estimateRecording(recording);
      }),
      { numRuns: 600 },
    );
    // Most of what is a little wrong can be read.
    expect(read).toBeGreaterThan(all / 3);
    expect(({} as Record<string, unknown>)["role"]).toBeUndefined();
  });

  it("so it is for the import function, whose values no file has made", () => {
    fc.assert(
      fc.property(hostile, (changes) => {
        let messages;
        try {
          ({ messages } = messagesFromOpenCode(documentOf(changes) as never));
        } catch (error) {
          expect(error).toBeInstanceOf(ImportError);
          return;
        }
        const request = normalise(applyBoundaries(liveMessages(messages))).messages;
        if (request.length === 0) return;
        expect(findProblems({ model: "claude-opus-5", max_tokens: 1024, messages: request })).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });

  it("parents that lead in a circle lead nowhere", () => {
    const { info, messages } = madeUpExport();
    const circle = messages.map((entry, at) => ({
      ...entry,
      info: { ...entry.info, parentID: messages.at(at + 1 - messages.length)?.info["id"] },
    }));
    const recording = parseRecording(new TextEncoder().encode(JSON.stringify({ info, messages: circle })));
    expect(checkRecording(recording).valid).toBe(true);
    expect(recording.messages).toHaveLength(
      parseRecording(new TextEncoder().encode(JSON.stringify({ info, messages }))).messages.length,
    );
  });

  it("each of 10,000 results that are cleared at another time costs a few steps", () => {
    let reads = 0;
    const counted = (value: number) => ({
      get created() {
        reads += 1;
        return value;
      },
    });
    const messages = Array.from({ length: 10_000 }, (_, at) => {
      const { info, parts } = openCodeAnswer(at + 1, [
        openCodeCall(at + 1, { clearedAt: at + 5000, state: { output: "x" } }),
      ]);
      return { info: { ...info, time: counted(at + 1) }, parts };
    });
    const imported = messagesFromOpenCode(messages);
    expect(imported.messages.length).toBeGreaterThan(20_000);
    expect(reads).toBeLessThan(50_000);
  });
});
