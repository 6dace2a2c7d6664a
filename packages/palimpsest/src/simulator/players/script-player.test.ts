import { describe, expect, it } from "vitest";
import type { RequestMessage, ModelRequest } from "@palimpsest/core";
import type { Answer, Player, PlayerPrompt } from "../player.js";
import { parseScript } from "./parse-script.js";
import { createScriptPlayer } from "./script-player.js";
import type { Script } from "./script.js";
import { withSummaries } from "./summaries-player.js";

const bash = {
  name: "Bash",
  input_schema: {
    type: "object",
    properties: { command: { type: "string" }, description: { type: "string" } },
    required: ["command"],
  },
};

/** A client that keeps a conversation, and the memory of the player it talks to. */
class Client {
  messages: RequestMessage[] = [];
  memory: unknown;
  #sequence = 0;
  readonly #player: Player;
  readonly #extra: Partial<ModelRequest>;

  constructor(player: Player, extra: Partial<ModelRequest> = {}) {
    this.#player = player;
    this.#extra = extra;
  }

  /** Sends without taking the answer into the conversation. */
  send(messages: readonly RequestMessage[] = this.messages, extra: Partial<ModelRequest> = {}): Answer {
    const request: ModelRequest = {
      model: "claude-opus-4-5",
      max_tokens: 4096,
      system: "You are an agent.",
      tools: [bash],
      ...this.#extra,
      ...extra,
      messages,
    };
    const prompt: PlayerPrompt = { request, messages, kind: "message", now: 0, sequence: this.#sequence };
    this.#sequence += 1;
    const { answer, memory } = this.#player.answer(prompt, this.memory);
    this.memory = memory;
    return answer;
  }

  say(text: string): Answer {
    this.messages.push(user(text));
    return this.turn();
  }

  /** Sends, takes the answer, and the results of its calls. */
  turn(): Answer {
    const answer = this.send();
    this.take(answer);
    return answer;
  }

  take(answer: Answer): void {
    const content = answer.content.map((block) =>
      block.type === "thinking"
        ? { ...block, signature: "s" }
        : block.type === "text"
          ? block
          : { ...block, id: block.id ?? "x" },
    );
    if (content.length > 0) this.messages.push({ role: "assistant", content });
    const results = content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "done" }]
        : [],
    );
    if (results.length > 0) this.messages.push({ role: "user", content: results });
  }
}

const user = (text: string): RequestMessage => ({ role: "user", content: [{ type: "text", text }] });

const step = (command: string): Script["steps"][number] => ({
  calls: [{ kind: "shell", input: { command } }],
});

/** What an answer does, in short. */
const gist = (answer: Answer): string =>
  answer.error === undefined
    ? answer.content
        .map((block) =>
          block.type === "text"
            ? block.text
            : block.type === "thinking"
              ? "…"
              : String(block.input["command"]),
        )
        .join(" + ")
    : `error ${answer.error.status}`;

const tenSteps: Script = {
  steps: Array.from({ length: 10 }, (_, index) => step(`step ${index}`)),
  closing: "end",
};

