import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createConversation, createUserMessage, type Conversation } from "@palimpsest/core";
import { isLateAnswer } from "../../packages/core/src/messages/late-answer.js";
import { recordedCost } from "../../packages/palimpsest/src/replay/recorded-cost.js";
import { createJsonlStore } from "../../packages/palimpsest/src/stores/index.js";
import { handedIn } from "./agent.js";

const directory = fileURLToPath(new URL("../data/transcripts-0.1/", import.meta.url));
const MINUTE = 60_000;

/** The next request: its messages as they would be sent, their number and size, and what was done to them before. */
interface Pinned {
  readonly hash: string;
  readonly live: number;
  readonly tokens: number;
  readonly padded: number;
  readonly steps: readonly string[];
}

async function resumed(id: string, minutesLater: number): Promise<Conversation> {
  const { messages } = await createJsonlStore({ directory }).readLive(id);
  const now = Date.parse(messages.at(-1)?.timestamp ?? "") + minutesLater * MINUTE;
  let ids = 0;
  return createConversation(
    {
      ...handedIn,
      model: "claude-sonnet-5",
      maxTokens: 32_000,
      sessionId: id,
      clock: { now: () => now },
      ids: { next: () => `next-${(ids += 1)}` },
      source: "sdk",
      system: { custom: "You are an agent." },
      parameters: { thinking: { type: "adaptive" } },
      settings: {
        clearIdleKeep: 0,
        keepRecentTokens: 500,
        keepLastTokens: 500,
        extractiveTokens: 500,
        compactUserMessageTokens: 200,
        compactNamesTokens: 100,
      },
    },
    messages,
  );
}

async function pinned(conversation: Conversation): Promise<Pinned> {
  await conversation.append(createUserMessage(conversation.origin(), { content: "Go on." }));
  const prepared = await conversation.prepare();
  if (prepared.kind === "held") throw new Error(prepared.message);
  const { tokens, padded } = conversation.size();
  return {
    hash: createHash("sha256").update(JSON.stringify(prepared.call.request.messages)).digest("hex"),
    live: conversation.live.length,
    tokens,
    padded,
    steps: prepared.steps.map(({ tier }) => tier),
  };
}

const transcripts: readonly {
  readonly id: string;
  /** Kinds of system messages in it, the first of each. */
  readonly holds: readonly string[];
  /** Of all runs, by what the whole file tells. */
  readonly dollars: number;
  readonly soon: Pinned;
  readonly hoursLater: Pinned;
  readonly compacted: Pinned;
}[] = [
  {
    id: "clearings-and-compaction",
    holds: ["microcompact_boundary", "compact_boundary"],
    dollars: 0.1301569,
    soon: {
      hash: "e5754f75155e2bf820405e6b01c6c95d60498a878af443fbc57b81fff2197376",
      live: 17,
      tokens: 9214,
      padded: 9215,
      steps: [],
    },
    hoursLater: {
      hash: "f1a58ed818f2af62627a89cc649a12acff56b2fdefbf731621a3b3c8de100acd",
      live: 18,
      tokens: 2324,
      padded: 2325,
      steps: ["time-based"],
    },
    compacted: {
      hash: "43d5870ebba08a095ba21a05dc6f0b2849d3fbbb2967d023e826356214dc9029",
      live: 4,
      tokens: 596,
      padded: 792,
      steps: [],
    },
  },
  {
    id: "notes-and-undone-compaction",
    holds: ["billed_calls", "session_memory", "compact_boundary", "compact_undone"],
    dollars: 0.1423127,
    soon: {
      hash: "2e4b9db92ae8a74a3ec239bfc5c39d10ceeafce4129af9bf0c1f11f1ccd7dc17",
      live: 24,
      tokens: 12057,
      padded: 12058,
      steps: [],
    },
    hoursLater: {
      hash: "c31db5f1dc743b8367be8a2cb6b3a8e698d191d86f5fbdcf28ae9f924cfffd92",
      live: 25,
      tokens: 1185,
      padded: 1186,
      steps: ["time-based"],
    },
    compacted: {
      hash: "f6e57d003017c175d168bcb60befce120e41262db635594e6024d94894e69e19",
      live: 11,
      tokens: 624,
      padded: 822,
      steps: [],
    },
  },
  {
    id: "media-cut-and-late-answer",
    holds: ["media_boundary", "oversize_boundary"],
    dollars: 0.032099,
    soon: {
      hash: "7d794e7e322318792d402286ebdef47a569b57c7934a9990e9c971c1c1784618",
      live: 17,
      tokens: 9658,
      padded: 9659,
      steps: [],
    },
    hoursLater: {
      hash: "6fb727e82ee5072ed12efa428f18135bbc4cd4fa623d1db89a6dfd9f4ca3fc99",
      live: 18,
      tokens: 3091,
      padded: 3092,
      steps: ["time-based"],
    },
    compacted: {
      hash: "54a149e7bfd6adef033d0e62076cbc9ccc3915277d58416e69236d8d824d874e",
      live: 5,
      tokens: 917,
      padded: 1220,
      steps: [],
    },
  },
];

// System prompt and tools had 5,133 tokens in all three, by the API's own count. They are in the sizes as long as that
// count is what is known; from the first change of the list on it is those of the request that is sent here, a few tokens.
describe.each(transcripts)(
  "the transcript $id of version 0.1",
  ({ id, holds, dollars, soon, hoursLater, compacted }) => {
    it("is read whole, and has cost the same", async () => {
      const { messages } = await createJsonlStore({ directory }).readAll(id);
      const kinds = messages.flatMap((message) => (message.type === "system" ? [message.subtype] : []));
      expect([...new Set(kinds)]).toEqual(holds);
      expect(messages.some(isLateAnswer)).toBe(id !== "clearings-and-compaction");
      expect(recordedCost(messages).dollars).toBeCloseTo(dollars, 10);
    });

    it("is gone on with in the same bytes, a minute later", async () => {
      expect(await pinned(await resumed(id, 1))).toEqual(soon);
    });

    it("is gone on with in the same bytes, when the cache is gone", async () => {
      expect(await pinned(await resumed(id, 120))).toEqual(hoursLater);
    });

    it("is compacted to the same bytes", async () => {
      const conversation = await resumed(id, 1);
      expect(await conversation.compact()).toMatchObject({ kind: "compacted" });
      expect(await pinned(conversation)).toEqual(compacted);
    });
  },
);
