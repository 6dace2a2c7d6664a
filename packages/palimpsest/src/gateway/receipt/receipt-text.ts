import type { ReceiptDocument } from "./receipt-json.js";

const numbers = new Intl.NumberFormat("en-US");
const count = (value: number, noun: string): string =>
  `${numbers.format(value)} ${noun}${value === 1 ? "" : "s"}`;
const dollars = (value: number): string => `$${value.toFixed(4)}`;

/** A receipt for people: what went through, what it used, and what it cost. Names in it may be anybody's: show them with care. */
export function receiptLines(receipt: ReceiptDocument): readonly string[] {
  const { requests, mode, identical, models, usage, quota } = receipt;
  const rows = Object.entries(models).map(([model, { calls, usage: used, cost, priced }]) => [
    model,
    numbers.format(calls),
    ...[used.input, used.cacheRead, used.cacheWrite5m, used.cacheWrite1h, used.output].map((value) =>
      numbers.format(value),
    ),
    priced ? dollars(cost) : "no price known",
  ]);
  const head = ["model", "calls", "input", "read", "written 5m", "written 1h", "output", "cost"];
  const passed =
    identical === requests ? "all passed on byte for byte" : `${numbers.format(identical)} passed on whole`;
  return [
    `gateway (${mode}): ${count(requests, "request")}, ${passed}`,
    ...(rows.length === 0 ? [] : table([head, ...rows])),
    ...(rows.length > 1
      ? [
          `in all ${numbers.format(usage.input)} input, ${numbers.format(usage.cacheRead)} read, ` +
            `${numbers.format(usage.cacheWrite5m + usage.cacheWrite1h)} written, ${numbers.format(usage.output)} output`,
        ]
      : []),
    ...(rows.length === 0 ? [] : [costLine(receipt)]),
    ...breakLines(receipt),
    ...whatIfLines(receipt),
    ...quotaLines(quota),
    ...notes(receipt),
  ];
}

function costLine(receipt: ReceiptDocument): string {
  const unpriced = Object.entries(receipt.models).flatMap(([model, { priced }]) => (priced ? [] : [model]));
  if (unpriced.length === 0) return paidLine(receipt);
  const whose = `${unpriced.join(", ")}, whose prices are not known`;
  return unpriced.length === Object.keys(receipt.models).length
    ? `no cost: it was ${whose}`
    : `${paidLine(receipt)}; without ${whose}`;
}

function paidLine({ cost, costIs, subscriptionCost }: ReceiptDocument): string {
  if (costIs === "billed") return `cost ${dollars(cost)}, by the usage that the API reported`;
  if (costIs === "api-equivalent") {
    return `cost ${dollars(cost)} API-equivalent: a subscription pays, the API would have taken this`;
  }
  return `cost ${dollars(cost)}, of which ${dollars(subscriptionCost)} API-equivalent: a subscription pays for those`;
}

/** The newest breaks, each with its reason, owner and price. */
function breakLines({ breaks, newestBreaks }: ReceiptDocument): readonly string[] {
  const all = Object.values(breaks);
  if (all.length === 0) return [];
  const times = all.reduce((sum, { count: one }) => sum + one, 0);
  const cost = all.reduce((sum, one) => sum + one.cost, 0);
  return [
    `${count(times, "cache break")}, which cost ${dollars(cost)} more`,
    ...newestBreaks.slice(-SHOWN_BREAKS).map((one) => {
      const where =
        one.owner === undefined
          ? ""
          : ` in ${one.owner.kind} ${one.owner.index}${one.owner.name === "" ? "" : ` (${one.owner.name})`}, from byte ${numbers.format(one.byte ?? 0)} on`;
      return `  ${one.reasons.join(", ")}${where}: ${count(Math.round(one.lostTokens), "token")} not read, ${dollars(one.cost)}`;
    }),
  ];
}

/** What other policies would have cost, beside what the same requests did cost, and what the replay makes of them. */
function whatIfLines({ whatIf, whatIfOf }: ReceiptDocument): readonly string[] {
  if (whatIfOf === null) return [];
  const { requests, cost, simulated, leftOut } = whatIfOf;
  const left = Object.entries(leftOut).map(([reason, times]) => `${reason} ${numbers.format(times)}`);
  const without = left.length === 0 ? "" : `; conversations left out: ${left.join(", ")}`;
  if (requests === 0) return left.length === 0 ? [] : [`what if: nothing to play${without}`];
  const policies = Object.entries(whatIf).map(([name, value]) => `${name} ${dollars(value)}`);
  return [
    `what if: ${policies.join(", ")}, for ${count(requests, "request")} that cost ${dollars(cost)} ` +
      `(${dollars(simulated)} as the replay counts)${without}`,
  ];
}

const SHOWN_BREAKS = 5;
const PREFIX = "anthropic-ratelimit-unified-";

/** What is left of a subscription, by its windows. */
function quotaLines(quota: Readonly<Record<string, string>>): readonly string[] {
  const windows = Object.entries(quota).flatMap(([name, value]) => {
    const [, window] = /^(.+)-utilization$/.exec(name.slice(PREFIX.length)) ?? [];
    const used = Number(value);
    if (window === undefined || !Number.isFinite(used)) return [];
    return [`${window} ${Math.round(used * 100)}% used${resetOf(quota[`${PREFIX}${window}-reset`])}`];
  });
  return windows.length === 0 ? [] : [`subscription: ${windows.join("; ")}`];
}

function resetOf(value: string | undefined): string {
  const at = new Date(/^\d+$/.test(value ?? "") ? Number(value) * 1000 : (value ?? ""));
  return Number.isNaN(at.getTime()) ? "" : `, until ${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function notes({
  errors,
  errorTypes,
  unread,
  unrecorded,
  unplaced,
  forgotten,
  lost,
  unwatched,
  tokenCounts,
}: ReceiptDocument): readonly string[] {
  const named = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, times]) => `${name} ${numbers.format(times)}`)
      .join(", ");
  return [
    ...(tokenCounts > 0 ? [`${count(tokenCounts, "question")} for a count of tokens, free`] : []),
    ...(errors > 0 ? [`${count(errors, "error")}: ${named(errorTypes)}`] : []),
    ...(Object.keys(unread).length > 0 ? [`not in these figures: ${named(unread)}`] : []),
    ...(Object.keys(unrecorded).length > 0 ? [`not recorded: ${named(unrecorded)}`] : []),
    ...(unplaced > 0
      ? [
          `${count(unplaced, "request")} in no conversation and no recording: too large to be kept, or faster than they could be read`,
        ]
      : []),
    ...(forgotten > 0
      ? [
          `${count(forgotten, "line")} of requests no longer remembered for newer ones: one that goes on counts as a new conversation`,
        ]
      : []),
    ...(unwatched > 0
      ? [`${count(unwatched, "request")} passed while the mode was off, not in these figures`]
      : []),
    ...(lost > 0
      ? [`${count(lost, "request")} under way when the proxy was started again, perhaps billed`]
      : []),
  ];
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}