describe("where a conversation stands", () => {
  it("goes step by step, then closes, as often as asked", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    const seen = [gist(client.say("go")), ...Array.from({ length: 10 }, () => gist(client.turn()))];
    expect(seen).toEqual([...Array.from({ length: 10 }, (_, index) => `step ${index}`), "end"]);
    expect(gist(client.say("more"))).toBe("end");
  });

  it("a retry gets the same answer, under the same ids", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    const first = client.send();
    expect(client.send()).toEqual(first);
    client.take(first);
    expect(gist(client.turn())).toBe("step 2");
  });

  it("ids tell the step, are unique, and fit the API's pattern", () => {
    const client = new Client(
      createScriptPlayer({
        steps: [{ calls: Array.from({ length: 3 }, () => ({ kind: "shell" as const, input: {} })) }],
      }),
    );
    const ids = client
      .say("go")
      .content.flatMap((block) => (block.type === "tool_use" ? [block.id ?? ""] : []));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^toolu_sim_[a-z0-9]+_0_\d$/);
  });

  it("a fork does not shift the conversation", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    client.turn();
    const aside = new Client({ answer: () => ({ answer: client.send(aside.messages), memory: undefined }) });
    aside.messages = [...client.messages, user("By the way, what is this?")];
    expect(gist(aside.turn())).toBe("step 2");
    expect(gist(aside.turn())).toBe("step 3");
    expect(gist(client.turn())).toBe("step 2");
  });

  it("a rewind goes back", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    for (let turn = 0; turn < 5; turn += 1) client.turn();
    client.messages = client.messages.slice(0, 5);
    expect(gist(client.turn())).toBe("step 2");
  });

  it("texts without ids count too", () => {
    const client = new Client(createScriptPlayer({ steps: [step("a"), "b", "c", step("d"), "e"] }));
    expect([
      gist(client.say("1")),
      gist(client.turn()),
      gist(client.say("2")),
      gist(client.say("3")),
      gist(client.turn()),
    ]).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("goes on after a compaction that leaves no id, also when it is retried or forked", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    for (let turn = 0; turn < 3; turn += 1) client.turn();
    client.messages = [
      user("This session is being continued from a previous conversation. Summary: things."),
    ];
    expect(gist(client.send())).toBe("step 4");
    expect(gist(client.send())).toBe("step 4");
    expect(gist(client.send([...client.messages, user("aside")]))).toBe("step 4");
    expect(gist(client.turn())).toBe("step 4");
    expect(gist(client.turn())).toBe("step 5");
  });

  it.each([
    ["the tail", (all: readonly RequestMessage[], summary: RequestMessage) => [summary, ...all.slice(-2)]],
    ["the head", (all: readonly RequestMessage[], summary: RequestMessage) => [...all.slice(0, 3), summary]],
  ])("goes on after a compaction that keeps %s", (_name, compacted) => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    for (let turn = 0; turn < 4; turn += 1) client.turn();
    const summary = user("This conversation continues an earlier one that ran out of context. Summary: …");
    client.messages = compacted(client.messages, summary);
    expect(gist(client.turn())).toBe("step 5");
    expect(gist(client.turn())).toBe("step 6");
  });

  it("dropping the oldest messages does not matter", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    for (let turn = 0; turn < 4; turn += 1) client.turn();
    expect(gist(client.send([user("[earlier conversation truncated]"), ...client.messages.slice(-4)]))).toBe(
      "step 5",
    );
  });

  it("a resume with its ids goes on without any memory", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    client.turn();
    client.memory = undefined;
    expect(gist(client.turn())).toBe("step 2");
  });

  it("several conversations do not disturb one another", () => {
    const player = createScriptPlayer(tenSteps);
    const one = new Client(player, { metadata: { user_id: "session-1" } });
    const two = new Client(player, { metadata: { user_id: "session-2" } });
    const swap = (): void => void (two.memory = one.memory);
    one.say("go");
    one.turn();
    swap();
    expect(gist(two.say("go"))).toBe("step 0");
    one.memory = two.memory;
    one.messages = [user("Another language model started to solve this problem. Here is what it did.")];
    expect(gist(one.turn())).toBe("step 2");
    swap();
    expect(gist(two.turn())).toBe("step 1");
  });

  it("a new task of the same user starts the script anew", () => {
    const client = new Client(createScriptPlayer(tenSteps), { metadata: { user_id: "u" } });
    client.say("first task");
    client.turn();
    client.messages = [];
    expect(gist(client.say("second task"))).toBe("step 0");
  });

  it("a side request without tools gets a text and does not count", () => {
    const client = new Client(createScriptPlayer(tenSteps), { metadata: { user_id: "u" } });
    expect(gist(client.send([user("Title?")], { tools: [], system: "Write a title." }))).toBe("ok");
    expect(gist(client.say("go"))).toBe("step 0");
  });

  it("keeps its place over a summary request, whatever the summary's words, texts included", () => {
    const client = new Client(withSummaries(createScriptPlayer({ steps: ["a", "b", "c", "d", "e"] })));
    client.say("1");
    client.say("2");
    client.say("3");
    const asked = client.send([
      ...client.messages,
      user(
        "Respond with text only, no tool calls. Create a detailed summary of the conversation so far, in <analysis> and <summary> tags.",
      ),
    ]);
    expect(gist(asked)).toContain("<summary>");
    client.messages = [user("Was bisher geschah: wenig.")];
    expect(gist(client.say("4"))).toBe("d");
    expect(gist(client.say("5"))).toBe("e");
  });

  it("a summary carries the place: a compacted conversation goes on without any memory", () => {
    const client = new Client(withSummaries(createScriptPlayer(tenSteps)));
    client.say("go");
    client.turn();
    const summary = gist(
      client.send([...client.messages, user("You are performing a CONTEXT CHECKPOINT COMPACTION.")]),
    );
    client.memory = undefined;
    client.messages = [user(`Earlier: ${summary}`)];
    expect(gist(client.turn())).toBe("step 2");
  });

  it("an acknowledgement that an agent invents behind its summary is no answer of ours", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    client.turn();
    const snapshot = `<state_snapshot><overall_goal>${"work ".repeat(40)}</overall_goal></state_snapshot>`;
    client.messages = [
      user(snapshot),
      { role: "assistant", content: [{ type: "text", text: "Got it. Thanks for the additional context!" }] },
      user("Go on."),
    ];
    expect(gist(client.turn())).toBe("step 2");
  });

  it("goes on behind a compaction block of the API", () => {
    const client = new Client(createScriptPlayer(tenSteps));
    client.say("go");
    client.turn();
    client.messages = [
      { role: "assistant", content: [{ type: "compaction", content: "It was long." }] },
      user("Go on."),
    ];
    expect(gist(client.turn())).toBe("step 2");
    expect(gist(client.turn())).toBe("step 3");
  });

  it("an id never stands twice in a request", () => {
    const client = new Client(createScriptPlayer({ steps: [step("a"), step("b")] }));
    client.say("go");
    client.turn();
    const [first] = client.messages.slice(1, 2);
    const doubled = first === undefined ? [] : [...client.messages, first];
    const ids = client
      .send(doubled)
      .content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    const held = JSON.stringify(doubled);
    for (const id of ids) expect(held).not.toContain(`"${id}"`);
  });
});

