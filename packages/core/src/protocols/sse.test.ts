import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeSseEvent, formatSseEvent, startSse, stepSse, type SseEvent } from "./sse.js";

function read(...chunks: readonly string[]): readonly SseEvent[] {
  let state = startSse();
  return chunks.flatMap((chunk) => {
    const step = stepSse(state, chunk);
    ({ state } = step);
    return step.events;
  });
}

describe("formatSseEvent", () => {
  it("names the event and gives it as one line of data", () => {
    expect(formatSseEvent({ type: "ping" })).toBe('event: ping\ndata: {"type":"ping"}\n\n');
    const event = formatSseEvent({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text: "a\r\nb" },
    });
    expect(event.split(/[\r\n]/)).toHaveLength(4);
  });
});

describe("stepSse", () => {
  const expected = [
    { event: "a", data: "1" },
    { event: "message", data: "2\n3" },
  ];

  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("reads lines that end with %s", (_, end) => {
    expect(read(["event: a", "data: 1", "", "data:2", "data: 3", "", ""].join(end))).toEqual(expected);
  });

  it("takes a CRLF that is cut in two for one line end", () => {
    expect(read("event: a\r", "\ndata: 1\r", "\n\r", "\n", "data: 2\ndata: 3\r", "", "\n\n")).toEqual(
      expected,
    );
  });

  it("ignores comments, other fields and a byte order mark at the start", () => {
    expect(read("\uFEFF", ": hello\nid: 7\nretry: 3\nunknown\nevent: a\n: x\ndata: 1\n\n")).toEqual([
      { event: "a", data: "1" },
    ]);
    expect(read("", "\uFEFFdata: 1\n\n\uFEFFdata: 2\n\n")).toEqual([{ event: "message", data: "1" }]);
  });

  it("takes off one space, knows a field without a colon, and has no event without data", () => {
    expect(read("data:  1\ndata\n\nevent: a\n\ndata\n\n")).toEqual([
      { event: "message", data: " 1\n" },
      { event: "message", data: "" },
    ]);
  });

  it("gives an event when its empty line is there, and drops what the stream ends in", () => {
    expect(read("event: a\ndata: 1\n")).toEqual([]);
    expect(read("event: a\ndata: 1\n", "\n", "data: 2")).toEqual([{ event: "a", data: "1" }]);
  });

  it("does not change the state it is given", () => {
    const { state } = stepSse(startSse(), "event: a\ndata: 1");
    const first = stepSse(state, "2\n\n");
    expect(stepSse(state, "2\n\n")).toEqual(first);
    expect(stepSse(state, "3\n\n").events).toEqual([{ event: "a", data: "13" }]);
  });

  it("reads a line of a million pieces in time", () => {
    let { state } = stepSse(startSse(), "data: ");
    for (let index = 0; index < 1_000_000; index += 1) ({ state } = stepSse(state, "x"));
    expect(stepSse(state, "\n\n").events[0]?.data).toHaveLength(1_000_000);
  });

  it("gives the same events wherever the text is cut, and never throws", () => {
    const piece = fc.oneof(
      fc.constantFrom("\r", "\n", "\r\n", ":", " ", "data", "data:", "event: a", "\uFEFF", "😀", "\ud83d"),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join("")),
        fc.array(fc.nat()),
        (text, cuts) => {
          const places = cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b);
          const chunks = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
          expect(read(...chunks)).toEqual(read(text));
        },
      ),
    );
  });
});

describe("decodeSseEvent", () => {
  it("parses the data", () => {
    expect(decodeSseEvent({ event: "ping", data: '{"type":"ping"}' })).toEqual({ type: "ping" });
  });

  it("falls back on the name of the event", () => {
    expect(decodeSseEvent({ event: "ping", data: "" })).toEqual({ type: "ping" });
    expect(decodeSseEvent({ event: "error", data: '{"error":{"type":"api_error"}}' })).toEqual({
      type: "error",
      error: { type: "api_error" },
    });
  });
});
