import type { RequestMessage } from "../../messages/content.js";
import { createUserMessage, type MessageOrigin } from "../../messages/construct.js";
import { contentText } from "../../messages/fields.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { bindsThinkingOf } from "../../models/table.js";
import { countsAnswer, forkMaxTokens } from "../prompt/fork-max-tokens.js";
import { accountFields, forkParameters } from "../prompt/fork-parameters.js";
import type { AskOptions, ModelAnswer } from "./write/ask-model.js";
import type { CompactRun, SummaryRequestSent } from "./run/compact-run.js";
import type { Mended, WriterName } from "../events/compaction-terms.js";
import { writeDigest } from "./write/extractive/digest.js";
import { writeExtractive } from "./write/extractive/write-extractive.js";
import { summaryBudgets } from "./divide/budgets.js";
import { pricesWithoutSharing } from "./write/fork-price.js";
import { judgeAnswer, judgeFailure, type Written } from "./verify/judge-answer.js";
import { billCall, sourceBeside } from "../money/bill-call.js";
import { estimatedTokens } from "./run/new-size.js";
import { summaryPrompt } from "./write/prompt.js";
import { dropOldest, type TooLong, type Truncated } from "./write/too-long.js";
import { tellObserver } from "./run/tell-observer.js";
import { Aborted, throwIfAborted } from "../ports/until-aborted.js";
import { textsToQuote } from "./write/texts-to-quote.js";
import { verifySummary } from "./verify/verify.js";
import { askFork } from "./write/writers/fork-writer.js";
import { askServer, canAskServer, compactionBlockOf } from "./write/writers/server-writer.js";
import { askStreaming } from "./write/writers/streaming-writer.js";
import type { WrittenSummary } from "./run/written-summary.js";

const nothingMended: Mended = { sectionsAdded: [], messagesAdded: 0, pathsUnknown: [] };

/** Who is asked for a summary, one after the other, until one of them gives one that can be taken. */
export function writersFor(run: CompactRun): readonly WriterName[] {
  const { input, ports } = run;
  if (input.prepared !== undefined) return ["notes"];
  // A fork would send again what was just refused.
  const isRefused = input.isRefused === true;
  return [
    ...(!isRefused && wantsServer(run) ? (["server"] as const) : []),
    ...(!isRefused && sharesCache(run) ? (["fork"] as const) : []),
    ...(ports.provider === undefined ? [] : (["streaming"] as const)),
    ...(ports.settings.compactExtractive ? (["extractive"] as const) : []),
  ];
}

/** One summary after the other, each by the next writer, until the caller takes one or nobody is left. */
export async function* writeSummaries(run: CompactRun): AsyncGenerator<WrittenSummary> {
  const { input, division } = run;
  let refusal: TooLong | undefined = input.isRefused === true ? {} : undefined;
  for (const writer of writersFor(run)) {
    if (writer === "notes") {
      yield { writer, summary: "", mended: nothingMended, ...input.prepared };
    } else if (writer === "server") {
      const written = await writeOnServer(run);
      if (written !== undefined) yield written;
    } else if (writer === "extractive") yield* writeExtractively(run);
    else {
      // What was refused with all that is kept may fit without it.
      const refused = division.variant === "from" ? undefined : refusal;
      const judged = writer === "fork" ? await writeOnFork(run) : await writeStreaming(run, refused);
      if (judged.kind === "written") yield verified(run, writer, judged.summary);
      else if (judged.reason === "prompt_too_long") refusal = judged.tooLong ?? {};
    }
  }
}

function* writeExtractively(run: CompactRun): Generator<WrittenSummary> {
  begin(run);
  yield extractiveSummary(run);
  // Whoever asks once more needs it shorter: a text may have more tokens than its lines one by one.
  for (const share of mustFit(run) ? SHORTER_SHARES : []) {
    const last = run.failedAttempts.at(-1);
    if (last?.writer !== "extractive" || last.reason !== "above_threshold") return;
    begin(run);
    yield extractiveSummary(run, share);
  }
}

