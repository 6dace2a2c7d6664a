import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createUserMessage } from "@palimpsest/core";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openConversationRecording } from "../../recording/conversation-recording.js";
import { readRecordedRequests } from "./recorded-requests.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-requests-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const control = fc.constantFrom({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }, null, 7);
const text = fc.constantFrom("a", "b", "words ".repeat(30), "ä\ud800", "__proto__");
const odd = fc.jsonValue({ maxDepth: 2 });
const block = fc.oneof(
  text.map((value) => ({ type: "text", text: value })),
  fc.tuple(text, control).map(([value, marker]) => ({ type: "text", text: value, cache_control: marker })),
  fc.tuple(text, control).map(([value, marker]) => ({ cache_control: marker, type: "text", text: value })),
  text.map((value) => ({ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: value }] })),
  odd,
);
const content = fc.oneof(text, fc.array(block, { maxLength: 3 }), odd);
const message = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "assistant", 3), content }),
  fc.record({ content, role: fc.constant("user") }),
  fc.record({ role: fc.constant("user"), content, name: text, cache_control: control }),
  odd,
);
const body = fc.record(
  {
    model: fc.oneof(text, odd),
    system: fc.oneof(text, fc.array(block, { maxLength: 3 }), odd),
    tools: fc.oneof(fc.array(block, { maxLength: 3 }), odd),
    messages: fc.oneof(fc.array(message, { maxLength: 6 }), odd),
    metadata: fc.oneof(odd, fc.constant({ note: "long ".repeat(100) })),
    ["__proto__"]: odd,
  },
  { requiredKeys: [] },
);

it("property: whatever bodies are recorded, each is made again to the byte, by this process and after another went on", async () => {
  let file = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 6 }), fc.nat(5), async (bodies, restart) => {
      const path = join(folder, `${(file += 1)}.jsonl`);
      const sent = bodies.map((one) => JSON.stringify(JSON.parse(JSON.stringify(one))));
      const open = () => openConversationRecording(path, { sessionId: "s", redact: (words) => words });
      let recording = open();
      recording.message(
        createUserMessage(
          { clock: { now: () => 0 }, ids: { next: () => "one" }, sessionId: "s", parentUuid: null },
          { content: [{ type: "text", text: "words ".repeat(30), cache_control: { type: "ephemeral" } }] },
        ),
      );
      for (const [at, given] of sent.entries()) {
        if (at === restart) recording = open();
        recording.request({ at, text: given, outcome: { milliseconds: 1 } });
      }
      const { requests, rebuild, parts } = await readRecordedRequests(path);
      const again = await Promise.all(requests.map(rebuild));
      expect(again.map((one) => one.text)).toEqual(sent);
      expect(again.every(({ isExact, missing }) => isExact && missing.length === 0)).toBe(true);
      for (const entry of requests) expect(parts(entry).every(({ id }) => id.length === 32)).toBe(true);
    }),
    // A list of nothing and a part that is an empty list have one id, and are two things.
    { numRuns: 60, examples: [[[{ tools: [], messages: [[]] }], 0]] },
  );
});
