import { roundedTokens } from "../../measure/rounded-tokens.js";
import { createAssistantMessage, type MessageOrigin } from "../../../messages/construct.js";
import { blocksIn } from "../../../messages/fields.js";
import type { Attachment, CompactMetadata, Message } from "../../../messages/message.js";
import { isCompactBoundary } from "../../../messages/predicates.js";
import { bindsThinkingOf } from "../../../models/table.js";
import { attachmentTokens } from "../../restore/attachment-tokens.js";
import { dropToFit, restoredTokens } from "../../restore/drop-to-fit.js";
import type { Restored } from "../../restore/restored.js";
import { assembleContext, type NewContext } from "./assemble-context.js";
import { summaryBudgets } from "../divide/budgets.js";
import type { CompactRun, HookResults } from "../run/compact-run.js";
import type { Compacted } from "../run/compaction.js";
import type { CompactionFailureReason } from "../../events/compaction-terms.js";
import { textsToList } from "../people/human-texts.js";
import { holdsImage } from "./holds-image.js";
import { contextLimit, roomForList, roomForState } from "../divide/keep-unanswered.js";
import { quoteHumanTexts } from "../people/quote-human-texts.js";
import { estimatedTokens } from "../run/new-size.js";
import { createGoneResults } from "../../tools/result-keys.js";
import type { Estimator } from "../../ports/estimator.js";
import { unpadded } from "../../measure/unpadded.js";
import { createSummaryMessage } from "../shape/summary-message.js";
import { textsToQuote } from "../write/texts-to-quote.js";
import { mentionsOf, namesInText, namesToCarry, namesUsed, type UsedName } from "../record/used-names.js";
import { writeWorkRecord } from "../record/work-record.js";
import type { WrittenSummary } from "../run/written-summary.js";

export type Candidate =
  | { readonly kind: "refused"; readonly reason: CompactionFailureReason; readonly detail: string }
  | {
      readonly kind: "accepted";
      readonly summary: string;
      /** By the estimate as it is, as the size before is told: only the bar is taken with a margin. */
      readonly tokensAfter: number;
      /** What comes back, as far as there is room. */
      readonly restored: Restored | undefined;
      /** The compaction, with what hooks had to say. */
      readonly finish: (hooks: HookResults & { readonly durationMs: number }) => Compacted;
    };

/**
 * Whether a summary makes a context that can be taken. What comes back beside it has the room that is left, what
 * hooks said before restored state.
 */
export function createCandidate(
  run: CompactRun,
  written: WrittenSummary,
  restored: Restored | undefined,
): Candidate {
  const { input, ports } = run;
  const { estimator } = ports;
  const { size, trigger } = input;
  const mostTokens = contextLimit(run);
  const quotes = [...(written.block === undefined ? [] : quotesBehind(run)), ...imageAnchor(run)];
  const bare = build(run, written, { attachments: quotes, hookResults: [], postTokens: 0 });
  const needed = estimatedTokens(bare.live, estimator);
  const room = unpadded(mostTokens, estimator) - needed;
  if (room < 0) {
    const after = size.overhead + estimator.pad(needed);
    const detail = `${after} tokens after the compaction, ${size.tokensBefore} before, threshold ${size.autoCompactAt}`;
    const isForPins = room + estimatedTokens(run.division.pinned ?? [], estimator) >= 0;
    const tooLarge = isForPins ? "pins_too_large" : "above_threshold";
    return { kind: "refused", reason: after >= size.autoCompactAt ? tooLarge : "not_smaller", detail };
  }
  const furnish = (contexts: readonly Attachment[]) => {
    const { taken, leftOut, tokens } = takeFitting(contexts, { room, estimator });
    const fitting =
      restored === undefined ? undefined : dropToFit(restored, roomForState(run, room - tokens));
    const added = tokens + (fitting === undefined ? 0 : restoredTokens(fitting));
    return { taken, leftOut, fitting, tokensAfter: size.overhead + needed + added };
  };
  const bareOfHooks = furnish([]);
  return {
    kind: "accepted",
    summary: written.summary,
    tokensAfter: bareOfHooks.tokensAfter,
    restored: bareOfHooks.fitting,
    finish({ contexts, messages, durationMs }) {
      const { taken, leftOut, fitting, tokensAfter } = furnish(contexts);
      const context = build(run, written, {
        attachments: [...quotes, ...(fitting?.attachments ?? []).map(({ attachment }) => attachment)],
        hookResults: taken,
        postTokens: tokensAfter,
      });
      const { live: _before, ...rest } = context;
      return {
        kind: "compacted",
        ...rest,
        live: context.live,
        variant: run.division.variant,
        trigger,
        summary: written.summary,
        messageForPerson: [
          describe(run, tokensAfter),
          ...messages.filter((text) => text?.trim()),
          ...new Set(leftOut.map(hookLeftOut)),
        ].join("\n"),
        writer: written.writer,
        calls: Array.from(run.calls),
        tokensBefore: size.tokensBefore,
        tokensAfter,
        mended: written.mended,
        failedAttempts: run.failedAttempts,
        ...(fitting === undefined ? {} : { restored: fitting }),
        durationMs,
      };
    },
  };
}

