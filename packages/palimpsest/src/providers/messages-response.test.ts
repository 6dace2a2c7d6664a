import type { ModelResponse, StreamOutput } from "@palimpsest/core";
import { encodeStream, formatSseEvent } from "@palimpsest/core/protocols";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMessagesResponse } from "./messages-response.js";

const message: ModelResponse = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [
    { type: "text", text: "čistá deska, 羊皮紙, 👩‍👩‍👧‍👦" },
    { type: "tool_use", id: "t1", name: "read", input: { path: "žluť 😀" } },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 2 },
};
const events = encodeStream(message, { chunkCharacters: 7, pings: true });
const wire = new TextEncoder().encode(events.map(formatSseEvent).join(""));

/** A stream that arrives in pieces, cut at these places. */
function cutAt(places: readonly number[]): Response {
  const bounds = [0, ...places.toSorted((left, right) => left - right), wire.length];
  const pieces = bounds.slice(1).map((end, index) => wire.slice(bounds[index], end));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  return new Response(body, { headers: { "content-type": "Text/Event-Stream" } });
}

async function read(response: Response): Promise<{ outputs: StreamOutput[]; signs: number }> {
  const outputs: StreamOutput[] = [];
  let signs = 0;
  const alive = (): void => {
    signs += 1;
  };
  for await (const output of readMessagesResponse(response, { alive })) outputs.push(output);
  return { outputs, signs };
}

describe("readMessagesResponse", () => {
  it("property: a stream gives the same outputs wherever it is cut, even within a character", async () => {
    const { outputs: expected } = await read(cutAt([]));
    expect(expected.at(-1)).toEqual({ kind: "message", message });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(wire.length), { maxLength: 40 }), async (places) => {
        const { outputs, signs } = await read(cutAt(places));
        expect(outputs).toEqual(expected);
        expect(signs).toBeGreaterThan(places.length);
      }),
      { numRuns: 200 },
    );
  });

  it("says that a stream broke off", async () => {
    const body = wire.slice(0, wire.length - 30);
    const { outputs } = await read(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    expect(outputs.at(-1)).toMatchObject({ kind: "violation", violation: { code: "truncated" } });
    const empty = new Response(null, { headers: { "content-type": "text/event-stream" } });
    expect((await read(empty)).outputs).toMatchObject([{ kind: "violation" }]);
  });

  it("knows what is neither a stream nor a message", async () => {
    for (const [body, headers] of [
      ["<html>", { "content-type": "text/html" }],
      ["{", { "content-type": "application/json" }],
      ['{"type":"message"}', { "content-type": "application/json" }],
      ["", {}],
    ] as const) {
      const { outputs } = await read(new Response(body, { headers }));
      expect(outputs).toMatchObject([{ kind: "violation", violation: { code: "malformed-event" } }]);
    }
  });

  it("reads a date to wait for", async () => {
    const until = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
    const headers = { "retry-after": new Date(until).toUTCString() };
    const latest = until - Date.now();
    const { outputs } = await read(new Response("busy", { status: 529, headers }));
    expect(outputs).toMatchObject([{ kind: "error", failure: { kind: "overloaded", message: "busy" } }]);
    const [output] = outputs;
    const wait = output?.kind === "error" ? output.failure.retryAfterMs : undefined;
    expect(wait).toBeLessThanOrEqual(latest);
    expect(wait).toBeGreaterThanOrEqual(until - Date.now());
  });
});
