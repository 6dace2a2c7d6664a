import { summarizationMiddleware } from "langchain";
import { fromLangChain, toLangChain } from "./langchain-messages.mjs";
import { createPeerRun, editOf } from "./peer-run.mjs";

/** The middleware has no trigger of its own: these are the shares of the window in its documentation's example. */
const TRIGGER = { fraction: 0.8 };
const KEEP = { fraction: 0.3 };

/** LangChain's `summarizationMiddleware`: its hook before the model is run on the conversation so far. */
export const langchainSummarization = {
  name: "langchain-summarization",
  description: `summarizationMiddleware, trigger ${TRIGGER.fraction} and keep ${KEEP.fraction} of the window`,
  ttls: ["5m", "1h"],
  start(host) {
    const { beforeModel } = summarizationMiddleware({
      model: chatModelOf(host),
      trigger: TRIGGER,
      keep: KEEP,
    });
    return createPeerRun(host, {
      convert: toLangChain,
      async edit(messages, tokens) {
        const before = messages.map(fromLangChain);
        const update = await beforeModel({ messages }, { context: {} });
        if (update === undefined) return { state: messages, pieces: before, edits: [] };
        // The first one says that all messages go; the others take their place.
        const state = update.messages.slice(1);
        const pieces = state.map(fromLangChain);
        return { state, pieces, edits: [editOf("full", { before, after: pieces, tokens })] };
      },
    });
  },
};

/** As much of a chat model as the middleware uses: it knows its window, and its calls are priced as side calls. */
const chatModelOf = ({ model, window, maxTokens, provider }) => ({
  profile: { maxInputTokens: window },
  async invoke(prompt) {
    const messages = [{ role: "user", content: [{ type: "text", text: prompt }] }];
    const outputs = provider.stream({ request: { model, max_tokens: maxTokens, messages } });
    for await (const output of outputs) {
      if (output.kind === "error") throw new Error(output.failure.message);
      if (output.kind === "message") return output.message;
    }
    throw new Error("no answer came");
  },
});
