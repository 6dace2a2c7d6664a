import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

/** The blocks of each message that was made here, or read from here once. */
const blocksByMessage = new WeakMap();

/**
 * A request message as LangChain's messages: one for a response, with its blocks as content and its calls beside
 * them; one for each result; one for what a person said.
 */
export function toLangChain({ role, content }) {
  if (role === "assistant") return [known(assistantOf(content), content)];
  const messages = [];
  let said = [];
  const flush = () => {
    if (said.length > 0) messages.push(known(new HumanMessage({ content: said }), said));
    said = [];
  };
  for (const block of content) {
    if (block.type !== "tool_result") {
      said.push(block);
      continue;
    }
    flush();
    messages.push(known(resultOf(block), [block]));
  }
  flush();
  return messages;
}

/** The way back: role and blocks. Asked again for the same message, it gives the same blocks. */
export function fromLangChain(message) {
  const role = AIMessage.isInstance(message) ? "assistant" : "user";
  let blocks = blocksByMessage.get(message);
  if (blocks === undefined) {
    blocks = ToolMessage.isInstance(message)
      ? [
          {
            type: "tool_result",
            tool_use_id: message.tool_call_id,
            content: message.content,
            ...(message.status === "error" ? { is_error: true } : {}),
          },
        ]
      : blocksOf(message.content);
    blocksByMessage.set(message, blocks);
  }
  return { role, blocks };
}

const known = (message, blocks) => {
  blocksByMessage.set(message, blocks);
  return message;
};

const assistantOf = (content) =>
  new AIMessage({
    content,
    tool_calls: content
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ type: "tool_call", id, name, args: input })),
  });

const resultOf = ({ tool_use_id: id, content = "", is_error: isError }) =>
  new ToolMessage({ tool_call_id: id, content, status: isError === true ? "error" : "success" });

const blocksOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);
