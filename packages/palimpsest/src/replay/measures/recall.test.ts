import {
  createUserMessage,
  type AssistantBlock,
  type Message,
  type RequestMessage,
  type UserBlock,
} from "@palimpsest/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkProperty } from "../../testing/check-property.js";
import type { AnswerBlock } from "../../simulator/player.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import { createContextTexts } from "./context-texts.js";
import { createOccurrences } from "./occurrences.js";
import { createContextReader, createRecallJudge, type CountedReference } from "./recall.js";
import { extractReferences } from "./references.js";
import { holdsWhole } from "./text-index.js";

const origin = {
  clock: { now: () => 0 },
  ids: { next: () => "u" },
  sessionId: "s",
  parentUuid: null,
};

const said = (content: string | readonly UserBlock[]): Message => createUserMessage(origin, { content });
const result = (content: string): UserBlock => ({ type: "tool_result", tool_use_id: "t", content });
const call = (input: Record<string, unknown>, name = "Bash"): AnswerBlock => ({
  type: "tool_use",
  id: "t",
  name,
  input,
});
const round = (incoming: readonly Message[], content: readonly AnswerBlock[]): RecordedRound => ({
  incoming,
  at: 0,
  response: { id: "r", model: "", at: 0, content },
});

/** What a response with this input has to remember of a conversation that began with these texts. */
function counted(
  earlier: readonly string[],
  input: Record<string, unknown>,
  last = "go on",
): readonly string[] {
  const judge = createRecallJudge();
  judge.turn(round(earlier.map(said), [{ type: "text", text: "yes" }]));
  return judge.turn(round([said(last)], [call(input)])).map(({ text }) => text);
}

const user = (...content: UserBlock[]): RequestMessage => ({ role: "user", content });
const assistant = (...content: AssistantBlock[]): RequestMessage => ({ role: "assistant", content });
const text = (value: string): { readonly type: "text"; readonly text: string } => ({
  type: "text",
  text: value,
});
const reference = (value: string): CountedReference => ({ kind: "path", text: value, tool: "Read" });

describe("what is counted", () => {
  it("is what occurred earlier and not in the last message", () => {
    expect(counted(["look at src/a.ts"], { path: "src/a.ts" })).toEqual(["src/a.ts"]);
    expect(counted(["look at src/a.ts"], { path: "src/a.ts" }, "src/a.ts again")).toEqual([]);
    expect(counted(["look at src/b.ts"], { path: "src/a.ts" })).toEqual([]);
  });

  it("has kind and tool, and each text once", () => {
    const judge = createRecallJudge();
    judge.turn(round([said("readFile of src/a.ts")], [call({ x: "src/a.ts" }, "Read")]));
    expect(
      judge.turn(
        round([said([result("ok")])], [call({ f: "src/a.ts" }, "Edit"), call({ c: "src/a.ts readFile" })]),
      ),
    ).toEqual([
      { kind: "path", text: "src/a.ts", tool: "Edit" },
      { kind: "identifier", text: "readFile", tool: "Bash" },
    ]);
  });

  it("occurs in results, texts and inputs of the model; not in thinking and attachments", () => {
    const judge = createRecallJudge();
    const attachment: Message = {
      type: "attachment",
      uuid: "a",
      parentUuid: null,
      timestamp: "",
      sessionId: "s",
      attachment: { type: "file", text: "inAttachment" },
    };
    judge.turn(
      round(
        [said([result("inResult")]), attachment],
        [
          { type: "thinking", thinking: "inThinking" },
          text("inText"),
          call({ deep: [{ x: 'a "in input"\nin_input' }], inKey: 4711 }),
        ],
      ),
    );
    const input = { command: "inResult inAttachment inThinking inText in_input 4711 inKey 'in input'" };
    expect(judge.turn(round([], [call(input)])).map((found) => found.text)).toEqual([
      "inResult",
      "inText",
      "in_input",
      "4711",
      "in input",
    ]);
  });

  it("is not in the last message if an attachment shows it there", () => {
    const judge = createRecallJudge();
    judge.turn(round([said("src/a.ts")], []));
    const shown = { type: "file", filename: "src/a.ts" };
    const attachment: Message = { ...said(""), type: "attachment", attachment: shown };
    expect(judge.turn(round([attachment], [call({ path: "src/a.ts" })]))).toEqual([]);
  });

  it.each([
    ["fooBarBaz", "fooBar", false],
    ["my_fooBar", "fooBar", false],
    ["x.fooBar()", "fooBar", true],
    ["12005", "1200", false],
    ["1200.5", "1200", true],
    ["13.145", "3.14", false],
    ["at 3.14!", "3.14", true],
    ["/home/x/src/a.ts", "src/a.ts", true],
    ["/home/x/src/a.ts", "/home/x", true],
    ["/home/x/src/a.ts", "/src/a.ts", true],
    ["/home/x/src/a.tsx", "src/a.ts", false],
    ["lib-src/a.ts", "src/a.ts", true],
    ["host 127.0.0.1:80", "127.0.0.1", true],
    ["/größe/übung.ts", "/größe/übung.ts", true],
    ["see 使用fooBar函数", "fooBar", true],
  ])("in %j %j occurs: %s", (earlier, name, isThere) =>
    expect(counted([earlier], { name })).toEqual(isThere ? [name] : []),
  );

  it("takes quoted strings as they stood in quotes, or up to three words wherever they stood", () => {
    expect(counted([`say "one two three four five"`], { c: `'one two three four five'` })).toEqual([
      "one two three four five",
    ]);
    expect(counted(["say one two three four"], { c: `'one two three'` })).toEqual(["one two three"]);
    expect(counted(["say one  two three four"], { c: `'one two three'` })).toEqual([]);
  });

  it("takes the parts of a quoted string that was never seen", () =>
    expect(counted(["fooBar, bazQux"], { pattern: `"fooBar|bazQux|new_one"` })).toEqual([
      "fooBar",
      "bazQux",
    ]));
});

