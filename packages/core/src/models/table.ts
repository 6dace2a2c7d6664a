import type { Model, ModelCapabilities, Prices, ThinkingSupport } from "./model.js";

const prices = (input: number, output: number, cacheRead: number): Prices => ({
  input,
  output,
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
const strips: ThinkingSupport = { ...manualThinking, keptAcrossTurns: false };

const large = { contextWindow: 1_000_000, maxOutputTokens: 128_000 } as const;
const small = { contextWindow: 200_000, maxOutputTokens: 64_000 } as const;

/**
 * Every model this project knows, one row each. Models without published limits or prices are left out:
 * a caller that meets one names the figures itself.
 */
export const models: readonly Model[] = [
  ...(["fable", "mythos"] as const).flatMap((line): Model[] => [
    {
      id: `claude-${line}-5-1`,
      ...large,
      minimumCachePrefix: 512,
      tokenizer: "newer",
      prices: prices(10, 50, 0.25),
      capabilities: {
        ...newer,
        thinking: line === "fable" ? boundThinking : alwaysThinking,
        forcedToolChoice: line !== "fable",
      },
    },
    {
      id: `claude-${line}-5`,
      ...large,
      minimumCachePrefix: 512,
      tokenizer: "newer",
      prices: prices(10, 50, 1),
      capabilities: { ...newer, thinking: alwaysThinking },
    },
  ]),
  {
    id: "claude-opus-5-5",
    ...large,
    minimumCachePrefix: 512,
    tokenizer: "newer",
    prices: prices(4, 20, 0.2),
    capabilities: { ...newer, thinking: boundThinking, forcedToolChoice: false },
  },
  {
    id: "claude-opus-5",
    ...large,
    minimumCachePrefix: 512,
    tokenizer: "newer",
    prices: prices(5, 25, 0.5),
    capabilities: { ...newer, thinking: { ...adaptiveThinking, disabled: "up-to-high-effort" } },
  },
  {
    id: "claude-opus-4-8",
    ...large,
    minimumCachePrefix: 1024,
    tokenizer: "newer",
    prices: prices(5, 25, 0.5),
    capabilities: newer,
  },
  {
    id: "claude-opus-4-7",
    ...large,
    minimumCachePrefix: 2048,
    tokenizer: "newer",
    prices: prices(5, 25, 0.5),
    capabilities: { ...newer, systemMessages: false },
  },
  {
    id: "claude-opus-4-6",
    ...large,
    minimumCachePrefix: 4096,
    tokenizer: "older",
    prices: prices(5, 25, 0.5),
    capabilities: generation46,
  },
  {
    id: "claude-opus-4-5",
    ...small,
    minimumCachePrefix: 4096,
    tokenizer: "older",
    prices: prices(5, 25, 0.5),
    capabilities: generation45,
  },
  {
    id: "claude-sonnet-5-5",
    ...large,
    minimumCachePrefix: 512,
    tokenizer: "newer",
    prices: prices(2, 10, 0.1),
    capabilities: { ...newer, thinking: boundThinking, forcedToolChoice: false },
  },
  {
    id: "claude-sonnet-5",
    ...large,
    minimumCachePrefix: 1024,
    tokenizer: "newer",
    prices: prices(2, 10, 0.2),
    capabilities: { ...newer, systemMessages: false },
  },
  {
    id: "claude-sonnet-4-6",
    ...large,
    minimumCachePrefix: 1024,
    tokenizer: "older",
    prices: prices(3, 15, 0.3),
    capabilities: generation46,
  },
  {
    id: "claude-sonnet-4-5",
    ...small,
    minimumCachePrefix: 1024,
    tokenizer: "older",
    prices: prices(3, 15, 0.3),
    capabilities: { ...generation45, thinking: strips },
  },
  {
    id: "claude-haiku-5-5",
    ...large,
    minimumCachePrefix: 512,
    tokenizer: "newer",
    prices: prices(0.1, 0.5, 0.01),
    longPrompt: { above: 100_000, prices: prices(0.5, 2.5, 0.05) },
    capabilities: { ...newer, systemMessages: false },
  },
  {
    id: "claude-haiku-4-5",
    ...small,
    minimumCachePrefix: 4096,
    tokenizer: "older",
    prices: prices(1, 5, 0.1),
    capabilities: { ...generation45, thinking: strips },
  },
];

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]));

/**
 * The row for a model name as clients write it: with a provider's prefix (`anthropic/`, `us.anthropic.`),
 * a date (`-20251101`), a revision (`-v1:0`) or a window suffix (`[1m]`). Undefined for a model not in
 * the table.
 */
export function findModel(name: string): Model | undefined {
  // Names come out of transcripts, which hold anything.
  if (typeof name !== "string") return undefined;
  const exact = byId.get(name);
  if (exact !== undefined) return exact;
  const start = name.lastIndexOf("claude-");
  if (start < 0) return undefined;
  const bare = name
    .slice(start)
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, "")
    .replace(/-v\d+(:\d+)?$/, "")
    .replace(/[-@]\d{8}$/, "")
    .replace(/-latest$/, "")
    .replaceAll(".", "-");
  return byId.get(bare);
}

/** Whether a model's thinking is bound to what stands before it; undefined for a model that nobody knows. */
export const bindsThinkingOf = (model: string): boolean | undefined =>
  findModel(model)?.capabilities.thinking.boundToPrefix;
