import { errorText } from "../../messages/error-text.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import type { Attachment } from "../../messages/message.js";
import { sampledFigures } from "../../messages/usage.js";
import type { HookContext, PreCompactOutput } from "../ports/compact-hooks.js";
import { withLazyField } from "../events/lazy-field.js";
import { accountFor } from "../measure/account-for.js";
import { readUsage } from "../measure/growth.js";
import { priceCalls } from "../money/price-calls.js";
import type { Restored } from "../restore/restored.js";
import { createCandidate } from "./accept/candidate.js";
import type { CompactInput, CompactPhase, CompactPorts, CompactRun, HookResults } from "./run/compact-run.js";
import type { Compacted, CompactionFailed } from "./run/compaction.js";
import type { CompactionFailureReason } from "../events/compaction-terms.js";
import { failureMessage } from "./failure-message.js";
import { capHookText } from "./hook-text.js";
import { divideFor, whyUndivided } from "./divide/pivot.js";
import { withPins } from "./divide/pins.js";
import { hasContent } from "./divide/rounds.js";
import { tellObserver } from "./run/tell-observer.js";
import { Aborted, throwIfAborted, untilAborted } from "../ports/until-aborted.js";
import { writeSummaries } from "./write-summary.js";

const phaseTexts: Readonly<Record<CompactPhase, string>> = {
  hooks: "Running PreCompact hooks…",
  summarising: "Compacting conversation",
  restoring: "Restoring files, plan and tasks…",
  finishing: "Running SessionStart hooks…",
};

/**
 * Compacts a conversation. Nothing of it changes here: what comes back is swapped in by the caller, and a
 * failure or an abort at any point leaves everything as it was. Never throws.
 */
export async function compact(
  input: CompactInput,
  ports: CompactPorts,
): Promise<Compacted | CompactionFailed> {
  const started = ports.clock.now();
  const status = createStatus(ports);
  const run: Pick<CompactRun, "calls" | "failedAttempts"> = { calls: [], failedAttempts: [] };
  const { trigger, source, model, size } = input;
  const fail = (reason: CompactionFailureReason, detail?: string): CompactionFailed => {
    const failed = { reason, message: failureMessage(reason, detail), ...run };
    ports.events?.emit("compact_failed", { ...failed, trigger, source, price: priceCalls(run.calls) });
    return { kind: "failed", ...failed };
  };
  const { tokensBefore, autoCompactAt: threshold } = size;
  ports.events?.emit("compact_started", { trigger, source, model, tokensBefore, threshold });
  try {
    if (!hasContent(input.live)) return fail("not_enough_messages");
    const divided = input.prepared?.division ?? divideFor(input, ports);
    const division = divided && withPins(divided);
    if (division === undefined) return fail(whyUndivided(input.live, input.scope));
    throwIfAborted(ports.signal);
    status.show("hooks");
    const before = await preCompact(input, ports);
    if (before.block !== undefined) return fail("blocked_by_hook", before.block);
    const instructions = [input.instructions, before.instructions].flatMap((text) =>
      text?.trim() ? [text.trim()] : [],
    );
    const onAttempt = (): void => status.show("summarising");
    const onText = status.addText;
    const shared: CompactRun = { input, ports, division, instructions, onAttempt, onText, ...run };
    const restored = lazily(() => {
      status.show("restoring");
      return restore(shared);
    });
    for await (const written of writeSummaries(shared)) {
      const candidate = createCandidate(shared, written, await restored());
      if (candidate.kind === "refused") {
        run.failedAttempts.push({
          writer: written.writer,
          reason: candidate.reason,
          detail: candidate.detail,
        });
        continue;
      }
      throwIfAborted(ports.signal);
      status.show("finishing");
      const hooks = await finishingHooks(shared, candidate);
      throwIfAborted(ports.signal);
      const compacted = candidate.finish({
        ...hooks,
        messages: [before.message, ...hooks.messages],
        durationMs: ports.clock.now() - started,
      });
      tell(compacted, shared);
      return compacted;
    }
    const last = run.failedAttempts.at(-1);
    if (last !== undefined) return fail(last.reason, last.detail);
    const isTooLong = input.isRefused === true && ports.provider !== undefined;
    return fail(isTooLong ? "prompt_too_long" : "no_writer");
  } catch (error) {
    if (error instanceof Aborted) return fail("aborted");
    return fail("api_error", errorText(error));
  } finally {
    status.end();
  }
}