describe("what is missing", () => {
  const seen = "export const fooBar = 1; // src/deep/a.ts";
  const references = ["src/deep/a.ts", "fooBar"].map(reference);
  const missing = (...messages: readonly RequestMessage[]): readonly string[] =>
    createContextReader()
      .missing(references, messages)
      .map((lost) => lost.text);

  it("is nothing while the result is there", () => expect(missing(user(result(seen)))).toEqual([]));

  it("is all of a result that was cleared", () =>
    expect(missing(user(result("[cleared]")), assistant(text("done")))).toEqual(["src/deep/a.ts", "fooBar"]));

  it("is what a summary does not say", () =>
    expect(missing(user(text("Summary: we changed /home/x/src/deep/a.ts.")))).toEqual(["fooBar"]));

  it("is nothing where the file was restored", () =>
    expect(missing(user(text("Summary"), text(`<file path="src/deep/a.ts">\n1\t${seen}\n</file>`)))).toEqual(
      [],
    ));

  it("is what stands in longer words only", () =>
    expect(missing(user(text("src/deep/a.tsx and fooBarBaz, fooBar2")))).toEqual([
      "src/deep/a.ts",
      "fooBar",
    ]));

  it("is not what an input holds, decoded; thinking, images, documents and names do not count", () => {
    expect(missing(assistant(call({ c: `x\nsrc/deep/a.ts"fooBar` }) as AssistantBlock))).toEqual([]);
    const quoted = reference(`say "hi" \\ there`);
    const input = {
      type: "tool_use",
      id: "t",
      name: "fooBar",
      input: { c: `echo 'say "hi" \\ there'` },
    } as const;
    expect(createContextReader().missing([quoted], [assistant(input)])).toEqual([]);
    expect(
      missing(
        assistant({ type: "thinking", thinking: seen, signature: "s" }, input),
        user({ type: "document", source: { type: "text", data: seen } }),
      ),
    ).toEqual(["src/deep/a.ts", "fooBar"]);
  });

  it("sees parts of results and a provider's own summary", () => {
    expect(missing(user({ type: "tool_result", tool_use_id: "t", content: [text(seen)] }))).toEqual([]);
    expect(missing(assistant({ type: "compaction", content: seen }))).toEqual([]);
  });

  it("follows a context that grows, loses, and gets back", () => {
    const reader = createContextReader(createContextTexts());
    const lost = (...messages: readonly RequestMessage[]): number =>
      reader.missing(references, messages).length;
    const first = user(result(seen));
    const filler = user(text("x".repeat(70_000)));
    expect(lost(first)).toBe(0);
    expect(lost(first, assistant(text("fooBar")))).toBe(0);
    expect(lost(user(text("gone")), assistant(text("fooBar")))).toBe(1);
    expect(lost(filler)).toBe(2);
    expect(lost(user(text("gone")))).toBe(2);
    expect(lost(user({ ...result(seen), cache_control: { type: "ephemeral" } }))).toBe(0);
  });

  it("finds what has no word in it", () => {
    const reader = createContextReader();
    expect(reader.missing([reference("你好世界")], [user(text("说你好世界吧"))])).toEqual([]);
    expect(reader.missing([reference("你好世界")], [user(text("你好 世界"))])).toHaveLength(1);
  });
});

