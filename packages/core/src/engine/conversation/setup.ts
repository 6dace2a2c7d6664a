import { isMainThread } from "../../messages/call/query-source.js";
import { resolveIn } from "../../messages/paths.js";
import { findModel } from "../../models/table.js";
import { createCompactableTools } from "../tools/compactable-tools.js";
import { createEventEmitter } from "../events/emitter.js";
import { createDefaultEstimator } from "../measure/default-estimator.js";
import { createMeasuredSizes, type MeasuredSizes } from "../measure/measured-sizes.js";
import { capabilitiesOfModel, type ProviderCapabilities } from "../ports/capabilities.js";
import { relativePrices } from "../prompt/ttl/expected-cost.js";
import { createCacheWatch } from "../watch/cache-watch.js";
import { checkedSettings } from "./check-options.js";
import { createContext } from "./context.js";
import type { ConversationOptions } from "./conversation-options.js";
import type { ResolvedOptions } from "./host-options.js";
import type { Setup } from "./stages.js";

export function createSetup(options: ConversationOptions & ResolvedOptions): Setup {
  const { source = "sdk", calibrations, account, gapHistory, diffs } = options;
  const compaction = options.compaction === "none" ? undefined : options.compaction;
  const checked = checkedSettings(options.settings);
  const settings = compaction === undefined ? { ...checked, compactEarly: false } : checked;
  const events = options.events ?? createEventEmitter();
  const compactable = options.compactableTools ?? createCompactableTools();
  const estimators = new Map<string, MeasuredSizes>();
  const newEstimator = (model: string): MeasuredSizes =>
    createMeasuredSizes(
      options.estimator ??
        createDefaultEstimator({
          model,
          events,
          calibration: calibrations?.of(model),
          onLearned: (learned) => calibrations?.note(model, learned),
        }),
    );
  const estimatorOf = (model: string): MeasuredSizes => {
    const known = estimators.get(model) ?? newEstimator(model);
    estimators.set(model, known);
    return known;
  };
  const capabilitiesOf = (model: string): ProviderCapabilities =>
    options.capabilities ?? options.provider?.capabilities(model) ?? capabilitiesOfModel(model);
  return {
    options,
    source,
    isMainThread: isMainThread(source),
    clock: options.clock,
    ids: options.ids,
    settings,
    events,
    compactable,
    compaction,
    stages: options.stages ?? [],
    totals: options.totals,
    watch: createCacheWatch({ settings, events, diffs }),
    estimatorOf,
    capabilitiesOf,
    ttlFacts: (model) => ({
      source,
      account: account?.() ?? { isEligible: false, isInOverage: false },
      settings,
      capabilities: capabilitiesOf(model),
      prices: findModel(model)?.prices ?? relativePrices,
      history: gapHistory,
    }),
    contextFor: (model, overhead) =>
      createContext({
        estimator: estimatorOf(model),
        tools: compactable,
        overhead: overhead ?? estimatedHead(options, estimatorOf(model)),
        see: compaction?.see,
        resolvePath: pathResolver(options),
      }),
    lastDecision: { of: "", decision: undefined },
  };
}

/** System prompt and tools, as far as they are known before the first request. */
function estimatedHead({ system = {}, tools }: ResolvedOptions, estimator: MeasuredSizes): number {
  const custom = system.custom ?? "";
  const head = custom === "" ? 0 : estimator.block({ type: "text", text: custom });
  return (tools?.() ?? []).reduce((sum, { definition }) => sum + estimator.block(definition), head);
}

function pathResolver({ state }: ResolvedOptions): ((path: string) => string) | undefined {
  const { resolvePath, workingDirectory } = state ?? {};
  if (resolvePath !== undefined || workingDirectory === undefined) return resolvePath;
  return (path) => resolveIn(workingDirectory, path);
}
