import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createAssistantMessage,
  createConversation,
  createUserMessage,
  type Message,
} from "@palimpsest/core";
import { notesTemplate } from "@palimpsest/core/notes";
import { createJsonlStore, createNotesFile } from "../../packages/palimpsest/src/stores/index.js";
import {
  lastTextOf,
  NOTES_PATH,
  notesPlayer,
  says,
  startNotesHost,
  withoutEdit,
  writerOf,
  WINDOW,
} from "./notes-host.js";
import { handedIn } from "./agent.js";
import { output } from "./world.js";

const never = { notesTokensBetweenUpdates: 1_000_000, notesFirstTokens: 1_000_000 };

describe("a compaction from notes", () => {
  it("asks nobody, keeps what the notes do not cover, and what people said stays", async () => {
    const host = startNotesHost();
    const { agent, conversation, others, timers, updates } = host;
    await agent.say("Never delete a test.");
    await host.workUntilStep();
    await host.workUntilStep();
    expect(agent.steps.map(({ tier }) => tier)).toEqual(["notes", "notes"]);
    expect(others).toHaveLength(agent.turns);
    expect(timers.every(({ isStopped }) => isStopped)).toBe(true);
    expect(updates.every(({ outcome }) => outcome === "updated")).toBe(true);
    const { compacted } = agent.steps[1] ?? {};
    expect(compacted?.summary).toContain("# Worklog");
    expect(compacted?.summary).toMatch(/# All user messages\n[\s\S]*Never delete a test\./);
    expect(compacted?.boundary.compactMetadata?.preservedSegment).toBeDefined();
    expect(compacted?.tokensAfter).toBeLessThan(conversation.size().thresholds.autoCompactAt);
  });

  it("by hand: from the notes without instructions, by a model with them", async () => {
    const host = startNotesHost();
    await host.agent.say("go");
    await host.workUntil(16_000);
    const asked = host.others.length;
    expect(writerOf(await host.conversation.compact())).toBe("notes");
    expect(host.others).toHaveLength(asked);
    await host.workUntil(18_000);
    expect(writerOf(await host.conversation.compact({ instructions: "keep the names" }))).toBe("fork");
  });

  it("does not happen with notes off, and nothing else does", async () => {
    const host = startNotesHost({ settings: { notes: false } });
    await host.agent.say("go");
    await host.workUntilStep();
    expect(host.conversation.notes).toBeUndefined();
    expect(host.agent.steps[0]?.tier).toBe("full");
    expect([host.calls, host.updates, host.records()]).toEqual([[], [], []]);
    expect(await host.store.read()).toBeUndefined();
  });
});

describe("notes that are of no use: a model writes the summary", () => {
  it("the empty template", async () => {
    const host = startNotesHost({ player: notesPlayer(() => says("There is nothing to note.")) });
    await host.agent.say("go");
    await host.workUntil(16_000);
    expect(host.updates[0]).toMatchObject({ outcome: "unchanged", edits: 0, refused: 0 });
    await host.conversation.notes?.edit(notesTemplate);
    expect(writerOf(await host.conversation.compact())).toBe("fork");
  });

  it("the covered message is gone from a resumed conversation", async () => {
    const first = startNotesHost();
    await first.agent.say("go");
    await first.workUntil(16_000);
    const { live } = first.conversation;
    const record = first.records().at(-1) as unknown as { notesMetadata: { coveredUuid: string } };
    const messages = live.filter(({ uuid }) => uuid !== record.notesMetadata.coveredUuid);
    expect(messages).toHaveLength(live.length - 1);
    const resume = (given: typeof live) =>
      startNotesHost({ messages: given, store: first.store, settings: never, firstId: 10_000 });
    expect(writerOf(await resume(live).conversation.compact())).toBe("notes");
    expect(writerOf(await resume(messages).conversation.compact())).not.toBe("notes");
  });

  it("the covered message is gone after an undo", async () => {
    const host = startNotesHost();
    await host.agent.say("go");
    await host.workUntil(16_000);
    expect(writerOf(await host.conversation.compact())).toBe("notes");
    const recorded = host.records().length;
    while (host.records().length === recorded) await host.workUntil(host.conversation.size().padded + 1);
    expect((await host.conversation.undo()).kind).toBe("undone");
    expect(writerOf(await host.conversation.compact())).toBe("fork");
  });

  it("nothing was recorded before a resume", async () => {
    const first = startNotesHost();
    await first.agent.say("go");
    await first.workUntil(16_000);
    const records = new Set(first.records());
    const messages = first.conversation.live.filter((message) => !records.has(message as never));
    const host = startNotesHost({ messages, store: first.store, settings: never, firstId: 10_000 });
    expect(writerOf(await host.conversation.compact())).not.toBe("notes");
  });

  it("what would be kept is above the threshold, and hooks hear of one compaction", async () => {
    const heard: string[] = [];
    const hear = (name: string) => async (): Promise<object> => {
      heard.push(name);
      return {};
    };
    const host = startNotesHost({
      conversation: {
        hooks: {
          preCompact: hear("before"),
          sessionStart: hear("start"),
          postCompact: hear("after"),
        },
      },
      settings: { notesKeepTokens: 17_000, notesKeepMostTokens: 18_000, notesSectionTokens: 8000 },
    });
    await host.agent.say("go");
    await host.workUntil(16_000);
    await host.conversation.notes?.edit(`${notesTemplate}${output(7, 24_000)}\n`);
    await host.workUntilStep();
    expect(host.agent.steps[0]?.tier).toBe("full");
    const { autoCompactAt } = host.conversation.size().thresholds;
    expect(host.overs).toEqual([
      { threshold: autoCompactAt, detail: expect.stringMatching(/tokens after the compaction/) as string },
    ]);
    expect(host.conversation.size().padded).toBeLessThan(autoCompactAt);
    expect(heard).toEqual(["before", "start", "after"]);
  });

  it("the store never answers: the time is over, or the person calls it off", async () => {
    for (const end of ["time", "abort"] as const) {
      const store = { path: NOTES_PATH, read: () => new Promise<never>(() => {}), write: async () => {} };
      const host = startNotesHost({ store });
      await host.agent.say("go");
      await host.workUntil(8000, { isWaiting: false });
      const control = new AbortController();
      const compacting = host.conversation.compact({ signal: control.signal });
      for (let turn = 0; turn < 100; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (end === "abort") control.abort();
        else for (const timer of host.timers) timer.fire();
      }
      expect(await compacting).toMatchObject(
        end === "abort" ? { kind: "failed", reason: "aborted" } : { writer: "fork" },
      );
    }
  });

  it("the store fails", async () => {
    const store = {
      path: NOTES_PATH,
      read: () => Promise.reject(new Error("disk gone")),
      write: () => Promise.reject(new Error("disk gone")),
    };
    const host = startNotesHost({ store });
    await host.agent.say("go");
    await host.workUntil(16_000);
    expect(host.updates[0]).toMatchObject({ outcome: "failed", message: "disk gone" });
    expect(writerOf(await host.conversation.compact())).toBe("fork");
  });
});

describe("notes that are too large", () => {
  it("the model is told to condense them, and a summary cuts them and names the file", async () => {
    const host = startNotesHost({
      player: notesPlayer(() => says("I cannot.")),
      settings: { notesSectionTokens: 500, notesTokens: 900 },
    });
    await host.conversation.notes?.edit(`${notesTemplate}${output(3, 8000)}\n`);
    await host.agent.say("go");
    await host.workUntil(18_000);
    const [asked = ""] = host.calls.map(lastTextOf);
    expect(asked).toMatch(/CRITICAL: the file has \d+ tokens and is over its limit of 900/);
    expect(asked).toMatch(/must be condensed:\\n- \\"Worklog\\": \d+ tokens, 500 allowed/);
    const outcome = await host.conversation.compact();
    expect(writerOf(outcome)).toBe("notes");
    if (outcome.kind !== "compacted") return;
    expect(outcome.summary).toContain(`[… this section goes on in ${NOTES_PATH}]`);
    expect(outcome.summary).toContain("# Worklog\n_Step by step");
    expect(outcome.summary.length).toBeLessThan(4000);
  });
});

describe("a host", () => {
  it("reads, edits and resets the notes", async () => {
    const host = startNotesHost({ settings: never });
    const { notes } = host.conversation;
    expect(await notes?.read()).toBe(notesTemplate);
    await notes?.edit("My own words.");
    expect(await notes?.read()).toBe("My own words.");
    await notes?.reset();
    expect(await host.store.read()).toBe(notesTemplate);
  });

  it("its own words are never overwritten by an update that began before them", async () => {
    const host = startNotesHost();
    await host.agent.say("go");
    host.hold();
    await host.workUntil(6000, { isWaiting: false });
    expect(host.calls).toHaveLength(1);
    await host.conversation.notes?.edit("My own words.");
    host.release();
    await host.conversation.notes?.idle();
    expect(await host.conversation.notes?.read()).toBe("My own words.");
    expect(host.updates).toMatchObject([{ outcome: "failed" }]);
    // The next one begins with them, in the template again.
    await host.workUntil(16_000);
    expect(host.updates.at(-1)?.outcome).toBe("updated");
    expect(lastTextOf(host.calls[1] as never)).toContain("My own words.");
  });

  it("after a reset nothing is covered", async () => {
    const host = startNotesHost();
    await host.agent.say("go");
    await host.workUntil(16_000);
    await host.conversation.notes?.reset();
    await host.conversation.notes?.edit(`${notesTemplate}by hand\n`);
    expect(writerOf(await host.conversation.compact())).toBe("fork");
  });

  it("without an edit tool gets notes that the messages themselves make", async () => {
    const host = startNotesHost({
      conversation: { tools: () => withoutEdit },
      settings: { extractiveTokens: 1500 },
    });
    await host.agent.say("Never delete a test.");
    await host.workUntil(20_000);
    expect(host.calls).toEqual([]);
    expect(host.updates[0]).toMatchObject({ outcome: "updated", edits: 1, calls: [] });
    expect(await host.conversation.notes?.read()).toContain("Never delete a test.");
    expect(writerOf(await host.conversation.compact())).toBe("notes");
  });

  it("without a provider gets them too", async () => {
    let ids = 0;
    const conversation = createConversation({
      ...handedIn,
      model: "claude-opus-5",
      maxTokens: 1000,
      sessionId: "s",
      clock: { now: () => 0 },
      ids: { next: () => `u${(ids += 1)}` },
      settings: {
        window: WINDOW,
        notes: true,
        notesFirstTokens: 2000,
        notesToolCallsBetweenUpdates: 0,
        notesKeepTokens: 1000,
        extractiveTokens: 1500,
        notesKeepMessages: 0,
      },
    });
    const add = async (message: Message): Promise<void> => {
      await conversation.append(message);
      await conversation.notes?.idle();
    };
    await add(createUserMessage(conversation.origin(), { content: "Never delete a test." }));
    for (let at = 1; at < 12; at += 1) {
      const content = [{ type: "text" as const, text: output(at, 3000) }];
      const parts = { id: `m${at}`, model: "claude-opus-5", content };
      await add(createAssistantMessage(conversation.origin(), parts));
    }
    expect(await conversation.notes?.read()).toContain("Never delete a test.");
    expect(writerOf(await conversation.compact())).toBe("notes");
  });
});

describe("a conversation resumed from its transcript and its notes file", () => {
  it("compacts from the notes, and goes on with them", async () => {
    const directory = await mkdtemp(join(tmpdir(), "palimpsest-notes-resume-"));
    try {
      const transcripts = createJsonlStore({ directory, durability: "process" });
      const path = join(directory, "s", "session-memory", "summary.md");
      const writer = await transcripts.open("s");
      const first = startNotesHost({ store: createNotesFile(path), conversation: { writer } });
      await first.agent.say("Never delete a test.");
      await first.workUntil(16_000);
      await writer.close();

      const { messages } = await transcripts.readLive("s");
      const again = startNotesHost({ messages, store: createNotesFile(path), firstId: 10_000 });
      expect(again.conversation.requestMessages()).toEqual(first.conversation.requestMessages());
      expect(await again.conversation.notes?.read()).toBe(await first.conversation.notes?.read());
      const outcome = await again.conversation.compact();
      expect(writerOf(outcome)).toBe("notes");
      expect(again.calls).toEqual([]);
      await again.workUntil(again.conversation.size().padded + 4000);
      expect(again.updates.length).toBeGreaterThan(0);
      expect(writerOf(await again.conversation.compact())).toBe("notes");
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it("what a model wrote is not written over before there is a request to fork from", async () => {
    const first = startNotesHost();
    await first.agent.say("go");
    await first.workUntil(16_000);
    const before = await first.store.read();
    const host = startNotesHost({
      messages: first.conversation.live,
      store: first.store,
      settings: { notesToolCallsBetweenUpdates: 0 },
      firstId: 10_000,
    });
    await host.agent.say(output(1, 12_000));
    await host.conversation.notes?.idle();
    expect(host.updates).toEqual([]);
    expect(await host.store.read()).toBe(before);
    await host.agent.turn();
    await host.conversation.notes?.idle();
    expect(host.calls.length).toBeGreaterThan(0);
  });

  it("after a compaction growth counts from the smaller context, whatever the last record says", async () => {
    const first = startNotesHost({ settings: { notesTokensBetweenUpdates: 500 } });
    await first.agent.say("go");
    await first.workUntil(20_000);
    const { live } = first.conversation;
    const record = first.records().at(-1);
    const host = startNotesHost({
      messages: [...live.slice(0, 1), ...(record === undefined ? [] : [record])],
      store: first.store,
      firstId: 10_000,
    });
    await host.workUntil(host.conversation.size().padded + 6000);
    expect(host.updates.length).toBeGreaterThan(0);
  });
});