/** What fits, in its order: one that does not is left out, a shorter one behind it may still fit. */
function takeFitting(
  contexts: readonly Attachment[],
  { room, estimator }: { readonly room: number; readonly estimator: Estimator },
): {
  readonly taken: readonly Attachment[];
  readonly leftOut: readonly Attachment[];
  readonly tokens: number;
} {
  const taken: Attachment[] = [];
  const leftOut: Attachment[] = [];
  let tokens = 0;
  for (const context of contexts) {
    const more = attachmentTokens(context, estimator);
    if (tokens + more > room) {
      leftOut.push(context);
      continue;
    }
    taken.push(context);
    tokens += more;
  }
  return { taken, leftOut, tokens };
}

const hookLeftOut = ({ hookEvent }: Attachment): string =>
  `What a ${String(hookEvent)} hook added did not fit and was left out.`;

interface Additions {
  readonly attachments: readonly Attachment[];
  readonly hookResults: readonly Attachment[];
  readonly postTokens: number;
}

function build(run: CompactRun, written: WrittenSummary, additions: Additions): NewContext {
  const { input, ports, division } = run;
  const { clock, ids, sessionId } = ports;
  const { block } = written;
  const { metadata, ...told } = workOf(run, written);
  const isTail = division.variant !== "from" && division.kept.length > 0;
  const summary = (origin: MessageOrigin): Message =>
    block === undefined
      ? createSummaryMessage(origin, {
          summary: written.summary,
          transcriptPath: input.transcriptPath,
          continuation:
            input.trigger === "manual" && input.continuation !== "autonomous"
              ? "ask"
              : (input.continuation ?? "continue"),
          hasKeptMessages: isTail,
          ...told,
        })
      : createAssistantMessage(origin, {
          id: `compaction_${origin.ids.next()}`,
          model: input.model,
          content: [block],
        });
  return assembleContext({
    live: input.live,
    division,
    summary,
    metadata: { ...metadata, postTokens: additions.postTokens },
    attachments: additions.attachments,
    hookResults: additions.hookResults,
    stripsThinking: isTail && block === undefined && (bindsThinkingOf(input.model) ?? true),
    origin: { clock, ids, sessionId },
  });
}

interface Work {
  readonly metadata: CompactMetadata;
  readonly workRecord: string | undefined;
  readonly droppedHint: string | undefined;
}

/** The context is built more than once for a summary; this part of it stays the same. */
const works = new WeakMap<WrittenSummary, Work>();

function workOf(run: CompactRun, written: WrittenSummary): Work {
  let work = works.get(written);
  if (work === undefined) works.set(written, (work = findWork(run, written)));
  return work;
}