describe("faults", () => {
  it("an error comes as often as it says, then the next step", () => {
    const client = new Client(
      createScriptPlayer({
        steps: [
          step("a"),
          { error: { status: 529, type: "overloaded_error", message: "Overloaded" }, times: 2 },
          step("b"),
        ],
      }),
    );
    client.say("go");
    expect([gist(client.turn()), gist(client.turn()), gist(client.turn()), gist(client.turn())]).toEqual([
      "error 529",
      "error 529",
      "b",
      "That was the whole script.",
    ]);
  });

  it("an empty answer leaves no trace and comes once", () => {
    const client = new Client(createScriptPlayer({ steps: [{ stopReason: "end_turn" }, "b"] }));
    expect(client.say("go")).toEqual({ content: [], stopReason: "end_turn" });
    expect(gist(client.turn())).toBe("b");
  });

  it("a cut connection happens once, a delay always", () => {
    const client = new Client(
      createScriptPlayer({
        steps: [
          { text: "a", delivery: { cutAfterEvents: 3 } },
          { text: "b", delivery: { delayMs: 50 } },
        ],
      }),
    );
    client.messages.push(user("go"));
    expect(client.send().delivery).toEqual({ cutAfterEvents: 3 });
    const whole = client.send();
    expect(whole).toEqual({ content: [{ type: "text", text: "a" }] });
    client.take(whole);
    client.messages.push(user("on"));
    expect(client.send().delivery).toEqual({ delayMs: 50 });
    expect(client.send().delivery).toEqual({ delayMs: 50 });
  });
});

