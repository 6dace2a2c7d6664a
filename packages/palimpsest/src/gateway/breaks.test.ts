import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createTalkLab,
  marker,
  say as sayTo,
  talk,
  tool,
  words,
  type Talk,
  type TalkLab,
} from "./testing/talk-lab.js";

let lab: TalkLab;
beforeEach(async () => {
  lab = await createTalkLab();
});
afterEach(() => lab.close());

const say = (one: Talk, text: string, times?: number): Promise<string> => sayTo(lab, one, text, times);
/** The same request once more. */
async function again(body: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${lab.proxy.port}/anthropic/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "k", "anthropic-version": "2023-06-01", ...headers },
    body,
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}
const found = () => lab.proxy.document().newestBreaks;

describe("breaks are named with their reason, their owner and the first byte that is another", () => {
  const provoked: readonly (readonly [what: string, change: (one: Talk) => void, expected: object])[] = [
    [
      "a tool is added",
      (one) => one.tools.push(tool("search")),
      { reasons: ["tools-changed"], owner: { kind: "tool", index: 2, name: "search" } },
    ],
    [
      "a tool is described otherwise",
      (one) => void (one.tools[1] = { ...one.tools[1], description: words("write a file", 299) }),
      { reasons: ["tools-changed"], owner: { kind: "tool", index: 1, name: "write" } },
    ],
    [
      "the system prompt is edited",
      (one) =>
        void (one.system[1] = { type: "text", text: `${words("the rules of breaks", 1000)}!`, ...marker }),
      { reasons: ["system-changed"], owner: { kind: "system", index: 1, name: "" } },
    ],
    [
      "a date stands before what is cached",
      (one) => void (one.system[0] = { type: "text", text: "You are an agent. Today is Tuesday." }),
      {
        reasons: ["system-changed"],
        owner: { kind: "system", index: 0, name: "" },
        byte: '{"type":"text","text":"You are an agent.'.length,
      },
    ],
    ["the model is switched", (one) => void (one.model = "claude-opus-4-8"), { reasons: ["model-changed"] }],
    [
      "what was said before is edited",
      (one) => void (one.messages[2] = { role: "user", content: words("the second thing", 700) }),
      { reasons: ["messages-changed"], owner: { kind: "message", index: 2, name: "user" } },
    ],
    [
      "the marker of the messages is gone",
      (one) => void (one.isUnmarked = true),
      { reasons: ["markers-changed"] },
    ],
    [
      "the marker of the system prompt stands elsewhere, and that of the messages is gone",
      (one) => {
        one.isUnmarked = true;
        one.system = [
          { ...one.system[0], ...marker },
          { type: "text", text: one.system[1]?.["text"] },
        ];
      },
      { reasons: ["markers-changed"] },
    ],
    ["the lifetime has passed", () => lab.simulator.advance(6 * 60_000), { reasons: ["expired"] }],
  ];

  it.each(provoked)("%s", async (_, change, expected) => {
    const one = talk("breaks");
    for (const text of ["the first thing", "the second thing", "the third thing"]) {
      await say(one, text);
      lab.simulator.advance(10_000);
    }
    expect(found()).toEqual([]);
    change(one);
    await say(one, "the fourth thing");
    expect(found()).toMatchObject([{ ...expected, conversation: "conversation-1" }]);
    const [first] = found();
    expect(first?.lostTokens).toBeGreaterThan(2000);
    expect(first?.cost).toBeGreaterThan(0);
    const { breaks, conversations } = lab.proxy.document();
    expect(breaks).toMatchObject({ [first?.reasons[0] ?? ""]: { count: 1, lostTokens: first?.lostTokens } });
    expect(conversations).toBe(1);
    // It is one break, not one for every request from there on.
    one.isUnmarked = false;
    await say(one, "the fifth thing");
    expect(found()).toHaveLength(1);
  });

  it("none where a person goes back and says something else, or asks again", async () => {
    const one = talk("ways");
    for (const text of ["one", "two", "three"]) await say(one, text);
    one.messages.splice(2);
    await say(one, "another second");
    one.messages.splice(-2);
    await say(one, "another second");
    await say(one, "and on");
    expect(found()).toEqual([]);
    expect(lab.proxy.document()).toMatchObject({ conversations: 1, lanes: 1 });
  });

  it("none where a client has compacted by itself: that begins another conversation in the same lane", async () => {
    const one = talk("compaction", { "x-claude-code-session-id": "s" });
    for (const text of ["one", "two", "three"]) await say(one, text);
    one.messages = [];
    await say(one, "a summary of all that");
    await say(one, "and on");
    expect(found()).toEqual([]);
    expect(lab.proxy.document()).toMatchObject({ conversations: 2, lanes: 1 });
  });
});

