import type { Model, ModelRequest } from "@palimpsest/core";
import { findProblems } from "@palimpsest/core/validity";
import type { ErrorOutcome, SimulatedCall } from "../outcome.js";
import { digest } from "./digest.js";
import { applyEdits, decidesThinking, stripOldThinking, type AppliedEdit } from "./edits.js";
import type { Environment } from "./environment.js";
import { asText, isFields, type Fields } from "../fields.js";
import { blocksOf, type MessageChain, type WireMessages } from "./message-chain.js";
import { layOutPrompt, type Prompt } from "./prompt.js";
import { readCompactionSeal } from "./seals.js";
import type { ThinkingProblem } from "./thinking-rules.js";

/** An accepted request, as the model will see it. */
export interface PreparedRequest {
  readonly request: ModelRequest;
  readonly model: Model;
  /** The messages as sent, and as seen after edits and summaries. */
  readonly sent: MessageChain;
  readonly seen: MessageChain;
  readonly messages: WireMessages;
  readonly prompt: Prompt;
  /** Tokens of the prompt before context edits. */
  readonly originalTokens: number;
  readonly appliedEdits: readonly AppliedEdit[];
  readonly transformations: readonly Fields[];
}

export const refuse = (message: string, errorCode?: string): ErrorOutcome => ({
  kind: "error",
  status: 400,
  type: "invalid_request_error",
  message,
  ...(errorCode === undefined ? {} : { errorCode }),
});

/** Judges a call and lays its prompt out, or says with which error the API refuses it. */
export function prepare(call: SimulatedCall, environment: Environment): PreparedRequest | ErrorOutcome {
  const { body } = call;
  const judged = call.endpoint === "count_tokens" && isFields(body) ? forCounting(body) : body;
  const [problem] = findProblems(judged, {
    betas: call.betas,
    apiVersion: call.apiVersion,
    cacheEdits: environment.cacheEdits === true,
  });
  if (problem !== undefined) return refuse(problem.message, problem.errorCode);
  const request = judged as ModelRequest;
  const model = environment.modelOf(request.model);
  if (model === undefined) {
    return { kind: "error", status: 404, type: "not_found_error", message: `model: ${request.model}` };
  }
  if (isFields(request["thread"])) {
    return refuse("thread: message threads are not supported here; send the full history (`thread: false`)");
  }
  const sent = environment.sentMessages(model).read(request.messages);
  const sealProblem = checkCompactionSeal(sent);
  if (sealProblem !== undefined) return sealProblem;
  const thinking = checkThinking({ request, model, sent, environment, betas: call.betas });
  if ("kind" in thinking) return thinking;
  return see({ call, betas: call.betas, request, model, sent, environment, ...thinking });
}

/** Counting needs no limit for the answer, and ignores a wish for compaction. */
function forCounting(body: Fields): Fields {
  const { compaction: _ignored, ...rest } = body;
  return { max_tokens: 1, ...rest };
}

/** A signed summary must come back as it was written. */
function checkCompactionSeal(sent: MessageChain): ErrorOutcome | undefined {
  const at = sent.entries.at(-1)?.lastCompaction ?? -1;
  const message = sent.entries[at]?.message;
  for (const [index, block] of (message === undefined ? [] : blocksOf(message)).entries()) {
    if (!isFields(block) || block["type"] !== "compaction" || typeof block["content"] !== "string") continue;
    const path = `messages.${at}.content.${index}`;
    const seal = readCompactionSeal(block);
    if (seal === undefined) {
      return refuse(`${path}: the compaction block's signature is not valid`, "compaction_signature_invalid");
    }
    if (seal.contentDigest !== digest(block["content"])) {
      return refuse(`${path}: the compaction block's content was changed`, "compaction_content_mismatch");
    }
  }
  return undefined;
}

interface ThinkingContext {
  readonly betas: readonly string[];
  readonly request: ModelRequest;
  readonly model: Model;
  readonly sent: MessageChain;
  readonly environment: Environment;
}

interface KeptThinking {
  readonly dropped: readonly ThinkingProblem[];
}

const CONTROLS_BETA = "thinking-binding-controls-2026-08-01";

function checkThinking({
  request,
  model,
  sent,
  environment,
  betas,
}: ThinkingContext): KeptThinking | ErrorOutcome {
  if (sent.entries.at(-1)?.hasThinking !== true) return { dropped: [] };
  const problems = environment.verifier.check(sent, {
    head: environment.headBinding(request),
    isBound: model.capabilities.thinking.boundToPrefix,
    acceptForeign: environment.acceptForeignSignatures === true,
  });
  const binding = isFields(request.thinking) ? request.thinking["block_binding"] : undefined;
  const drops = isFields(binding) && binding["prefix_mismatch_behavior"] === "drop_block";
  const fatal = problems.find((problem) => problem.kind !== "bound-elsewhere" || !drops);
  return fatal === undefined ? { dropped: problems } : refuse(thinkingText(fatal, { sent, betas }));
}