/** Of the usual budgets, one after the other, where even the summary without a model does not fit. */
const SHORTER_SHARES = [0.5, 0.2, 0.05] as const;

/** Whether the next request would fail: then a shorter summary is better than none. */
const mustFit = ({ input: { size } }: CompactRun): boolean =>
  size.hardAt !== undefined && (size.paddedBefore ?? size.tokensBefore) >= size.hardAt;

/** Before every attempt: nothing is sent and nothing written once it was called off. */
function begin({ ports, onAttempt }: CompactRun): void {
  throwIfAborted(ports.signal);
  onAttempt();
}

const announce = ({ ports }: CompactRun, sent: SummaryRequestSent) => tellObserver(ports.onRequest, sent);

/**
 * Whether a fork is asked at all. Where the caller's format, or a forced choice of a tool, keeps it from reading the
 * messages from the cache, only if that still costs less than asking apart.
 */
function sharesCache(run: CompactRun): boolean {
  const { input, ports } = run;
  if (!ports.settings.compactFork || ports.provider === undefined || input.params === undefined) return false;
  if (forkParameters(input.params.parameters, "text").isKeySame) return true;
  const prices = pricesWithoutSharing(run);
  return prices !== undefined && prices.fork < prices.apart;
}

/** Notes what an answer cost, whatever it is good for. */
function note({ calls, input, ports }: CompactRun, { sent }: ModelAnswer): void {
  const options = { source: sourceBeside(input.source, "compact"), estimator: ports.estimator };
  calls.push(...sent.map((one) => billCall(one, options)));
}

/** Notes what an attempt used and why it came to nothing. An abort ends everything. */
function settle(run: CompactRun, writer: WriterName, answer: ModelAnswer): Written {
  note(run, answer);
  throwIfAborted(run.ports.signal);
  const judged = answer.kind === "answer" ? judgeAnswer(answer.response) : judgeFailure(answer.failure);
  if (judged.kind === "rejected") {
    if (judged.reason === "aborted") throw new Aborted();
    run.failedAttempts.push({ writer, reason: judged.reason, detail: judged.detail });
  }
  return judged;
}

const originOf = ({ ports: { clock, ids, sessionId } }: CompactRun): MessageOrigin => ({
  clock,
  ids,
  sessionId,
  parentUuid: null,
});

const askOptions = ({ ports, onText }: CompactRun): AskOptions => ({
  signal: ports.signal,
  onText,
  onRetry: (retry) => ports.events?.emit("summary_retried", { source: "compact", ...retry }),
});

function forkPrompt({ division: { variant, summarised }, instructions }: CompactRun): string {
  const pivot = variant === "from" ? excerptOf(summarised) : undefined;
  return summaryPrompt({ variant, instructions, pivot });
}

/** What a fork sends, by the padded estimate. */
const forkTokens = (run: CompactRun, prompt: string): number =>
  sentTokens(run, {
    prompt,
    ...(run.division.variant === "up_to" ? { messages: run.division.summarised } : {}),
  });

/** Whether the request of a fork would probably be refused as too long: then it is not sent. */
export const isForkTooLong = (run: CompactRun): boolean =>
  tooLongToSend(run, forkTokens(run, forkPrompt(run))) !== undefined;

async function writeOnFork(run: CompactRun): Promise<Written> {
  const { input, ports, division } = run;
  const { provider, clock, settings } = ports;
  const { params } = input;
  if (provider === undefined || params === undefined) throw new TypeError("a fork needs a request to share");
  const isBeginning = division.variant === "up_to";
  const prompt = forkPrompt(run);
  const sent = forkTokens(run, prompt);
  const doomed = tooLongToSend(run, sent);
  if (doomed !== undefined) {
    run.failedAttempts.push({
      writer: "fork",
      reason: "prompt_too_long",
      detail: "it would not have fitted",
    });
    return tooLongBefore(doomed);
  }
  const messages = sharedMessages(run, [
    ...(isBeginning ? division.summarised : input.live),
    createUserMessage(originOf(run), { content: prompt, isMeta: true }),
  ]);
  begin(run);
  const answer = await askFork(
    {
      provider,
      params,
      messages,
      now: clock.now(),
      maxTokens: forkMaxTokens(params.parameters, {
        outputTokens: settings.compactOutputTokens,
        room: windowOf(run) - sent,
      }),
      onRequest: (fork) => announce(run, { writer: "fork", request: fork.request, betas: fork.betas, fork }),
    },
    askOptions(run),
  );
  return settle(run, "fork", answer);
}

