import { expect, it } from "vitest";
import { createEventParser, type StreamedEvent } from "./event-stream.js";

const TEXT =
  'id: 1\nevent: conversation\ndata: {"id":"a"}\n\n: still here\n\nid: 2\r\nevent: reset\r\ndata: {}\r\n\r\ndata: one\ndata: two\n\nid: 3\nevent: cut';

const EVENTS: readonly StreamedEvent[] = [
  { id: "1", type: "conversation", data: '{"id":"a"}' },
  { id: "2", type: "reset", data: "{}" },
  { id: "2", type: "message", data: "one\ntwo" },
];

it("reads events however the stream is cut", () => {
  for (const length of [1, 2, 3, 7, TEXT.length]) {
    const heard: StreamedEvent[] = [];
    const read = createEventParser((event) => heard.push(event));
    for (let at = 0; at < TEXT.length; at += length) read(TEXT.slice(at, at + length));
    expect(heard).toEqual(EVENTS);
  }
});
