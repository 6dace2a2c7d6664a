import type { Message } from "../../messages/message.js";
import { applyClearings } from "../boundaries/clear-results.js";
import { applyMediaBoundaries } from "../media/apply-media.js";
import { applyOversizeBoundaries } from "../oversize/apply-cuts.js";
import { placeAnswers } from "./place-answers.js";

/**
 * Live messages as a store gives them, made what the conversation had: results cleared, pictures replaced, texts cut, and
 * every response right after what it answers to. The same list where there is nothing to do.
 */
export const applyBoundaries = (messages: readonly Message[]): readonly Message[] =>
  placeAnswers(applyOversizeBoundaries(applyMediaBoundaries(applyClearings(messages))));