describe("what a step can say", () => {
  it("thinking, text and parallel calls, in this order or in its own", () => {
    const client = new Client(
      createScriptPlayer({
        steps: [
          {
            thinking: "hm",
            text: "I look.",
            calls: [{ kind: "shell", input: { command: "ls" } }],
            stopReason: "tool_use",
          },
          {
            blocks: [
              { type: "call", call: { kind: "shell", input: { command: "pwd" } } },
              { type: "text", text: "and" },
            ],
          },
        ],
      }),
    );
    const first = client.say("go");
    expect(first.stopReason).toBe("tool_use");
    expect(first.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
    expect(gist(client.turn())).toBe("pwd + and");
  });

  it("a pause ends an open turn, and adds nothing to one that is over", () => {
    const client = new Client(
      createScriptPlayer({ steps: [step("a"), { pause: "Your turn." }, "b", { pause: true }, "c"] }),
    );
    expect([
      gist(client.say("1")),
      gist(client.turn()),
      gist(client.say("2")),
      gist(client.say("3")),
    ]).toEqual(["a", "Your turn.", "b", "c"]);
  });

  it("says so where no tool can do it", () => {
    const client = new Client(
      createScriptPlayer({ steps: [{ calls: [{ tool: "Telescope", input: {} }] }, "b"] }),
    );
    expect(gist(client.say("go"))).toBe("[simulator] The client offers no tool for Telescope.");
    expect(gist(client.say("on"))).toBe("b");
  });

  it("honours tool_choice: none, a tool, one at a time", () => {
    const script: Script = {
      steps: [{ text: "t", calls: [1, 2].map((n) => ({ kind: "shell", input: { command: `c${n}` } })) }],
    };
    const answerTo = (tool_choice: Record<string, unknown>): string =>
      gist(new Client(createScriptPlayer(script), { tool_choice }).say("go"));
    expect(answerTo({ type: "auto" })).toBe("t + c1 + c2");
    expect(answerTo({ type: "auto", disable_parallel_tool_use: true })).toBe("t + c1");
    expect(answerTo({ type: "none" })).toBe("t");
    const other = {
      name: "record",
      input_schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    };
    const forced = new Client(createScriptPlayer(script), {
      tools: [bash, other],
      tool_choice: { type: "tool", name: "record" },
    }).say("go");
    expect(forced.content).toEqual([{ type: "tool_use", name: "record", input: { ok: false } }]);
  });
});

describe("parseScript", () => {
  it("reads every kind of step", () => {
    const steps = [
      "text",
      { thinking: "a", text: "b", calls: [{ kind: "read", input: { path: "x" } }] },
      {
        blocks: [
          { type: "text", text: "a" },
          { tool: "Bash", input: { command: "ls" } },
        ],
      },
      { error: { status: 529 }, times: 2 },
      { text: "slow", delivery: { delayMs: 5, errorAfterEvents: { events: 4 } } },
      { pause: true },
    ];
    const script = parseScript(JSON.stringify({ steps, closing: "bye" }));
    expect(script.steps).toHaveLength(6);
    expect(script.steps[3]).toEqual({
      error: { status: 529, type: "overloaded_error", message: "Scripted error" },
      times: 2,
    });
    expect(parseScript(JSON.stringify(steps)).steps).toEqual(script.steps);
    const client = new Client(createScriptPlayer(script));
    expect(gist(client.say("go"))).toBe("text");
  });

  it.each([
    ["nonsense", /not JSON/],
    ["{}", /list of steps/],
    ['["a", 3]', /^step 2: is neither/],
    ['[{"text": 3}]', /^step 1: "text" is not a text/],
    ['["a", {"calls": [{"input": {}}]}]', /^step 2, calls\[0\]: needs a "tool" or a "kind"/],
    ['[{"calls": [{"kind": "dig"}]}]', /"kind" is one of shell, read/],
    ['[{"txet": "a"}]', /^step 1: "txet" means nothing/],
    ['[{"error": {"status": 200}}]', /between 400 and 599/],
    ['[{"text": "a", "times": 0}]', /"times" is not/],
    ['[{"text": "a", "delivery": {"delayMs": "1s"}}]', /"delivery.delayMs" is not a number/],
    ['[{"blocks": [], "text": "a"}]', /has "blocks" and/],
    ['[{"pause": 1}]', /"pause" is true or a text/],
  ])("refuses %s", (text, message) => {
    expect(() => parseScript(text)).toThrow(message);
  });
});
