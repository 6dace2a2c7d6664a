import { parentPort } from "node:worker_threads";
import { playWhatIf, type PlayedWhatIf } from "./play-what-if.js";
import type { KeptTranscript } from "./what-if-contents.js";

/** From the thread: what one conversation came to. */
export interface WhatIfReport {
  readonly played: PlayedWhatIf;
}

/** Plays conversations one after another, as they come. */
parentPort?.on("message", (transcript: KeptTranscript) => {
  void playWhatIf(transcript).then((played) => {
    const report: WhatIfReport = { played };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread, not of a window
    parentPort?.postMessage(report);
  });
});
