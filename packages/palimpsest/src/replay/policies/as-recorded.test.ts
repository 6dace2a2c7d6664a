import type { AssistantBlock, ModelResponse, Usage } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { run, type Ended } from "../testing/play-policy.js";
import {
  call,
  incoming,
  madeUpRounds,
  result,
  text,
  words,
  type MadeUpRound,
} from "../testing/made-up-rounds.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import { createAsRecordedPolicy } from "./as-recorded.js";

const usage = (read: number, write: number, more: Partial<Usage> = {}): Usage => ({
  input_tokens: 0,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
  output_tokens: 50,
  ...more,
});
const hour = (write: number): Partial<Usage> => ({
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: write },
});

const conversation = (usages: readonly (Usage | undefined)[], model = "claude-opus-4-5") =>
  madeUpRounds(
    usages.map((own, at): MadeUpRound => ({
      in: at === 0 ? `begin ${words(6000)}` : [result(`t${at}`, words(900, `r${at}x`))],
      out: [call(`t${at + 1}`, { file_path: `/f${at}` })],
      ...(own === undefined ? {} : { usage: own }),
    })),
    model,
  );

const play = (rounds: readonly RecordedRound[]): Promise<Ended> =>
  run("as-recorded", rounds, { model: "claude-opus-4-5", ttl: "auto" });

const shown = ({ turns }: Ended, at: number): string => JSON.stringify(turns[at]?.seen ?? []);
const sent = ({ turns }: Ended, at: number): string => JSON.stringify(turns[at]?.call.request ?? {});

