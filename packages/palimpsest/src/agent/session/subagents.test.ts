import { defaultSettings } from "@palimpsest/core";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Answer, AnswerBlock, Player } from "../../simulator/player.js";
import { withSummaries } from "../../simulator/players/summaries-player.js";
import { readHookSettings } from "../hooks/hook-settings.js";
import { resultsIn } from "../loop/testing/loop-agent.js";
import { sessionFolder } from "./session-folder.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

type Turn = string | readonly AnswerBlock[];

const use = (name: string, input: Readonly<Record<string, unknown>>): readonly AnswerBlock[] => [
  { type: "tool_use", name, input },
];
const agentCall = (more: object = {}) =>
  use("Agent", { description: "look", prompt: "Look for it.", ...more });

/** Two models in one: subagents are told what they are. Each goes by how often it has spoken. */
function twoMinds(main: readonly Turn[], sub: readonly Turn[], delayMs = 0): Player {
  return withSummaries({
    answer({ request }, memory) {
      const isSub = JSON.stringify(request.system).includes("You are a subagent");
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      const said = (isSub ? sub : main)[turn] ?? "That is all.";
      const content: readonly AnswerBlock[] =
        typeof said === "string" ? [{ type: "text", text: said }] : said;
      const answer: Answer = { content, ...(isSub && delayMs > 0 ? { delivery: { delayMs } } : {}) };
      return { answer, memory };
    },
  });
}

const noSettings = {
  engine: defaultSettings,
  permissions: { allow: [], ask: [], deny: [], additionalDirectories: [] },
  env: {},
  files: [],
  warnings: [],
};

/** Enough to be worth a summary. */
const LONG = Array.from({ length: 2500 }, (_, at) => `Thought ${at} about the work.`).join("\n");