function findWork(run: CompactRun, { summary, share = 1, writer, mended }: WrittenSummary): Work {
  const { ports, division, input } = run;
  const { estimator, settings } = ports;
  const kept = new Set(division.kept);
  // What is kept is read anyway, and counts when it goes.
  const going = input.live.filter((message) => !kept.has(message));
  const names = settings.compactNamesTokens === 0 ? [] : namesUsed(going);
  const shown = namesInText(summary);
  for (const message of division.kept) {
    for (const mentioned of mentionsOf(message)) for (const name of mentioned.names) shown.add(name);
  }
  const workRecord = writeWorkRecord({
    estimator,
    names,
    // In a window that is small for what the settings say, it takes its share and no more.
    tokens: Math.min(
      settings.compactNamesTokens,
      Math.max(0, input.size.autoCompactAt - input.size.overhead) / WORK_RECORD_SHARE,
      roomForList(run) * share,
    ),
    shown,
  });
  return {
    // Who wrote it and what was mended is for whoever reads the transcript: no request has it.
    metadata: { ...metadataOf(run, names, kept), writer, mended },
    workRecord,
    droppedHint: input.droppedHint?.(going),
  };
}

const WORK_RECORD_SHARE = 20;

function metadataOf(
  { input, division, instructions, calls }: CompactRun,
  names: readonly UsedName[],
  kept: ReadonlySet<Message>,
): CompactMetadata {
  const tools = discoveredTools(input.live);
  const results = createGoneResults();
  for (const message of input.live) results.take(message, !kept.has(message));
  return {
    trigger: input.trigger,
    preTokens: input.size.tokensBefore,
    postTokens: 0,
    messagesSummarized: division.summarised.length,
    ...(instructions.length === 0 ? {} : { userContext: instructions.join("\n\n") }),
    ...(tools.length === 0 ? {} : { preCompactDiscoveredTools: tools }),
    humanMessages: textsToList(input.live, [...division.kept, ...(division.pinned ?? [])]),
    ...(names.length === 0 ? {} : { namesUsed: namesToCarry(names) }),
    ...(calls.length === 0 ? {} : { summaryCalls: Array.from(calls) }),
    goneResults: results.gone(),
    redoneBefore: results.redone() / 2,
  };
}

/** Deferred tools that were found and shown: they stay known although the messages that showed them go. */
function discoveredTools(live: readonly Message[]): readonly string[] {
  const names = new Set<string>();
  for (const message of live) {
    if (isCompactBoundary(message)) {
      const carried: unknown = message.compactMetadata?.["preCompactDiscoveredTools"];
      for (const name of Array.isArray(carried) ? carried : []) if (typeof name === "string") names.add(name);
    }
    for (const { content } of message.type === "user" ? blocksIn(message.message.content) : []) {
      for (const { tool_name: name } of blocksIn(content)) if (typeof name === "string") names.add(name);
    }
  }
  return [...names].toSorted();
}

/**
 * With the first picture in a prompt the API drops what it has cached of the messages. Where there were pictures
 * and none is kept, a blank one stays, so that the next one is not the first again.
 */
function imageAnchor({ input, division, ports }: CompactRun): readonly Attachment[] {
  const isWanted = ports.settings.cacheImageAnchor && holdsImage(input.live) && !holdsImage(division.kept);
  return isWanted ? [{ type: "image_anchor" }] : [];
}

/** A provider's block cannot be mended: what people said stands after it. */
function quotesBehind(run: CompactRun): readonly Attachment[] {
  const { ports, input } = run;
  const texts = textsToQuote(run);
  if (texts.length === 0) return [];
  const quoted = quoteHumanTexts(texts, {
    estimator: ports.estimator,
    ...summaryBudgets(run),
    transcriptPath: input.transcriptPath,
  });
  const content = `What the person said before the summary, word for word:\n${quoted}`;
  return [{ type: "earlier_user_messages", content }];
}

const describe = ({ input }: CompactRun, tokensAfter: number): string =>
  `Conversation compacted · ${roundedTokens(input.size.tokensBefore)} → ${roundedTokens(tokensAfter)}`;
