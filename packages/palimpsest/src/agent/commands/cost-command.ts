import { accountTotal, type Account, type AccountTotal } from "@palimpsest/core";
import type { CommandResult } from "./command-result.js";
import { dollars, figure } from "./figures.js";

/** What a conversation has cost over all of its runs: one row for each model and source. */
export function costCommand(account: Account): CommandResult {
  const total = accountTotal(account);
  if (total.calls === 0) {
    return {
      kind: "done",
      text: "Nothing was billed in this conversation yet.",
      data: { account: account.lines },
    };
  }
  const rows = [
    ["model", "source", "calls", "input", "cache read", "cache written", "output", "cost"],
    ...account.lines.map((line) => [line.model, line.source, ...figuresOf(line)]),
    ["all", "", ...figuresOf(total)],
  ];
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  const table = rows.map((row) =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  const notes = [
    ...(total.unpricedCalls > 0 ? [`${total.unpricedCalls} calls went to models without known prices.`] : []),
    ...(total.estimated.calls > 0
      ? [
          `${total.estimated.calls} calls were cut off: ${dollars(total.estimated.dollars)} of it is an estimate.`,
        ]
      : []),
  ];
  return { kind: "done", text: [...table, ...notes].join("\n"), data: { account: account.lines, total } };
}

const figuresOf = (sum: AccountTotal): readonly string[] => [
  figure(sum.calls),
  figure(sum.inputTokens),
  figure(sum.cacheReadTokens),
  figure(sum.cacheWrite5mTokens + sum.cacheWrite1hTokens),
  figure(sum.outputTokens),
  sum.unpricedCalls === sum.calls && sum.calls > 0 ? "unknown" : dollars(sum.dollars),
];
