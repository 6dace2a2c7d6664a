import fc from "fast-check";
import { findModel, type Message, type ModelCall, type RequestMessage } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import {
  call,
  madeUpConversation,
  result,
  text,
  words,
  type MadeUpRound,
} from "../testing/made-up-rounds.js";
import type { AnswerBlock } from "../../simulator/player.js";
import { blockTokens } from "../../simulator/tokens/block-tokens.js";
import { parsePolicies } from "../policies/parse-policies.js";
import type { Policy, PolicyRun } from "../policies/policy.js";
import { PromptList } from "../policies/prompt-list.js";
import { playConversation, type PlayOptions } from "./play-conversation.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";

const LINE = "export const wick = trimmed(lamp);";
const FILE = Array.from({ length: 300 }, (_, at) =>
  at === 200 ? LINE : `export const flame${at} = lit(wick, ${at});`,
);
const numbered = FILE.map((line, at) => `${at + 1}→${line}`).join("\n");
const edit = (id: string, old = LINE, path = "/work/lamp.ts"): AnswerBlock => ({
  type: "tool_use",
  id,
  name: "Edit",
  input: { file_path: path, old_string: old, new_string: `${old} // lit` },
});

/** A file is read, so much is said that a small window cannot hold it, and then the file is edited. */
const forgetful = (...edits: readonly AnswerBlock[]): readonly MadeUpRound[] => [
  { in: "mend /work/lamp.ts", out: [call("t0", { file_path: "/work/lamp.ts" })] },
  { in: [result("t0", numbered)], out: [text("I have seen it.")] },
  ...Array.from({ length: 12 }, (_, at) => ({ in: words(3000, `w${at}x`), out: [text(`noted ${at}`)] })),
  ...edits.map((one, at) => ({
    in: at === 0 ? "now change /work/lamp.ts" : [result(`e${at}`, "done")],
    out: [one],
  })),
];

/** Keeps the last calls that a policy prepared. */
function watched(policy: Policy, calls: ModelCall[][]): Policy {
  return {
    ...policy,
    ttls: ["5m"],
    start(host) {
      const run = policy.start(host);
      const own: ModelCall[] = [];
      calls.push(own);
      return {
        append: (messages) => run.append(messages),
        answered: (response) => run.answered(response),
        refused: (failure) => run.refused(failure),
        async prepare() {
          const prepared = await run.prepare();
          if (prepared.kind === "request") own.push(prepared.call);
          return prepared;
        },
      } satisfies PolicyRun;
    },
  };
}

async function played(rounds: readonly MadeUpRound[], more: Partial<PlayOptions> & { policy: string }) {
  const calls: ModelCall[][] = [];
  const { policy, ...options } = more;
  const [chosen] = parsePolicies(policy);
  if (chosen === undefined) throw new Error("there is one");
  const { result: file } = await playConversation(await madeUpConversation(rounds), {
    policies: [watched(chosen, calls)],
    model: "claude-opus-4-5",
    window: 60_000,
    missing: true,
    ...options,
  });
  const figures = file.policies[chosen.name];
  if (figures === undefined) throw new Error("it was played");
  return { figures, calls };
}

/** Sends everything until the window is full, but for the first message that is longer than most. */
const forgetsOnce: Policy = {
  name: "forgets-once",
  description: "leaves one result out",
  ttls: ["5m"],
  start(host) {
    const list = new PromptList(host);
    return {
      append: async (messages) =>
        list.append(
          messages.map((message) =>
            JSON.stringify(message).includes(numbered.slice(0, 30)) ? emptied(message) : message,
          ),
        ),
      prepare: async () => ({ kind: "request", call: list.request(), edits: [] }),
      async answered(response) {
        list.answered(response);
        return [];
      },
      refused: async () => ({ next: "end", edits: [] }),
    };
  },
};
const emptied = (message: Message): Message =>
  message.type === "user"
    ? { ...message, message: { role: "user", content: [result("t0", "cleared")] } }
    : message;

