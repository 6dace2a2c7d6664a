import type { ReceiptDocument } from "./receipt-json.js";

type Figures = Pick<ReceiptDocument, "cost" | "costIs" | "requests" | "usage" | "breaks" | "quota">;

/** A receipt in one line, for a status line: dollars, requests, what the cache has spared, breaks, and what is left of a subscription. */
export function statusLine({ cost, costIs, requests, usage, breaks, quota }: Figures): string {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  const all = Object.values(breaks);
  const broken = all.reduce((sum, { count }) => sum + count, 0);
  const used = Number(quota["anthropic-ratelimit-unified-5h-utilization"]);
  return [
    `$${cost.toFixed(2)}${costIs === "billed" ? "" : " API-equivalent"}`,
    `${requests} request${requests === 1 ? "" : "s"}`,
    ...(prompt === 0 ? [] : [`${Math.round((usage.cacheRead / prompt) * 100)}% from the cache`]),
    ...(broken === 0
      ? []
      : [
          `${broken} break${broken === 1 ? "" : "s"} $${all.reduce((sum, one) => sum + one.cost, 0).toFixed(2)}`,
        ]),
    ...(Number.isFinite(used) ? [`5h ${Math.round(used * 100)}%`] : []),
  ].join(" · ");
}
