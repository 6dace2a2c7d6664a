import { createConversation } from "@palimpsest/core";
import { compaction, type SummaryVariant } from "@palimpsest/core/compaction";
import { sectionTitles, summaryPrompt } from "@palimpsest/core/engine";
import { createMemoryNotesStore, keepNotes, notesTemplate } from "@palimpsest/core/notes";
import { expect, it } from "vitest";
import { createEmbeddedProvider } from "../../providers/embedded.js";
import { recogniseSummaryRequest } from "./summary-request.js";

const message = (role: "user" | "assistant", text: string) => ({
  role,
  content: [{ type: "text" as const, text }],
});

it.each<[SummaryVariant, boolean]>([
  ["full", true],
  ["full", false],
  ["from", true],
  ["up_to", true],
])("knows our own request for a summary (%s, tools %s)", (variant, hasTools) => {
  const messages = [
    message("user", "Fix the parser."),
    message("assistant", "Done."),
    message(
      "user",
      summaryPrompt({ variant, instructions: ["keep the names of all files"], pivot: "Fix it" }),
    ),
  ];
  const request = {
    model: "claude-opus-5",
    max_tokens: 1000,
    messages,
    ...(hasTools ? { tools: [{ name: "Read", input_schema: { type: "object" } }] } : {}),
  };
  expect(recogniseSummaryRequest({ request, messages, kind: "message", now: 0, sequence: 1 })).toMatchObject({
    kind: "summary",
    form: { style: "tagged", analysis: true, sections: sectionTitles(variant) },
  });
});

it("knows our own request for an update of the notes, its file and what stands in it", async () => {
  const path = "/data/c-1/session-memory/summary.md";
  const store = createMemoryNotesStore(path);
  const notes = `${notesTemplate}${"- read the parser\n# a heading of theirs\n".repeat(200)}`;
  await store.write(notes);
  const seen: unknown[] = [];
  const provider = createEmbeddedProvider({
    clock: "manual",
    player: {
      answer(prompt, memory) {
        seen.push(recogniseSummaryRequest(prompt));
        return { answer: { content: [{ type: "text", text: "Done." }] }, memory };
      },
    },
  });
  let ids = 0;
  const conversation = createConversation({
    provider,
    model: "claude-opus-5",
    maxTokens: 1000,
    sessionId: "s",
    clock: { now: () => provider.simulator.now() },
    ids: { next: () => `u${(ids += 1)}` },
    settings: { notes: true, notesFirstTokens: 0, notesTokens: 100, notesSectionTokens: 50 },
    tools: () => [{ definition: { name: "Edit", input_schema: { type: "object" } } }],
    compaction,
    notes: keepNotes({ store }),
  });
  await conversation.ask("Fix the parser.");
  await conversation.flush();
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBeUndefined();
  expect(seen[1]).toMatchObject({ kind: "notes", path, recognisedBy: "notes" });
  expect((seen[1] as { notes: string }).notes.trim()).toBe(notes.trim());
});
