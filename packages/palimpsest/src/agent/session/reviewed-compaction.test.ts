import { accountOf, accountTotal, type Settings } from "@palimpsest/core";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEmbeddedProvider, type EmbeddedProviderOptions } from "../../providers/embedded.js";
import { createScriptPlayer } from "../../simulator/players/script-player.js";
import { withSummaries } from "../../simulator/players/summaries-player.js";
import { call } from "../loop/testing/loop-agent.js";
import type { ReadyCompaction, SummaryReview } from "./reviewed-compaction.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

const LONG = Array.from({ length: 3000 }, (_, at) => `Thought ${at} about the plan.`).join("\n");

interface Row {
  readonly writer: ReadyCompaction["compacted"]["writer"];
  readonly model?: string;
  readonly engine?: Partial<Settings>;
  /** Nobody answers when a summary is asked for. */
  readonly isRefused?: boolean;
  readonly capabilities?: EmbeddedProviderOptions["capabilities"];
}

const ROWS: readonly Row[] = [
  { writer: "fork" },
  { writer: "streaming", engine: { compactFork: false } },
  { writer: "extractive", isRefused: true },
  {
    writer: "notes",
    engine: {
      notes: true,
      notesFirstTokens: 1000,
      notesToolCallsBetweenUpdates: 0,
      notesKeepTokens: 1,
      notesKeepMessages: 0,
    },
  },
  {
    writer: "server",
    model: "claude-opus-5-5",
    engine: { compactServerWriter: true },
    capabilities: { contextEdits: false },
  },
];

/** A conversation that can be compacted, with somebody who looks. */
async function start({ model = "claude-sonnet-5", engine = {}, isRefused = false, capabilities = {} }: Row) {
  const seen: (ReadyCompaction & { readonly live: readonly string[]; readonly transcript: string })[] = [];
  let answer: (ready: ReadyCompaction) => string | undefined = ({ text }) => text;
  let isLooking = true;
  await place.write("long.txt", LONG);
  const read = { calls: [call("Read", { file_path: "long.txt" })] };
  const steps = [read, "Read.", "Again.", "Once more."];
  const provider = createEmbeddedProvider({
    player: withSummaries(createScriptPlayer({ steps })),
    capabilities,
  });
  const session = await place.open(steps, {
    provider,
    model,
    engine: { keepRecentTokens: 500, compactNamesTokens: 0, ...engine },
    reviewSummary: (): SummaryReview | undefined =>
      isLooking
        ? async (ready) => {
            const transcript = await readFile(session.transcriptPath, "utf8");
            seen.push({ ...ready, live: uuids(), transcript });
            return answer(ready);
          }
        : undefined,
  });
  const uuids = (): readonly string[] => session.conversation.live.map(({ uuid }) => uuid);
  await session.say("Read the long file, please.");
  await session.say("And what now?");
  await session.say("And then?");
  if (isRefused) provider.faults.set([{ fault: { fault: "413" }, span: { next: 50 } }]);
  return {
    session,
    seen,
    uuids,
    answer: (next: typeof answer) => void (answer = next),
    look: (next: boolean) => void (isLooking = next),
    dollars: () => accountTotal(session.conversation.account()).dollars,
  };
}

describe.each(ROWS)("a summary by $writer", (row) => {
  it("is seen before anything of it takes effect, and takes none where the person says no", async () => {
    const { session, seen, uuids, answer, dollars } = await start(row);
    const before = uuids();
    const paid = dollars();
    answer(() => undefined);
    const outcome = await session.conversation.compact({});
    expect(outcome).toMatchObject({ kind: "failed", reason: "aborted" });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.compacted.writer).toBe(row.writer);
    expect(seen[0]?.text.trim()).not.toBe("");
    expect(seen[0]?.live).toEqual(before);
    expect(seen[0]?.transcript).not.toContain("compact_boundary");
    expect(uuids()).toEqual(before);
    await session.conversation.flush();
    expect(await readFile(session.transcriptPath, "utf8")).not.toContain("compact_boundary");
    // What a model was paid for it is told all the same.
    const { dollars: cost } = accountTotal(accountOf(seen[0]?.compacted.calls ?? []));
    expect(cost > 0).toBe(row.writer !== "notes" && row.writer !== "extractive");
    expect(dollars() - paid).toBeGreaterThanOrEqual(cost - 1e-9);
    await session.close();
  });

  it("is taken as it came, by the same writer, and billed once", async () => {
    const { session, seen, dollars } = await start(row);
    const paid = dollars();
    const outcome = await session.conversation.compact({});
    if (outcome.kind === "failed") throw new Error(outcome.message);
    expect(outcome.writer).toBe(row.writer);
    expect(outcome.summary).toBe(seen[0]?.compacted.summary);
    expect(outcome.kept.map(({ uuid }) => uuid)).toEqual(seen[0]?.compacted.kept.map(({ uuid }) => uuid));
    expect(outcome.summaryMessages[0]?.type).toBe(row.writer === "server" ? "assistant" : "user");
    expect(outcome.calls.length).toBe(seen[0]?.compacted.calls.length);
    // Notes are written beside the conversation: what they cost is none of it.
    const { dollars: cost } = accountTotal(accountOf(outcome.calls));
    expect(row.writer === "notes" || Math.abs(dollars() - paid - cost) < 1e-9).toBe(true);
    await session.close();
  });

  it("is taken as the person has changed it", async () => {
    const { session, answer } = await start(row);
    answer(({ text }) => `${text}\n\nMARKED BY HAND`);
    const outcome = await session.conversation.compact({});
    if (outcome.kind === "failed") throw new Error(outcome.message);
    const sent = JSON.stringify(session.conversation.requestMessages());
    expect(sent).toContain("MARKED BY HAND");
    expect(sent).toContain("Read the long file, please.");
    await session.close();
  });
});

it("nobody is asked where nobody wants to look, and of automatic compactions", async () => {
  const { session, seen, look } = await start({ writer: "fork" });
  look(false);
  expect(await session.conversation.compact({})).toMatchObject({ kind: "compacted" });
  expect(seen).toEqual([]);
  await session.close();
});
