import { accountOf, accountTotal, type BilledCall, type Message } from "@palimpsest/core";
import { billedTokens, promptTokens } from "../../replay/measures/recorded-bill.js";
import { LineParser } from "../../replay/readers/line-parser.js";
import { recordedCalls } from "../../replay/recorded-calls.js";
import { surveyed } from "../../replay/rounds/recorded-messages.js";
import { openRecordingFile } from "../../replay/rounds/recording-file.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import type { AdvisedRequest } from "./advised-request.js";
import { findChangingSections } from "./changing-sections.js";
import type { Finding } from "./finding.js";
import { findLifetime } from "./lifetime.js";
import { createRequestReader } from "./read-requests.js";
import { findRepeatedReads } from "./repeated-reads.js";
import { createSentPrompts, type SentPrompts } from "./sent-prompts.js";
import { inputCost, outputCost, pricesOf } from "./span-cost.js";
import { serverUse, type ServerUse } from "./unused-servers.js";

/** What one recording has to say to whoever pays for its agent. */
export interface AdvisedConversation {
  /** The agent that it was held with, as far as the format tells. */
  readonly agent: string;
  /** Dollars of all that was paid for and has known prices. */
  readonly dollars: number;
  readonly findings: readonly Finding[];
  readonly servers: ServerUse;
  /** Requests that report a usage; those whose prices are known; those whose tools and system prompt are recorded. */
  readonly requests: number;
  readonly priced: number;
  readonly withPrompt: number;
}

/** Streams a recording of any known format: memory follows its requests, not its texts. Throws `RecordingError`. */
export async function readConversation(
  path: string,
  { counter, onBytes }: { readonly counter: TokenCounter; readonly onBytes?: (bytes: number) => void },
): Promise<AdvisedConversation> {
  const file = await openRecordingFile(path);
  const builder = (await surveyed(file)).build();
  const parser = new LineParser();
  const reader = createRequestReader(counter);
  const prompts = createSentPrompts(counter);
  const beside: BilledCall[] = [];
  const take = (message: Message): void => {
    reader.take(message);
    if (message.type !== "assistant") beside.push(...recordedCalls([message]));
  };
  for await (const lines of file.lines(parser)) {
    onBytes?.(parser.offset);
    for (const line of lines) {
      prompts.take(line);
      for (const message of builder.take(line)) take(message);
    }
  }
  for (const message of builder.end()) take(message);
  const requests = withPrompts(reader.finish(), prompts.sent);
  const asked = requests.reduce((sum, request) => sum + inputCost(request) + outputCost(request), 0);
  // What stands in the recording as a request is not counted again by what the transcript says of it.
  const others = prompts.sent.length > 0 ? 0 : accountTotal(accountOf(beside)).dollars;
  return {
    agent: file.reader.format,
    dollars: asked + others,
    findings: [
      ...findLifetime(requests),
      ...findChangingSections(requests, (sample) => prompts.exampleOf(sample)),
      ...findRepeatedReads(requests),
    ],
    servers: serverUse(requests),
    requests: requests.length,
    priced: requests.filter((request) => pricesOf(request) !== undefined).length,
    withPrompt: requests.filter(({ prompt }) => prompt !== undefined).length,
  };
}

/** Requests that the transcript tells of with what was sent for them, and after them those that it does not tell of. */
function withPrompts(
  answered: readonly AdvisedRequest[],
  sent: SentPrompts["sent"],
): readonly AdvisedRequest[] {
  const byResponse = new Map(sent.map((one) => [one.record.response ?? "", one]));
  const told = new Set(answered.map(({ response }) => response));
  const asides = sent.flatMap(({ record, prompt }): readonly AdvisedRequest[] => {
    const { response = "", model = "", usage } = record;
    if (told.has(response) || usage === undefined) return [];
    const aside: AdvisedRequest = {
      lane: `aside ${record.id}`,
      startedAt: prompt.at,
      model,
      usage: billedTokens(usage),
      response,
      isFresh: true,
      forgotten: [],
      shown: [],
      calls: [],
      prompt,
    };
    return promptTokens(aside.usage) > 0 ? [aside] : [];
  });
  const joined = answered.map((request) => {
    const prompt = byResponse.get(request.response)?.prompt;
    return prompt === undefined ? request : { ...request, prompt, startedAt: prompt.at };
  });
  return [...joined, ...asides];
}