/** Messages as the conversation itself sends them. */
const sharedMessages = ({ input }: CompactRun, messages: readonly Message[]): readonly RequestMessage[] =>
  normalise(messages, input.normaliseOptions).messages;

/**
 * Asks without the conversation's cache; what is too long loses its oldest rounds, again and again. `refused`: all
 * of it was sent before and is too long, so the first attempt does without some of it already.
 */
async function writeStreaming(run: CompactRun, refused: TooLong | undefined): Promise<Written> {
  const { input, ports, division, instructions } = run;
  const { provider, settings, estimator } = ports;
  if (provider === undefined) throw new TypeError("there is nobody to ask");
  const model = settings.compactModel ?? input.model;
  const isSameModel = model === input.model;
  const prompt = summaryPrompt({ variant: division.variant, instructions });
  const ask = async (messages: readonly Message[]): Promise<Written> => {
    begin(run);
    const answer = await askStreaming(
      {
        provider,
        model,
        messages,
        prompt,
        account: accountFields(input.params?.parameters.extraBody ?? {}),
        maxTokens: isSameModel ? outputWithin(run, { prompt, messages }) : settings.compactOutputTokens,
        onRequest: (request) => void announce(run, { writer: "streaming", request, betas: [] }),
      },
      askOptions(run),
    );
    return settle(run, "streaming", answer);
  };
  const digest = (dropped: readonly Message[]): string | undefined =>
    writeDigest(dropped, { estimator, budgetTokens: settings.compactDigestTokens });
  const options = { estimator, origin: originOf(run), digest, share: settings.compactDropShare };
  let attempted: Truncated = { messages: division.summarised, dropped: [] };
  const doomed =
    refused ??
    (isSameModel
      ? tooLongToSend(run, sentTokens(run, { prompt, messages: division.summarised, isBare: true }))
      : undefined);
  let judged = doomed === undefined ? await ask(attempted.messages) : tooLongBefore(doomed);
  for (let retries = 0; retries < settings.compactRetries; retries += 1) {
    if (judged.kind === "written" || judged.reason !== "prompt_too_long") break;
    const { messages, dropped } = attempted;
    const truncated = dropOldest({ attempted: messages, dropped }, judged.tooLong ?? {}, options);
    if (truncated === undefined) break;
    attempted = truncated;
    judged = await ask(attempted.messages);
  }
  return judged;
}

interface Sending {
  readonly prompt: string;
  /** All that is sent; by default the whole conversation. */
  readonly messages?: readonly Message[];
  /** Without the conversation's system prompt and tools. */
  readonly isBare?: boolean;
}

/** What an attempt sends, by the padded estimate. */
function sentTokens({ input, ports }: CompactRun, { prompt, messages, isBare = false }: Sending): number {
  const { tokensBefore, paddedBefore = tokensBefore, overhead } = input.size;
  const sent =
    messages === undefined
      ? paddedBefore
      : (isBare ? 0 : overhead) + ports.estimator.pad(estimatedTokens(messages, ports.estimator));
  return sent + ports.estimator.block({ type: "text", text: prompt });
}

/** An answer that may not even have that many tokens would be cut off. */
const LEAST_SUMMARY_TOKENS = 1000;

