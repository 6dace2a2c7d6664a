import type { ModelRequest } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { createBpeCounter } from "../tokens/bpe-counter.js";
import { createEnvironment } from "./environment.js";

const schema = { type: "object", properties: {} };
const tool = (description: string) => ({ name: "Read", description, input_schema: schema });
const request = (more: Partial<ModelRequest>): ModelRequest => ({
  model: "claude-opus-4-5",
  max_tokens: 10,
  messages: [],
  ...more,
});
const environment = () =>
  createEnvironment({
    counter: createBpeCounter(),
    player: { answer: (_prompt, memory) => ({ answer: { content: [] }, memory }) },
  });

describe("what thinking is bound to at the start", () => {
  const heads: readonly Partial<ModelRequest>[] = [
    { system: "You help.", tools: [tool("Reads")] },
    { system: [{ type: "text", text: "You help." }], tools: [tool("Reads")] },
    {
      system: [{ type: "text", text: "You help.", cache_control: { type: "ephemeral" } }],
      tools: [tool("Reads")],
    },
    { system: "You help.", tools: [tool("Reads files")] },
    {
      system: "You help.",
      tools: [{ ...tool("Reads"), input_schema: { type: "object", properties: { a: {} } } }],
    },
    { system: "You help a lot.", tools: [tool("Reads")] },
    { system: "You help.", tools: [tool("Reads"), { ...tool("Writes"), name: "Write" }] },
    { system: "You help." },
    {},
  ];

  it("is the head and nothing else, whatever was asked before", () => {
    const alone = heads.map((head) => environment().headBinding(request(head)));
    expect(new Set(alone).size).toBe(7);
    expect(alone[0]).toBe(alone[1]);
    expect(alone[0]).toBe(alone[2]);
    const together = environment();
    for (const first of heads.keys()) {
      for (const second of heads.keys()) {
        expect(together.headBinding(request(heads[first] ?? {}))).toBe(alone[first]);
        expect(together.headBinding(request(heads[second] ?? {}))).toBe(alone[second]);
      }
    }
  });
});
