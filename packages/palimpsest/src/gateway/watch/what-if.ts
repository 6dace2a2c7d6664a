import { Worker } from "node:worker_threads";
import type { WhatIfFigures } from "../receipt/what-if-figures.js";
import type { PlayedWhatIf } from "./play-what-if.js";
import type { KeptTranscript, WhatIfContents } from "./what-if-contents.js";
import type { WhatIfReport } from "./what-if-worker.js";

/** Who plays conversations. After its end what it was at is of no account. */
export interface WhatIfPlayer {
  readonly play: (transcript: KeptTranscript) => Promise<PlayedWhatIf>;
  readonly end: () => void;
}

const NOT_IN_TIME = "not replayed: no time was left";

/** Plays in the thread that asks. */
export const playHere = (): WhatIfPlayer => ({
  play: async (transcript) => (await import("./play-what-if.js")).playWhatIf(transcript),
  end: () => {},
});

/** Plays in a thread of its own. One that dies takes the conversation with it that it was at. */
export function playInThread(): WhatIfPlayer {
  let worker: Worker | undefined;
  return {
    play: (transcript) =>
      new Promise((resolve) => {
        const current = (worker ??= startWorker());
        const onMessage = ({ played }: WhatIfReport): void => done(played);
        const onExit = (): void => {
          worker = undefined;
          done({ leftOut: "cannot be replayed" });
        };
        // Only these two: a thread that has lost the listeners of its own is never heard again.
        const done = (played: PlayedWhatIf): void => {
          current.off("message", onMessage).off("exit", onExit);
          resolve(played);
        };
        current.once("message", onMessage).once("exit", onExit);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        current.postMessage(transcript);
      }),
    end: () => void worker?.terminate(),
  };
}

function startWorker(): Worker {
  const worker = new Worker(new URL("./what-if-worker.js", import.meta.url));
  // Its exit says enough.
  worker.on("error", () => {});
  return worker;
}

/**
 * What other policies would have cost on the conversations that are kept, those first that were heard of last. After
 * `milliseconds`, where they are given, no more is played, and what is left is counted. Never rejects.
 */
export async function whatIf(
  contents: WhatIfContents,
  { start, milliseconds }: { readonly start: () => WhatIfPlayer; readonly milliseconds?: number },
): Promise<WhatIfFigures> {
  const player = start();
  const end = milliseconds === undefined ? Infinity : performance.now() + milliseconds;
  const isOver = (): boolean => performance.now() >= end;
  // What it is at then is of no account.
  const timer = milliseconds === undefined ? undefined : setTimeout(() => player.end(), milliseconds);
  let figures: WhatIfFigures = {
    policies: {},
    conversations: 0,
    requests: 0,
    cost: 0,
    simulated: 0,
    leftOut: contents.leftOut(),
  };
  try {
    for (const transcript of contents.transcripts()) {
      const played = isOver() ? undefined : await player.play(transcript);
      figures = added(figures, isOver() || played === undefined ? { leftOut: NOT_IN_TIME } : played);
    }
  } finally {
    clearTimeout(timer);
    player.end();
  }
  return figures;
}

function added(figures: WhatIfFigures, played: PlayedWhatIf): WhatIfFigures {
  if ("leftOut" in played) {
    const { leftOut } = figures;
    return { ...figures, leftOut: { ...leftOut, [played.leftOut]: (leftOut[played.leftOut] ?? 0) + 1 } };
  }
  return {
    ...figures,
    policies: Object.fromEntries(
      Object.entries(played.policies).map(([name, cost]) => [name, (figures.policies[name] ?? 0) + cost]),
    ),
    conversations: figures.conversations + 1,
    requests: figures.requests + played.requests,
    cost: figures.cost + played.cost,
    simulated: figures.simulated + played.simulated,
  };
}
