import type { Message } from "../../../messages/message.js";
import { findModel } from "../../../models/table.js";
import { createHeuristicEstimator } from "../../measure/heuristic-estimator.js";
import { defaultSettings, type Settings } from "../../settings/settings.js";
import { createCompactableTools } from "../../tools/compactable-tools.js";
import type { ClearContext } from "../decision.js";
import { createResultIndex } from "../result-index.js";

export const estimator = createHeuristicEstimator();

/** Tokens of messages, by the estimator of the tests. */
export const sizeOf = (messages: readonly Message[]): number =>
  messages.reduce((total, message) => total + estimator.message(message), 0);

export function contextOf(
  messages: readonly Message[],
  options: { readonly model?: string; readonly settings?: Partial<Settings> } = {},
): ClearContext {
  const index = createResultIndex({ estimator, tools: createCompactableTools() });
  index.append(messages);
  const settings = { ...defaultSettings, ...options.settings };
  return { index, estimator, settings, model: findModel(options.model ?? "claude-opus-5") };
}
