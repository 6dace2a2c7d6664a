import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { ConversationList } from "../../inspector/contract.js";
import { recordScript } from "../../inspector/testing/scripted-recording.js";
import { showRecording } from "./show-recording.js";

it.each(["a key", "a signal"])("says where the recording is seen, until %s", async (end) => {
  const folder = mkdtempSync(join(tmpdir(), "demo-recording-"));
  recordScript(join(folder, "palimpsest-one.jsonl"), {
    turns: [{ asked: "Look around", said: "Done." }],
    tools: () => [],
    system: () => "You are an agent.",
  });
  const keys = new PassThrough();
  const stop = new AbortController();
  const lines: string[] = [];
  const shown = showRecording({
    recordFolder: folder,
    dataDirectory: join(folder, "data"),
    keys,
    signal: stop.signal,
    write: (more) => void lines.push(...more),
  });
  await expect.poll(() => keys.listenerCount("data")).toBe(1);
  const { origin, hash } = new URL(lines.at(-1) ?? "");
  const headers = { authorization: `Bearer ${hash.slice("#token=".length)}` };
  const answer = await fetch(`${origin}/api/conversations`, { headers });
  const { conversations } = (await answer.json()) as ConversationList;
  expect(conversations).toMatchObject([{ agent: "palimpsest", title: "Look around" }]);
  if (end === "a key") keys.write("x");
  else stop.abort("interrupted");
  await shown;
  await expect(fetch(origin)).rejects.toThrow();
  expect(keys.listenerCount("data")).toBe(0);
});
