import { errorText } from "../../messages/error-text.js";
import { createRewoundMarker } from "../../messages/rewound.js";
import { isLateAnswer } from "../../messages/late-answer.js";
import type { Message } from "../../messages/message.js";
import { linkLive } from "../../messages/transcript/live.js";
import type { DefaultEstimator } from "../measure/default-estimator.js";
import type { ReadState } from "../tools/read-state.js";
import type { NotRewound, Rewound } from "./conversation-api.js";
import { estimatorOf, originOf } from "./facts.js";
import { foldMessages } from "./fold.js";
import { dropBoundThinking } from "./perform.js";
import { placeAnswers } from "./place-answers.js";
import { liveUpTo } from "./rewind-in-memory.js";
import { compactionEnd, overtakenIn, type RewindTarget } from "./rewind-target.js";
import type { Running } from "./stages.js";
import type { ConversationState } from "./state.js";

/** Goes on after an earlier message, as the conversation was then. What came after stays in the transcript. */
export async function rewind(
  runner: Running,
  to: string,
  history: (() => Promise<readonly Message[]>) | undefined,
): Promise<Rewound | NotRewound> {
  const { setup, state } = runner;
  const { state: sources } = setup.options;
  let stored: readonly Message[] | undefined;
  try {
    stored = await history?.();
  } catch (error) {
    const why = errorText(error);
    return failed("history_unreadable", `What was stored could not be read: ${why}`);
  }
  const found = stored === undefined ? liveUpTo(state.context.live, to) : targetIn(stored, to);
  if (found === "unknown_message" || found === "originals_missing") return failed(found, sentences[found]);
  const origin = { ...originOf(runner), parentUuid: found.parentUuid };
  const marker = createRewoundMarker(origin, found.leftOut);
  const messages =
    found.messages === undefined
      ? linkLive([...(stored ?? []), marker]).messages
      : [...found.messages, marker];
  await runner.commit({ kind: "rewound", marker, earlier: foldKeepingLearned(runner, messages) });
  const { live: now } = runner.state.context;
  forgetLaterReads(sources?.readState, now.slice(0, now.indexOf(marker)));
  await dropBoundThinking(runner);
  const { live } = runner.state.context;
  setup.watch.notifyCompaction(setup.source);
  runner.notes?.noteRewind();
  return { kind: "rewound", live };
}

/** What it was then; what was learned of the model since stays known. */
function foldKeepingLearned(runner: Running, messages: readonly Message[]): ConversationState {
  const { setup, state } = runner;
  const base: Partial<DefaultEstimator> = estimatorOf(runner).base;
  const { calibration } = base;
  const earlier = foldMessages(setup, messages, state);
  if (calibration === undefined) return earlier;
  base.calibration = calibration;
  setup.options.calibrations?.note(state.model, calibration);
  return earlier;
}

const sentences = {
  unknown_message: "There is no message with this uuid in the conversation.",
  originals_missing:
    "What stood before that message has been changed since, and the originals are not in memory: hand in `history`, which reads the transcript.",
} as const;

const failed = (reason: NotRewound["reason"], message: string): NotRewound => ({
  kind: "failed",
  reason,
  message,
});

/** In everything that was stored. */
function targetIn(stored: readonly Message[], to: string): RewindTarget | "unknown_message" {
  const at = stored.findLastIndex(({ uuid, isSidechain }) => uuid === to && isSidechain !== true);
  const target = stored[compactionEnd(stored, at)];
  if (target === undefined) return "unknown_message";
  // A response that was on its way when it was said stands before it.
  const last =
    stored.findLast((message) => isLateAnswer(message) && message.overtakes.includes(target.uuid)) ?? target;
  const draft = { type: "system", subtype: "rewound", uuid: "", parentUuid: last.uuid } as Message;
  const placed = placeAnswers(linkLive([...stored, draft]).messages.slice(0, -1));
  const place = placed.findLastIndex(({ uuid }) => uuid === target.uuid);
  if (place === -1) return "unknown_message";
  const overtaken = overtakenIn(placed);
  const leftOut = placed.slice(place + 1).flatMap(({ uuid }) => (overtaken.has(uuid) ? [uuid] : []));
  return { parentUuid: last.uuid, leftOut };
}

/** Files that were read later are not shown any more; what was read again has to be read once more. */
function forgetLaterReads(readState: ReadState | undefined, live: readonly Message[]): void {
  const until = live.reduce((latest, { timestamp }) => Math.max(latest, Date.parse(timestamp) || 0), 0);
  for (const { path, timestamp } of readState?.snapshot().reads ?? []) {
    if (timestamp > until) readState?.forget(path);
  }
}
