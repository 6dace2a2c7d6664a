import { errorText } from "../../messages/error-text.js";
import type { ResponseUsage } from "../../messages/call/response.js";
import { createUserMessage } from "../../messages/construct.js";
import type { ToolResultBlock, ToolUseBlock, UserBlock } from "../../messages/content.js";
import { asFields } from "../../messages/fields.js";
import { isPalimpsestError, PalimpsestError } from "../../messages/palimpsest-error.js";
import { untilAborted } from "../ports/until-aborted.js";
import type { Answer, AskEvent, AskOptions, Conversation, EngineStep } from "./conversation-api.js";
import { demand, hasFunction, isAboveZero } from "./check-options.js";
import { endOf } from "./end-of.js";
import type { ConversationTool, ResolvedOptions } from "./host-options.js";
import { takeTurn } from "./turn.js";

type Content = string | readonly UserBlock[];
type Asked = Pick<Conversation, "append" | "prepare" | "observe" | "charge" | "origin">;

const MOST_TURNS = 100;

/** The whole loop over a conversation: says something, and goes on until it is answered. */
export function createAsking(
  conversation: Asked,
  options: ResolvedOptions,
): Pick<Conversation, "ask" | "stream"> {
  let isBusy = false;
  async function* stream(content?: Content, given: AskOptions = {}): AsyncGenerator<AskEvent, Answer> {
    if (isBusy) {
      throw new PalimpsestError("busy", "It is answering already: wait for that, or end its stream.");
    }
    isBusy = true;
    try {
      const answer = yield* converse(conversation, options, { content, ...given });
      yield { kind: "answer", answer };
      return answer;
    } catch (error) {
      if (isPalimpsestError(error)) throw error;
      const text = errorText(error);
      throw new PalimpsestError("unexpected", text, { cause: error });
    } finally {
      isBusy = false;
    }
  }
  return {
    stream,
    ask: (content, given) => endOf(stream(content, given)),
  };
}

async function* converse(
  conversation: Asked,
  { provider: own, tools }: ResolvedOptions,
  { content, provider = own, signal, maxTurns = MOST_TURNS }: AskOptions & { content: Content | undefined },
): AsyncGenerator<AskEvent, Answer> {
  if (!hasFunction(provider, "stream") || provider === undefined) {
    throw new PalimpsestError("no-provider", "There is nobody to ask: hand in a `provider`.");
  }
  demand(
    content === undefined || ((typeof content === "string" || Array.isArray(content)) && content.length > 0),
    "ask: the content must be a text or a list of blocks, and not be empty",
  );
  demand(isAboveZero(maxTurns), "ask: `maxTurns` must be a number above 0");
  throwIfCalledOff(signal);
  if (content !== undefined) yield* say(conversation, content);
  const steps: EngineStep[] = [];
  const usages: ResponseUsage[] = [];
  for (;;) {
    const end = yield* takeTurn(conversation, { provider, signal });
    steps.push(...end.steps);
    if (end.kind === "held") throw new PalimpsestError(end.reason, end.message, { cause: end });
    if (end.kind === "failed")
      throw new PalimpsestError(end.failure.kind, end.message, { cause: end.failure });
    const { message, response, calls, cutOff } = end;
    yield { kind: "message", message };
    usages.push(response.usage);
    const runs = runsOf(calls, tools?.() ?? []);
    const isPaused = calls.length === 0 && response.stop_reason === "pause_turn";
    if (runs === undefined && !isPaused) {
      return {
        text: response.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n"),
        message,
        calls,
        stopReason: response.stop_reason,
        usage: sumOf(usages),
        steps,
        turns: usages.length,
      };
    }
    const results = runs?.map(({ call, tool }) => resultOf(call, call === cutOff ? "cut-off" : tool, signal));
    if (results !== undefined) yield* say(conversation, await Promise.all(results));
    throwIfCalledOff(signal);
    if (usages.length >= maxTurns) {
      throw new PalimpsestError("max-turns", `The limit of ${maxTurns} requests was reached; ask() goes on.`);
    }
  }
}

function throwIfCalledOff(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new PalimpsestError("aborted", "It was called off.");
}

async function* say(conversation: Asked, content: Content): AsyncGenerator<AskEvent> {
  const message = createUserMessage(conversation.origin(), { content });
  await conversation.append(message);
  yield { kind: "message", message };
}

/** Calls with their tools; undefined where there are none, or where some are the host's to make. */
function runsOf(calls: readonly ToolUseBlock[], tools: readonly ConversationTool[]) {
  const runs = calls.map((call) => ({
    call,
    tool: tools.find(({ definition }) => definition.name === call.name),
  }));
  const isOurs = tools.some(({ run }) => run) && runs.every(({ tool }) => tool === undefined || tool.run);
  return isOurs && calls.length > 0 ? runs : undefined;
}

/** What the model is told of a call; never rejects. */
async function resultOf(
  { id, name, input }: ToolUseBlock,
  tool: ConversationTool | "cut-off" | undefined,
  signal: AbortSignal | undefined,
): Promise<ToolResultBlock> {
  const failed = (content: string): ToolResultBlock => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    is_error: true,
  });
  if (tool === "cut-off")
    return failed("The call was cut off by the limit of tokens and was not made: make it shorter.");
  const run = tool?.run;
  if (run === undefined) return failed(`There is no tool ${name}.`);
  const making = async () => run(asFields(input), { id, ...(signal === undefined ? {} : { signal }) });
  try {
    return { type: "tool_result", tool_use_id: id, content: await untilAborted(making(), signal) };
  } catch (error) {
    if (signal?.aborted === true) return failed("The call was interrupted.");
    return failed(errorText(error));
  }
}

function sumOf(usages: readonly ResponseUsage[]): Answer["usage"] {
  const sum = {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  for (const name of Object.keys(sum) as (keyof typeof sum)[]) {
    // Servers may leave it out, whatever the types say.
    for (const usage of usages as readonly Partial<ResponseUsage>[]) sum[name] += usage?.[name] ?? 0;
  }
  return sum;
}
