import type { Model, ModelCapabilities, Prices, ThinkingSupport } from "./model.js";

/** Of every model the output costs five times the input. */
const prices = (input: number, cacheRead: number): Prices => ({
  input,
  output: input * 5,
  cacheRead,
  cacheWrite5m: input * 1.25,
  cacheWrite1h: input * 2,
});

const adaptiveThinking: ThinkingSupport = {
  enabled: false,
  adaptive: true,
  disabled: "yes",
  betweenTools: false,
  boundToPrefix: false,
  keptAcrossTurns: true,
};
/** Models that always think: the least is thinking between tools only. */
const alwaysThinking: ThinkingSupport = { ...adaptiveThinking, disabled: "no", betweenTools: true };
const boundThinking: ThinkingSupport = { ...alwaysThinking, boundToPrefix: true };
const manualThinking: ThinkingSupport = { ...adaptiveThinking, enabled: true, adaptive: false };

/** What models from 4.7 on have in common. */
const newer: ModelCapabilities = {
  thinking: adaptiveThinking,
  forcedToolChoice: true,
  systemMessages: true,
  assistantPrefill: false,
  contextEdits: true,
  compactionBlocks: true,
  refusesInputPlusMaxTokens: false,
  images: { maxTokens: 4784, maxLongEdge: 2576, maxCount: 600 },
};
const olderImages = { maxTokens: 1568, maxLongEdge: 1568, maxCount: 600 };
const generation46: ModelCapabilities = {
  ...newer,
  thinking: { ...manualThinking, adaptive: true },
  systemMessages: false,
  images: olderImages,
};
const generation45: ModelCapabilities = {
  ...generation46,
  thinking: manualThinking,
  assistantPrefill: true,
  compactionBlocks: false,
  images: { ...olderImages, maxCount: 100 },
};
const strips: ModelCapabilities = {
  ...generation45,
  thinking: { ...manualThinking, keptAcrossTurns: false },
};

const large = { contextWindow: 1_000_000, maxOutputTokens: 128_000 } as const;
const small = { contextWindow: 200_000, maxOutputTokens: 64_000 } as const;

const row = (
  name: string,
  size: typeof large | typeof small,
  minimumCachePrefix: number,
  cost: Prices,
  capabilities: ModelCapabilities,
): Model => ({
  id: `claude-${name}`,
  ...size,
  minimumCachePrefix,
  // The new one came with the larger pictures.
  tokenizer: capabilities.images === newer.images ? "newer" : "older",
  prices: cost,
  capabilities,
});

const withoutSystemMessages = { ...newer, systemMessages: false };
const bound = { ...newer, thinking: boundThinking, forcedToolChoice: false };
const always = { ...newer, thinking: alwaysThinking };
const opus = prices(5, 0.5);

/**
 * Every model this project knows, one row each. Models without published limits or prices are left out:
 * a caller that meets one names the figures itself.
 */
export const models: readonly Model[] = [
  row("fable-5-1", large, 512, prices(10, 0.25), bound),
  row("fable-5", large, 512, prices(10, 1), always),
  row("mythos-5-1", large, 512, prices(10, 0.25), always),
  row("mythos-5", large, 512, prices(10, 1), always),
  row("opus-5-5", large, 512, prices(4, 0.2), bound),
  row("opus-5", large, 512, opus, {
    ...newer,
    thinking: { ...adaptiveThinking, disabled: "up-to-high-effort" },
  }),
  row("opus-4-8", large, 1024, opus, newer),
  row("opus-4-7", large, 2048, opus, withoutSystemMessages),
  row("opus-4-6", large, 4096, opus, generation46),
  row("opus-4-5", small, 4096, opus, generation45),
  row("sonnet-5-5", large, 512, prices(2, 0.1), bound),
  row("sonnet-5", large, 1024, prices(2, 0.2), withoutSystemMessages),
  row("sonnet-4-6", large, 1024, prices(3, 0.3), generation46),
  row("sonnet-4-5", small, 1024, prices(3, 0.3), strips),
  {
    ...row("haiku-5-5", large, 512, prices(0.1, 0.01), withoutSystemMessages),
    longPrompt: { above: 100_000, prices: prices(0.5, 0.05) },
  },
  row("haiku-4-5", small, 4096, prices(1, 0.1), strips),
];

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]));

/**
 * The row for a model name as clients write it: with a provider's prefix (`anthropic/`, `us.anthropic.`, an ARN of Bedrock),
 * a date (`-20251101`), a version of Vertex (`@20251101`, `@default`), a revision (`-v1:0`) or a window suffix (`[1m]`). Undefined
 * for a model not in the table.
 */
export function findModel(name: string): Model | undefined {
  // Names come out of transcripts, which hold anything. What has no `claude-` in it leaves one character.
  if (typeof name !== "string") return undefined;
  return (
    byId.get(name) ??
    byId.get(
      name
        .slice(name.lastIndexOf("claude-"))
        .toLowerCase()
        .replace(/\[[^\]]*\]$/, "")
        .replace(/-v\d[\d:k]*$/, "")
        .replace(/@\w+$|-\d{8}$/, "")
        .replaceAll(".", "-"),
    )
  );
}

/** Whether a model's thinking is bound to what stands before it; undefined for a model that nobody knows. */
export const bindsThinkingOf = (model: string): boolean | undefined =>
  findModel(model)?.capabilities.thinking.boundToPrefix;
