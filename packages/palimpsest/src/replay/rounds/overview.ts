import type { Message } from "@palimpsest/core";
import { readUsage } from "@palimpsest/core/engine";
import { asFieldsList } from "../readers/recording.js";
import type { ConversationOverview, RecordedRound } from "./recorded-round.js";

/** What the rounds alone tell. */
export type RoundsOverview = Pick<
  ConversationOverview,
  "rounds" | "models" | "tools" | "hasThinking" | "firstUsage"
>;

/** Goes through all rounds once; it holds none of them. */
export async function overviewOf(rounds: AsyncIterable<RecordedRound>): Promise<RoundsOverview> {
  const models = new Map<string, number>();
  const tools = new Set<string>();
  let count = 0;
  let hasThinking = false;
  let firstUsage: ConversationOverview["firstUsage"];
  for await (const { incoming, response } of rounds) {
    for (const name of incoming.flatMap(referredTools)) tools.add(name);
    const inputTokens = readUsage(response.usage)?.inputTokens;
    if (inputTokens !== undefined) firstUsage ??= { round: count, inputTokens };
    if (response.model !== "") models.set(response.model, (models.get(response.model) ?? 0) + 1);
    for (const block of response.content) {
      if (block.type === "tool_use") tools.add(block.name);
      hasThinking ||= block.type === "thinking";
    }
    count += 1;
  }
  return {
    rounds: count,
    models: [...models]
      .map(([model, responses]) => ({ model, responses }))
      .toSorted((a, b) => b.responses - a.responses),
    tools: [...tools],
    hasThinking,
    ...(firstUsage && { firstUsage }),
  };
}

/** Tools that results point to: a request has to declare them. */
function referredTools(message: Message): readonly string[] {
  if (message.type !== "user") return [];
  const content: unknown = message.message.content;
  return asFieldsList(content).flatMap((block) =>
    asFieldsList(block["content"]).flatMap((item) =>
      item["type"] === "tool_reference" && typeof item["tool_name"] === "string" ? [item["tool_name"]] : [],
    ),
  );
}
