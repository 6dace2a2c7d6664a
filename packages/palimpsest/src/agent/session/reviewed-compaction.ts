import { isCompactBoundary, type CompactionStage, type Message } from "@palimpsest/core";
import type { Compacted, CompactionFailed } from "@palimpsest/core/compaction";
import { priceCalls, type PreparedSummary } from "@palimpsest/core/engine";
import { afterPreCompact, keptBack, quietHooks, untilKeptBack, viewOf } from "./summary-beside.js";

/** A compaction that is ready, before anything of it takes effect. */
export interface ReadyCompaction {
  readonly compacted: Compacted;
  /** What the person may change: the summary, whoever wrote it, with what stands beside a provider's own block. */
  readonly text: string;
}

/** A person looks at it. Gives the text as they want it; undefined calls the compaction off. */
export type SummaryReview = (ready: ReadyCompaction) => Promise<string | undefined>;

type Perform = CompactionStage["perform"];
type Running = Parameters<Perform>[0];
type Request = Parameters<Perform>[1];

/**
 * The stage, with a person who looks at every summary of a compaction that they asked for, whoever wrote it: a model, notes,
 * the provider, or nobody. Until they say yes nothing is swapped in, and no hook hears that it was; what was paid for it is.
 */
export function reviewedCompaction(
  inner: CompactionStage,
  reviewer: () => SummaryReview | undefined,
): CompactionStage {
  return {
    ...inner,
    async perform(running, request) {
      const review = request.trigger === "manual" ? reviewer() : undefined;
      if (review === undefined) return inner.perform(running, request);
      const compacted = await writeOnly(inner, running, request);
      if (compacted.kind === "failed") return compacted;
      const text = textOf(compacted);
      const wanted = await review({ compacted, text });
      if (wanted === undefined || wanted.trim() === "" || request.signal?.aborted === true)
        return callOff(running, compacted);
      const { usesNotes: _notes, ...asked } = request;
      const prepared = preparedFrom(compacted, running.state.context.live, {
        summary: wanted.trim(),
        isChanged: wanted.trim() !== text.trim(),
      });
      const outcome = await inner.perform(afterPreCompact(running), { ...asked, prepared });
      return withWhatWasBefore(compacted, outcome);
    },
  };
}

/** Compacts up to the point where it would take effect. What it cost is billed; nothing else has changed. */
async function writeOnly(
  inner: CompactionStage,
  running: Running,
  request: Request,
): Promise<Compacted | CompactionFailed> {
  const { setup, ledger } = running;
  const { hooks, ...options } = setup.options;
  const view = viewOf(
    running,
    {
      ...setup,
      events: {
        on: (name, listener) => setup.events.on(name, listener),
        // What was restored, and that it was early, is only true once it has taken effect.
        emit(name, event) {
          if (WRITING.has(name)) setup.events.emit(name, event);
        },
      },
      options: { ...options, ...(hooks && { hooks: quietHooks(hooks) }) },
    },
    { commit: keptBack((event) => running.commit(event)) },
  );
  const outcome = await untilKeptBack(() => inner.perform(view, request));
  await ledger.save();
  return outcome;
}

const WRITING: ReadonlySet<string> = new Set([
  "summary_retried",
  "compact_failed",
  "notes_over_threshold",
  "notes_extracted",
  "call_billed",
  "cache_break",
  "window_learned",
]);

/** A provider's block cannot be read as a text of ours: what people said stands after it, and belongs to it. */
const textOf = ({ summary, writer, attachments }: Compacted): string =>
  writer === "server"
    ? [
        summary,
        ...attachments.flatMap(({ attachment }) =>
          attachment.type === "earlier_user_messages" ? [String(attachment["content"])] : [],
        ),
      ].join("\n\n")
    : summary;

/** The same division once more. A provider's block is kept as it came, unless the person has changed it. */
function preparedFrom(
  { variant, boundary, summary, writer, mended, summaryMessages }: Compacted,
  live: readonly Message[],
  wanted: { readonly summary: string; readonly isChanged: boolean },
): PreparedSummary {
  const count = Number(boundary.compactMetadata?.messagesSummarized ?? 0);
  const at = variant === "from" ? live.length - count : count;
  const before = live.slice(0, at);
  const after = live.slice(at);
  const [summarised, kept] = variant === "from" ? [after, before] : [before, after];
  const block = summaryMessages
    .flatMap((message) => (message.type === "assistant" ? message.message.content : []))
    .find((one) => one.type === "compaction");
  return {
    summary: wanted.isChanged ? wanted.summary : summary,
    // There is one boundary in a conversation.
    division: { variant, summarised, kept: kept.filter((message) => !isCompactBoundary(message)) },
    writer,
    mended,
    ...(wanted.isChanged || block === undefined ? {} : { block }),
  };
}

/** The calls were made for it, and hooks have spoken before it was written. */
function withWhatWasBefore(
  { calls, failedAttempts, messageForPerson }: Compacted,
  outcome: Compacted | CompactionFailed,
): Compacted | CompactionFailed {
  const all = {
    calls: [...calls, ...outcome.calls],
    failedAttempts: [...failedAttempts, ...outcome.failedAttempts],
  };
  if (outcome.kind === "failed") return { ...outcome, ...all };
  const [first = "", ...later] = outcome.messageForPerson.split("\n");
  const earlier = messageForPerson.split("\n").slice(1);
  return { ...outcome, ...all, messageForPerson: [first, ...earlier, ...later].join("\n") };
}

function callOff({ setup }: Running, { calls, failedAttempts, trigger }: Compacted): CompactionFailed {
  const reason = "aborted";
  const message = "The compaction was called off; the conversation is unchanged.";
  const failed = { reason, message, calls, failedAttempts } as const;
  setup.events.emit("compact_failed", { ...failed, trigger, source: setup.source, price: priceCalls(calls) });
  return { kind: "failed", ...failed };
}
