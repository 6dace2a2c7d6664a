import type { Estimator } from "../ports/estimator.js";
import { endsWithin } from "../measure/token-cuts.js";

export interface CapResultOptions {
  readonly estimator: Estimator;
  /** `subagentResultTokens`. */
  readonly maxTokens: number;
  /** Keeps the whole text and says where; where that fails the text is cut all the same. */
  readonly spill: (text: string) => Promise<string>;
}

/** What a subagent hands back to its parent: beyond the cap its two ends, and where the rest is. */
export async function capResult(text: string, options: CapResultOptions): Promise<string> {
  const { estimator, maxTokens, spill } = options;
  const size = estimator.block({ type: "text", text });
  if (size <= maxTokens) return text;
  const path = await spill(text).catch(() => undefined);
  const where = path === undefined ? "could not be kept" : `is at ${path}`;
  const render = (head: string, tail: string): string =>
    `${head}\n\n[… ${size} tokens in all; the whole text ${where} …]\n\n${tail}`;
  const { head, tail } = endsWithin(text, { estimator, tokens: maxTokens, size, render });
  return render(head, tail);
}
