import type { Message } from "../../messages/message.js";
import type { Thresholds } from "../measure/thresholds.js";
import { unpadded } from "../measure/unpadded.js";
import { applyCuts, earlierCut } from "../oversize/apply-cuts.js";
import { cutToEnds } from "../oversize/cut-to-ends.js";
import { decideCuts, type PlannedCut } from "../oversize/decide-cuts.js";
import { leastSummaryTokens } from "../oversize/least-summary.js";
import { createOversizeBoundary, type CutText } from "../boundaries/oversize-boundary.js";
import { unansweredFrom } from "../oversize/unanswered.js";
import { cutNote, describeCuts } from "../oversize/wording.js";
import type { EngineStep } from "./conversation-api.js";
import { estimatorOf, originOf, thresholdsOf } from "./facts.js";
import type { Moment } from "./stages.js";
import type { Running } from "./stages.js";

/** Where texts have to be cut, the rest of the room has to do for more than one answer. */
const SHARE_AFTER_CUT = 0.8;

const tokensOf = (moment: Moment, messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimatorOf(moment).message(message), 0);

/** What is to be cut; undefined where everything that waits for an answer fits, or nothing can be done. */
export function cutsFor(
  moment: Moment,
  thresholds: Thresholds = thresholdsOf(moment),
): readonly PlannedCut[] | undefined {
  const { settings } = moment.setup;
  const { live, size } = moment.state.context;
  const estimator = estimatorOf(moment);
  const { hardAt, autoCompactAt } = thresholds;
  const least = leastSummaryTokens(hardAt);
  if (settings.disableCompact || size.padded < hardAt - least) return undefined;
  const start = unansweredFrom(live);
  const unanswered = live.slice(start);
  const before = tokensOf(moment, live.slice(0, start));
  const beside = Math.min(least, before);
  const overhead = size.shownOverhead;
  const roomBelow = (limit: number): number => unpadded(Math.max(0, limit - overhead), estimator) - beside;
  const most = roomBelow(hardAt - 1);
  if (tokensOf(moment, unanswered) <= most) return undefined;
  const cuts = decideCuts(unanswered, {
    estimator,
    target: roomBelow(autoCompactAt) * SHARE_AFTER_CUT,
    most,
  });
  return cuts === undefined || cuts.length === 0 ? undefined : cuts;
}

/**
 * What nobody has answered yet and what cannot fit, whatever is summarised, keeps its two ends; the whole text goes to
 * where the host keeps such texts. Original messages stay whole in the transcript. Undefined where nothing was done.
 */
export async function cutUnanswered(
  running: Running,
  planned: readonly PlannedCut[],
): Promise<EngineStep | undefined> {
  const { live, size } = running.state.context;
  const cut: CutText[] = [];
  for (const one of planned) {
    const text = await cutText(running, one);
    if (text !== undefined) cut.push(text);
  }
  if (cut.length === 0) return undefined;
  const start = unansweredFrom(live);
  const tokens = {
    tokensBefore: tokensOf(running, live.slice(start)),
    tokensAfter: tokensOf(running, applyCuts(live, cut).slice(start)),
  };
  const boundary = createOversizeBoundary(originOf(running), { cut, ...tokens });
  forgetFiles(running, planned);
  await running.commit({ kind: "cut", boundary });
  const kept = cut.flatMap((one) => one.kept ?? []);
  running.setup.events.emit("oversize_cut", { texts: cut.length, kept, ...tokens });
  return {
    tier: "oversize",
    added: [boundary],
    tokensBefore: size.tokens,
    tokensAfter: running.state.context.size.tokens,
    text: describeCuts(cut, tokens),
  };
}

async function cutText(running: Running, planned: PlannedCut): Promise<CutText | undefined> {
  const { uuid, path, text, toolUseId, tokens, tokensAfter, scale } = planned;
  const { overflow } = running.setup.options;
  const earlier = earlierCut(running.state.context.live, planned);
  const whole = earlier?.whole ?? earlier?.characters;
  const name = toolUseId === undefined ? "message" : "result";
  const about = { name, uuid, ...(toolUseId === undefined ? {} : { toolUseId }) } as const;
  const kept =
    earlier === undefined ? await overflow?.keep(text, about).catch(() => undefined) : earlier.kept;
  const facts = {
    characters: whole ?? text.length,
    kept,
    hint: kept === undefined ? undefined : overflow?.hint?.(kept, about),
    lost: overflow === undefined ? "not-kept" : "failed",
  } as const;
  const shown = facts.characters - text.length;
  const ends = cutToEnds(text, {
    estimator: estimatorOf(running),
    size: tokens / scale,
    tokens: tokensAfter / scale,
    note: (leftOut) => cutNote(leftOut + shown, facts),
  });
  return ends === undefined
    ? undefined
    : {
        uuid,
        path,
        characters: text.length,
        ...ends,
        ...(whole === undefined ? {} : { whole }),
        ...(kept === undefined ? {} : { kept }),
      };
}

/** A file of which a result shows the ends alone does not count as read. */
function forgetFiles({ setup, state }: Running, cuts: readonly PlannedCut[]): void {
  const ids = new Set(cuts.flatMap(({ toolUseId }) => toolUseId ?? []));
  for (const path of ids.size === 0 ? [] : state.context.index.filesLostWith(ids))
    setup.options.state?.readState.forget(path);
}
