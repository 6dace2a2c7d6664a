import type { Attachment, Conversation, EngineStep, Message, ModelProvider } from "@palimpsest/core";
import type { AnnouncementSource, NestedMemory, ReadState } from "@palimpsest/core/restore";
import type { Hooks } from "../hooks/hooks.js";
import type { CallPlaces } from "../permissions/call-facts.js";
import type { Judgement } from "../permissions/judgement.js";
import type { AgentTool, ToolInput, ToolOutput } from "../base/tool.js";
import type { ChangedFiles } from "./changed-files.js";

/** A question whether a call may be made. */
export interface PermissionQuestion {
  readonly tool: AgentTool;
  readonly input: ToolInput;
  readonly judgement: Judgement;
  readonly toolUseId: string;
  /** The subagent that wants to make the call; left out for the main thread. */
  readonly agentId?: string;
}

/** What the person says to it. */
export interface PermissionVerdict extends Judgement {
  /** Of an `allow`: what the call is made with instead. */
  readonly input?: ToolInput;
  /** Of a `deny`: the turn ends too. */
  readonly endsTurn?: boolean;
}

export type AroundCall = (
  call: { readonly name: string; readonly id: string },
  run: () => Promise<ToolOutput>,
) => Promise<ToolOutput>;

/** What was done before a prompt, for the person to know. */
export interface TakenUp {
  readonly step?: EngineStep;
  /** A sentence. */
  readonly notice?: string;
}

/** One conversation with all that drives it: the main thread's, or a subagent's. */
export interface Agent {
  readonly conversation: Conversation;
  readonly provider: ModelProvider;
  readonly readState: ReadState;
  /** Files that the model has read and others change. */
  readonly changedFiles?: ChangedFiles;
  /** The tools that can be called now, by name. */
  readonly tools: () => ReadonlyMap<string, AgentTool>;
  readonly judge: (tool: AgentTool, input: ToolInput) => Judgement;
  /** Asks the person; left out where nobody is there. */
  readonly ask?: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionVerdict>;
  readonly hooks: Hooks;
  readonly nestedMemory?: NestedMemory;
  /** From where paths in calls of commands and servers count: their directories' instructions are loaded. */
  readonly places?: CallPlaces;
  readonly announcements?: AnnouncementSource;
  /** What else the model has to know by now, given what the live messages tell it. */
  readonly reminders?: (live: readonly Message[]) => Promise<readonly Attachment[]>;
  readonly now: () => number;
  /** The subagent that it is; left out for the main thread. */
  readonly agentId?: string;
  readonly agentType?: string;
  /** Where a subagent's own conversation is stored. */
  readonly transcriptPath?: string;
  readonly permissionMode: () => string;
  /** Before what a person says becomes part of the conversation: what was prepared for that while nobody was there. */
  readonly takeUp?: (signal: AbortSignal) => Promise<TakenUp | undefined>;
  /** The person says something: what changes by itself in the system prompt is looked at again. */
  readonly refreshPrompt?: () => void;
  /** Put around what a call does, to measure it. */
  readonly aroundCall?: AroundCall;
  /** Takes keys out of what a person says. */
  readonly hide?: (text: string) => string;
}
