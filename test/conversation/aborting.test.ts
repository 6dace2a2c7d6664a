import { describe, expect, it } from "vitest";
import {
  accountTotal,
  createConversation,
  isPalimpsestError,
  type Conversation,
  type ConversationOptions,
  type ModelProvider,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { findProblems } from "@palimpsest/core/validity";
import {
  createEchoPlayer,
  withSummaries,
  type Player,
} from "../../packages/palimpsest/src/simulator/index.js";
import { createEmbeddedProvider } from "./agent.js";

const model = "claude-opus-5";

function start(player: Player, more: Partial<ConversationOptions> = {}): Conversation {
  const provider = createEmbeddedProvider({ player });
  return createConversation({ model, maxTokens: 4000, compaction, provider, ...more });
}

const story = "Once upon a time there was a parser. ".repeat(60);
const tells: Player = {
  answer: (_prompt, memory) => ({ answer: { content: [{ type: "text", text: story }] }, memory }),
};

const rolesOf = ({ live }: Conversation): readonly string[] => live.map(({ type }) => type);

/** Whatever was called off: the conversation can be gone on with. */
async function goesOn(conversation: Conversation): Promise<void> {
  await conversation.ask("Go on.");
  const messages = conversation.requestMessages();
  expect(findProblems({ model, max_tokens: 4000, messages })).toEqual([]);
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "nothing thrown",
    (error: unknown) => (isPalimpsestError(error) ? `${error.name} ${error.code}` : error),
  );
}

describe("docs/aborting.md, row by row", () => {
  it("before anything was sent: nothing is in it and nothing is paid", async () => {
    const conversation = start(tells);
    const asked = conversation.ask("Tell me a story.", { signal: AbortSignal.abort() });
    expect(await codeOf(asked)).toBe("AbortError aborted");
    expect(conversation.live).toEqual([]);
    expect(accountTotal(conversation.account()).calls).toBe(0);
    await goesOn(conversation);
  });

  it("while it is compacted: it is as it was before, and told as aborted", async () => {
    const controller = new AbortController();
    const player = withSummaries(createEchoPlayer());
    const conversation = start({
      answer(prompt, memory) {
        if (JSON.stringify(prompt.messages.at(-1)).includes("summary")) controller.abort();
        return player.answer(prompt, memory);
      },
    });
    const told: string[] = [];
    conversation.events.on("compact_started", () => told.push("started"));
    conversation.events.on("compact_failed", ({ reason }) => told.push(reason));
    for (let turn = 0; turn < 4; turn += 1) await conversation.ask(`Turn ${turn}. ${"word ".repeat(300)}`);
    const { live } = conversation;
    const outcome = await conversation.compact({ signal: controller.signal });
    expect(outcome).toMatchObject({ kind: "failed", reason: "aborted" });
    expect(told).toEqual(["started", "aborted"]);
    expect(conversation.live).toBe(live);
    await goesOn(conversation);
  });

  it.each(["a signal", "leaving the loop"])(
    "while it is answered, by %s: what was asked stays, an estimate is paid",
    async (way) => {
      const conversation = start(tells);
      const controller = new AbortController();
      const listening = async (): Promise<void> => {
        for await (const { kind } of conversation.stream("Tell me a story.", { signal: controller.signal })) {
          if (kind !== "text") continue;
          if (way === "leaving the loop") return;
          controller.abort();
        }
      };
      expect(await codeOf(listening())).toBe(
        way === "leaving the loop" ? "nothing thrown" : "AbortError aborted",
      );
      expect(rolesOf(conversation).filter((type) => type !== "system")).toEqual(["user"]);
      await conversation.flush();
      const { calls, estimated } = accountTotal(conversation.account());
      expect([calls, estimated.calls]).toEqual([1, 1]);
      await goesOn(conversation);
    },
  );

  it.each([0, 5])(
    "by leaving the loop though all of the answer came, %i ms later: it is paid to the token",
    async (ms) => {
      const embedded = createEmbeddedProvider({ player: tells });
      const provider: ModelProvider = {
        ...embedded,
        // As where one chunk of a connection holds a whole answer, and nothing heeds the signal.
        async *stream(call) {
          const all = [];
          for await (const output of embedded.stream(call)) all.push(output);
          for (const output of all.slice(0, -1)) yield output;
          await new Promise((resolve) => setTimeout(resolve, ms));
          yield* all.slice(-1);
        },
      };
      const conversation = start(tells, { provider });
      for await (const { kind } of conversation.stream("Tell me a story.")) if (kind === "text") break;
      await expect.poll(() => accountTotal(conversation.account()).calls).toBe(1);
      await conversation.flush();
      const { estimated, dollars, outputTokens } = accountTotal(conversation.account());
      const { output, cost } = embedded.log.totals();
      expect([estimated.calls, outputTokens]).toEqual([0, output]);
      expect(dollars).toBeCloseTo(cost, 9);
      await goesOn(conversation);
    },
  );

  it("while tools run: the answer stays, and results say that the call was interrupted", async () => {
    const controller = new AbortController();
    const echo = createEchoPlayer();
    const conversation = start(
      {
        answer: (prompt, memory) =>
          JSON.stringify(prompt.messages.at(-1)).includes("Look")
            ? { answer: { content: [{ type: "tool_use", name: "Look", input: {} }] }, memory }
            : echo.answer(prompt, memory),
      },
      {
        tools: [
          {
            definition: { name: "Look", input_schema: { type: "object" } },
            run: () => {
              controller.abort();
              return new Promise(() => {});
            },
          },
        ],
      },
    );
    expect(await codeOf(conversation.ask("Look.", { signal: controller.signal }))).toBe("AbortError aborted");
    expect(rolesOf(conversation)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(conversation.live.at(-1))).toContain("The call was interrupted.");
    expect(accountTotal(conversation.account())).toMatchObject({ calls: 1, estimated: { calls: 0 } });
    await goesOn(conversation);
  });
});