const blocksOf = (messages: readonly RequestMessage[]): readonly { readonly type: string }[] =>
  messages.flatMap(({ content }): readonly { readonly type: string }[] => content);

describe("reading again", () => {
  it("is a round of the policy's own conversation, before the recorded response", async () => {
    const { figures, calls } = await played(forgetful(edit("e1")), { policy: "truncate(at=0.5)" });
    expect(figures).toMatchObject({
      edits: 1,
      blindEdits: 1,
      unreadEdits: 1,
      blindTurns: 1,
      regainRequests: 1,
      regainSeconds: 4.4,
      lost: 0,
      regainingEndedAtTurn: null,
    });
    expect(figures.fullCost).toBeGreaterThan(figures.cost);
    const [without, withRegaining] = calls;
    expect(withRegaining?.length).toBe((without?.length ?? 0) + 1);
    const last = blocksOf(withRegaining?.at(-1)?.request.messages ?? []).slice(-2);
    expect(last).toMatchObject([
      { type: "tool_use", name: "Read", input: { file_path: "/work/lamp.ts", offset: 181 } },
      { type: "tool_result" },
    ]);
    const shown = JSON.stringify(last[1]);
    expect(shown).toContain(`201\\t${LINE}`);
    expect(shown).not.toContain("flame100 ");
  });

  it("says what was forgotten, from where, and how long ago", async () => {
    const { figures } = await played(forgetful(edit("e1")), { policy: "truncate(at=0.5)" });
    expect(figures.forgotten).toMatchObject([
      {
        turn: 14,
        tool: "Edit",
        class: "disk",
        source: "/work/lamp.ts",
        roundsAgo: 13,
        lines: [LINE],
        missingLines: 1,
        isUnread: true,
      },
    ]);
  });

  it("is carried on: what was read again is not read once more", async () => {
    const { figures } = await played(forgetful(edit("e1"), edit("e2", FILE[205])), {
      policy: "truncate(at=0.5)",
    });
    expect(figures).toMatchObject({ edits: 2, blindEdits: 2, regainRequests: 1 });
  });

  it("never makes a conversation cheaper because it ends sooner", async () => {
    const long: readonly MadeUpRound[] = [
      { in: "mend /work/lamp.ts", out: [call("t0", { file_path: "/work/lamp.ts" })] },
      { in: [result("t0", numbered)], out: [text("I have seen it.")] },
      { in: "now change /work/lamp.ts", out: [edit("e1")] },
      ...Array.from({ length: 40 }, (_, at) => ({
        in: at === 0 ? [result("e1", "done")] : words(500, `w${at}x`),
        out: [text(`noted ${at}`)],
      })),
    ];
    const { result: file } = await playConversation(await madeUpConversation(long), {
      policies: [forgetsOnce],
      model: "claude-opus-4-5",
      window: 60_000,
    });
    const figures = file.policies["forgets-once"];
    expect(figures?.regainRequests).toBeGreaterThan(0);
    expect(figures?.regainingEndedAtTurn).toBeLessThan(figures?.endedAtTurn ?? 0);
    expect(figures?.fullCost).toBeGreaterThan(figures?.cost ?? Infinity);
  });

  it("has as many tokens as recorded reads have, for each call", async () => {
    const { calls } = await played(forgetful(edit("e1")), { policy: "truncate(at=0.5)" });
    const messages = calls[1]?.at(-1)?.request.messages ?? [];
    const said = messages.at(-2);
    const model = findModel("claude-opus-4-5");
    if (model === undefined || typeof said?.content === "string") throw new Error("it has blocks");
    const counter = createSharedCounter();
    const tokens = (said?.content ?? []).reduce((sum, block) => sum + blockTokens(block, model, counter), 0);
    expect(Math.abs(tokens - 162)).toBeLessThan(15);
  });

  it("brings no more than 5,000 tokens of a source back", async () => {
    const long = Array.from({ length: 3000 }, (_, at) => `export const flame${at} = lit(wick, ${at});`);
    const rounds: readonly MadeUpRound[] = [
      { in: "look at /work/lamp.ts", out: [call("t0", { file_path: "/work/lamp.ts" })] },
      { in: [result("t0", long.slice(0, 1200).join("\n"))], out: [text("I have seen it.")] },
      ...Array.from({ length: 12 }, (_, at) => ({ in: words(3000, `w${at}x`), out: [text(`noted ${at}`)] })),
      { in: "now change /work/lamp.ts", out: [edit("e1", long[3])] },
    ];
    const { figures, calls } = await played(rounds, { policy: "truncate(at=0.5)", window: 80_000 });
    expect(figures.regainRequests).toBe(1);
    const shown = JSON.stringify(blocksOf(calls[1]?.at(-1)?.request.messages ?? []).at(-1));
    expect(shown).toContain("flame3 ");
    expect(shown.length).toBeGreaterThan(8000);
    expect(shown.length).toBeLessThan(30_000);
  });

  it("is not played where nothing was forgotten", async () => {
    const { figures, calls } = await played(forgetful(edit("e1")), {
      policy: "truncate(at=0.5)",
      window: 1_000_000,
    });
    expect(calls).toHaveLength(1);
    expect(figures.fullCost).toBe(figures.cost);
  });
});

