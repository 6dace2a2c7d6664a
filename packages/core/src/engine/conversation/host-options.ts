import type { QuerySource } from "../../messages/call/query-source.js";
import type { Clock, Ids } from "../../messages/construct.js";
import type { ToolResultBlock } from "../../messages/content.js";
import type { Fields } from "../../messages/fields.js";
import type { CachedClearing } from "../clear/cached-clearing.js";
import type { RecallHint } from "../boundaries/cleared-result.js";
import type { CompactableTools } from "../tools/compactable-tools.js";
import type { EventEmitter } from "../events/emitter.js";
import type { Estimator } from "../ports/estimator.js";
import type { Calibrations } from "../measure/calibration-store.js";
import type { CompactHooks } from "../ports/compact-hooks.js";
import type { DroppedHint } from "../ports/dropped-hint.js";
import type { Timer } from "../ports/timer.js";
import type { ModelProvider } from "../ports/model-provider.js";
import type { OverflowStore } from "../ports/overflow-store.js";
import type { TranscriptWriter } from "../ports/transcript-store.js";
import type { ProviderCapabilities } from "../ports/capabilities.js";
import type { CallParameters } from "../prompt/request-builder.js";
import type { SystemPrompt } from "../prompt/sections.js";
import type { OfferedTool, ToolListOptions } from "../prompt/tool-list.js";
import type { GapHistory } from "../prompt/ttl/gap-history.js";
import type { CacheAccount } from "../prompt/ttl/ttl-state.js";
import type { FileExclusions } from "../restore/choose-files.js";
import type { CleanupTarget } from "../restore/cleanup.js";
import type { NestedMemory } from "../restore/nested-memory.js";
import type { ReadState } from "../tools/read-state.js";
import type { RestorePorts } from "../restore/restore-state.js";
import type { RestoreStage } from "../restore/restore-stage.js";
import type { GivenSettings } from "../settings/settings.js";
import type { CompactPorts } from "../summarise/run/compact-run.js";
import type { SummaryMessageParts } from "../summarise/shape/summary-message.js";
import type { WatchedFacts } from "../watch/watched-call.js";
import type { BreakDiffs } from "../watch/write-diffs.js";

/** A system prompt as it is handed in: a text, text blocks of the Messages API, or what stands in a `ConversationSystem`. */
export type GivenSystem =
  | string
  | readonly { readonly type: "text"; readonly text: string }[]
  | ConversationSystem;

/** The system prompt: named sections, or a text of the caller's that replaces everything. */
export interface ConversationSystem {
  readonly prompt?: SystemPrompt;
  readonly custom?: string;
}

/** What the model needs after a compaction, and where it comes from. */
export interface RestoreSources {
  /** `restore` of `@palimpsest/core/restore`. */
  readonly restore: RestoreStage;
  readonly ports: RestorePorts;
  readonly readState: ReadState;
  readonly nestedMemory?: NestedMemory;
  readonly exclude?: () => FileExclusions;
  readonly workingDirectory?: string;
  /** The name in the read-state of a path that a call gives. Default: from the working directory on. */
  readonly resolvePath?: (path: string) => string;
}

/** A tool that the model is offered. */
export interface ConversationTool extends OfferedTool {
  /**
   * Makes a call for `ask`; calls of one answer run side by side. The input is the model's: nobody has checked it. What it
   * throws is told to the model. Without it the call is the host's to make.
   */
  readonly run?: (
    input: Fields,
    call: { readonly id: string; readonly signal?: AbortSignal },
  ) => ToolResult | Promise<ToolResult>;
}

type ToolResult = NonNullable<ToolResultBlock["content"]>;

/** What a host hands in, but for the stages. */
export interface HostOptions {
  readonly model: string;
  /** Tokens that an answer may have. */
  readonly maxTokens: number;
  /** Default: that of the messages it is resumed from, else a new one. */
  readonly sessionId?: string;
  /** Default: that of the machine. */
  readonly clock?: Clock;
  /** Default: random ones. */
  readonly ids?: Ids;
  /** Whose conversation it is. Default `sdk`. */
  readonly source?: QuerySource;
  /** The subagent whose conversation it is; left out for the main thread. */
  readonly agentId?: string;
  /** Answers `ask`, and writes summaries. Without one the extractive writer does, and the host sends by itself. */
  readonly provider?: ModelProvider;
  /** Default: the provider's, or those of the Messages API. */
  readonly capabilities?: ProviderCapabilities;
  /** Default: one that learns from the usage it sees. */
  readonly estimator?: Estimator;
  /** What earlier conversations have learned of models, for the estimator that is there by default. */
  readonly calibrations?: Calibrations;
  readonly settings?: GivenSettings;
  readonly system?: GivenSystem;
  /** A function is asked for every request. */
  readonly tools?: readonly ConversationTool[] | (() => readonly ConversationTool[]);
  readonly absentTools?: ToolListOptions["absent"];
  readonly parameters?: Omit<CallParameters, "model" | "max_tokens" | "context_management">;
  /** Which results may be cleared. Default: those of tools that common agents have. */
  readonly compactableTools?: CompactableTools;
  readonly recallHint?: RecallHint;
  /** `droppedHint` of `@palimpsest/core/engine`, where the tool is declared. */
  readonly droppedHint?: DroppedHint;
  /** `cachedClearing` of `@palimpsest/core/engine`, for a provider that deletes results inside its cache (`cacheEdits`). */
  readonly cachedClearing?: CachedClearing;
  /** Where texts go that are too long for the window. Without it their middle is left out, and the model told so. */
  readonly overflow?: OverflowStore;
  readonly hooks?: CompactHooks;
  readonly state?: RestoreSources;
  /** Where messages are stored. Without one they live as long as the process. */
  readonly writer?: TranscriptWriter;
  /** What the model is told of where the transcript is. */
  readonly transcriptPath?: string;
  /** How the model goes on after a compaction that came by itself; after a manual one it may ask, unless it is `autonomous`. */
  readonly continuation?: SummaryMessageParts["continuation"];
  readonly events?: EventEmitter;
  /** Asked when lifetimes are decided on, and before every request. Default: one that may not write entries of an hour. */
  readonly account?: () => CacheAccount;
  /** What else belongs to the cache key and does not show in a request, for the watch. */
  readonly watched?: () => WatchedFacts;
  readonly gapHistory?: GapHistory;
  /** When a request of the host's last kept the cache warm (`decideKeepAlive`), in milliseconds. */
  readonly keptWarmAt?: () => number | undefined;
  /** `writeDiffs` of `@palimpsest/core/engine`: what a cache break was about, for a person to read. */
  readonly diffs?: BreakDiffs;
  /** Further things that a compaction makes obsolete. */
  readonly cleanup?: Partial<Readonly<Record<CleanupTarget, () => void>>>;
  /** For waiting a while, and no longer, for notes that are being written. */
  readonly timer?: Timer;
  readonly onStatus?: CompactPorts["onStatus"];
  readonly every?: CompactPorts["every"];
}

/** The same with what nobody has handed in. */
export interface ResolvedOptions extends HostOptions {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly system?: ConversationSystem;
  readonly tools?: () => readonly ConversationTool[];
}