const pieces =
  "src/a.ts /home/x/src/a.ts fooBar fooBarBaz x_y 1200 12005 3.14 13.145 é é1a2 你好 'one two' \"one two three four\" one two three four / \\ . , ( ) - ' \" ` https://a.b/c?d=e1f2 \n";
const words = fc
  .array(fc.tuple(fc.constantFrom(...pieces.split(" ")), fc.constantFrom("", " ", " ", "\n", ".", "/")), {
    maxLength: 14,
  })
  .map((parts) => parts.flat().join(""));

it("what is said to have occurred stands there; single words are known exactly", () => {
  checkProperty("occurrences", fc.tuple(fc.array(words, { maxLength: 4 }), words), ([history, input]) => {
    const occurrences = createOccurrences();
    history.forEach(occurrences.remember);
    for (const { text, parts = [] } of extractReferences(input)) {
      for (const candidate of [text, ...parts.map((part) => part.text)]) {
        const stands = history.some((earlier) => holdsWhole(earlier, candidate));
        const isKnown = occurrences.has(candidate);
        if (isKnown || /^\w+$/.test(candidate)) expect([candidate, isKnown]).toEqual([candidate, stands]);
      }
    }
  });
});

it("what is never compacted has a recall of all", () => {
  const turns = fc.array(fc.record({ said: words, result: words, text: words, input: words }), {
    maxLength: 5,
  });
  checkProperty("recall", turns, (conversation) => {
    const judge = createRecallJudge();
    const reader = createContextReader();
    const messages: RequestMessage[] = [];
    for (const turn of conversation) {
      const incoming = [result(turn.result), text(turn.said)];
      messages.push(user(...incoming));
      const input = { command: turn.input };
      const references = judge.turn(round([said(incoming)], [text(turn.text), call(input)]));
      expect(reader.missing(references, [...messages])).toEqual([]);
      messages.push(assistant(text(turn.text), { type: "tool_use", id: "t", name: "Bash", input }));
    }
  });
});

it("what a reader says of a changing context is what a search of all of it says", () => {
  const contexts = fc.array(fc.array(words, { maxLength: 4 }), { maxLength: 5 });
  checkProperty("context reader", fc.tuple(contexts, words), ([requests, input]) => {
    const reader = createContextReader();
    const references = extractReferences(input).map(({ kind, text }) => ({ kind, text, tool: "Bash" }));
    for (const texts of requests) {
      const lost = references.filter((each) => !texts.some((shown) => holdsWhole(shown, each.text)));
      expect(
        reader.missing(
          references,
          texts.map((shown) => user(text(shown))),
        ),
      ).toEqual(lost);
    }
  });
});

it("bears a large input against a large last message", () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `name_${at}`).join(" ");
  const judge = createRecallJudge();
  judge.turn(round([said(names)], []));
  expect(judge.turn(round([said(`${names} again`)], [call({ names })]))).toEqual([]);
  expect(judge.turn(round([said("go on")], [call({ names })]))).toHaveLength(20_000);
});

it("remembers a conversation in a bounded space", () => {
  const occurrences = createOccurrences();
  const line = "see packages/core/src/engine/summarise/extractive/survey.ts: the wordOne of value_two 1234\n";
  occurrences.remember(line);
  const once = occurrences.size;
  for (let at = 0; at < 1000; at += 1) occurrences.remember(line);
  expect(occurrences.size).toBe(once);
});
