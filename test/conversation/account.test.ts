import {
  accountByModel,
  accountBySource,
  accountOf,
  accountTotal,
  type AccountSum,
  type EngineEvents,
  type Message,
} from "@palimpsest/core";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { query } from "../../packages/palimpsest/src/agent/loop/query.js";
import { recordedCost } from "../../packages/palimpsest/src/replay/recorded-cost.js";
import { createStage, text, use, type Bill, type Stage, type Turn } from "./account-stage.js";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

const MAIN = "claude-sonnet-5";
const CHEAP = "claude-haiku-4-5";

const overloaded: Turn = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } };
const limited: Turn = { error: { status: 429, type: "rate_limit_error", message: "Slow down." } };
const tooLong: Turn = {
  error: {
    status: 400,
    type: "invalid_request_error",
    message: "prompt is too long: 200100 tokens > 200000 maximum",
  },
};
/** An answer that takes so long that somebody gives up. */
const never: Turn = { ...text("Too late."), delivery: { delayMs: 3_600_000 } };
const LONG = Array.from({ length: 600 }, (_, at) => `Thought ${at} about the work.`).join("\n");
/** The response begins, and then nothing comes. */
const stalls: Turn = { ...text(LONG), delivery: { eventDelayMs: 3_600_000 } };
const cutAfter = (events: number, said: string = LONG): Turn => ({
  ...text(said),
  delivery: { cutAfterEvents: events },
});
const refuses: Turn = { content: [{ type: "text", text: "" }] };
const noSummary: Turn = { content: [] };

const engine = {
  window: 60_000,
  compactModel: CHEAP,
  compactExtractive: false,
  notes: true,
  notesFirstTokens: 3000,
  notesTokensBetweenUpdates: 2000,
  compactEarly: false,
} as const;

type Figures = Pick<
  AccountSum,
  "calls" | "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWrite5mTokens" | "cacheWrite1hTokens"
> & { readonly dollars: unknown };

/** What the simulator charges for these requests, by model. */
function chargedByModel(bills: readonly Bill[]): Readonly<Record<string, Figures>> {
  const sums: Record<string, Figures & { readonly dollars: number }> = {};
  for (const { record } of bills) {
    const { verdict } = record;
    if (verdict === null) continue;
    const sum = sums[verdict.model];
    sums[verdict.model] = {
      calls: (sum?.calls ?? 0) + 1,
      inputTokens: (sum?.inputTokens ?? 0) + verdict.input,
      outputTokens: (sum?.outputTokens ?? 0) + verdict.output,
      cacheReadTokens: (sum?.cacheReadTokens ?? 0) + verdict.cacheRead,
      cacheWrite5mTokens: (sum?.cacheWrite5mTokens ?? 0) + verdict.cacheWrite5m,
      cacheWrite1hTokens: (sum?.cacheWrite1hTokens ?? 0) + verdict.cacheWrite1h,
      dollars: (sum?.dollars ?? 0) + verdict.cost,
    };
  }
  return Object.fromEntries(
    Object.entries(sums).map(([model, sum]) => [model, { ...sum, dollars: expect.closeTo(sum.dollars, 9) }]),
  );
}

const figuresOf = (sum: AccountSum): Figures => ({
  calls: sum.calls,
  inputTokens: sum.inputTokens,
  outputTokens: sum.outputTokens,
  cacheReadTokens: sum.cacheReadTokens,
  cacheWrite5mTokens: sum.cacheWrite5mTokens,
  cacheWrite1hTokens: sum.cacheWrite1hTokens,
  dollars: sum.dollars,
});

const minus = (left: AccountSum, right: AccountSum): AccountSum => ({
  calls: left.calls - right.calls,
  inputTokens: left.inputTokens - right.inputTokens,
  outputTokens: left.outputTokens - right.outputTokens,
  cacheReadTokens: left.cacheReadTokens - right.cacheReadTokens,
  cacheWrite5mTokens: left.cacheWrite5mTokens - right.cacheWrite5mTokens,
  cacheWrite1hTokens: left.cacheWrite1hTokens - right.cacheWrite1hTokens,
  dollars: left.dollars - right.dollars,
  unpricedCalls: left.unpricedCalls - right.unpricedCalls,
});