describe("a subagent", () => {
  it("is told of, with what its hooks have to say", async () => {
    const notices: string[] = [];
    const agents = new Set<string | undefined>();
    const said = (event: string) => [
      { hooks: [{ type: "command", command: `echo '{"systemMessage":"${event} says"}'` }] },
    ];
    const { hooks } = readHookSettings(
      { hooks: { SubagentStart: said("start"), PreToolUse: said("call"), SubagentStop: said("stop") } },
      { file: "settings.json" },
    );
    await place.write("a.txt", "a");
    const session = await place.open(
      twoMinds([agentCall(), "Thanks."], [use("Read", { file_path: "a.txt" }), "It is in a.txt."]),
      {
        settings: { ...noSettings, hooks },
        onNotice: (text) => notices.push(text),
        onEngineEvent: ({ agentId }) => agents.add(agentId),
      },
    );
    const { events } = await session.say("Find it.");
    await session.close();
    // The call of the subagent itself is the main thread's.
    expect(events.flatMap((event) => (event.kind === "notice" ? [event.text] : []))).toEqual(["call says"]);
    expect(notices).toEqual(["start says", "call says", "stop says"]);
    expect([...agents]).toEqual([undefined, expect.stringMatching(/^agent-/)]);
  });

  it("has a conversation of its own, and gives back its last words", async () => {
    await place.write("a.txt", "secret of a");
    const session = await place.open(
      twoMinds([agentCall(), "Thanks."], [use("Read", { file_path: "a.txt" }), "It is in a.txt."]),
      { id: "parent" },
    );
    expect((await session.say("Find it.")).result.text).toBe("Thanks.");
    expect(resultsIn(session.conversation.live)).toMatchObject([{ content: "It is in a.txt." }]);
    expect(JSON.stringify(session.conversation.live)).not.toContain("secret of a");
    expect(session.conversation.account().lines).toMatchObject([
      { source: "sdk", calls: 2 },
      { source: "agent:general", calls: 2 },
    ]);
    await session.close();
    const folder = join(sessionFolder(place.data, "parent"), "agents");
    const name = (await readdir(folder)).find((file) => file.endsWith(".jsonl")) ?? "";
    const lines = (await readFile(join(folder, name), "utf8")).trim().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ isSidechain: true });
  });

  it("that says too much has the rest in a file that can be read", async () => {
    const session = await place.open(
      twoMinds([agentCall(), "Thanks."], [`begin ${"many words ".repeat(8000)} end`]),
      { engine: { subagentResultTokens: 500 } },
    );
    await session.say("Find it.");
    const text = JSON.stringify(resultsIn(session.conversation.live)[0]?.content);
    expect(text.length).toBeLessThan(8000);
    const path = /\/[^\s"]*outputs\/[^\s"]*\.txt/.exec(text)?.[0] ?? "";
    expect((await readFile(path, "utf8")).endsWith(" end")).toBe(true);
    await session.close();
  });

  it("has the tools of its kind and no others", async () => {
    const session = await place.open(
      twoMinds([agentCall({ subagent_type: "explore" }), "Ok."], ["Nothing."]),
    );
    await session.say("Find it.");
    const names = session.requests[1]?.tools?.map(({ name }) => name).toSorted();
    expect(names).toEqual(["Bash", "Glob", "Grep", "Read", "Recall"]);
    await session.close();
  });

  it("of a kind that is not there is refused with what there is", async () => {
    const session = await place.open(twoMinds([agentCall({ subagent_type: "wizard" }), "Ok."], []));
    await session.say("Go.");
    expect(resultsIn(session.conversation.live)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining("general"),
    });
    await session.close();
  });

  it("recalls its own conversation, and not its parent's", async () => {
    const session = await place.open(
      twoMinds([agentCall(), "Ok."], [use("Recall", { query: "needle" }), "Nothing."]),
    );
    await session.say("The needle is here.");
    const sub = session.requests.find(({ messages }) => JSON.stringify(messages).includes("tool_result"));
    expect(JSON.stringify(sub?.messages)).not.toContain("The needle is here");
    await session.close();
  });

  it("is told after a compaction how to find what went, where its kind has Recall and nowhere else", async () => {
    const kind = (name: string, tools: string) =>
      place.write(
        `.claude/agents/${name}.md`,
        `---\nname: ${name}\ndescription: d\ntools: ${tools}\n---\nCount.`,
      );
    await kind("recalls", "Bash, Recall");
    await kind("forgets", "Bash");
    const isSub = ({ tools = [] }: { readonly tools?: readonly { readonly name?: unknown }[] }): boolean =>
      tools.some((tool) => tool.name === "Bash") && !tools.some((tool) => tool.name === "Agent");
    for (const name of ["recalls", "forgets"]) {
      let turns = 0;
      const counts = (): readonly AnswerBlock[] =>
        (turns += 1) > 10
          ? [{ type: "text", text: "It was never compacted." }]
          : [{ type: "text", text: LONG }, ...use("Bash", { command: "echo more" })];
      const session = await place.open(
        withSummaries({
          answer({ request }, memory) {
            const said = JSON.stringify(request.messages);
            const content: readonly AnswerBlock[] = isSub(request)
              ? said.includes("whose context was used up")
                ? [{ type: "text", text: "Counted." }]
                : counts()
              : said.includes("Counted.")
                ? [{ type: "text", text: "Thanks." }]
                : agentCall({ subagent_type: name });
            return { answer: { content }, memory };
          },
        }),
        { engine: { window: 80_000 } },
      );
      expect((await session.say("Count.")).result.text).toBe("Thanks.");
      const last = session.requests.findLast(isSub);
      expect(last?.tools?.some((tool) => tool.name === "Recall")).toBe(name === "recalls");
      const shown = JSON.stringify(last?.messages);
      expect(shown).toContain("whose context was used up");
      expect(shown.includes("No longer in this context:")).toBe(name === "recalls");
      expect(shown.includes("Recall")).toBe(name === "recalls");
      await session.close();
    }
  });

  it("leaves no skills in its parent's context, nor takes any from there", async () => {
    const skill = (name: string, text: string) =>
      place.write(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n---\n${text}`);
    await skill("mine", "Text of mine.");
    await skill("theirs", "Text of theirs.");
    const session = await place.open(
      twoMinds(
        [use("Skill", { skill: "mine" }), agentCall(), LONG],
        [use("Skill", { skill: "theirs" }), "Done."],
      ),
    );
    await session.say("Go.");
    for (const more of ["And?", "And then?", "And now?"]) await session.say(more);
    expect(await session.conversation.compact()).toMatchObject({ kind: "compacted" });
    const restored = JSON.stringify(session.conversation.live.filter(({ type }) => type === "attachment"));
    expect(restored).toContain("Text of mine.");
    expect(restored).not.toContain("Text of theirs.");
    await session.close();
  });
});

describe("a subagent in the background", () => {
  const id = /agent-[0-9a-f]{8}/;

  it("goes on while the conversation does; its result is fetched later, and outlives a compaction as a status", async () => {
    const session = await place.open(
      twoMinds([agentCall({ run_in_background: true }), "Started."], ["Found it."], 1500),
    );
    await session.say("Start it.");
    const started = id.exec(JSON.stringify(resultsIn(session.conversation.live)[0]?.content))?.[0] ?? "";
    expect(await session.subagents.agents(undefined)).toMatchObject([{ id: started, status: "running" }]);
    const never = new AbortController().signal;
    expect(await session.subagents.fetch(started, { waitMs: 0, signal: never })).toMatchObject({
      status: "running",
    });
    expect(await session.subagents.fetch(started, { waitMs: 60_000, signal: never })).toEqual({
      status: "completed",
      text: "Found it.",
    });
    expect(await session.subagents.fetch("agent-none", { waitMs: 0, signal: never })).toBeUndefined();
    await session.close();
  });

  it("is told to the model behind a compaction while nobody has fetched it", async () => {
    const session = await place.open(
      twoMinds([agentCall({ run_in_background: true }), LONG], ["Found it."], 2000),
    );
    await session.say("Start it.");
    for (const more of ["And?", "And then?", "And now?"]) await session.say(more);
    expect(await session.conversation.compact()).toMatchObject({ kind: "compacted" });
    const restored = JSON.stringify(session.conversation.live.filter(({ type }) => type === "attachment"));
    expect(restored).toMatch(id);
    await session.close();
  });

  it("ends with the session", async () => {
    const session = await place.open(
      twoMinds([agentCall({ run_in_background: true }), "Started."], ["Found it."], 60_000),
    );
    await session.say("Start it.");
    await session.close();
    // Its answer would have come a minute later.
    expect(await session.subagents.agents(undefined)).toMatchObject([{ status: "killed" }]);
  });
});
