import { expect, it } from "vitest";
import { createEventLog } from "./event-log.js";
import { eventStream } from "./event-stream.js";

async function read(
  response: Response,
  count: number,
): Promise<readonly { id: number; event: string; data: unknown }[]> {
  const found: { id: number; event: string; data: unknown }[] = [];
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (found.length < count) {
    const { value } = await reader.read();
    text += decoder.decode(value);
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const [, id, event, data = "null"] = /^id: (\d+)\nevent: (.+)\ndata: (.*)$/.exec(frame) ?? [];
      if (event !== undefined) found.push({ id: Number(id), event, data: JSON.parse(data) });
    }
  }
  await reader.cancel();
  return found;
}

const ask = (log: ReturnType<typeof createEventLog>, last?: number): Response =>
  eventStream(
    log,
    new Request(
      "http://localhost/api/events",
      last === undefined ? {} : { headers: { "last-event-id": String(last) } },
    ),
  );

it("tells what comes, each once; of what is said again and again only the newest; and goes on where a page was", async () => {
  const log = createEventLog();
  log.add({ type: "conversations" });
  const response = ask(log);
  for (let bytesRead = 1; bytesRead <= 500; bytesRead += 1)
    log.add({ type: "indexing", id: "a", bytesRead, bytes: 500 });
  log.add({ type: "conversation", id: "a", version: 2 });
  const seen = await read(response, 2);
  expect(seen).toEqual([
    { id: 501, event: "indexing", data: { id: "a", bytesRead: 500, bytes: 500 } },
    { id: 502, event: "conversation", data: { id: "a", version: 2 } },
  ]);
  expect((await read(ask(log, 0), 3)).map(({ id }) => id)).toEqual([1, 501, 502]);
  expect((await read(ask(log, 501), 1)).map(({ id }) => id)).toEqual([502]);
});

it("says so where events are lost: a page of another process, or one that was away for long", async () => {
  const log = createEventLog();
  for (let id = 0; id < 2000; id += 1) log.add({ type: "conversation", id: String(id), version: 1 });
  expect(await read(ask(log, 5), 1)).toEqual([{ id: 2000, event: "reset", data: {} }]);
  expect(await read(ask(log, 9999), 1)).toEqual([{ id: 2000, event: "reset", data: {} }]);
});