type Session = Awaited<ReturnType<Stage["open"]>>;

/** Says it, and gives up as soon as the request is there, or the first words of the answer are. */
async function interrupted(session: Session, when: "sent" | "text"): Promise<void> {
  const before = stage.played();
  const stop = new AbortController();
  const events = query(session.agent, "And this?", { signal: stop.signal });
  const run = async (): Promise<string> => {
    let next = await events.next();
    while (next.done !== true) {
      if (next.value.kind === "text") stop.abort();
      next = await events.next();
    }
    return next.value.reason;
  };
  const ended = run();
  if (when === "sent") {
    await expect.poll(() => stage.played()).toBeGreaterThan(before);
    stop.abort();
  }
  expect(await ended).toBe("aborted");
}

async function compactedBy(session: Session, signal?: AbortSignal) {
  return session.conversation.compact({
    instructions: "Keep the names.",
    ...(signal === undefined ? {} : { signal }),
  });
}

const idle = async (session: Session): Promise<void> => {
  await session.conversation.notes?.idle();
};

async function everything(session: Session): Promise<readonly EngineEvents["compact_failed"][]> {
  const failed: EngineEvents["compact_failed"][] = [];
  session.events.on("compact_failed", (event) => void failed.push(event));
  const grow = async (times: number): Promise<void> => {
    for (let at = 0; at < times; at += 1) {
      stage.direct("main", text(LONG));
      await session.say(`What do you think of part ${at}?`);
      await idle(session);
    }
  };

  // The main thread and its notes; an update of them that breaks off.
  stage.direct("notes", {}, cutAfter(3), cutAfter(1), cutAfter(0), overloaded);
  await grow(3);

  // Retries: refused, refused, broken off before the response, before its first word, after it, at its very end.
  const last = { ...cutAfter(5, "Short."), hasUsage: true };
  const error: Turn = {
    ...text(LONG),
    delivery: { errorAfterEvents: { events: 4, type: "overloaded_error", message: "Overloaded" } },
  };
  stage.direct(
    "main",
    limited,
    overloaded,
    cutAfter(0),
    cutAfter(1),
    cutAfter(4),
    error,
    last,
    text("At last."),
  );
  expect((await session.say("Is it there?")).result.text).toBe("At last.");

  // Time-outs: nothing at all, and nothing more.
  stage.direct("main", never, stalls, text("In time."));
  expect((await stage.impatient(() => session.say("How long?"))).result.text).toBe("In time.");

  // Given up by the person: before the response, and in the middle of it.
  stage.direct("main", never);
  await interrupted(session, "sent");
  stage.direct("main", { ...text(LONG), delivery: { eventDelayMs: 200 } });
  await interrupted(session, "text");
  await idle(session);

  // Compactions: that fail in every way, one that is given up, one by the other model, one on the cache.
  stage.direct("summary", noSummary, refuses);
  expect(await compactedBy(session)).toMatchObject({ kind: "failed", reason: "no_summary" });
  stage.direct("summary", tooLong, cutAfter(6));
  expect(await compactedBy(session)).toMatchObject({ kind: "failed" });
  const stop = new AbortController();
  stage.direct("summary", never);
  const before = stage.played();
  const givenUp = compactedBy(session, stop.signal);
  await expect.poll(() => stage.played()).toBeGreaterThan(before);
  stop.abort();
  expect(await givenUp).toMatchObject({ kind: "failed", reason: "aborted" });
  stage.direct("summary", cutAfter(8));
  expect(await compactedBy(session)).toMatchObject({ kind: "compacted", writer: "streaming" });
  await grow(4);
  expect(await compactedBy(session)).toMatchObject({ kind: "compacted", writer: "fork" });

  // Refused as too long: compacted without sending it all again, and said once more.
  await grow(4);
  stage.direct("main", tooLong, text("It fits."));
  expect((await session.say("Too much?")).result.text).toBe("It fits.");
  await idle(session);

  // A subagent that has to be compacted, and keeps notes.
  const read = (at: number) => use("Read", { file_path: "large.txt", offset: 1 + at * 400, limit: 400 });
  const reads = Array.from({ length: 7 }, (_, at) => read(at));
  stage.direct("sub", ...reads.slice(0, 3), cutAfter(4), ...reads.slice(3), text("It is in large.txt."));
  stage.direct("main", use("Agent", { description: "look", prompt: "Look for it." }), text("Thanks."));
  expect((await session.say("Find it.")).result.text).toBe("Thanks.");
  return failed;
}

