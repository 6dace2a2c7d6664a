import { describe, expect, it } from "vitest";
import {
  createConversation,
  type ConversationOptions,
  type Estimator,
  type Message,
  type RequestMessage,
  type UserBlock,
} from "@palimpsest/core";
import { liveMessages, createDefaultEstimator, createMemoryOverflow } from "@palimpsest/core/engine";
import type { Player } from "../../packages/palimpsest/src/simulator/index.js";
import { withSummaries } from "../../packages/palimpsest/src/simulator/index.js";
import { textCounter } from "../text-counter.js";
import { createAgent, createEmbeddedProvider, handedIn } from "./agent.js";

/** Of the texts below, as the simulator counts them. */
const BYTES_PER_TOKEN = 3.05;
const WORDS =
  "the parser reads one token after another and writes what it found into the table of names".split(" ");

/** A text of about so many tokens, all its lines different. */
function paste(seed: number, tokens: number): string {
  const lines: string[] = [];
  let bytes = 0;
  while (bytes < tokens * BYTES_PER_TOKEN) {
    const turn = (seed * 31 + lines.length * 7) % WORDS.length;
    const words = [...WORDS.slice(turn), ...WORDS.slice(0, turn)].join(" ");
    const line = `${seed}, line ${lines.length + 1}: ${words} ${words}`;
    lines.push(line);
    bytes += line.length + 1;
  }
  return lines.join("\n");
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

type Sent = readonly RequestMessage[] | undefined;

/** Which lines of a text stand in a request. */
function shownOf(text: string, messages: Sent) {
  const sent = new Set(textsOf(messages ?? []).flatMap((one) => one.split("\n")));
  const lines = text.split("\n");
  return {
    all: lines.every((line) => sent.has(line)),
    first: sent.has(lines[0] ?? ""),
    last: sent.has(lines.at(-1) ?? ""),
    count: lines.filter((line) => sent.has(line)).length,
  };
}

const noting: Player = {
  answer: (_prompt, memory) => ({ answer: { content: [{ type: "text", text: "Noted." }] }, memory }),
};

/** Calls a tool first, and then says that it is done. */
const calling: Player = {
  answer: (_prompt, memory) =>
    memory === undefined
      ? {
          answer: { content: [{ type: "tool_use", name: "mcp__logs__all", input: {} }] },
          memory: "called",
        }
      : { answer: { content: [{ type: "text", text: "Done." }] }, memory },
};

interface SceneOptions {
  readonly window?: number;
  readonly model?: string;
  /** Tokens of the system prompt. */
  readonly head?: number;
  readonly player?: Player;
  readonly result?: string;
  /** Whether the host keeps what is too long. */
  readonly keeps?: boolean;
  readonly more?: Partial<ConversationOptions>;
}

function scene(options: SceneOptions = {}) {
  const { window = 200_000, model = "claude-sonnet-5", head = 3000, player = noting, more } = options;
  const sent: { readonly messages: readonly RequestMessage[]; readonly system?: unknown }[] = [];
  const stored: Message[] = [];
  const provider = createEmbeddedProvider({
    clock: "manual",
    startTime: Date.UTC(2026, 10, 15, 10),
    window,
    counter: textCounter,
    player: withSummaries(player),
    wrap: (app) => async (request) => {
      sent.push((await request.clone().json()) as { messages: RequestMessage[] });
      return app(request);
    },
  });
  const overflow = createMemoryOverflow();
  const conversation = {
    model,
    maxTokens: 4000,
    source: "repl_main_thread",
    settings: { window },
    system: { custom: paste(1, head) },
    tools: () => [
      {
        definition: {
          name: "mcp__logs__all",
          description: "All logs.",
          input_schema: { type: "object", properties: {} },
        },
      },
    ],
    ...(options.keeps === false ? {} : { overflow }),
    writer: {
      append: async (messages: readonly Message[]) => void stored.push(...messages),
      close: async () => {},
    },
    ...more,
  } as const;
  const agent = createAgent({ provider, runTool: () => options.result ?? "done", conversation });
  return {
    agent,
    provider,
    overflow,
    stored,
    last: (): Sent => sent.at(-1)?.messages,
    calls: () => sent.length,
    /** So many tokens of conversation, each part of it answered. */
    talk: async (tokens: number): Promise<void> => {
      for (let part = 0; part * 10_000 < tokens; part += 1) {
        await agent.say(paste(100 + part, Math.min(10_000, tokens - part * 10_000)));
        await agent.turn();
      }
    },
    tiers: () => agent.steps.map(({ tier }) => tier),
    /** The same conversation, read from what was stored. */
    resumed: () =>
      createConversation(
        {
          ...handedIn,
          ...conversation,
          provider,
          sessionId: "s",
          clock: { now: () => provider.simulator.now() },
          ids: { next: () => `r${Math.random()}` },
        },
        liveMessages(stored),
      ),
  };
}

describe("what nobody has answered yet reaches the model whole", () => {
  it("71K tokens of history and a paste of 113K in a window of 200K: every line arrives", async () => {
    const { agent, talk, last, tiers } = scene();
    await talk(71_000);
    const text = paste(7, 113_000);
    await agent.say(text);
    expect((await agent.turn()).kind).toBe("response");
    expect(tiers()).toEqual(["full"]);
    expect(shownOf(text, last()).all).toBe(true);
  });

  it("whatever is to be kept of rounds: also nothing", async () => {
    const settings = { window: 200_000, keepRecentTokens: 0, keepLastTokens: 0 };
    const { agent, talk, last } = scene({ more: { settings } });
    await talk(71_000);
    const text = paste(7, 100_000);
    await agent.say(text);
    await agent.turn();
    expect(shownOf(text, last()).all).toBe(true);
  });

  it("as two blocks, and with a picture beside it", async () => {
    const { agent, talk, last } = scene();
    await talk(71_000);
    const [one, two] = [paste(7, 55_000), paste(8, 55_000)];
    const image: UserBlock = {
      type: "image",
      source: {
        type: "base64",
        media_type: "image/png",
        data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      },
    };
    await agent.say([{ type: "text", text: one }, image, { type: "text", text: two }]);
    await agent.turn();
    expect(shownOf(one, last()).all).toBe(true);
    expect(shownOf(two, last()).all).toBe(true);
    expect(JSON.stringify(last())).toContain('"image/png"');
  });

  it("results of calls, with the calls that asked for them", async () => {
    const text = paste(7, 100_000);
    const { agent, talk, last, tiers } = scene({ result: text });
    await talk(71_000);
    const calls = scene({ player: calling, result: text });
    for (const part of [1, 2, 3]) await calls.agent.say(paste(part, 23_000));
    await calls.agent.turn();
    await calls.agent.turn();
    expect(calls.tiers()).toEqual(["full"]);
    expect(shownOf(text, calls.last()).all).toBe(true);
    // The other one has not called anything: nothing of a result is there.
    expect(tiers()).toEqual([]);
    expect(shownOf(text, last()).count).toBe(0);
    expect(agent.turns).toBe(8);
  });

  it("several pastes in a row that fit together", async () => {
    const { agent, talk, last } = scene();
    await talk(71_000);
    const texts = [1, 2, 3, 4, 5].map((seed) => paste(seed + 10, 20_000));
    for (const text of texts) await agent.say(text);
    await agent.turn();
    for (const text of texts) expect(shownOf(text, last()).all).toBe(true);
  });

  it("in a window of 60K of which system prompt and tools have 27K", async () => {
    const { agent, last, tiers } = scene({ window: 60_000, head: 27_000 });
    await agent.say(paste(3, 4000));
    await agent.turn();
    await agent.say(paste(4, 8000));
    await agent.turn();
    const text = paste(7, 9000);
    await agent.say(text);
    expect((await agent.turn()).kind).toBe("response");
    expect(tiers()).toEqual(["full"]);
    expect(shownOf(text, last()).all).toBe(true);
  });

  it("and is not summarised for nothing while it waits: a second attempt asks no model", async () => {
    const { agent, talk, last, calls, tiers } = scene();
    await talk(71_000);
    const text = paste(7, 125_000);
    await agent.say(text);
    await agent.conversation.prepare();
    const before = calls();
    const again = await agent.conversation.prepare();
    expect(again).toMatchObject({ kind: "request", steps: [] });
    expect(calls()).toBe(before);
    await agent.turn();
    expect(tiers()).toEqual([]);
    expect(shownOf(text, last()).all).toBe(true);
  });

  it("the first message of all is sent as it is although it is above the threshold", async () => {
    const { agent, last, tiers, calls } = scene();
    const text = paste(7, 140_000);
    await agent.say(text);
    expect(agent.conversation.size().pressure).not.toBe("none");
    await agent.turn();
    expect(tiers()).toEqual([]);
    expect(calls()).toBe(1);
    expect(shownOf(text, last()).all).toBe(true);
  });

  it("once it was answered it is summarised like everything else", async () => {
    const { agent, talk, last, tiers } = scene();
    await talk(71_000);
    const text = paste(7, 113_000);
    await agent.say(text);
    await agent.turn();
    await agent.say(paste(8, 60_000));
    await agent.turn();
    expect(tiers()).toEqual(["full", "full"]);
    const { all, count } = shownOf(text, last());
    expect({ all, some: count > 0 }).toEqual({ all: false, some: true });
  });
});

describe("what cannot fit keeps its ends", () => {
  const cutAndSent = async (text: string, at: ReturnType<typeof scene>) => {
    const { agent, last, overflow, tiers } = at;
    expect((await agent.turn()).kind).toBe("response");
    expect(tiers()).toContain("oversize");
    const shown = shownOf(text, last());
    expect(shown).toMatchObject({ all: false, first: true, last: true });
    expect([...overflow.texts.values()]).toContain(text);
    return shown;
  };

  it("a paste of 400K tokens in a window of 200K", async () => {
    const at = scene();
    const text = paste(7, 400_000);
    await at.agent.say(text);
    const { count } = await cutAndSent(text, at);
    expect(count).toBeGreaterThan(text.split("\n").length / 6);
    const sent = JSON.stringify(at.last());
    expect(sent).toContain("memory/message-1.txt");
    expect(at.agent.steps[0]?.text).toMatch(/^The newest message did not fit .* memory\/message-1\.txt\.$/);
  });

  it("the same behind a history, which is summarised", async () => {
    const at = scene();
    await at.talk(71_000);
    const text = paste(7, 400_000);
    await at.agent.say(text);
    await cutAndSent(text, at);
    expect(at.tiers()).toEqual(["oversize", "full"]);
  });

  it("a result of 300K tokens of an MCP server's tool", async () => {
    const text = paste(7, 300_000);
    const at = scene({ player: calling, result: text });
    await at.agent.say("Fetch all logs.");
    await at.agent.turn();
    await cutAndSent(text, at);
    expect(JSON.stringify(at.last())).toContain("memory/result-1.txt");
  });

  it("ten pastes of 40K in a row: each keeps its own ends", async () => {
    const at = scene();
    const texts = Array.from({ length: 10 }, (_, index) => paste(index + 10, 40_000));
    for (const text of texts) await at.agent.say(text);
    expect((await at.agent.turn()).kind).toBe("response");
    expect(at.tiers()).toEqual(["oversize"]);
    for (const text of texts) {
      expect(shownOf(text, at.last())).toMatchObject({ all: false, first: true, last: true });
    }
    expect([...at.overflow.texts.values()]).toEqual(texts);
    expect(at.agent.steps[0]?.text).toContain("10 texts of the newest messages");
    expect(at.agent.steps[0]?.text).toContain("and 9 more files");
  });

  it("a small question beside it stays whole", async () => {
    const at = scene();
    const text = paste(7, 300_000);
    const question = "What is the third token of the last line?";
    await at.agent.say([
      { type: "text", text },
      { type: "text", text: question },
    ]);
    await cutAndSent(text, at);
    expect(textsOf(at.last())).toContain(question);
  });

  it("in a window of 60K of which system prompt and tools have 27K", async () => {
    const at = scene({ window: 60_000, head: 27_000 });
    await at.agent.say(paste(3, 3000));
    await at.agent.turn();
    const text = paste(7, 40_000);
    await at.agent.say(text);
    await cutAndSent(text, at);
  });

  it.each(["claude-haiku-4-5", "claude-opus-5-5"])("with %s", async (model) => {
    const at = scene({ model });
    await at.talk(71_000);
    const text = paste(7, 400_000);
    await at.agent.say(text);
    await cutAndSent(text, at);
    expect(at.resumed().requestMessages()).toEqual(at.agent.conversation.requestMessages());
  });

  it("more pastes while the first still waits: what was cut is cut again, from the one file", async () => {
    const at = scene();
    const text = paste(7, 400_000);
    await at.agent.say(text);
    await at.agent.conversation.prepare();
    const next = paste(8, 150_000);
    await at.agent.say(next);
    await cutAndSent(text, at);
    expect(shownOf(next, at.last())).toMatchObject({ first: true, last: true });
    expect([...at.overflow.texts.values()]).toEqual([text, next]);
    expect(JSON.stringify(at.last())).toContain(`${text.length.toLocaleString("en-US")} characters`);
    expect(at.resumed().requestMessages()).toEqual(at.agent.conversation.requestMessages());
  });

  it("the transcript holds the original, and what is resumed is the same to the byte", async () => {
    const at = scene();
    await at.talk(60_000);
    const text = paste(7, 400_000);
    await at.agent.say(text);
    const same = () =>
      expect(at.resumed().requestMessages()).toEqual(at.agent.conversation.requestMessages());
    await at.agent.conversation.prepare();
    same();
    expect(at.stored.some((message) => message.type === "user" && message.message.content === text)).toBe(
      true,
    );
    expect(await at.agent.conversation.undo()).toMatchObject({ kind: "undone" });
    same();
    await at.agent.turn();
    same();
    // Live messages that are handed in again, boundary and all, stay what they are.
    const { live } = at.agent.conversation;
    const again = createConversation(
      {
        ...handedIn,
        model: "claude-sonnet-5",
        maxTokens: 1,
        sessionId: "s",
        clock: { now: () => 0 },
        ids: { next: () => "i" },
      },
      live,
    );
    expect(again.requestMessages()).toEqual(at.agent.conversation.requestMessages());
    await at.agent.say(paste(9, 20_000));
    await at.agent.turn();
    same();
    const pivot = at.agent.conversation.live.findLast(({ type }) => type === "system")?.uuid ?? "";
    await at.agent.conversation.compact({ scope: { kind: "from", pivot } });
    same();
  });

  it("without a place to keep it the message says how much was left out", async () => {
    const at = scene({ keeps: false });
    const text = paste(7, 400_000);
    await at.agent.say(text);
    expect((await at.agent.turn()).kind).toBe("response");
    expect(shownOf(text, at.last())).toMatchObject({ all: false, first: true, last: true });
    expect(JSON.stringify(at.last())).toMatch(/[\d,]+ characters of [\d,]+ characters are left out here/);
    expect(at.agent.steps[0]?.text).toContain("the rest was not kept anywhere else");
  });

  it("a place that fails costs the middle, not the conversation", async () => {
    const at = scene({ more: { overflow: { keep: () => Promise.reject(new Error("disk full")) } } });
    const text = paste(7, 400_000);
    await at.agent.say(text);
    expect((await at.agent.turn()).kind).toBe("response");
    expect(JSON.stringify(at.last())).toContain("could not be saved");
  });

  it("plan says so, and the event", async () => {
    const events: unknown[] = [];
    const at = scene();
    at.agent.conversation.events.on("oversize_cut", (event) => void events.push(event));
    await at.agent.say(paste(7, 400_000));
    const plan = await at.agent.conversation.plan();
    expect(plan.steps[0]).toMatchObject({ tier: "oversize", count: 1 });
    await at.agent.turn();
    expect(events).toMatchObject([{ texts: 1, kept: ["memory/message-1.txt"] }]);
  });

  it("not in a conversation without compaction: it is held", async () => {
    const at = scene({ more: { compaction: "none" } });
    await at.agent.say(paste(7, 400_000));
    expect(await at.agent.turn()).toMatchObject({ kind: "held", reason: "window-full", steps: [] });
  });

  it("not by itself where automatic compaction is off, but by hand", async () => {
    const at = scene({ more: { settings: { window: 200_000, autoCompactEnabled: false } } });
    const text = paste(7, 400_000);
    await at.agent.say(text);
    expect(await at.agent.turn()).toMatchObject({ kind: "held", reason: "window-full", steps: [] });
    await at.agent.conversation.compact();
    await cutAndSent(text, at);
  });

  it("not where everything is switched off", async () => {
    const at = scene({ more: { settings: { window: 200_000, disableCompact: true } } });
    await at.agent.say(paste(7, 400_000));
    expect(await at.agent.turn()).toMatchObject({ kind: "held", reason: "window-full", steps: [] });
  });

  it("by hand, before anything was prepared: the next request tells of it", async () => {
    const at = scene();
    await at.talk(30_000);
    const text = paste(7, 400_000);
    await at.agent.say(text);
    expect((await at.agent.conversation.compact()).kind).toBe("compacted");
    await cutAndSent(text, at);
  });

  it("with another model of a smaller window", async () => {
    const at = scene({ window: 200_000, more: { settings: {} } });
    await at.talk(30_000);
    const text = paste(7, 300_000);
    await at.agent.say(text);
    await at.agent.conversation.switchModel("claude-haiku-4-5");
    await cutAndSent(text, at);
  });

  it("of a text that is much denser than it looks: a refusal shows it, and the next request is accepted", async () => {
    const { block, message } = createDefaultEstimator({ model: "claude-sonnet-5" });
    const low: Estimator = {
      name: "low",
      block: (value) => Math.ceil(block(value) / 3),
      message: (value) => Math.ceil(message(value) / 3),
      pad: (tokens) => tokens,
    };
    for (const history of [0, 30_000]) {
      const at = scene({ more: { estimator: low } });
      await at.talk(history);
      const text = paste(7, 330_000);
      await at.agent.say(text);
      const { padded, thresholds } = at.agent.conversation.size();
      expect(padded).toBeLessThan(thresholds.autoCompactAt);
      await cutAndSent(text, at);
      expect(at.resumed().requestMessages()).toEqual(at.agent.conversation.requestMessages());
    }
  });

  it("where a window is smaller than it is said to be", async () => {
    const at = scene({ window: 100_000, more: { settings: { window: 200_000 } } });
    await at.talk(30_000);
    const text = paste(7, 110_000);
    await at.agent.say(text);
    await cutAndSent(text, at);
  });
});
