import { buildFork, billCall, createCallMeter, createDefaultEstimator } from "@palimpsest/core/engine";
import { accountOf, accountTotal } from "@palimpsest/core";
import { dollars } from "../../../agent/commands/figures.js";
import type { TalkHandle } from "../talk/talk-handle.js";

const MOST_TOKENS = 4000;
const ASIDE =
  "This is a question beside the conversation. Answer it briefly from what you know; use no tools, and do not go on with the work.";

/** Asks something on the shared cache. Nothing of it enters the conversation; what it costs does. */
export async function askAside(question: string, talk: TalkHandle, signal: AbortSignal): Promise<void> {
  if (question.trim() === "") return talk.notice("Say what you want to know: /btw QUESTION.", "bad");
  const { conversation, agent } = talk.session;
  const params = conversation.cacheSafeParams();
  if (params === undefined) return talk.notice("There is no conversation to ask about yet.", "bad");
  const { request, betas } = buildFork(params, {
    source: "side_question",
    messages: [{ role: "user", content: [{ type: "text", text: `${ASIDE}\n\n${question}` }] }],
    prefix: conversation.requestMessages(),
    now: talk.parts.now(),
    maxTokens: MOST_TOKENS,
    answer: "text",
  });
  const meter = createCallMeter(request);
  let answer = "";
  let failure: string | undefined;
  for await (const output of agent.provider.stream({ request, betas }, { signal, ...meter })) {
    meter.see(output);
    if (output.kind === "text") answer += output.text;
    if (output.kind === "error") failure = output.failure.message;
  }
  const estimator = createDefaultEstimator({ model: conversation.model });
  const bills = meter.sent().map((sent) => billCall(sent, { source: "side_question", estimator }));
  await conversation.charge(...bills);
  if (failure !== undefined) return talk.notice(`It could not be answered: ${failure}`, "bad");
  const { dollars: cost } = accountTotal(accountOf(bills));
  talk.output(`by the way: ${answer.trim()}`);
  talk.notice(`${dollars(cost)}, beside the conversation`);
}
