import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import { fromLangChain, toLangChain } from "./langchain-messages.mjs";
import { createPeerRun, editOf } from "./peer-run.mjs";

/**
 * LangChain's `contextEditingMiddleware` with `ClearToolUsesEdit`, both as they come. It edits the list that it is
 * handed, which in an agent is the state: what was cleared stays cleared.
 */
export const langchainContextEditing = {
  name: "langchain-context-editing",
  description:
    "contextEditingMiddleware with ClearToolUsesEdit at its defaults (100,000 tokens, 3 results stay)",
  ttls: ["5m", "1h"],
  start(host) {
    const { wrapModelCall } = contextEditingMiddleware({ edits: [new ClearToolUsesEdit()] });
    const model = { profile: { maxInputTokens: host.window } };
    return createPeerRun(host, {
      convert: toLangChain,
      async edit(messages, tokens) {
        const state = [...messages];
        await wrapModelCall({ messages: state, model, systemPrompt: host.system }, (request) => request);
        const pieces = state.map(fromLangChain);
        const isEdited =
          state.length !== messages.length || state.some((message, index) => message !== messages[index]);
        const before = isEdited ? messages.map(fromLangChain) : pieces;
        return { state, pieces, edits: isEdited ? [editOf("clear", { before, after: pieces, tokens })] : [] };
      },
    });
  },
};
