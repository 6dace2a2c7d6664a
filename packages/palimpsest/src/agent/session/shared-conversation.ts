import { findModel, type ConversationOptions } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { cachedClearing, createHeuristicEstimator, droppedHint, recallHint } from "@palimpsest/core/engine";
import { keepNotes } from "@palimpsest/core/notes";
import { randomUUID } from "node:crypto";
import type { HookCaller, Hooks } from "../hooks/hooks.js";
import { asCompactHooks } from "../hooks/as-compact-hooks.js";
import { createOverflowFiles } from "../../stores/overflow-files.js";
import { overflowHint, overflowRecallHint } from "../recall/wording.js";
import { outputFolder } from "./session-folder.js";
import type { SessionOptions } from "./session-options.js";

/** Tokens of an answer, where the model can give as many. */
const MAX_TOKENS = 32_000;

type PerModel = Required<Pick<ConversationOptions, "model" | "maxTokens" | "parameters">>;

/** What depends on the model that answers. */
export function modelOptions(model: string): PerModel {
  const known = findModel(model);
  return {
    model,
    maxTokens: Math.min(MAX_TOKENS, known?.maxOutputTokens ?? MAX_TOKENS),
    parameters: known?.capabilities.thinking.adaptive === true ? { thinking: { type: "adaptive" } } : {},
  };
}

type Shared = Pick<
  ConversationOptions,
  | "clock"
  | "ids"
  | "compaction"
  | "notes"
  | "provider"
  | "settings"
  | "sessionId"
  | "overflow"
  | "account"
  | "estimator"
  | "cachedClearing"
  | "timer"
>;

/** What all conversations of a session have in common. */
export function sharedConversation(
  options: SessionOptions,
  { now, folder }: { readonly now: () => number; readonly folder: string },
): Shared {
  return {
    clock: { now },
    ids: { next: () => randomUUID() },
    compaction,
    notes: keepNotes(),
    provider: options.provider,
    settings: options.settings.engine,
    sessionId: options.id,
    overflow: { ...createOverflowFiles(outputFolder(folder)), hint: overflowHint },
    account: options.account ?? (() => ({ isEligible: true, isInOverage: false })),
    ...(options.settings.engine.estimator === "classic" ? { estimator: createHeuristicEstimator() } : {}),
    ...(options.settings.engine.clearCached ? { cachedClearing } : {}),
    timer: {
      after(milliseconds, callback) {
        const timer = setTimeout(callback, milliseconds);
        timer.unref();
        return () => clearTimeout(timer);
      },
    },
  };
}

/** How an agent that has Recall is told to find what left its context. */
export const recallOptions = ({
  overflow,
}: Pick<ConversationOptions, "overflow">): Pick<
  ConversationOptions,
  "recallHint" | "droppedHint" | "overflow"
> => ({
  recallHint,
  droppedHint,
  ...(overflow && { overflow: { ...overflow, hint: overflowRecallHint } }),
});

/**
 * Compactions are told to hooks, those of subagents with their names. What hooks say to the person is told at once, whatever
 * becomes of the compaction.
 */
export function compactHooks(
  hooks: Hooks,
  { caller = {}, tell }: { readonly caller?: HookCaller; readonly tell: (message: string) => void },
): Pick<ConversationOptions, "hooks"> {
  const asked = asCompactHooks(hooks, caller);
  const told = <Said extends { readonly message?: string }>({ message, ...rest }: Said) => {
    if (message !== undefined && message.trim() !== "") tell(message);
    return rest;
  };
  return {
    hooks: {
      preCompact: async (input, signal) => told(await asked.preCompact(input, signal)),
      sessionStart: async (input, signal) => told(await asked.sessionStart(input, signal)),
      postCompact: async (input, signal) => told(await asked.postCompact(input, signal)),
    },
  };
}
