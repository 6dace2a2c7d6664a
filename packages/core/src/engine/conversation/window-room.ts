import { thresholdsOf } from "./facts.js";
import type { Moment } from "./stages.js";

/** What the messages of one round need at the least: a share of the window, and never more than this. */
const LEAST_SHARE = 0.05;
const MOST_LEAST = 4000;
/** An estimate of system prompt and tools may be off by this: only beyond it nothing is tried. */
const DOUBT = 1.5;

const figures = new Intl.NumberFormat("en-US");

/** Why no round fits beside system prompt and tools, in one sentence; undefined where one does. */
export function whyNoRoom(moment: Moment): string | undefined {
  const { context } = moment.state;
  const { contextWindow } = thresholdsOf(moment);
  const head = context.size.shownOverhead;
  const needed = Math.min(MOST_LEAST, Math.ceil(contextWindow * LEAST_SHARE));
  const certain = context.isOverheadShown ? head : head / DOUBT;
  if (contextWindow - certain >= needed) return undefined;
  const left = Math.max(0, contextWindow - head);
  const [window, taken, rest, round] = [contextWindow, head, left, needed].map((tokens) =>
    figures.format(Math.round(tokens)),
  );
  return `System prompt and tools take ${taken} of the ${window} tokens of the window: ${rest} are left, and a round needs at least ${round}. Use fewer tools, a shorter system prompt, or a model with a larger window.`;
}
