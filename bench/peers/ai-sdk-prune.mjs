import { pruneMessages } from "ai";
import { createPeerRun } from "./peer-run.mjs";

/** Without options it prunes nothing: these are the ones of the example that its documentation opens with. */
const OPTIONS = {
  reasoning: "before-last-message",
  toolCalls: "before-last-2-messages",
  emptyMessages: "remove",
};

/** The AI SDK's `pruneMessages` on the whole conversation, before every request, as it is meant to be called. */
export const aiSdkPrune = {
  name: "ai-sdk-prune",
  description:
    "pruneMessages before every request: reasoning before-last-message, calls before-last-2-messages",
  ttls: ["5m", "1h"],
  start(host) {
    /** The block that each part was made of. */
    const blocks = new WeakMap();
    const toolNames = new Map();
    const partOf = (block) => {
      if (block.type === "tool_use") toolNames.set(block.id, block.name);
      const part = convert(block, toolNames);
      blocks.set(part, block);
      return part;
    };
    return createPeerRun(host, {
      convert: (message) => toModelMessages(message, partOf),
      async edit(messages) {
        const pieces = pruneMessages({ ...OPTIONS, messages }).map(({ role, content }) => ({
          role: role === "assistant" ? "assistant" : "user",
          blocks: content.map((part) => blocks.get(part)),
        }));
        return { state: messages, pieces, edits: [] };
      },
    });
  },
};

/** Results are a message of the role `tool`; what a person said beside them is one of its own. */
function toModelMessages({ role, content }, partOf) {
  if (role === "assistant") return [{ role, content: content.map(partOf) }];
  const results = content.filter(({ type }) => type === "tool_result");
  const said = content.filter(({ type }) => type !== "tool_result");
  return [
    { role: "tool", content: results.map(partOf) },
    { role: "user", content: said.map(partOf) },
  ].filter((message) => message.content.length > 0);
}

function convert(block, toolNames) {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return {
        type: "reasoning",
        text: block.thinking,
        providerOptions: { anthropic: { signature: block.signature } },
      };
    case "redacted_thinking":
      return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: block.data } } };
    case "tool_use":
      return { type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.input };
    case "tool_result":
      return {
        type: "tool-result",
        toolCallId: block.tool_use_id,
        toolName: toolNames.get(block.tool_use_id) ?? "unknown",
        output: { type: "content", value: block.content ?? "" },
      };
    default:
      return { type: "file", data: block.source, mediaType: block.source?.media_type ?? "text/plain" };
  }
}
