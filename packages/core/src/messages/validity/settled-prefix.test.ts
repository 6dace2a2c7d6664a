import fc from "fast-check";
import { expect, it } from "vitest";
import { findProblems } from "./find-problems.js";

interface Wire {
  readonly role: string;
  readonly content: readonly Record<string, unknown>[];
}

/** A step of a client: an ordinary round, or something that a rule across messages may mind. */
const step = fc.record({
  id: fc.nat({ max: 12 }),
  calls: fc.nat({ max: 2 }),
  oddity: fc.constantFrom(
    "none",
    "none",
    "none",
    "none",
    "missing-result",
    "orphan",
    "marker",
    "image",
    "empty",
    "system",
    "two-users",
    "two-assistants",
    "server-call",
    "late-thinking",
    "replace-earlier",
  ),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function grow(messages: readonly Wire[], { id, calls, oddity }: Step): readonly Wire[] {
  const uses = Array.from({ length: calls }, (_, n) => ({
    type: "tool_use",
    id: `toolu_${id}_${n}`,
    name: "Read",
    input: {},
  }));
  const results: Record<string, unknown>[] = uses.map((use) => ({
    type: "tool_result",
    tool_use_id: use.id,
    content: "ok",
  }));
  const said: Record<string, unknown> = { type: "text", text: `round ${id}` };
  if (oddity === "missing-result") results.pop();
  if (oddity === "orphan") results.push({ type: "tool_result", tool_use_id: "toolu_nobody", content: "x" });
  if (oddity === "marker") said["cache_control"] = { type: "ephemeral", ttl: id % 2 === 0 ? "1h" : "5m" };
  if (oddity === "image") {
    results.push({ type: "image", source: { type: "url", url: "https://example.com/a.png" } });
  }
  const answer: Record<string, unknown>[] = [{ type: "text", text: "answer" }, ...uses];
  if (oddity === "server-call") {
    answer.push({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} });
  }
  if (oddity === "late-thinking") answer.unshift({ type: "thinking", thinking: "hm", signature: "sig" });
  const next: Wire[] = [
    { role: "assistant", content: oddity === "empty" ? [] : answer },
    { role: "user", content: [...results, said] },
  ];
  if (oddity === "system") next.push({ role: "system", content: [{ type: "text", text: "note" }] });
  if (oddity === "two-users") next.push({ role: "user", content: [{ type: "text", text: "and" }] });
  if (oddity === "two-assistants")
    next.unshift({ role: "assistant", content: [{ type: "text", text: "so" }] });
  const before =
    oddity === "replace-earlier" && messages.length > 4
      ? messages.map((message, index) => (index === 2 ? { ...message, role: "assistant" } : message))
      : messages;
  return [...before, ...next];
}

it("judging a conversation as it grows finds what judging it anew finds", () => {
  const settings = fc.constantFrom<object>(
    {},
    { thinking: { type: "adaptive" } },
    { model: "claude-opus-4-5", thinking: { type: "enabled", budget_tokens: 1024 } },
    { cache_control: { type: "ephemeral" } },
    { model: "claude-sonnet-5" },
    { tools: [{ name: "Read", input_schema: { type: "object" } }] },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), settings, (steps, extra) => {
      let messages: readonly Wire[] = [{ role: "user", content: [{ type: "text", text: "begin" }] }];
      for (const next of steps) {
        messages = grow(messages, next);
        const request = { model: "claude-opus-5", max_tokens: 4096, ...extra, messages };
        expect(findProblems(request)).toEqual(findProblems(structuredClone(request)));
      }
    }),
    { numRuns: 5000 },
  );
});

it("two conversations that share a beginning do not know each other's ids", () => {
  const start: readonly Wire[] = [{ role: "user", content: [{ type: "text", text: "begin" }] }];
  const round = (id: number): Step => ({ id, calls: 1, oddity: "none" });
  const judge = (messages: readonly Wire[]) =>
    findProblems({ model: "claude-opus-5", max_tokens: 1, messages });
  let trunk = start;
  for (const id of [1, 2, 3, 4]) {
    trunk = grow(trunk, round(id));
    expect(judge(trunk)).toEqual([]);
  }
  let left = trunk;
  for (const id of [5, 6, 7]) expect(judge((left = grow(left, round(id))))).toEqual([]);
  let right = trunk;
  for (const id of [5, 6, 7]) expect(judge((right = grow(right, round(id))))).toEqual([]);
  expect(judge(grow(right, round(2)))[0]?.rule).toBe("tool-use-id-duplicate");
});