describe("as-recorded", () => {
  it("makes a recorded compaction where it was made, and keeps what it kept", async () => {
    const rounds = conversation([undefined, undefined, undefined, undefined]).map((round, at) =>
      at === 1 ? { ...round, incoming: [...round.incoming, incoming("spoken before", "spoken")] } : round,
    );
    const compacted = (more: object): readonly RecordedRound[] =>
      rounds.map((round, at) =>
        at === 2
          ? {
              ...round,
              incoming: [...round.incoming, incoming("and now this", "later")],
              compacted: {
                after: 1,
                messages: [incoming("the summary", "S")],
                keptResponses: 0,
                keptMessages: 0,
                ...more,
              },
            }
          : round,
      );
    const all = await play(compacted({}));
    expect(all.turns[2]?.edits).toMatchObject([{ tier: "full" }]);
    expect(shown(all, 2)).toContain("the summary");
    expect(shown(all, 2)).toContain("and now this");
    expect(shown(all, 2)).not.toContain("begin");
    expect(shown(all, 2)).not.toContain("r2x");
    expect(shown(all, 3)).toContain("r3x");
    const kept = await play(compacted({ keptResponses: 1 }));
    expect(shown(kept, 2)).toContain("r2x");
    expect(shown(kept, 2)).not.toContain("spoken before");
    const more = await play(compacted({ keptResponses: 1, keptMessages: 1 }));
    expect(shown(more, 2)).toContain("spoken before");
    expect(shown(more, 2)).not.toContain("begin");
    for (const played of [all, kept, more]) expect(played.ended).toBeUndefined();
  });

  it("clears results where the recording cleared them, and not before", async () => {
    const rounds = conversation([undefined, undefined, undefined, undefined]).map((round, at) =>
      at === 3 ? { ...round, cleared: ["t1", "t2"] } : round,
    );
    const played = await play(rounds);
    expect(played.ended).toBeUndefined();
    expect(shown(played, 2)).toContain("r1x");
    for (const gone of ["r1x", "r2x"]) expect(shown(played, 3)).not.toContain(gone);
    expect(shown(played, 3)).toContain("r3x");
    expect(played.turns[3]?.edits).toMatchObject([{ tier: "cleared" }]);
  });

  it("keeps what the recording kept, whatever was read again between", async () => {
    const rounds = conversation([undefined, undefined, undefined]);
    const [last] = conversation([undefined]);
    if (last === undefined) throw new Error("there is one");
    const simulated: ModelResponse[] = [];
    const playing = createAsRecordedPolicy().start({
      model: "claude-opus-4-5",
      window: 1_000_000,
      maxTokens: 4096,
      ttl: "auto",
      system: "You read files.",
      tools: [],
      now: () => 0,
      sessionId: "s",
      provider: { name: "none", capabilities: () => ({}) as never, stream: () => [] as never },
    });
    const say = async (content: readonly AssistantBlock[]): Promise<void> => {
      await playing.prepare();
      const response = {
        id: `r${simulated.length}`,
        model: "claude-opus-4-5",
        content,
        usage: { input_tokens: 1, output_tokens: 1 },
        stop_reason: "tool_use",
      } as unknown as ModelResponse;
      simulated.push(response);
      await playing.answered(response);
    };
    const readAgain = (id: string): AssistantBlock => ({ type: "tool_use", id, name: "Read", input: {} });
    for (const [at, round] of rounds.entries()) {
      playing.recorded?.(round);
      await playing.append([...round.incoming, incoming(`spoken ${at}`, `s${at}`)]);
      if (at > 0) {
        await say([readAgain(`again${at}`)]);
        await playing.append([incoming([result(`again${at}`, `regained ${at}`)], `regained-${at}`)]);
      }
      await say(round.response.content as readonly AssistantBlock[]);
    }
    const due = { after: 0, messages: [incoming("the summary", "S")], keptResponses: 1, keptMessages: 1 };
    const next: RecordedRound = {
      ...last,
      incoming: [incoming([result("t3", "end")], "z")],
      compacted: due,
    };
    playing.recorded?.(next);
    await playing.append(next.incoming);
    const prepared = await playing.prepare();
    const messages = prepared.kind === "request" ? JSON.stringify(prepared.call.request.messages) : "";
    // The last recorded response asks for /f2. Before it something was said, and what was read again stands between.
    expect(messages).toContain("/f2");
    expect(messages).toContain("regained 2");
    expect(messages).toContain("spoken 2");
    expect(messages).not.toContain("spoken 1");
    expect(messages).not.toContain("/f1");
  });

  it("entries live as long as the usage says, by the round", async () => {
    const played = await play(
      conversation([usage(0, 5000), usage(5000, 800, hour(800)), usage(5800, 0), undefined]),
    );
    expect([0, 1, 2, 3].map((at) => sent(played, at).includes('"ttl":"1h"'))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it("plays a compaction that nobody saw, and every window", async () => {
    const long = madeUpRounds([
      { in: words(30_000), out: [text("read")] },
      { in: "and", out: [text("done")] },
    ]);
    expect((await run("none", long, { model: "claude-opus-4-5" })).ended?.kind).toBe("context-overflow");
    const bill = (await play(conversation([undefined]))).run.bill?.();
    expect(bill).toMatchObject({ responses: 0, error: 0 });
  });

  it("loses of the cache what the recording lost", async () => {
    const whole = await play(
      conversation([usage(0, 10_000), usage(10_000, 2000), usage(12_000, 2000), usage(14_000, 2000)]),
    );
    const nothing = await play(
      conversation([usage(0, 10_000), usage(10_000, 2000), usage(0, 14_000), usage(14_000, 2000)]),
    );
    const part = await play(
      conversation([usage(0, 3000), usage(3000, 9000), usage(4000, 12_000), usage(16_000, 2000)]),
    );
    const reads = ({ run: played }: Ended): number => played.bill?.().simulated.cacheReadTokens ?? 0;
    expect(reads(nothing)).toBeLessThan(reads(whole));
    expect(reads(part)).toBeLessThan(reads(whole));
    expect(reads(part)).toBeGreaterThan(reads(nothing));
    // What was put in stays where it is: the request after it finds everything again.
    expect(sent(nothing, 3)).toContain("[1] ");
    for (const played of [whole, nothing, part]) expect(played.ended).toBeUndefined();
  });
});

describe("the recorded bill", () => {
  const billOf = async (usages: readonly Usage[], model?: string) =>
    (await play(conversation(usages, model))).run.bill?.();

  it("is what the usage says at the model's prices", async () => {
    const bill = await billOf([usage(0, 10_000, hour(10_000)), usage(10_000, 2000)]);
    expect(bill?.responses).toBe(2);
    expect(bill?.recorded).toMatchObject({ cacheReadTokens: 10_000, cacheWriteTokens: 12_000 });
    // Opus 4.5: 10 dollars a million written for an hour, 6.25 for five minutes, 0.5 read; the output is simulated.
    const output = (bill?.recorded.outputTokens ?? 0) * 25;
    expect(bill?.recorded.cost).toBeCloseTo((10_000 * 10 + 2000 * 6.25 + 10_000 * 0.5 + output) / 1e6, 9);
    expect(bill?.recorded.outputTokens).toBe(bill?.simulated.outputTokens);
    expect(bill?.error).toBeCloseTo((bill?.simulated.cost ?? 0) / (bill?.recorded.cost ?? 1) - 1, 9);
  });

  it("counts what the first request found of another conversation as written", async () => {
    const bill = await billOf([usage(4000, 6000), usage(10_000, 2000)]);
    expect(bill?.recorded).toMatchObject({ cacheReadTokens: 10_000, cacheWriteTokens: 12_000 });
  });

  it("of another vendor: in tokens of this model, and what was not cached is written", async () => {
    const bill = await billOf(
      [usage(0, 0, { input_tokens: 10_100 }), usage(10_100, 0, { input_tokens: 1010 })],
      "gpt-5",
    );
    expect(bill?.recorded.inputTokens).toBe(0);
    expect(bill?.recorded.cacheReadTokens).toBeCloseTo(12_000, 6);
    expect(bill?.recorded.cacheWriteTokens).toBeCloseTo(13_200, 6);
  });
});
