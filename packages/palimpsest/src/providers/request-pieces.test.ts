import type { Message, ModelRequest, RequestMessage } from "@palimpsest/core";
import { createNormaliser } from "@palimpsest/core/engine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPieceEncoder, type RequestPieces } from "./request-pieces.js";

const origin = { sessionId: "s", cwd: "/", version: "1", timestamp: "2026-11-19T00:00:00.000Z" };
const bytes = (pieces: RequestPieces): string => Buffer.concat(pieces).toString();

const said = (text: string, place: number): Message =>
  ({
    ...origin,
    type: "user",
    uuid: `u${place}`,
    parentUuid: null,
    message: { role: "user", content: text },
  }) as unknown as Message;
const answered = (text: string, place: number): Message =>
  ({
    ...origin,
    type: "assistant",
    uuid: `a${place}`,
    parentUuid: null,
    message: { id: `m${place}`, role: "assistant", content: [{ type: "text", text }] },
  }) as unknown as Message;

/** Texts with what JSON and UTF-8 have to mind. */
const text = fc
  .array(fc.constantFrom("a", '"', "\\", "\n", "é", "…", "\u{1f600}", "\ud800", "\u2028", "x".repeat(3000)))
  .map((parts) => `.${parts.join("")}`);
const fields = fc.constantFrom<object>(
  {},
  { system: [{ type: "text", text: 'of the "messages":[] …' }] },
  { system: "s", temperature: undefined },
  { metadata: { user_id: "u" }, tools: [{ name: "Bash", input_schema: { type: "object" } }] },
);

describe("a request in pieces", () => {
  it("is what JSON makes of it, at every length of a growing conversation and whatever stands beside it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 12 }),
        fields,
        fields,
        fc.boolean(),
        (rounds, before, after, isStreamed) => {
          const encode = createPieceEncoder();
          const normaliser = createNormaliser({});
          for (const [place, [question, answer]] of rounds.entries()) {
            const { messages } = normaliser.append([said(question, place), answered(answer, place)]);
            const request = {
              ...before,
              model: "m",
              max_tokens: place,
              messages,
              ...after,
              ...(isStreamed ? { stream: true } : {}),
            } as unknown as ModelRequest;
            const pieces = encode(request);
            expect(bytes(pieces)).toBe(JSON.stringify(request));
          }
        },
      ),
    );
  });

  it("keeps the bytes of an earlier request while later ones are made, and makes those of settled messages once", () => {
    const encode = createPieceEncoder();
    const normaliser = createNormaliser({});
    const made: { readonly pieces: RequestPieces; readonly json: string }[] = [];
    let read = 0;
    for (let place = 0; place < 60; place += 1) {
      const { messages } = normaliser.append([
        said("q".repeat(5000), place),
        answered("a".repeat(5000), place),
      ]);
      if (place === 30) spyOn(messages[0], () => (read += 1));
      const request: ModelRequest = { model: "m", max_tokens: 1, messages };
      made.push({ pieces: encode(request), json: "" });
      made[place] = { pieces: made[place]?.pieces ?? [], json: JSON.stringify(request) };
    }
    for (const { pieces, json } of made) expect(bytes(pieces)).toBe(json);
    // `JSON.stringify` of the test has read it, and nobody else.
    expect(read).toBe(30);
  });

  it("writes system prompt and tools once while they are the same, and anew what else may have changed", () => {
    const encode = createPieceEncoder();
    const normaliser = createNormaliser({});
    const { messages } = normaliser.append([said("q", 0), answered("a", 0)]);
    let read = 0;
    const tool = { name: "Bash", input_schema: { type: "object" } };
    Object.defineProperty(tool, "name", { enumerable: true, get: () => `Bash${(read += 1) === 0}` });
    const metadata = { user_id: "a" };
    const system = [{ type: "text", text: "s" }];
    const lists = [[tool], [tool], [tool, { name: "Read" }], [{ name: "Read" }]];
    for (const [turn, tools] of lists.entries()) {
      metadata.user_id = `${turn}`;
      const request = { metadata, model: "m", max_tokens: turn, tools, system, messages };
      const before = read;
      const sent = bytes(encode(request as unknown as ModelRequest));
      expect(read - before).toBe([1, 0, 1, 0][turn]);
      expect(sent).toBe(JSON.stringify(request));
    }
  });

  it("of a list that anybody may change reads all of it again", () => {
    const encode = createPieceEncoder();
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "one" }] }];
    const request: ModelRequest = { model: "m", max_tokens: 1, messages };
    expect(bytes(encode(request))).toContain("one");
    messages[0] = { role: "user", content: [{ type: "text", text: "two" }] };
    expect(bytes(encode(request))).toBe(JSON.stringify(request));
  });

  it("throws what JSON throws, and takes a request without a list as it is", () => {
    const encode = createPieceEncoder();
    const circular: Record<string, unknown> = { model: "m", max_tokens: 1, messages: [] };
    circular["self"] = circular;
    expect(() => encode(circular as unknown as ModelRequest)).toThrow(TypeError);
    const odd = { model: "m", max_tokens: 1, messages: "none" } as unknown as ModelRequest;
    expect(bytes(encode(odd))).toBe(JSON.stringify(odd));
    const holes = { model: "m", messages: [undefined, () => 1] } as unknown as ModelRequest;
    expect(bytes(encode(holes))).toBe(JSON.stringify(holes));
  });
});

function spyOn(message: RequestMessage | undefined, told: () => void): void {
  if (message === undefined) return;
  const { role } = message;
  Object.defineProperty(message, "role", {
    enumerable: true,
    get() {
      told();
      return role;
    },
  });
}
