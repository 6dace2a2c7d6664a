import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findProblems } from "./find-problems.js";
import { rules } from "./rules.js";

const known = new Set<string>(rules);

function judge(value: unknown): void {
  for (const problem of findProblems(value, { betas: [] })) {
    if (!known.has(problem.rule) || typeof problem.message !== "string") throw new Error(problem.message);
  }
}

const valid = {
  model: "claude-opus-4-5",
  max_tokens: 4096,
  system: [{ type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "1h" } }],
  tools: [{ name: "read", input_schema: { type: "object" } }],
  tool_choice: { type: "tool", name: "read" },
  thinking: { type: "enabled", budget_tokens: 1024 },
  output_config: { effort: "high", format: { type: "json_schema", schema: {} } },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  compaction: { type: "summarize" },
  messages: [
    { role: "user", content: "hello" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "t", signature: "s" },
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        { type: "tool_use", id: "a", name: "read", input: {}, caller: { type: "direct" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "a",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
            { type: "document", source: { type: "content", content: [{ type: "text", text: "x" }] } },
            { type: "tool_reference", tool_name: "read" },
          ],
        },
      ],
    },
    { role: "system", content: "note" },
    { role: "assistant", content: [{ type: "compaction", content: "c", signature: "s" }] },
  ],
};

/** Every place of a value: the keys that lead to it. */
function places(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => places(member, [...path, key]))];
}

function replaceAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy: Record<string, unknown> = Array.isArray(value)
    ? ([...(value as unknown[])] as unknown as Record<string, unknown>)
    : { ...(value as Record<string, unknown>) };
  copy[key] = replaceAt(copy[key], rest, replacement);
  return copy;
}

const strange = fc.oneof(
  fc.anything({
    withSparseArray: true,
    withNullPrototype: true,
    withBigInt: true,
    withDate: true,
    withMap: true,
  }),
  fc.constantFrom<unknown>(
    "",
    " ",
    "\ud800",
    null,
    undefined,
    [],
    {},
    -1,
    Number.NaN,
    Symbol("s"),
    "__proto__",
  ),
);

describe("findProblems", () => {
  it("never throws on arbitrary values", () => {
    fc.assert(fc.property(strange, judge), { numRuns: 5000 });
  });

  it("never throws on mutated requests", () => {
    const mutation = fc.tuple(fc.constantFrom(...places(valid)), strange);
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
        let request: unknown = valid;
        for (const [path, replacement] of mutations) {
          const isStillThere = path.slice(0, -1).every((_, end) => {
            let parent: unknown = request;
            for (const key of path.slice(0, end + 1))
              parent = (parent as Record<string, unknown> | undefined)?.[key];
            return typeof parent === "object" && parent !== null;
          });
          if (isStillThere || path.length < 2) request = replaceAt(request, path, replacement);
        }
        judge(request);
      }),
      { numRuns: 5000 },
    );
  });

  it("survives nesting and lists that would overflow a stack", () => {
    let nested: unknown = 0;
    for (let level = 0; level < 200_000; level += 1) nested = [nested];
    expect(findProblems({ ...valid, system: nested })[0]?.rule).toBe("nesting-too-deep");
    const results = Array.from({ length: 300_000 }, (_, index) => ({
      type: "tool_result",
      tool_use_id: `id_${index}`,
    }));
    const orphans = findProblems({
      model: "m",
      max_tokens: 1,
      messages: [{ role: "user", content: results }],
    });
    expect(orphans.length).toBe(results.length);
  });
});