describe("conversations are told apart", () => {
  it("fifty at once with subagents and side questions under one session id: none is mixed up", async () => {
    const session = { "x-claude-code-session-id": "one-session" };
    const mains = Array.from({ length: 50 }, (_, index) => talk(`topic ${index % 5}`, session));
    const agents = Array.from({ length: 10 }, (_, index) =>
      talk("a subagent", { ...session, "x-claude-code-agent-id": `agent-${index}` }),
    );
    const titles = mains.slice(0, 10).map((): Talk => ({
      ...talk("titles", session),
      model: "claude-haiku-4-5",
      tools: [],
      system: [{ type: "text", text: "Write a title." }],
    }));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([
        ...mains.map((one, index) => say(one, `main ${index} round ${round}`, 100)),
        ...agents.map((one) => say(one, `the task, round ${round}`, 100)),
        // The very words of the main conversation, to another model.
        ...titles.map((one, index) => say({ ...one, messages: [] }, `main ${index} round 0`, 100)),
      ]);
      lab.simulator.advance(1000);
    }
    const { conversations, lanes, conversationCosts, laneCosts, requests } = lab.proxy.document();
    expect(found()).toEqual([]);
    expect({ conversations, lanes, requests }).toEqual({ conversations: 70, lanes: 11, requests: 210 });
    expect(Object.values(conversationCosts).map((one) => one.requests)).toEqual(
      Array.from({ length: 70 }, () => 3),
    );
    const sum = Object.values(conversationCosts).reduce((total, { cost }) => total + cost, 0);
    expect(sum).toBeCloseTo(lab.proxy.document().cost, 8);
    const subagents = Object.entries(laneCosts).filter(([name]) => name.startsWith("subagent-"));
    expect(subagents.map(([, one]) => one.requests)).toEqual(Array.from({ length: 10 }, () => 3));
    const { subagentCost } = lab.proxy.document();
    expect(subagentCost).toBeGreaterThan(0);
    expect(subagents.reduce((total, [, { cost }]) => total + cost, 0)).toBeCloseTo(subagentCost, 8);
  });

  it("fifty at once with forks, retries and subagents that begin with the same words, under one session id", async () => {
    const session = { "x-claude-code-session-id": "one-session" };
    const mains = Array.from({ length: 50 }, (_, index) => talk(`topic ${index % 5}`, session));
    const agents = mains.slice(0, 5).map((main, index) => ({
      ...structuredClone(main),
      headers: { ...session, "x-claude-code-agent-id": `agent-${index}` },
    }));
    const begin = (one: Talk, index: number): Promise<string> => say(one, `question ${index}`, 100);
    await Promise.all([...mains.map(begin), ...agents.map(begin)]);
    lab.simulator.advance(1000);
    // Ten go back and ask something else, and both branches go on.
    const forks = mains.slice(0, 10).map((main) => structuredClone(main));
    for (let round = 0; round < 3; round += 1) {
      const bodies = await Promise.all(
        mains.map((one, index) => say(one, `main ${index} round ${round}`, 100)),
      );
      await Promise.all([
        ...forks.map((one, index) => say(one, `fork ${index} round ${round}`, 100)),
        ...agents.map((one, index) => say(one, `agent ${index} round ${round}`, 100)),
        // Twenty are asked once more, byte for byte, as after an answer that was lost on the way.
        ...bodies.slice(20, 40).map((body) => again(body, session)),
      ]);
      lab.simulator.advance(1000);
    }
    await lab.proxy.settled();
    const { conversations, lanes, conversationCosts, requests } = lab.proxy.document();
    expect(found()).toEqual([]);
    expect({ conversations, lanes, requests }).toEqual({ conversations: 55, lanes: 6, requests: 310 });
    const counts = Object.values(conversationCosts).map((one) => one.requests);
    // Mains that were forked, mains that were asked twice, and the others with the subagents.
    expect(counts.toSorted((one, other) => one - other)).toEqual([
      ...Array.from({ length: 25 }, () => 4),
      ...Array.from({ length: 30 }, () => 7),
    ]);
  });

  it("a client that names no session, or names it in its body", async () => {
    const one = talk("one");
    const two = talk("two");
    await say(one, "hello one");
    await say(two, "hello two");
    await say(one, "more one");
    await say(two, "more two");
    expect(lab.proxy.document()).toMatchObject({ conversations: 2, lanes: 1 });
    expect(found()).toEqual([]);
  });
});
