import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnthropicMessage } from "@palimpsest/core";
import { fit } from "@palimpsest/core/fit";
import { findProblems } from "@palimpsest/core/validity";
import { output } from "./world.js";

const model = "claude-opus-5";
const tools = [{ name: "Read", input_schema: { type: "object" } }];
const hour = { type: "ephemeral", ttl: "1h" } as const;

type Block = Readonly<Record<string, unknown>>;

const blocksOf = (messages: readonly AnthropicMessage[]): readonly Block[] =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [] : (content as readonly Block[])));
const markedIn = (messages: readonly AnthropicMessage[]): readonly Block[] =>
  blocksOf(messages).filter((block) => "cache_control" in block);
const withoutMarkers = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (name === "cache_control" ? undefined : inner)),
  ) as T;

/** Rounds with a call each; those at the places named are marked: the call, or its result. */
function conversation(
  rounds: number,
  bytes: number,
  marked: ReadonlyMap<number, "call" | "result">,
): readonly AnthropicMessage[] {
  const marker = (round: number, what: string) => (marked.get(round) === what ? { cache_control: hour } : {});
  return [
    { role: "user", content: "Read everything." },
    ...Array.from({ length: rounds }, (_, round): readonly AnthropicMessage[] => [
      {
        role: "assistant",
        content: [
          {
            type: "tool_use",
            id: `t${round}`,
            name: "Read",
            input: { path: "/a" },
            ...marker(round, "call"),
          },
        ] as never,
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: `t${round}`,
            content: output(round, bytes),
            ...marker(round, "result"),
          },
        ] as never,
      },
    ]).flat(),
  ];
}

describe("fit keeps the caller's own markers", () => {
  it("where nothing has to go, all of them, and changes nothing else", async () => {
    const places = fc.uniqueArray(fc.tuple(fc.nat(9), fc.constantFrom("call" as const, "result" as const)), {
      maxLength: 4,
      selector: ([round]) => round,
    });
    await fc.assert(
      fc.asyncProperty(places, async (marked) => {
        const given = conversation(10, 200, new Map(marked));
        const { messages } = await fit(given, { model, tools });
        const plain = await fit(withoutMarkers(given), { model, tools });
        expect(withoutMarkers(messages)).toEqual(plain.messages);
        expect(markedIn(messages)).toEqual(markedIn(given));
        const problems = findProblems({ model, max_tokens: 1000, messages, tools });
        expect(problems).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("where results are cleared or summarised, those that are still there, and what it gives can be fitted again", async () => {
    const settings = { window: 60_000, clearSizeTarget: 5000 };
    const marked = new Map([
      [2, "call" as const],
      [38, "result" as const],
      [39, "result" as const],
    ]);
    const given = conversation(40, 8000, marked);
    const { messages, steps } = await fit(given, { model, tools, settings });
    expect(steps.length).toBeGreaterThan(0);
    expect(markedIn(messages).map((block) => block["tool_use_id"] ?? block["id"])).toContain("t39");
    expect(markedIn(messages).every((block) => block["cache_control"] !== undefined)).toBe(true);
    const again = await fit(messages, { model, tools, settings });
    expect(again.messages).toEqual(messages);
  });

  it("the newest four of more: the API takes no fifth", async () => {
    const marked = new Map(Array.from({ length: 6 }, (_, round) => [round, "result" as const]));
    const { messages } = await fit(conversation(6, 200, marked), { model, tools });
    expect(markedIn(messages).map((block) => block["tool_use_id"])).toEqual(["t2", "t3", "t4", "t5"]);
    expect(findProblems({ model, max_tokens: 1000, messages, tools })).toEqual([]);
  });

  it("of texts that are alike, the one that was marked", async () => {
    const said = (text: string, more: object = {}): AnthropicMessage => ({
      role: "user",
      content: [{ type: "text", text, ...more }] as never,
    });
    const answer: AnthropicMessage = { role: "assistant", content: "Yes." };
    const given = [said("Go on."), answer, said("Go on.", { cache_control: hour }), answer, said("Go on.")];
    const { messages } = await fit(given, { model });
    expect(blocksOf(messages).map((block) => "cache_control" in block)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
  });

  it("endless blocks and markers that are none harm nothing", async () => {
    const endless: { type: string; text: string; self?: unknown } = { type: "text", text: "x" };
    endless.self = endless;
    const content = [
      endless,
      { type: "text", text: "y", cache_control: "yes" },
      { type: "text", text: "z", cache_control: hour },
    ];
    const { messages } = await fit([{ role: "user", content }], { model });
    expect(markedIn(messages)).toEqual([{ type: "text", text: "z", cache_control: hour }]);
  });
});