function thinkingText(
  { message, block, kind }: ThinkingProblem,
  { sent, betas }: Pick<ThinkingContext, "sent" | "betas">,
): string {
  const path = `messages.${message}.content.${block}`;
  const isLatest = sent.entries.findLastIndex((entry) => entry.message.role === "assistant") === message;
  if (kind === "modified" && isLatest) {
    return `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
  }
  const invalid = `${path}: Invalid \`signature\` in \`thinking\` block`;
  if (kind !== "bound-elsewhere") return invalid;
  const needsHeader = betas.includes(CONTROLS_BETA)
    ? ""
    : ` The field needs the \`${CONTROLS_BETA}\` beta header.`;
  return `${invalid}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${needsHeader}`;
}

interface SeenContext extends ThinkingContext, KeptThinking {
  readonly call: SimulatedCall;
}

/** The prompt after everything the server does to messages before the model reads them. */
function see(context: SeenContext): PreparedRequest {
  const { call, request, model, sent, environment, dropped } = context;
  const { editor } = environment;
  let messages = request.messages;
  if (dropped.length > 0) messages = dropBlocks(messages, dropped, editor);
  if (call.betas.includes(CLEAR_AT_BETA)) messages = withoutPastNotes(messages);
  const compactedAt = sent.entries.at(-1)?.lastCompaction ?? -1;
  if (compactedAt >= 0) messages = fromSummary(messages, editor);
  const { keptAcrossTurns } = model.capabilities.thinking;
  if (!keptAcrossTurns && sent.entries.at(-1)?.hasThinking === true && !decidesThinking(request)) {
    messages = stripOldThinking(messages, editor);
  }
  const chainOf = (list: WireMessages): MessageChain =>
    list === request.messages ? sent : environment.seenMessages(model).read(list);
  const layOut = (chain: MessageChain): Prompt =>
    layOutPrompt({
      request,
      chain,
      model,
      workspace: call.workspace,
      betas: call.betas,
      blocks: environment.blocks,
    });
  const tokensOf = (list: WireMessages): number => layOut(chainOf(list)).totalTokens;
  const hasEdits = isFields(request["context_management"]);
  const edited = hasEdits
    ? applyEdits(request, messages, { editor, tokensOf, keepsThinking: keptAcrossTurns })
    : { messages, applied: [] };
  const originalTokens = hasEdits ? tokensOf(messages) : 0;
  const seen = chainOf(edited.messages);
  const prompt = layOut(seen);
  return {
    request,
    model,
    sent,
    seen,
    messages: edited.messages,
    prompt,
    originalTokens: hasEdits ? originalTokens : prompt.totalTokens,
    appliedEdits: edited.applied,
    transformations: dropped.map(({ message, block }) => ({
      type: "thinking_dropped",
      path: `messages.${message}.content.${block}`,
      reason: "prefix_mismatch",
    })),
  };
}

const CLEAR_AT_BETA = "mid-conversation-system-clear-at-2026-08-21";

/** System messages that were meant for one turn vanish once the person has spoken again. */
function withoutPastNotes(messages: WireMessages): WireMessages {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const isPast = (message: object, index: number): boolean =>
    index < lastUser && "clear_at" in message && message.clear_at === "next_user_message";
  return messages.some(isPast) ? messages.filter((message, index) => !isPast(message, index)) : messages;
}

function dropBlocks(
  messages: WireMessages,
  dropped: readonly ThinkingProblem[],
  editor: Environment["editor"],
): WireMessages {
  return messages.flatMap((message, index) => {
    const blocks = dropped.filter((problem) => problem.message === index).map((problem) => problem.block);
    if (blocks.length === 0) return [message];
    return (
      editor.edit(message, `drop ${blocks.join()}`, (block, at) => (blocks.includes(at) ? null : block)) ?? []
    );
  });
}

/** From the last compaction block that holds a summary on. */
function fromSummary(messages: WireMessages, editor: Environment["editor"]): WireMessages {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message === undefined) continue;
    const block = blocksOf(message).findLastIndex(
      (item) => isFields(item) && item["type"] === "compaction" && asText(item["content"]) !== "",
    );
    if (block < 0) continue;
    const first = block === 0 ? message : editor.fromBlock(message, block);
    return first === undefined ? messages : [first, ...messages.slice(at + 1)];
  }
  return messages;
}
