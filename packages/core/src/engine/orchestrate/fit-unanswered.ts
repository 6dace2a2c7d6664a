import type { Message } from "../../messages/message.js";
import { headTokens } from "../measure/context-meter.js";
import type { Thresholds } from "../measure/thresholds.js";
import { unpadded } from "../measure/unpadded.js";
import { applyCuts, earlierCut } from "../oversize/apply-cuts.js";
import { cutToEnds } from "../oversize/cut-to-ends.js";
import { decideCuts, type PlannedCut } from "../oversize/decide-cuts.js";
import { leastSummaryTokens } from "../oversize/least-summary.js";
import { createOversizeBoundary, type CutText } from "../boundaries/oversize-boundary.js";
import { unansweredFrom } from "../oversize/unanswered.js";
import { cutNote, describeCuts } from "../oversize/wording.js";
import type { ConversationCore } from "./conversation-core.js";
import type { ConversationPlan, EngineStep } from "./conversation.js";
import type { FitUnansweredOptions } from "./stages.js";

/** Where texts have to be cut, the rest of the room has to do for more than one answer. */
const SHARE_AFTER_CUT = 0.8;

const tokensOf = ({ estimator }: ConversationCore, messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimator.message(message), 0);

/** What `fitUnanswered` would cut; undefined where everything that waits for an answer fits, or nothing can be done. */
function planCuts(
  core: ConversationCore,
  thresholds: Thresholds = core.thresholds,
): readonly PlannedCut[] | undefined {
  const { settings, state, estimator } = core;
  const { hardAt, autoCompactAt } = thresholds;
  const least = leastSummaryTokens(hardAt);
  if (settings.disableCompact || state.size.padded < hardAt - least) return undefined;
  const start = unansweredFrom(state.live);
  const unanswered = state.live.slice(start);
  const before = tokensOf(core, state.live.slice(0, start));
  const beside = Math.min(least, before);
  const overhead = headTokens(state.size);
  const roomBelow = (limit: number): number => unpadded(Math.max(0, limit - overhead), estimator) - beside;
  const most = roomBelow(hardAt - 1);
  if (tokensOf(core, unanswered) <= most) return undefined;
  const cuts = decideCuts(unanswered, {
    estimator,
    target: roomBelow(autoCompactAt) * SHARE_AFTER_CUT,
    most,
  });
  return cuts === undefined || cuts.length === 0 ? undefined : cuts;
}

/** The same for a host that asks what would be done. */
export function planOversize(core: ConversationCore): ConversationPlan | undefined {
  const cuts = planCuts(core);
  if (cuts === undefined) return undefined;
  const { tokens } = core.state.size;
  const freed = cuts.reduce((sum, cut) => sum + cut.tokens - cut.tokensAfter, 0);
  return { tier: "oversize", tokens, tokensAfter: tokens - freed, count: cuts.length };
}

/**
 * What nobody has answered yet and what cannot fit, whatever is summarised, keeps its two ends; the whole text goes to
 * where the host keeps such texts. Original messages stay whole in the transcript. Undefined where nothing was done.
 */
export async function fitUnanswered(
  core: ConversationCore,
  { thresholds }: FitUnansweredOptions = {},
): Promise<EngineStep | undefined> {
  const planned = planCuts(core, thresholds);
  if (planned === undefined) return undefined;
  const { live } = core.state;
  const cut: CutText[] = [];
  for (const one of planned) {
    const text = await cutText(core, one);
    if (text !== undefined) cut.push(text);
  }
  if (cut.length === 0) return undefined;
  const changed = applyCuts(live, cut);
  const start = unansweredFrom(live);
  const tokens = {
    tokensBefore: tokensOf(core, live.slice(start)),
    tokensAfter: tokensOf(core, changed.slice(start)),
  };
  const boundary = createOversizeBoundary(core.origin(), { cut, ...tokens });
  const before = core.state.size.tokens;
  forgetFiles(core, planned);
  await core.store([boundary]);
  core.replace([...changed, boundary]);
  const kept = cut.flatMap((one) => one.kept ?? []);
  core.events.emit("oversize_cut", { texts: cut.length, kept, ...tokens });
  return {
    tier: "oversize",
    added: [boundary],
    tokensBefore: before,
    tokensAfter: core.state.size.tokens,
    text: describeCuts(cut, tokens),
  };
}

async function cutText(core: ConversationCore, planned: PlannedCut): Promise<CutText | undefined> {
  const { uuid, path, text, toolUseId, tokens, tokensAfter, scale } = planned;
  const { overflow } = core.options;
  const earlier = earlierCut(core.state.live, planned);
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
    estimator: core.estimator,
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
function forgetFiles({ state, options }: ConversationCore, cuts: readonly PlannedCut[]): void {
  const ids = new Set(cuts.flatMap(({ toolUseId }) => toolUseId ?? []));
  for (const path of ids.size === 0 ? [] : state.index.filesLostWith(ids))
    options.state?.readState.forget(path);
}
