import { dollars } from "../../../agent/commands/figures.js";
import { statusOf } from "../talk/status-of.js";
import type { TalkHandle } from "../talk/talk-handle.js";
import { wrapLines } from "../text/width.js";

/** Beyond so many dollars more than usual, the person is asked before it is sent. */
const DEAR_DOLLARS = 0.25;

/** Warns where the cache is cold, and asks where that is dear. */
export async function isPriceFine(talk: TalkHandle): Promise<boolean> {
  const { next, isWarm, warmUntil } = statusOf(talk.session, {
    now: talk.parts.now(),
    compacting: undefined,
  });
  if (next === undefined || isWarm || warmUntil === undefined) return true;
  const price = `The cache went cold: this turn costs about ${dollars(next.cold)} before it is answered, not ${dollars(next.warm)}.`;
  talk.notice(price, "warn");
  if (next.cold - next.warm < DEAR_DOLLARS) return true;
  const chosen = await talk.surface.ask({
    about: ({ theme, width }) => wrapLines(price, width).map(theme.warn),
    choices: [
      { value: "send", label: "send it" },
      { value: "no", label: "not now", description: "what you typed comes back" },
    ],
  });
  return chosen?.values[0] === "send";
}