async function preCompact(
  input: CompactInput,
  { hooks, sessionId, signal }: CompactPorts,
): Promise<{ readonly [Field in keyof PreCompactOutput]?: string | undefined }> {
  if (hooks === undefined) return {};
  const { trigger, instructions, transcriptPath } = input;
  const asked = { trigger, customInstructions: instructions, sessionId, transcriptPath };
  const said = await untilAborted(
    orNothing(() => hooks.preCompact(asked, signal), {}),
    signal,
  );
  return {
    instructions: capHookText(said.instructions),
    message: capHookText(said.message),
    block: capHookText(said.block),
  };
}

async function finishingHooks(
  { input, ports }: CompactRun,
  { summary, tokensAfter }: { readonly summary: string; readonly tokensAfter: number },
): Promise<HookResults> {
  const { hooks, sessionId, signal } = ports;
  if (hooks === undefined) return { contexts: [], messages: [] };
  const { trigger, size } = input;
  const started = await untilAborted(
    orNothing(() => hooks.sessionStart({ source: "compact", sessionId }, signal), {}),
    signal,
  );
  const tokensBefore = size.tokensBefore;
  const posted = await untilAborted(
    orNothing(() => hooks.postCompact({ trigger, summary, tokensBefore, tokensAfter }, signal), {}),
    signal,
  );
  return {
    contexts: [...contextsOf("SessionStart", started), ...contextsOf("PostCompact", posted)],
    messages: [started.message, posted.message].map((text) => capHookText(text)),
  };
}

const contextsOf = (hookEvent: string, { contexts = [] }: HookContext): readonly Attachment[] =>
  contexts
    .filter((content) => content.trim() !== "")
    .map((content) => ({
      type: "hook_additional_context",
      hookEvent,
      content: capHookText(content),
    }));

/** A hook that fails, at once or later, has nothing to say. */
async function orNothing<T>(ask: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await ask();
  } catch {
    return nothing;
  }
}

/** Nothing comes back, and nothing counts as read any more. */
const nothingRestored: Restored = {
  attachments: [],
  readStateAfter: { reads: [] },
  skipped: [],
  isAborted: false,
};

async function restore({ ports, division }: CompactRun): Promise<Restored | undefined> {
  const { restore: gather, settings, signal } = ports;
  if (gather === undefined) return undefined;
  if (!settings.compactRestore) return nothingRestored;
  const { kept, variant } = division;
  return untilAborted(
    orNothing(() => gather({ keptMessages: kept, variant, signal }), nothingRestored),
    signal,
  );
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

interface StatusLine {
  readonly show: (phase: CompactPhase) => void;
  readonly addText: (text: string) => void;
  readonly end: () => void;
}

function createStatus({ onStatus, every, settings }: CompactPorts): StatusLine {
  let phase: CompactPhase = "hooks";
  let characters = 0;
  let isOver = false;
  const tell = (): void => {
    if (isOver) return;
    tellObserver(onStatus, { phase, text: phaseTexts[phase], isResponding: characters > 0, characters });
  };
  const stop = every?.(settings.compactKeepAliveMs, tell);
  return {
    show(next) {
      phase = next;
      if (next === "summarising") characters = 0;
      tell();
    },
    addText(text) {
      characters += text.length;
      tell();
    },
    end() {
      isOver = true;
      stop?.();
      tellObserver(onStatus, undefined);
    },
  };
}

function tell(compacted: Compacted, { input, ports }: CompactRun): void {
  const { trigger, writer, tokensBefore, tokensAfter, mended, durationMs, variant, failedAttempts, calls } =
    compacted;
  const event = {
    trigger,
    variant,
    writer,
    source: input.source,
    tokensBefore,
    tokensAfter,
    calls,
    price: priceCalls(calls),
    ...cacheHitShareOf(calls),
    mended,
    failedAttempts,
    durationMs,
    ...(input.chain && { chain: input.chain }),
  };
  ports.events?.emit(
    "compact",
    withLazyField(event, "accounting", () => accountFor(input.live, ports.estimator)),
  );
}

/** How much of what the calls read came from a cache; nothing where no call was made. */
function cacheHitShareOf(calls: readonly BilledCall[]): { readonly cacheHitShare?: number } {
  const sum = (of: (usage: BilledCall["usage"]) => unknown): number =>
    calls.reduce((total, { usage }) => total + (Number(of(usage)) || 0), 0);
  const prompt = sum((one) => readUsage(one)?.inputTokens);
  const read = sum((one) => sampledFigures(one)["cache_read_input_tokens"]);
  return prompt === 0 ? {} : { cacheHitShare: read / prompt };
}
