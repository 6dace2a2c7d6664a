import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createCompactableTools,
  defaultSettings,
  findModel,
  normalise,
  type Message,
} from "@palimpsest/core";
import {
  applyClearing,
  applyClearings,
  conversationWindows,
  createDefaultEstimator,
  createResultIndex,
  decideSizeBased,
  decideTimeBased,
  type ClearDecision,
} from "@palimpsest/core/engine";
import { findProblems } from "@palimpsest/core/validity";
import { readRecording } from "../../packages/palimpsest/src/replay/readers/read-recording.js";
import { corpusFolder } from "../../packages/palimpsest/src/replay/testing/corpus-folder.js";

const corpus = corpusFolder;
const reason =
  corpus === undefined ? " (not run: PALIMPSEST_CORPUS names no folder of recorded conversations)" : "";

interface Tried {
  readonly decision: ClearDecision;
  readonly live: readonly Message[];
  readonly resumed: readonly Message[];
  readonly measured: number;
}

/** Clears a recorded window as far as the variant would. */
function clear(window: readonly Message[], variant: "size-based" | "time-based"): Tried {
  const last = window.findLast((message) => message.type === "assistant" && findModel(message.message.model));
  const model = findModel(last?.type === "assistant" ? last.message.model : "claude-opus-5");
  const estimator = createDefaultEstimator({ model: model?.id ?? "" });
  const index = createResultIndex({ estimator, tools: createCompactableTools() });
  index.append(window);
  const context = { index, estimator, settings: defaultSettings, model };
  const decision =
    variant === "size-based"
      ? decideSizeBased({ ...context, isPressed: true })
      : decideTimeBased({ ...context, now: Date.now() + 1e10, isMainThread: true });
  const measured = window.reduce((sum, message) => sum + estimator.message(message), 0);
  if (decision.kind === "keep") return { decision, live: window, resumed: window, measured };
  const origin = { clock: { now: () => 0 }, ids: { next: () => "b" }, sessionId: "s", parentUuid: null };
  const { messages: live, boundary } = applyClearing(window, decision, { origin });
  const after = live.reduce((sum, message) => sum + estimator.message(message), 0);
  expect(measured - after).toBe(decision.tokensBefore - decision.tokensAfter);
  return { decision, live, resumed: applyClearings([...window, boundary]), measured };
}

describe.skipIf(corpus === undefined)(`clearing recorded conversations${reason}`, () => {
  const folder = corpus ?? "";
  const files =
    corpus === undefined ? ["no recording"] : readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

  it.each(files)("%s: valid, smaller as announced, the same after a resume", async (name) => {
    const { messages } = await readRecording(join(folder, name));
    for (const window of conversationWindows(messages)) {
      for (const variant of ["size-based", "time-based"] as const) {
        const { decision, live, resumed } = clear(window, variant);
        const request = normalise(live);
        expect(
          findProblems({ model: "claude-opus-5", max_tokens: 1024, messages: request.messages }),
        ).toEqual([]);
        expect(normalise(resumed).messages).toEqual(request.messages);
        // what was mended is what had to be mended before: clearing breaks nothing
        expect(request.repairs.length).toBeLessThanOrEqual(normalise(window).repairs.length);
        if (decision.kind === "clear") expect(decision.tokensAfter).toBeLessThan(decision.tokensBefore);
      }
    }
  });
});
