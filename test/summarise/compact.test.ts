import { describe, expect, it } from "vitest";
import type { Message } from "../../packages/core/src/messages/message.js";
import type { AnswerBlock, Verdict } from "../../packages/palimpsest/src/simulator/index.js";
import type { CompactionScope } from "../../packages/core/src/engine/summarise/run/division.js";
import { createHost, expectCompacted, type HostOptions } from "./host.js";

const left = ({ cacheRead, cacheWrite5m, cacheWrite1h }: Verdict): number =>
  cacheRead + cacheWrite5m + cacheWrite1h;

/** Parallel calls now and then, and an answer in words. */
const answers = (turn: number): readonly AnswerBlock[] => {
  const read = (name: string): AnswerBlock => ({
    type: "tool_use",
    name: "Read",
    input: { file_path: name },
  });
  if (turn % 5 === 2) return [read(`/work/a-${turn}.ts`), read(`/work/b-${turn}.ts`)];
  if (turn % 5 === 4)
    return [
      {
        type: "tool_use",
        name: "Edit",
        input: { file_path: `/work/edited-${turn}.ts`, old_string: "a", new_string: "b" },
      },
    ];
  return [{ type: "text", text: `Step ${turn}.` }, read(`/work/c-${turn}.ts`)];
};

type Host = ReturnType<typeof createHost>;
type ScopeName = "full" | "full with a tail" | "from" | "up_to";

const scopeOf = (host: Host, name: ScopeName): CompactionScope => {
  const responses = host.live.filter(({ type }) => type === "assistant");
  const pivot = responses[Math.floor(responses.length / 2)]?.uuid ?? "";
  if (name === "full") return { kind: "full", keepRecentTokens: 0 };
  if (name === "full with a tail") return { kind: "full", keepRecentTokens: 6000 };
  return { kind: name, pivot };
};

const scopes: readonly ScopeName[] = ["full", "full with a tail", "from", "up_to"];
const models: readonly HostOptions[] = [
  { model: "claude-opus-5" },
  { model: "claude-opus-5", isThinking: true },
  { model: "claude-opus-5-5", isThinking: true },
];
const writers = ["fork", "streaming", "extractive", "server"] as const;

const cases = models.flatMap((model) =>
  writers.flatMap((writer) =>
    scopes
      .filter((scope) => writer !== "server" || (model.model === "claude-opus-5-5" && scope !== "from"))
      .map((scope) => ({ model, writer, scope })),
  ),
);

describe.each(cases)(
  "$scope by $writer on $model.model (thinking $model.isThinking)",
  ({ model, writer, scope }) => {
    it("gives a context in order, valid requests, and a cache that holds as far as it can", async () => {
      const host = createHost({ ...model, answers, settings: { compactServerWriter: writer === "server" } });
      await host.turns(14);
      const verdicts = host.provider.log.since(0).map(({ verdict }) => verdict);
      const before = host.live;
      const { params, ...withoutParams } = host.input({ scope: scopeOf(host, scope) });
      const input =
        writer === "streaming"
          ? { ...withoutParams }
          : { ...withoutParams, ...(params === undefined ? {} : { params }) };
      const { provider, ...withoutProvider } = host.ports();
      const ports =
        writer === "extractive" || provider === undefined
          ? withoutProvider
          : { ...withoutProvider, provider };
      const { compact } = await import("../../packages/core/src/engine/summarise/compact.js");
      const compacted = expectCompacted(await compact(input, ports));

      expect(compacted.writer).toBe(writer);
      expect(compacted.failedAttempts).toEqual([]);
      expect(host.live).toBe(before);

      // The order of 4.7.
      const kinds = compacted.live.map((message) => {
        if (message === compacted.boundary) return "boundary";
        if (compacted.summaryMessages.includes(message)) return "summary";
        if (compacted.kept.includes(message)) return "kept";
        return message.type === "system" ? "restated" : message.type;
      });
      const order = kinds.filter((kind, index) => kind !== kinds[index - 1]);
      const restated = order.at(-1) === "restated" ? ["restated"] : [];
      const quotes = writer === "server" ? ["attachment"] : [];
      if (scope === "from") expect(order).toEqual(["kept", "boundary", "summary", ...restated]);
      else if (scope === "full") expect(order).toEqual(["boundary", "summary", ...quotes]);
      else expect(order).toEqual(["boundary", "summary", "kept", ...quotes, ...restated]);

      // What the summary call read.
      if (writer === "fork" || writer === "server") {
        const sent = host.verdict();
        expect(sent.cacheWrite5m + sent.cacheWrite1h).toBe(0);
        const isWhole = scope === "full" || scope === "from";
        const last = verdicts.at(-1);
        if (last === undefined || last === null) throw new Error("unreachable");
        if (isWhole) {
          expect(sent.cacheRead).toBeGreaterThanOrEqual(0.99 * left(last));
        } else {
          const fork = host.requests.at(-1);
          const prefix = fork?.request.messages.length ?? 0;
          // The last live entry before the pivot: that of the request whose messages are all in the prefix.
          const known = host.sent.flatMap((request, index) => {
            const verdict = verdicts[index];
            return request.messages.length <= prefix && verdict !== undefined && verdict !== null
              ? [left(verdict)]
              : [];
          });
          expect(sent.cacheRead).toBe(Math.max(...known));
        }
      }

      host.swap(compacted);
      expect(host.resumed()).toEqual(host.messages);
      const next = await host.turn();
      if (scope === "from") {
        const kept = host.sent.flatMap((request, index) => {
          const verdict = verdicts[index];
          const keptMessages = compacted.kept.length;
          return request.messages.length <= keptMessages && verdict !== undefined && verdict !== null
            ? [left(verdict)]
            : [];
        });
        expect(next.cacheRead).toBeGreaterThanOrEqual(Math.max(...kept));
      }
      expect(next.promptTokens).toBeLessThan(verdicts.at(-1)?.promptTokens ?? 0);
      expect(Math.abs(next.promptTokens - compacted.tokensAfter)).toBeLessThan(0.1 * compacted.tokensBefore);
      await host.turns(3);
    });
  },
);

describe("the line about what went", () => {
  it.each(scopes)(
    "%s: is asked for once, with what goes and nothing that stays, and stands in the summary",
    async (scope) => {
      const host = createHost({ model: "claude-opus-5", answers });
      await host.turns(14);
      const asked: (readonly string[])[] = [];
      const droppedHint = (dropped: readonly Message[]): string => {
        asked.push(dropped.map(({ uuid }) => uuid));
        return "They went; ask for them.";
      };
      const compacted = expectCompacted(await host.compact({ scope: scopeOf(host, scope), droppedHint }));
      expect(asked).toHaveLength(1);
      const kept = new Set(compacted.live.map(({ uuid }) => uuid));
      expect(asked[0]?.length).toBeGreaterThan(0);
      expect(asked[0]?.filter((uuid) => kept.has(uuid))).toEqual([]);
      const before = host.live.map(({ uuid }) => uuid).filter((uuid) => !kept.has(uuid));
      expect(asked[0]).toEqual(before);
      const summaries = compacted.live.filter((message) =>
        JSON.stringify(message).includes("They went; ask for them."),
      );
      expect(summaries).toMatchObject([{ isCompactSummary: true }]);
    },
  );
});
