import { figure } from "../../messages/billed-usage.js";
import { isFields } from "../../messages/fields.js";
import { sampledFigures } from "../../messages/usage.js";
import type { AssistantMessage, Message } from "../../messages/message.js";
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

/** What a usage says of the context. */
export interface CountedUsage {
  /** Tokens that the response read: cached ones fill the window like others. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a recorded usage says of the context; undefined for what holds no figures. */
export function readUsage(usage: unknown): CountedUsage | undefined {
  if (!isFields(usage)) return undefined;
  const counted = sampledFigures(usage);
  const inputTokens =
    figure(counted["input_tokens"]) +
    figure(counted["cache_creation_input_tokens"]) +
    figure(counted["cache_read_input_tokens"]);
  return inputTokens === 0 ? undefined : { inputTokens, outputTokens: figure(counted["output_tokens"]) };
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
  const { id, model, usage, stop_reason } = message.message ?? {};
  const counted = readUsage(usage);
  if (counted === undefined || typeof id !== "string" || typeof model !== "string") return undefined;
  return {
    id,
    model,
    inputTokens: counted.inputTokens,
    outputTokens: typeof stop_reason === "string" ? counted.outputTokens : undefined,
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
