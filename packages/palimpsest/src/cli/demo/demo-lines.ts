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
    case "opened":
    case "agent":
    case "answered":
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

/** The meter, now and then: on one line where that is wide enough. */
export const meterLines = (meter: DemoMeter, { columns }: LineOptions): readonly string[] => {
  const { responses, tokens, window, cacheHit, cost, withoutCaching, summariseAll } = meter;
  const text =
    `[${responses}] context ${Math.round((tokens / window) * 100)}% (${thousands(tokens)} of ${thousands(window)}), ` +
    `cache ${percent(cacheHit)}, ${dollars(cost)} (no caching ${dollars(withoutCaching)}, summarise everything ${dollars(summariseAll)})`;
  return wrapped(text, columns - 4).map((line, index) => `${index === 0 ? "  " : "    "}${line}`);
};