describe("the account of a conversation", () => {
  it("is the simulator's bill to the token, but for the calls that were cut off", async () => {
    await stage.place.write(
      "large.txt",
      Array.from({ length: 3000 }, (_, at) => `line ${at}: the value of setting number ${at * 7}`).join("\n"),
    );
    const session = await stage.open("account", { engine });
    const failed = await everything(session);
    await session.close();
    const account = session.conversation.account();
    const bills = await stage.bills();
    const whole = bills.filter(({ isWhole }) => isWhole);
    const cut = bills.filter(({ isWhole, record }) => !isWhole && record.verdict !== null);

    // Every source and every fault was there.
    const sources = [...accountBySource(account).keys()];
    expect(sources.toSorted()).toEqual(
      [
        "agent:general",
        "agent:general/compact",
        "agent:general/session_memory",
        "compact",
        "sdk",
        "session_memory",
      ].toSorted(),
    );
    expect(new Set(bills.map(({ record }) => record.journey))).toEqual(
      new Set(["complete", "cut", "error-event", "aborted"]),
    );
    expect(new Set(bills.map(({ record }) => record.status))).toEqual(new Set([200, 400, 429, 529]));

    // What arrived is the same to the token, by model.
    const byModel = [...accountByModel(account)];
    const exact = Object.fromEntries(
      byModel.map(([model, total]) => [model, figuresOf(minus(total, total.estimated))]),
    );
    expect(Object.keys(exact).toSorted()).toEqual([CHEAP, MAIN]);
    expect(exact).toEqual(chargedByModel(whole));

    // What was cut off is there, call by call; its input is the API's own wherever the response began.
    const estimated = stage.billed.filter((call) => call.estimated !== undefined);
    expect(estimated).toHaveLength(cut.length);
    for (const [model, total] of byModel) {
      expect(total.estimated.calls).toBe(cut.filter(({ record }) => record.verdict?.model === model).length);
    }
    const hasBegun = ({ turn: { delivery = {} }, record }: Bill): boolean =>
      record.journey === "aborted" ? (delivery.delayMs ?? 0) === 0 : (delivery.cutAfterEvents ?? 9) > 0;
    const begun = cut.filter(hasBegun);
    expect(begun.length).toBeGreaterThan(5);
    expect(cut.length - begun.length).toBeGreaterThan(4);
    const inputs = (list: readonly (readonly (number | null | undefined)[])[]) =>
      list.map((figures) => figures.join(" ")).toSorted();
    expect(
      inputs(
        estimated
          .filter((call) => call.estimated === "output")
          .map(({ usage }) => [
            usage.input_tokens,
            usage.cache_read_input_tokens,
            usage.cache_creation_input_tokens,
          ]),
      ),
    ).toEqual(
      inputs(
        begun.map(({ record: { verdict } }) => [
          verdict?.input,
          verdict?.cacheRead,
          (verdict?.cacheWrite5m ?? 0) + (verdict?.cacheWrite1h ?? 0),
        ]),
      ),
    );
    for (const call of estimated.filter((one) => one.estimated === "all")) {
      expect(call.usage.input_tokens).toBeGreaterThan(100);
    }

    // So the two differ by those calls alone.
    const all = accountTotal(account);
    const charged = bills.reduce((sum, { record }) => sum + (record.verdict?.cost ?? 0), 0);
    const cutCharged = cut.reduce((sum, { record }) => sum + (record.verdict?.cost ?? 0), 0);
    expect(all.dollars - charged).toBeCloseTo(all.estimated.dollars - cutCharged, 9);

    // Failed compactions say what they cost, each call with its model.
    expect(failed.map(({ calls }) => calls.map(({ model, estimated: mark }) => [model, mark]))).toEqual([
      [
        [MAIN, undefined],
        [CHEAP, undefined],
      ],
      [[CHEAP, "output"]],
      [[MAIN, "all"]],
    ]);
    expect(accountTotal(accountOf(stage.billed))).toEqual(all);

    // The transcript alone tells the same.
    const recorded = await recordedIn(session.transcriptPath);
    expect(recorded).toMatchObject({
      dollars: expect.closeTo(all.dollars, 9),
      estimatedDollars: expect.closeTo(all.estimated.dollars, 9),
      responses: all.calls,
      estimatedCalls: all.estimated.calls,
      inputTokens: all.inputTokens,
      outputTokens: all.outputTokens,
      cacheReadTokens: all.cacheReadTokens,
      cacheWriteTokens: all.cacheWrite5mTokens + all.cacheWrite1hTokens,
    });
    for (const [model, total] of byModel) {
      expect(recorded.models[model]).toMatchObject({ calls: total.calls, inputTokens: total.inputTokens });
    }
  });
});

