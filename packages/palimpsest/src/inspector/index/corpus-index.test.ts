import { liveMessages } from "@palimpsest/core/engine";
import type { Message } from "@palimpsest/core";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analyzeRecording } from "../../replay/analyze-recording.js";
import { readRecording } from "../../replay/readers/read-recording.js";
import { corpusFolder } from "../../replay/testing/corpus-folder.js";
import type { ConversationOverview, RequestList, Timeline } from "../contract.js";
import { inspectorOf } from "../testing/asked-inspector.js";
import { recordedUsage } from "../testing/recorded-usage.js";
import { indexConversation, sumOf } from "./conversation-index.js";
import { inputOf } from "./scale-parts.js";
import { scanRecording } from "./scan-recording.js";

const reason =
  corpusFolder === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";
const folder = corpusFolder ?? "";
const files =
  corpusFolder === undefined
    ? ["no recording"]
    : readdirSync(folder).filter((name) => /\.jsonl?$/.test(name) && name !== "MANIFEST.json");

/** Requests of a file whose contexts are compared. */
const COMPARED = 25;

describe.skipIf(corpusFolder === undefined)(`the index of recorded conversations${reason}`, () => {
  it.each(files)(
    "%s: its sums are those of analyze, its requests what was live when they were made",
    async (name) => {
      const path = join(folder, name);
      const recording = await readRecording(path);
      const analysis = analyzeRecording(recording);
      const index = indexConversation(await scanRecording(path));
      expect(index.cost).toEqual(analysis.cost);
      expect(index.breaks).toEqual(analysis.cacheBreaks);
      expect(index.figures.clearings).toBe(analysis.clearings.length);
      expect(index.compactions.map(({ mark }) => mark.tokensAfter)).toEqual(
        analysis.compactions.map(({ postTokens }) => postTokens),
      );
      const { requests } = index.traced;
      const sums = sumOf(requests);
      expect([sums.input, sums.cacheRead, sums.cacheWrite5m + sums.cacheWrite1h, sums.output]).toEqual([
        analysis.cost.inputTokens,
        analysis.cost.cacheReadTokens,
        analysis.cost.cacheWriteTokens,
        analysis.cost.outputTokens,
      ]);
      expect([sums.input, sums.cacheRead, sums.cacheWrite5m + sums.cacheWrite1h, sums.output]).toEqual(
        recordedUsage(path),
      );
      for (const request of requests) {
        const parts = index.parts[request.number]?.kinds ?? [];
        if (inputOf(request) === 0) continue;
        expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(inputOf(request));
      }
      const step = Math.max(1, Math.floor(requests.length / COMPARED));
      const sent = (message: Message | undefined): boolean =>
        message?.type !== "system" && message?.type !== "progress";
      for (const { number, lane, context, pieces } of requests) {
        if (number % step !== 0 || lane !== 0 || context === undefined) continue;
        const first = pieces[0] ?? 0;
        const uuid = recording.messages[first]?.uuid;
        const live = liveMessages(recording.messages.slice(0, first + 1)).filter(sent);
        const before = live.slice(
          0,
          live.findIndex((message) => message.uuid === uuid),
        );
        const traced = context.list.slice(0, context.length).map((at) => index.messages[at]?.message);
        expect(traced.filter(sent).map((message) => message?.uuid)).toEqual(
          before.map((message) => message.uuid),
        );
      }
    },
  );

  it.each(files)("%s: the page is told the same sums, wherever it shows them", async (name) => {
    const path = join(folder, name);
    const { get, only } = inspectorOf([path]);
    const base = await only();
    const { models, figures } = await get<ConversationOverview>(base);
    const used = recordedUsage(path);
    const total = used[0] + used[1] + used[2];
    const { requests, total: count } = await get<RequestList>(`${base}/requests?count=500`);
    expect(requests.length).toBe(count);
    const times = await get<Timeline>(`${base}/timeline?points=4000`);
    const add = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
    for (const usages of [
      models.map(({ usage }) => usage),
      requests.map(({ usage }) => usage),
      figures === undefined ? [] : [figures.usage],
    ]) {
      expect([
        add(usages.map(({ input }) => input)),
        add(usages.map(({ cacheRead }) => cacheRead)),
        add(usages.map(({ cacheWrite5m, cacheWrite1h }) => cacheWrite5m + cacheWrite1h)),
        add(usages.map(({ output }) => output)),
      ]).toEqual(used);
    }
    expect([add(times.uncached), add(times.read), add(times.written), add(times.output)]).toEqual(used);
    // Of a request that tells no usage, sizes are estimates, and said to be.
    const sizes = times.request.map((_, column) =>
      add(Object.values(times.kinds).map((of) => of[column] ?? 0)),
    );
    const isReported = times.request.map(
      (_, column) => add([times.read, times.written, times.uncached].map((of) => of[column] ?? 0)) > 0,
    );
    expect(add(sizes.filter((_, column) => isReported[column]))).toBe(total);
    expect(figures?.cost).toBe(analyzeRecording(await readRecording(path)).cost.dollars);
  });
});
