import { expect, it } from "vitest";
import { startNotesHost } from "./notes-host.js";

const format = {
  type: "json_schema",
  schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
};

it("leaves stop sequences out of the notes, and gives them room beside short answers", async () => {
  const host = startNotesHost({
    conversation: { maxTokens: 500, parameters: { extraBody: { stop_sequences: ["END"] } } },
  });
  await host.agent.say("go");
  await host.workUntil(10_000);
  expect(host.calls.length).toBeGreaterThan(0);
  for (const { request } of host.calls) {
    expect(request["stop_sequences"]).toBeUndefined();
    expect(request.max_tokens).toBe(20_000);
  }
  expect(host.updates.every(({ outcome, edits }) => outcome === "updated" && edits > 0)).toBe(true);
  const read = host.updates[0]?.calls[0]?.usage.cache_read_input_tokens ?? 0;
  expect(read).toBeGreaterThan(3000);
});

it.each([
  ["a format", { extraBody: { output_config: { format } } }],
  ["no tool at all", { tool_choice: { type: "none" } }],
])(
  "writes notes without a model where the caller wants %s: each call would be paid in full",
  async (_name, parameters) => {
    const host = startNotesHost({ conversation: { parameters } });
    await host.agent.say("Never delete a test.");
    for (let turn = 0; turn < 4; turn += 1) {
      await host.agent.say("and this: " + "words ".repeat(1500));
      await host.agent.turn();
      await host.conversation.notes?.idle();
    }
    expect(host.calls).toEqual([]);
    expect(host.updates.length).toBeGreaterThan(0);
    expect(host.updates.every(({ outcome, calls }) => outcome === "updated" && calls.length === 0)).toBe(
      true,
    );
    expect(await host.store.read()).toContain("Never delete a test.");
  },
);
