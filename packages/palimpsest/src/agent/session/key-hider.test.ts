import type { ModelOutput, ModelProvider } from "@palimpsest/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createKeyHider, hidingProvider, hidingTool } from "./key-hider.js";
import type { AgentTool } from "../base/tool.js";

const KEY = 'sk-"key"-0123456789';
const hider = createKeyHider([KEY]);

it("finds a key within JSON, addresses and Base64, whatever stands around it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, after) => {
      const text = before + KEY + after;
      const bytes = Buffer.from(text);
      for (const form of [
        text,
        JSON.stringify(text),
        encodeURIComponent(bytes.toString()),
        bytes.toString("base64"),
        bytes.toString("base64url"),
      ]) {
        const hidden = hider.text(form);
        expect(hidden).toContain("[secret]");
        expect(Buffer.from(hidden.replace("[secret]", ""), "base64").toString()).not.toContain("0123456789");
        expect(hidden).not.toContain("0123456789");
      }
    }),
  );
});

it("leaves a value without a key as it is, and looks through one that has it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(hider.value(value)).toBe(value);
      const held = { a: [value, { [KEY]: `x${KEY}` }] };
      expect(hider.value(held)).toEqual({ a: [value, { "[secret]": "x[secret]" }] });
    }),
  );
});

it("does not fall over a value that is nested without end, and shows none of it", () => {
  let value: unknown = KEY;
  for (let depth = 0; depth < 100_000; depth += 1) value = [value];
  expect(JSON.stringify(hider.value(value))).not.toContain("0123456789");
});

it("hides what a server repeats, in whatever pieces", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30 })), async (sizes) => {
      const said = `a ${KEY} b sk-"key`;
      const pieces: string[] = [];
      let at = 0;
      for (const size of sizes) pieces.push(said.slice(at, (at += size)));
      pieces.push(said.slice(at));
      const message = { content: [{ type: "text", text: said }] };
      const provider = {
        name: "x",
        capabilities: () => ({}),
        async *stream() {
          for (const text of pieces) if (text !== "") yield { kind: "text", index: 0, text };
          yield { kind: "message", message };
        },
      } as unknown as ModelProvider;
      const outputs: ModelOutput[] = [];
      for await (const output of hidingProvider(provider, hider).stream({} as never)) outputs.push(output);
      const text = outputs.map((output) => (output.kind === "text" ? output.text : "")).join("");
      expect(text).toBe('a [secret] b sk-"key');
      expect(outputs.at(-1)).toEqual({
        kind: "message",
        message: { content: [{ type: "text", text: 'a [secret] b sk-"key' }] },
      });
    }),
  );
});

it("hides what a tool throws", async () => {
  const tool = {
    definition: { name: "T", description: `uses ${KEY}`, input_schema: { type: "object" } },
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    run: async () => {
      throw new Error(`no ${KEY}`);
    },
  } as AgentTool;
  const hiding = hidingTool(tool, hider);
  expect(hiding.definition.description).toBe("uses [secret]");
  await expect(hiding.run({}, {} as never)).rejects.toThrow(/^no \[secret\]$/);
});
