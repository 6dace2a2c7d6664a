import type { AssistantMessage, Message, Usage } from "../../messages/message.js";
import { isCompactBoundary, isSyntheticError } from "../../messages/predicates.js";

/** Between two responses of a tool loop: how much the context really grew, and by what. */
export interface Growth {
  readonly model: string;
  readonly actual: number;
  /** The results in between: all that came in. */
  readonly messages: readonly Message[];
  /** Input tokens of the second response. */
  readonly contextTokens: number;
}

interface Response {
  readonly id: string;
  readonly model: string;
  readonly inputTokens: number;
  /** Undefined where the record holds a placeholder. */
  readonly outputTokens: number | undefined;
  readonly calls: ReadonlySet<string>;
}

/**
 * The usage that describes the context: where a response took several calls (the provider compacted in between,
 * say), that of the last one that wrote the message.
 */
export function countedUsage(usage: Usage): Usage {
  const iterations: unknown = usage["iterations"];
  if (!Array.isArray(iterations)) return usage;
  const last: unknown = iterations.findLast(
    (item: { readonly type?: unknown } | null) =>
      item?.type === "message" || item?.type === "fallback_message",
  );
  return last === undefined ? usage : (last as Usage);
}

/** Tokens that a response read: cached ones fill the window like others. */
export function inputTokensOf(usage: Usage): number {
  const counted = countedUsage(usage);
  return (
    (counted.input_tokens ?? 0) +
    (counted.cache_creation_input_tokens ?? 0) +
    (counted.cache_read_input_tokens ?? 0)
  );
}

/**
 * The growths in a conversation that can be told from its records: from one response to the next with nothing
 * but the results of its calls between, all of them there, and the output of the first one known.
 */
export function growthsIn(messages: readonly Message[]): readonly Growth[] {
  const growths: Growth[] = [];
  let before: Response | undefined;
  let between: Message[] = [];
  let isPlain = true;
  for (const message of messages) {
    const response = responseOf(message);
    if (response === undefined) {
      if (isCompactBoundary(message)) before = undefined;
      else if (message.type === "attachment" || (message.type === "assistant" && !isSyntheticError(message)))
        isPlain = false;
      else if (message.type === "user") {
        between.push(message);
        isPlain &&= holdsResultsOnly(message);
      }
      continue;
    }
    if (before?.id === response.id) {
      before = joinPieces(before, response);
      continue;
    }
    const growth = before && isPlain ? growthBetween(before, between, response) : undefined;
    if (growth !== undefined) growths.push(growth);
    before = response;
    between = [];
    isPlain = true;
  }
  return growths;
}

function responseOf(message: Message): Response | undefined {
  if (message.type !== "assistant" || isSyntheticError(message)) return undefined;
  const { id, model, usage, stop_reason } = message.message;
  if (usage === undefined || inputTokensOf(usage) === 0) return undefined;
  return {
    id,
    model,
    inputTokens: inputTokensOf(usage),
    outputTokens: typeof stop_reason === "string" ? countedUsage(usage).output_tokens : undefined,
    calls: callsOf(message),
  };
}

const joinPieces = (first: Response, next: Response): Response => ({
  ...first,
  outputTokens: next.outputTokens ?? first.outputTokens,
  calls: new Set([...first.calls, ...next.calls]),
});

function growthBetween(before: Response, between: readonly Message[], after: Response): Growth | undefined {
  if (before.outputTokens === undefined || before.model !== after.model || before.calls.size === 0)
    return undefined;
  const answered = new Set(between.flatMap(resultsOf));
  const isComplete = answered.size === before.calls.size && [...before.calls].every((id) => answered.has(id));
  if (!isComplete) return undefined;
  const actual = after.inputTokens - before.inputTokens - before.outputTokens;
  return { model: after.model, actual, messages: between, contextTokens: after.inputTokens };
}

const callsOf = (message: AssistantMessage): ReadonlySet<string> =>
  new Set(
    (Array.isArray(message.message.content) ? message.message.content : []).flatMap((block) =>
      block?.type === "tool_use" ? [block.id] : [],
    ),
  );

const resultsOf = (message: Message): readonly string[] =>
  message.type === "user" && Array.isArray(message.message.content)
    ? message.message.content.flatMap((block) => (block?.type === "tool_result" ? [block.tool_use_id] : []))
    : [];

/** Results of text only: images and documents are counted by rules of their own. */
function holdsResultsOnly(message: Message): boolean {
  if (message.type !== "user" || !Array.isArray(message.message.content)) return false;
  return message.message.content.every((block) => {
    if (block?.type !== "tool_result") return false;
    const { content } = block;
    return !Array.isArray(content) || content.every((item) => item?.type === "text");
  });
}
