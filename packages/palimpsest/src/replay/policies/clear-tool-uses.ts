import type { ModelResponse } from "@palimpsest/core";
import type { Policy, PolicyEdit } from "./policy.js";
import { PromptList } from "./prompt-list.js";

export interface ClearToolUsesOptions {
  /** Input tokens at which the API clears. Default 100,000, as the API's own. */
  readonly at?: number;
  /** The newest results that stay. Default 3, as the API's own. */
  readonly keep?: number;
  /** Tokens that a clearing frees at least, or it is not made. Default: no such condition. */
  readonly least?: number;
}

const BETA = "context-management-2025-06-27";

/** The API's own context editing: old results are cleared on its side, with every request anew. */
export function createClearToolUsesPolicy({
  at = 100_000,
  keep = 3,
  least,
}: ClearToolUsesOptions = {}): Policy {
  const edit = {
    type: "clear_tool_uses_20250919",
    trigger: { type: "input_tokens", value: at },
    keep: { type: "tool_uses", value: keep },
    ...(least === undefined ? {} : { clear_at_least: { type: "input_tokens", value: least } }),
  };
  return {
    name: "clear-tool-uses",
    description: `the API clears all but ${keep} results beyond ${at} tokens`,
    ttls: ["5m", "1h"],
    start(host) {
      const list = new PromptList(host);
      let cleared = 0;
      return {
        append: async (messages) => list.append(messages),
        prepare: async () => ({
          kind: "request",
          call: list.request({ context_management: { edits: [edit] } }, [BETA]),
          edits: [],
        }),
        async answered(response) {
          list.answered(response);
          const tokens = clearedTokens(response);
          // The API clears the same results with every request: only more of them is news.
          const edits: readonly PolicyEdit[] =
            tokens > cleared
              ? [{ tier: "api-native", tokensBefore: list.size + tokens - cleared, tokensAfter: list.size }]
              : [];
          cleared = tokens;
          return edits;
        },
        refused: async () => ({ next: "end", edits: [] }),
      };
    },
  };
}

function clearedTokens({ context_management: management }: ModelResponse): number {
  const applied: unknown = (management as { applied_edits?: unknown } | undefined)?.applied_edits;
  if (!Array.isArray(applied)) return 0;
  return applied.reduce<number>((sum, edit: { cleared_input_tokens?: unknown }) => {
    const { cleared_input_tokens: tokens } = edit;
    return sum + (typeof tokens === "number" ? tokens : 0);
  }, 0);
}