describe("a file that the engine's host no longer holds", () => {
  const path = (at: number): string => `/work/lamp${at}.ts`;
  const change = (at: number): MadeUpRound => ({
    in: `now change ${path(0)}, where it says\n${FILE[at] ?? ""}`,
    out: [edit(`e${at}`, FILE[at], path(0))],
  });
  const rounds: readonly MadeUpRound[] = [
    ...Array.from({ length: 9 }, (_, at) => ({
      in: at === 0 ? "read the lamps" : [result(`t${at - 1}`, numbered)],
      out: [call(`t${at}`, { file_path: path(at) })],
    })),
    { in: [result("t8", numbered)], out: [text("I have seen them.")] },
    ...Array.from({ length: 8 }, (_, at) => ({ in: words(3000, `w${at}x`), out: [text(`noted ${at}`)] })),
    change(5),
    { in: [result("e5", "done")], out: [text("changed")] },
    change(7),
  ];

  it("costs a read although the line was just said; then it is held", async () => {
    const { result: file } = await playConversation(await madeUpConversation(rounds), {
      policies: parsePolicies("palimpsest"),
      model: "claude-opus-4-5",
      window: 100_000,
      missing: true,
    });
    const figures = file.policies["palimpsest"];
    expect(figures?.compactions["full"]).toBeGreaterThan(0);
    expect(figures).toMatchObject({ edits: 2, blindEdits: 0, unreadEdits: 1, regainRequests: 1, lost: 0 });
    expect(figures?.forgotten).toMatchObject([
      { class: "disk", source: path(0), missingLines: 0, isUnread: true },
    ]);
    expect(figures?.fullCost).toBeGreaterThan(figures?.cost ?? Infinity);
  });
});

