import type { ChainEntry, MessageChain } from "./message-chain.js";
import { bind, blocksOf, isThinking, START } from "./message-chain.js";
import { digest } from "./digest.js";
import { asText, isFields } from "../fields.js";
import { openThinkingSeal, thinkingId } from "./seals.js";

export interface ThinkingProblem {
  readonly message: number;
  readonly block: number;
  readonly kind: "modified" | "invalid-signature" | "bound-elsewhere";
}

export interface ThinkingRules {
  /** Of the tools and the system prompt. */
  readonly head: string;
  /** Whether the model binds thinking to everything before it. */
  readonly isBound: boolean;
  /** Signatures that the simulator did not write: recordings have such. */
  readonly acceptForeign: boolean;
}

interface Verified {
  readonly rules: string;
  readonly lastThinking: string | undefined;
}

/** What keeps the API from accepting thinking blocks that come back to it. Each prefix is verified once. */
export class ThinkingVerifier {
  readonly #verified = new WeakMap<ChainEntry, Verified>();

  check(chain: MessageChain, rules: ThinkingRules): readonly ThinkingProblem[] {
    if (chain.entries.at(-1)?.hasThinking !== true) return [];
    const name = JSON.stringify(rules);
    const known = chain.entries.findLastIndex((entry) => this.#verified.get(entry)?.rules === name);
    const start = chain.entries[known];
    let lastThinking = start && this.#verified.get(start)?.lastThinking;
    const problems: ThinkingProblem[] = [];
    for (let index = known + 1; index < chain.entries.length; index += 1) {
      const entry = chain.entries[index];
      if (entry === undefined) break;
      const before = chain.entries[index - 1]?.binding;
      for (const [block, facts] of entry.blocks.entries()) {
        if (!isThinking(facts.type)) continue;
        const content = blocksOf(entry.message)[block];
        const fields = isFields(content) ? content : {};
        const signature = asText(fields["signature"]) || asText(fields["data"]);
        const kind = judge({ signature, text: asText(fields["thinking"]), lastThinking, rules }, () =>
          digest(rules.head + bind(before ?? START, entry.blocks.slice(0, block))),
        );
        // What follows a block that is bound elsewhere is bound to what it was bound to.
        const isBehind = rules.isBound && problems.some((problem) => problem.kind === "bound-elsewhere");
        const found = kind ?? (isBehind ? "bound-elsewhere" : undefined);
        if (found !== undefined) problems.push({ message: index, block, kind: found });
        lastThinking = thinkingId(signature);
      }
      if (problems.length === 0) this.#verified.set(entry, { rules: name, lastThinking });
    }
    return problems;
  }
}

interface Judged {
  readonly signature: string;
  readonly text: string;
  readonly lastThinking: string | undefined;
  readonly rules: ThinkingRules;
}

function judge(
  { signature, text, lastThinking, rules }: Judged,
  binding: () => string,
): ThinkingProblem["kind"] | undefined {
  const seal = openThinkingSeal(signature);
  if (seal === undefined) return rules.acceptForeign ? undefined : "invalid-signature";
  if (seal.textDigest !== digest(text)) return "modified";
  if (!rules.isBound) return undefined;
  if (seal.binding !== binding()) return "bound-elsewhere";
  // The oldest may be left out, one in the middle may not.
  return lastThinking === undefined || seal.previous === lastThinking ? undefined : "bound-elsewhere";
}
