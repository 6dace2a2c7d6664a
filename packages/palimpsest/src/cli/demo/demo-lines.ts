import { plural, printable } from "../terminal.js";
import type { DemoEvent, DemoMeter, DemoStep } from "./demo-event.js";
import { dollars, fitting, percent, thousands, wrapped, type Paint } from "./demo-text.js";

export interface LineOptions {
  readonly columns: number;
  readonly paint: Paint;
}

/** What a person reads of an event; nothing for the meter, which has a place of its own. */
export function eventLines(event: DemoEvent, { columns, paint }: LineOptions): readonly string[] {
  const fit = (text: string): string => fitting(printable(text), columns - 2);
  switch (event.kind) {
    case "person":
      return ["", paint.bold(paint.cyan(fit(`> ${event.text}`)))];
    case "pause":
      return ["", paint.dim(`  … ${event.minutes} simulated minutes later`)];
    case "action":
      return [`  ${fit(event.text)}`];
    case "trouble":
      return [`  ${paint.yellow(fit(event.text))}`];
    case "step":
      return stepLines(event.step, { columns, paint });
    case "meter":
      return [];
  }
}

function stepLines(step: DemoStep, { columns, paint }: LineOptions): readonly string[] {
  const { tier, tokensBefore, tokensAfter, writer, restored = [], mended } = step;
  const what = writer === undefined ? "cleared" : "compacted";
  const head = `◆ ${what} ${thousands(tokensBefore)} → ${thousands(tokensAfter)}  (${describeTier(step)})`;
  const parts = [
    ...(restored.length === 0 ? [] : [`restored: ${restored.join(", ")}`]),
    ...(mended === undefined || mended.messagesAdded === 0
      ? []
      : [`mended: ${plural(mended.messagesAdded, "message")} of the person put back word for word`]),
    ...(writer === undefined && tier === "time-based" ? ["the cache was cold anyway: it cost nothing"] : []),
  ];
  return [
    `  ${paint.magenta(paint.bold(fitting(head, columns - 2)))}`,
    ...parts.flatMap((part) => wrapped(part, columns - 6).map((line) => `    ${paint.magenta(line)}`)),
  ];
}

const describeTier = ({ tier, writer }: DemoStep): string => {
  if (writer !== undefined) return writer === "fork" ? "summary on its own warm cache" : `summary: ${writer}`;
  return tier === "time-based" ? "old results, after a pause" : `old results, ${tier}`;
};

const BAR = 24;

/** The lines that stay at the bottom while the demo runs. */
export function meterLines(meter: DemoMeter, { columns, paint }: LineOptions): readonly string[] {
  const { tokens, window, compactAt, warnAt, cacheHit, cost, withoutCaching, summariseAll } = meter;
  const share = Math.min(1, tokens / window);
  const width = Math.max(8, Math.min(BAR, columns - 44));
  const full = Math.round(share * width);
  const colour = tokens >= compactAt ? paint.red : tokens >= warnAt ? paint.yellow : paint.green;
  const bar = `${colour("█".repeat(full))}${paint.dim("░".repeat(width - full))}`;
  const other = columns >= 72 ? "summarise everything" : "summarise all";
  const figures = `${String(Math.round(share * 100)).padStart(3)}%  ${thousands(tokens)} of ${thousands(window)}`;
  const context = `${bar} ${figures}${columns >= 80 ? paint.dim(`  compacts at ${thousands(compactAt)}`) : ""}`;
  return [
    `  context ${context}`,
    `  ${fitting(`cache   ${percent(cacheHit)} of all input was read from it`, columns - 2)}`,
    `  ${fitting(`cost    ${dollars(cost)} · no caching ${dollars(withoutCaching)} · ${other} ${dollars(summariseAll)}`, columns - 2)}`,
  ];
}

/** The meter where nothing can be overwritten: one line, now and then. */
export const meterLine = ({
  responses,
  tokens,
  window,
  cacheHit,
  cost,
  withoutCaching,
  summariseAll,
}: DemoMeter): string =>
  `  [${responses}] context ${Math.round((tokens / window) * 100)}% (${thousands(tokens)} of ${thousands(window)}), ` +
  `cache ${percent(cacheHit)}, ${dollars(cost)} (no caching ${dollars(withoutCaching)}, summarise everything ${dollars(summariseAll)})`;
