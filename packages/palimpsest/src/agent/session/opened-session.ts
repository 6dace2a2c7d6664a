import type { CacheBreak, Conversation, EventEmitter, Message } from "@palimpsest/core";
import type { InvokedSkill } from "@palimpsest/core/restore";
import type { AgentTool } from "../base/tool.js";
import type { PathGuard } from "../base/path-guard.js";
import type { Agent } from "../loop/agent.js";
import type { PermissionMode } from "../permissions/mode.js";
import type { SourcedRule } from "../permissions/rule.js";
import type { LoadedSkills } from "../skills/load-skills.js";
import type { Subagents } from "../subagents/subagents.js";
import type { ClearedResults } from "./clear-on-demand.js";
import type { UndoOutcome } from "./undo-last-compaction.js";

/** A conversation with an agent: its loop is `query(session.agent, …)`. */
export interface Session {
  readonly id: string;
  readonly transcriptPath: string;
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly events: EventEmitter;
  readonly isResumed: boolean;
  readonly subagents: Subagents;
  readonly tools: () => readonly AgentTool[];
  /** Where the texts are kept that a cache break of the main thread is about; undefined where none are. */
  readonly cacheBreakFile: (found: CacheBreak) => string | undefined;
  /** Skills and commands that files describe; `listCommands` says which of them a person can start. */
  readonly skills: LoadedSkills;
  /** A skill that a person started: it comes back after a compaction. */
  readonly noteSkill: (skill: InvokedSkill) => void;
  /** The files that its agents may use. */
  readonly guard: PathGuard;
  /** Judges calls by its rules, and by these that allow more. Throws `PermissionRuleError`. */
  readonly judgeWith: (allow: readonly SourcedRule[]) => Agent["judge"];
  /** Everything that its transcript holds. */
  readonly history: () => Promise<readonly Message[]>;
  /** Clears old results of tools now. */
  readonly clearResults: () => Promise<ClearedResults>;
  /** Compaction is not switched off. */
  readonly canCompact: boolean;
  /** Takes the last compaction back, whichever process made it. */
  readonly undo: () => Promise<UndoOutcome>;
  readonly setPermissionMode: (mode: PermissionMode) => void;
  /** It was started without the need to ask: only then permissions may be bypassed later. */
  readonly mayBypass: boolean;
  /** For the next request on. Not while a turn is under way. */
  readonly switchModel: (model: string) => Promise<void>;
  /** Put around an answer to a prompt, to measure it. */
  readonly turn: <T>(run: () => Promise<T>) => Promise<T>;
  /** While nobody says anything: keeps its cache warm, or prepares for its end, where that is wanted and pays. Never rejects. */
  readonly whileWaiting: (signal: AbortSignal) => Promise<void>;
  /** When its cache was last kept warm in a pause; undefined where it was not since its last request. */
  readonly keptWarmAt: () => number | undefined;
  /** Ends everything that the session started, and gives the conversation free. */
  readonly close: () => Promise<void>;
}