/** What an attempt would probably be refused with; undefined where it should fit. */
function tooLongToSend(run: CompactRun, sent: number): TooLong | undefined {
  const maximumTokens = windowOf(run);
  const actualTokens = sent + (countsAnswer(run.input.model) ? LEAST_SUMMARY_TOKENS : 0);
  return actualTokens > maximumTokens ? { actualTokens, maximumTokens } : undefined;
}

/** Endless where nobody knows it. */
const windowOf = ({ input }: CompactRun): number => input.size.contextWindow ?? Infinity;

/** The tokens of a summary that is asked for apart: all that it may have, or what fits where the API counts it in. */
function outputWithin(run: CompactRun, sending: Sending): number {
  const { compactOutputTokens } = run.ports.settings;
  if (!countsAnswer(run.input.model)) return compactOutputTokens;
  const room = windowOf(run) - sentTokens(run, { ...sending, isBare: true });
  return Math.max(LEAST_SUMMARY_TOKENS, Math.min(compactOutputTokens, room));
}

const tooLongBefore = (tooLong: TooLong): Written => ({
  kind: "rejected",
  reason: "prompt_too_long",
  detail: "it was refused as too long before",
  tooLong,
});

/** Only where thinking is bound to what stands before it does the provider's block keep something that ours loses. */
function wantsServer({ input, ports, division }: CompactRun): boolean {
  return (
    ports.settings.compactServerWriter &&
    division.variant !== "from" &&
    ports.provider !== undefined &&
    input.params !== undefined &&
    canAskServer(input.params) &&
    bindsThinkingOf(input.model) === true
  );
}

async function writeOnServer(run: CompactRun): Promise<WrittenSummary | undefined> {
  const { input, ports, division, instructions } = run;
  const { provider, clock } = ports;
  if (provider === undefined || input.params === undefined) return undefined;
  begin(run);
  const answer = await askServer(
    {
      provider,
      params: input.params,
      prefix: sharedMessages(run, division.summarised),
      instructions: summaryPrompt({ variant: division.variant, instructions }),
      now: clock.now(),
      onRequest: (request, betas) => void announce(run, { writer: "server", request, betas }),
    },
    askOptions(run),
  );
  const block = compactionBlockOf(answer);
  if (block !== undefined) {
    note(run, answer);
    throwIfAborted(ports.signal);
    return { writer: "server", summary: block.content ?? "", block, mended: nothingMended };
  }
  if (settle(run, "server", answer).kind === "written") {
    const detail = "the provider answered without a compaction block";
    run.failedAttempts.push({ writer: "server", reason: "no_summary", detail });
  }
  return undefined;
}

function verified(run: CompactRun, writer: WriterName, summary: string): WrittenSummary {
  const { input, ports, division } = run;
  if (!ports.settings.compactVerify) return { writer, summary, mended: nothingMended };
  const { text, mended } = verifySummary({
    summary,
    variant: division.variant,
    live: division.summarised,
    alsoSeen: division.variant === "from" ? division.kept : [],
    humanTexts: textsToQuote(run),
    estimator: ports.estimator,
    ...summaryBudgets(run),
    transcriptPath: input.transcriptPath,
  });
  return { writer, summary: text, mended };
}

/** The summary that needs no model. */
export function extractiveSummary(run: CompactRun, share = 1): WrittenSummary {
  const { input, ports, division } = run;
  const { text } = writeExtractive(division.summarised, {
    estimator: ports.estimator,
    variant: division.variant,
    humanTexts: textsToQuote(run),
    ...summaryBudgets(run, share),
    todos: ports.todos,
    transcriptPath: input.transcriptPath,
  });
  return { writer: "extractive", summary: text, mended: nothingMended, ...(share === 1 ? {} : { share }) };
}

const EXCERPT = 300;

/** The first words of what is to be summarised, so that the model finds the place. */
function excerptOf(messages: readonly Message[]): string | undefined {
  for (const message of messages) {
    if (message.type !== "user" && message.type !== "assistant") continue;
    const text = contentText(message.message.content).trim();
    if (text !== "") return text.slice(0, EXCERPT);
  }
  return undefined;
}