/** What arrived, by model: no call was cut off. */
const exactly = (session: Session) =>
  Object.fromEntries(
    [...accountByModel(session.conversation.account())].map(([model, total]) => [model, figuresOf(total)]),
  );

describe("every writer of summaries", () => {
  it("is billed: the provider's own, whose cost stands in iterations alone", async () => {
    const session = await stage.open("server", {
      model: "claude-sonnet-5-5",
      // The provider does not combine its own summary with its own clearing.
      engine: { compactServerWriter: true, disableClearing: true },
    });
    for (let at = 0; at < 4; at += 1) {
      stage.direct("main", text(LONG));
      await session.say(`What do you think of part ${at}?`);
    }
    expect(await compactedBy(session)).toMatchObject({ kind: "compacted", writer: "server" });
    await session.close();
    expect(exactly(session)).toEqual(chargedByModel(await stage.bills()));
    const lines = accountBySource(session.conversation.account());
    expect(lines.get("compact")).toMatchObject({ calls: 1, estimated: { calls: 0 } });
    expect(lines.get("compact")?.cacheReadTokens).toBeGreaterThan(1000);
    expect((await recordedIn(session.transcriptPath)).dollars).toBeCloseTo(
      accountTotal(session.conversation.account()).dollars,
      9,
    );
  });
});

describe("a resumed conversation", () => {
  it("goes on with the account, and the transcript has the same", async () => {
    const first = await stage.open("again", { engine: { compactExtractive: false } });
    await first.say("Hello.");
    stage.direct("main", text(LONG), text(LONG));
    await first.say("Tell me more.");
    await first.say("And more.");
    stage.direct("summary", noSummary, refuses);
    expect(await compactedBy(first)).toMatchObject({ kind: "failed" });
    const before = first.conversation.live.map(({ uuid }) => uuid);
    await first.close();
    const [paid] = [accountTotal(first.conversation.account())];
    const second = await stage.open("again", { isResumed: true, engine: {} });
    // What calls cost is no part of the conversation, although it is the last line of the transcript.
    expect(second.conversation.live.map(({ uuid }) => uuid)).toEqual(before);
    const begun = accountTotal(second.conversation.account());
    expect(begun).toEqual({ ...paid, dollars: expect.closeTo(paid.dollars, 12) });
    await second.say("Are you there?");
    await second.close();
    const now = accountTotal(second.conversation.account());
    expect(now.calls).toBe(paid.calls + 1);
    const recorded = await recordedIn(second.transcriptPath);
    expect(recorded).toMatchObject({
      responses: now.calls,
      dollars: expect.closeTo(now.dollars, 9),
      sources: { main: { calls: 4 }, compact: { calls: 2 } },
    });
    const charged = chargedByModel(await stage.bills());
    expect(recorded.models[MAIN]).toMatchObject({ inputTokens: charged[MAIN]?.inputTokens });
  });
});

async function recordedIn(path: string) {
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  return recordedCost(lines.map((line) => JSON.parse(line) as Message));
}
