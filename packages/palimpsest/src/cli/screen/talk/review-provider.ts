import type { ModelOutput, ModelProvider } from "@palimpsest/core";

/** The person wants to see a summary before it is taken. */
export interface Review {
  /** Undefined as long as nobody does. The summary comes back as they want it; undefined calls the compaction off. */
  current: ((summary: string) => Promise<string | undefined>) | undefined;
}

const SUMMARY = /<summary>([^]*)<\/summary>/;

/** Whoever answers, with a person who may change summaries on their way. Everything else passes as it is. */
export function reviewingProvider(provider: ModelProvider, review: Review): ModelProvider {
  return {
    name: provider.name,
    capabilities: (model) => provider.capabilities(model),
    stream(call, options) {
      const { current } = review;
      if (current === undefined) return provider.stream(call, options);
      return reviewed(provider.stream(call, options), current);
    },
  };
}

async function* reviewed(
  outputs: AsyncIterable<ModelOutput>,
  look: NonNullable<Review["current"]>,
): AsyncGenerator<ModelOutput> {
  for await (const output of outputs) {
    if (output.kind !== "message") {
      yield output;
      continue;
    }
    const { content } = output.message;
    const at = content.findIndex((block) => block.type === "text" && SUMMARY.test(block.text));
    const block = content[at];
    const summary = block?.type === "text" ? SUMMARY.exec(block.text)?.[1]?.trim() : undefined;
    if (block?.type !== "text" || summary === undefined) {
      yield output;
      continue;
    }
    const changed = await look(summary);
    if (changed === undefined || changed.trim() === summary) {
      yield output;
      continue;
    }
    const text = block.text.replace(SUMMARY, () => `<summary>\n${changed.trim()}\n</summary>`);
    const replaced = content.map((one, index) => (index === at ? { ...block, text } : one));
    yield { ...output, message: { ...output.message, content: replaced } };
  }
}
