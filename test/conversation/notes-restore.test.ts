import { expect, it } from "vitest";
import { startNotesHost } from "./notes-host.js";
import { createWorld } from "./world.js";

it("a compaction from notes brings back what any other does, and hooks are told of it", async () => {
  const told: string[] = [];
  const { state } = createWorld(4000);
  const host = startNotesHost({
    conversation: {
      state,
      hooks: {
        preCompact: async ({ trigger }) => (told.push(`before ${trigger}`), {}),
        sessionStart: async ({ source }) => (told.push(`start ${source}`), { contexts: ["hello again"] }),
        postCompact: async () => (told.push("after"), {}),
      },
    },
  });
  await host.agent.say("go");
  await host.workUntil(16_000);
  const outcome = await host.conversation.compact();
  expect(outcome).toMatchObject({ kind: "compacted", writer: "notes" });
  const kinds = host.conversation.live.flatMap((message) =>
    message.type === "attachment" ? [message.attachment.type] : [],
  );
  for (const kind of ["todo", "plan_file_reference", "task_status", "hook_additional_context"]) {
    expect(kinds).toContain(kind);
  }
  expect(told).toEqual(["before manual", "start compact", "after"]);
});
