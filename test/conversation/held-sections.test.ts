import {
  createConversation,
  createUserMessage,
  type Conversation,
  type Message,
  type OfferedTool,
} from "@palimpsest/core";
import {
  createSystemPrompt,
  dynamicBoundary,
  liveMessages,
  section,
  volatileSection,
} from "@palimpsest/core/engine";
import { describe, expect, it } from "vitest";
import { withSummaries, createEchoPlayer } from "../../packages/palimpsest/src/simulator/index.js";
import { createEmbeddedProvider, handedIn } from "./agent.js";

/** What the host would say now; another process asks again. */
interface World {
  memory: string | undefined;
  branch: string;
  minute: string;
  tools: OfferedTool[];
}

const tool = (name: string, description: string): OfferedTool => ({
  definition: { name, description, input_schema: { type: "object" } },
});

const newWorld = (): World => ({
  memory: "Use tabs.",
  branch: "main, clean",
  minute: "10:00",
  tools: [tool("Read", "Reads a file."), tool("mcp__web__get", "Gets a page.")],
});

const start = () => {
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    player: withSummaries(createEchoPlayer()),
  });
  const all: Message[] = [];
  let ids = 0;
  const open = (world: World): Conversation =>
    createConversation(
      {
        ...handedIn,
        model: "claude-opus-5-5",
        maxTokens: 500,
        sessionId: "s",
        provider,
        clock: { now: () => provider.simulator.now() },
        ids: { next: () => `id-${(ids += 1)}` },
        system: {
          prompt: createSystemPrompt([
            section("role", () => "You work on files."),
            dynamicBoundary,
            section("git", () => `On the branch ${world.branch}.`),
            section("memory", () => world.memory),
            volatileSection("clock", () => `It is ${world.minute}.`, "the time of day"),
          ]),
        },
        tools: () => world.tools,
        writer: { append: async (messages) => void all.push(...messages), close: async () => {} },
      },
      liveMessages(all),
    );
  const ask = async (conversation: Conversation, text: string) => {
    await conversation.append(createUserMessage(conversation.origin(), { content: text }));
    const prepared = await conversation.prepare();
    if (prepared.kind !== "request") throw new Error(prepared.message);
    for await (const output of provider.stream(prepared.call)) {
      if (output.kind === "message") {
        await conversation.observe(prepared, { kind: "response", response: output.message });
      }
    }
    provider.simulator.advance(1000);
    return prepared.call.request;
  };
  return { open, ask, all };
};

const headOf = (request: { readonly system?: unknown; readonly tools?: unknown }): string =>
  JSON.stringify([request.tools, request.system]);

const lastText = (request: { readonly messages: readonly unknown[] }): string =>
  JSON.stringify(request.messages.at(-1));

describe("a conversation that goes on in another process", () => {
  it("sends the same system prompt and tools, whatever memory files, git and servers say by now", async () => {
    const { open, ask } = start();
    const before = await ask(open(newWorld()), "Hello.");
    const world = {
      ...newWorld(),
      memory: "Use spaces.",
      branch: "main, 3 files changed",
      tools: [tool("Read", "Reads a file, in other words."), tool("Write", "Writes a file.")],
    };
    const resumed = open(world);
    const after = await ask(resumed, "Go on.");
    expect(after.system).toEqual(before.system);
    const names = (after.tools ?? []).map(({ name }) => name);
    expect(names).toEqual(["Read", "Write", "mcp__web__get"]);
    expect(JSON.stringify(after.tools)).not.toContain("in other words");
    expect(lastText(after)).toContain("Use spaces.");
    expect(lastText(after)).toContain("3 files changed");
    expect(lastText(after)).not.toContain("You work on files.");
  });

  it("tells of a change once, also in a third process, and again when it is taken back", async () => {
    const { open, ask } = start();
    await ask(open(newWorld()), "Hello.");
    const changed = { ...newWorld(), memory: "Use spaces." };
    expect(lastText(await ask(open(changed), "One."))).toContain("Use spaces.");
    expect(lastText(await ask(open(changed), "Two."))).not.toContain("Use spaces.");
    const back = await ask(open(newWorld()), "Three.");
    expect(lastText(back)).toContain("Use tabs.");
    const gone = await ask(open({ ...newWorld(), memory: undefined }), "Four.");
    expect(lastText(gone)).toContain("This part no longer holds.");
  });

  it("computes volatile sections anew, and tells nobody", async () => {
    const { open, ask } = start();
    await ask(open(newWorld()), "Hello.");
    const after = await ask(open({ ...newWorld(), minute: "11:30" }), "Go on.");
    expect(headOf(after)).toContain("It is 11:30.");
    expect(lastText(after)).not.toContain("11:30");
  });

  it("begins anew after a compaction, and holds that", async () => {
    const { open, ask, all } = start();
    const first = open(newWorld());
    for (const text of ["Hello.", "More.", "And more."]) await ask(first, text.repeat(6000));
    const changed = { ...newWorld(), memory: "Use spaces." };
    const resumed = open(changed);
    expect(await resumed.compact()).toMatchObject({ kind: "compacted" });
    const request = await ask(resumed, "Go on.");
    expect(headOf(request)).toContain("Use spaces.");
    expect(headOf(request)).not.toContain("Use tabs.");
    const third = await ask(open(newWorld()), "Still there?");
    expect(headOf(third)).toContain("Use spaces.");
    expect(lastText(third)).toContain("Use tabs.");
    const records = all.filter((message) => message.type === "system" && message.subtype === "request_state");
    expect(records.length).toBeLessThanOrEqual(4);
  });

  it("takes nothing from a record that makes no sense", async () => {
    const { open, ask, all } = start();
    await ask(open(newWorld()), "Hello.");
    const at = all.findIndex((message) => message.type === "system" && message.subtype === "request_state");
    all[at] = { ...all[at], requestState: { sections: [{ name: 1 }], tools: "all", told: [] } } as never;
    const after = await ask(open({ ...newWorld(), memory: "Use spaces." }), "Go on.");
    expect(headOf(after)).toContain("Use spaces.");
  });
});
