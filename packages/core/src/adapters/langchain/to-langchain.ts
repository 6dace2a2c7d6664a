import type { ContentBlock, RequestMessage, ToolResultBlock } from "../../messages/content.js";
import { groupByOrigin, originOf } from "../origins.js";
import { systemLast } from "../system-last.js";
import { partsOf } from "./from-langchain.js";
import type { LangChainMessage } from "./langchain-types.js";

/**
 * The messages of a request in the framework's words: its own objects where nothing was changed. New ones are made
 * by the constructors of those that the agent has, because the framework itself is not loaded here.
 */
export function toLangChain(
  messages: readonly RequestMessage[],
  given: readonly LangChainMessage[],
  isMessagesApi: boolean,
): readonly LangChainMessage[] {
  const make = createMaker(given);
  return messages.flatMap(({ role, content }) => {
    if (role === "assistant") return assistantMessages(content, make);
    const turn = userTurn(content, make);
    return isMessagesApi ? systemLast(turn, { isSystem, join: joinSystem }) : turn;
  });
}

function userTurn(content: readonly ContentBlock[], make: Make): readonly LangChainMessage[] {
  const results = content.filter((block) => block.type === "tool_result");
  if (!results.some(isMarked)) return userMessages(content, make);
  // Only so a result can carry a marker: as the client itself sends results, in a message of the person.
  const said = content.filter((block) => block.type !== "tool_result");
  return [make("human", { content: results.map(markedResult) }), ...userMessages(said, make)];
}

const isSystem = ({ type }: LangChainMessage): boolean => type === "system";

const joinSystem = (before: LangChainMessage, next: LangChainMessage): LangChainMessage =>
  makeLike(next, { content: [...partsOf(before), ...partsOf(next)] });

type Make = (type: string, fields: object) => LangChainMessage;

/** A message of the same class as one that the agent has, or the plain object that the framework makes one of. */
function createMaker(given: readonly LangChainMessage[]): Make {
  const roles: Readonly<Record<string, string>> = { human: "user", ai: "assistant", tool: "tool" };
  return (type, fields) => {
    const like = given.find((message) => message.type === type);
    return like === undefined
      ? ({ role: roles[type], ...fields } as unknown as LangChainMessage)
      : makeLike(like, fields);
  };
}

/** A new message of the class of another. */
export function makeLike(like: LangChainMessage, fields: object): LangChainMessage {
  const Made = like.constructor as new (fields: object) => LangChainMessage;
  return new Made(fields);
}

const isMarked = (block: ContentBlock): boolean => "cache_control" in block;

/** The fields in the order in which the client puts them, and no others: the bytes before a marker must not change. */
const markedResult = ({ content = "", tool_use_id, cache_control }: ToolResultBlock) => ({
  type: "tool_result",
  content,
  tool_use_id,
  ...(cache_control ? { cache_control } : {}),
});

function userMessages(content: readonly ContentBlock[], make: Make): readonly LangChainMessage[] {
  return groupByOrigin<LangChainMessage, ContentBlock>(content).flatMap((group) => {
    if (group.kind === "whole") return [wholeMessage(group.message, group.blocks)];
    const results = group.blocks.filter((block) => block.type === "tool_result");
    const said = group.blocks.filter((block) => block.type !== "tool_result");
    return [
      ...results.map(({ tool_use_id: id, content: text = "", is_error }) =>
        make("tool", {
          content: text,
          tool_call_id: id,
          ...(is_error === true ? { status: "error" } : {}),
        }),
      ),
      ...(said.length === 0 ? [] : [make("human", { content: said.map((block) => ({ ...block })) })]),
    ];
  });
}

function wholeMessage(message: LangChainMessage, blocks: readonly ContentBlock[]): LangChainMessage {
  const marked = blocks.find(isMarked);
  const part = marked === undefined ? undefined : originOf(marked)?.part;
  if (marked === undefined || part === undefined) return message;
  const { cache_control } = marked as { readonly cache_control?: unknown };
  const content = partsOf(message).map((own, index) => (index === part ? { ...own, cache_control } : own));
  return makeLike(message, { content });
}

function assistantMessages(content: readonly ContentBlock[], make: Make): readonly LangChainMessage[] {
  return groupByOrigin<LangChainMessage, ContentBlock>(content).map((group) => {
    if (group.kind === "whole") return group.message;
    const calls = group.blocks.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_call", id: block.id, name: block.name, args: block.input }]
        : [],
    );
    const said = group.blocks.filter((block) => block.type !== "tool_use");
    return make("ai", { content: said.length === 0 ? "" : said, tool_calls: calls });
  });
}