describe("words that stand in the transcript alone", () => {
  const rounds: readonly MadeUpRound[] = [
    { in: `use this later:\n${LINE}`, out: [call("t0", { file_path: "/work/oil.ts" })] },
    { in: [result("t0", "no oil")], out: [text("I will.")] },
    ...Array.from({ length: 12 }, (_, at) => ({ in: words(3000, `w${at}x`), out: [text(`noted ${at}`)] })),
    { in: "now change /work/lamp.ts", out: [edit("e1")] },
  ];

  it("are lost where the request declares no Recall", async () => {
    const { figures, calls } = await played(rounds, { policy: "truncate(at=0.5)" });
    expect(figures).toMatchObject({ blindEdits: 1, blindTurns: 1, regainRequests: 0, lost: 1 });
    expect(calls[1]?.length).toBe(calls[0]?.length);
    expect(figures.fullCost).toBe(figures.cost);
  });

  it("are asked for where it does", async () => {
    const withRecall: readonly MadeUpRound[] = rounds.map((round, at) =>
      at === 1 ? { ...round, out: [{ type: "tool_use", id: "r1", name: "Recall", input: {} }] } : round,
    );
    const { figures, calls } = await played(withRecall, { policy: "truncate(at=0.5)" });
    expect(figures).toMatchObject({ blindEdits: 1, regainRequests: 1, lost: 0 });
    expect(blocksOf(calls[1]?.at(-1)?.request.messages ?? []).slice(-2)).toMatchObject([
      { type: "tool_use", name: "Recall", input: { query: LINE } },
      { type: "tool_result", content: expect.stringContaining(LINE) as unknown },
    ]);
  });

  it("are asked for by the engine, which declares it beside the recording's own tools and says what went", async () => {
    const own: readonly MadeUpRound[] = [
      { in: "read /work/oil.ts", out: [call("t0", { file_path: "/work/oil.ts" })] },
      { in: [result("t0", "no oil")], out: [text(`I will write:\n${LINE}`)] },
      ...Array.from({ length: 24 }, (_, at) => ({ in: words(3000, `w${at}x`), out: [text(`noted ${at}`)] })),
      { in: "now change /work/lamp.ts", out: [edit("e1")] },
    ];
    const { figures, calls } = await played(own, { policy: "palimpsest", window: 80_000 });
    expect(figures).toMatchObject({ blindEdits: 1, regainRequests: 1, lost: 0 });
    const last = calls[1]?.at(-1)?.request;
    expect(last?.tools?.map(({ name }) => name)).toEqual(["Edit", "Read", "Recall"]);
    expect(JSON.stringify(last?.messages)).toContain("No longer in this context: ");
    expect(blocksOf(last?.messages ?? []).slice(-2)).toMatchObject([
      { type: "tool_use", name: "Recall", input: { query: LINE } },
      { type: "tool_result", content: expect.stringContaining(LINE) as unknown },
    ]);
  });
});

describe("properties", () => {
  const piece = fc.constantFrom(
    edit("", LINE),
    edit("", FILE[3]),
    edit("", "never seen anywhere in here"),
    call("", { file_path: "/work/lamp.ts" }),
    text("I have seen it."),
  );
  const came = fc.constantFrom("go on", numbered, `${LINE}\n${FILE[3] ?? ""}`, words(2000));

  it("nothing forgotten: all is 0, and the full cost is the cost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(piece, came), { minLength: 1, maxLength: 12 }), async (rounds) => {
        const recorded = rounds.map(([said, incoming], at): MadeUpRound => ({
          in:
            at % 2 === 1 && rounds[at - 1]?.[0].type === "tool_use"
              ? [result(`c${at - 1}`, incoming)]
              : incoming,
          out: [said.type === "tool_use" ? { ...said, id: `c${at}` } : said],
        }));
        const { result: file } = await playConversation(await madeUpConversation(recorded), {
          policies: parsePolicies("none,palimpsest,truncate,summarise-all"),
          model: "claude-opus-4-5",
          window: 1_000_000,
        });
        for (const [name, figures] of Object.entries(file.policies)) {
          const { blindEdits, unreadEdits, blindTurns, regainRequests, regainSeconds, lost } = figures;
          expect({ name, blindEdits, unreadEdits, blindTurns, regainRequests, regainSeconds, lost }).toEqual({
            name,
            blindEdits: 0,
            unreadEdits: 0,
            blindTurns: 0,
            regainRequests: 0,
            regainSeconds: 0,
            lost: 0,
          });
          expect(figures.fullCost).toBe(figures.cost);
          expect(figures.beforeRecordedCompaction.fullCost).toBe(figures.cost);
          expect(figures.costAt).toEqual({ 1: figures.cost, 2: figures.cost, 4: figures.cost });
        }
      }),
      { numRuns: 20 },
    );
  });
});
