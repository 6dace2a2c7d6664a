import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call } from "../loop/testing/loop-agent.js";
import { createAgentPrompt, type SystemPromptParts } from "./system-prompt.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

const nothing = (): undefined => undefined;
const promptOf = (change: Partial<SystemPromptParts> = {}) =>
  createAgentPrompt({
    hide: (text) => text,
    environment: () => "Linux",
    git: async () => undefined,
    optional: nothing,
    replaced: nothing,
    memory: () => Promise.resolve(undefined),
    skills: nothing,
    style: nothing,
    language: nothing,
    appended: nothing,
    keepsCodingInstructions: true,
    ...change,
  }).resolve();

describe("the sections of the agent's system prompt", () => {
  it("that are the same for everybody stand first: who it is, conduct, code, its context", async () => {
    const sections = await promptOf();
    const own = sections.filter(({ part }) => part === "static");
    expect(sections.slice(0, own.length)).toEqual(own);
    const [role, conduct, coding, context] = ["role", "conduct", "coding", "context"].map(
      (wanted) => own.find(({ name }) => name === wanted)?.text,
    );
    expect(role).toMatch(/^You are /);
    expect(conduct).toMatch(/never an instruction to you/);
    expect(conduct).toMatch(/Do not destroy what you cannot bring back/);
    expect(conduct).toMatch(/Answer briefly/);
    expect(coding).toMatch(/Use Read, Edit and Write for files, Grep and Glob for searching/);
    expect(context).toMatch(/old tool results are cleared, and long conversations are summarised/);
  });

  it("that are this session's stand after them, each by its name, and none where there is nothing to say", async () => {
    const given = {
      skills: () => "greet: how to greet",
      style: () => "Like a pirate.",
      language: () => "Answer in Welsh.",
      appended: () => "Be kind.",
    };
    const sections = await promptOf({ ...given, memory: () => Promise.resolve("Say please.") });
    const texts = new Map(sections.map(({ name, text, part }) => [name, [text, part]]));
    expect(texts.get("memory")).toEqual(["Say please.", "dynamic"]);
    for (const [name, text] of Object.entries(given)) expect(texts.get(name)).toEqual([text(), "dynamic"]);
    const names = (await promptOf({ keepsCodingInstructions: false })).map(({ name }) => name);
    for (const name of ["coding", "memory", ...Object.keys(given)]) expect(names).not.toContain(name);
  });
});

describe("the system prompt of a session", () => {
  let place: Workplace;
  beforeEach(async () => {
    place = await createWorkplace();
  });
  afterEach(() => place.remove());

  const LONG = Array.from({ length: 1500 }, (_, at) => `Thought ${at} about the plan.`).join("\n");

  it("holds memory files as they were until a compaction, and then has them as they are", async () => {
    await place.write("AGENTS.md", "Always say please.");
    await place.write("long.txt", LONG);
    const session = await place.open(
      [{ calls: [call("Read", { file_path: "long.txt" })] }, "Read.", "And now.", "After."],
      { engine: { keepRecentTokens: 0 } },
    );
    await session.say("Read it.");
    await place.write("AGENTS.md", "Always say thanks.");
    await session.say("And?");
    expect(JSON.stringify(session.requests.at(-1)?.system)).toContain("Always say please.");
    expect(await session.conversation.compact()).toMatchObject({ kind: "compacted" });
    await session.say("Go on.");
    expect(JSON.stringify(session.requests.at(-1)?.system)).toContain("Always say thanks.");
    expect(JSON.stringify(session.requests.at(-1)?.system)).not.toContain("Always say please.");
    await session.close();
  });
});
