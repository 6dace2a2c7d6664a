import type { HookContext, PostCompactInput, PreCompactInput, PreCompactOutput } from "@palimpsest/core";
import type { ToolInput } from "../base/tool.js";

/** Who fires an event. What is left out is the host's own: shell commands are told what they were made with. */
export interface HookCaller {
  readonly sessionId?: string | undefined;
  readonly transcriptPath?: string | undefined;
  readonly permissionMode?: string | undefined;
  /** The subagent that fires it; none for the main thread. */
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
}

/** What every event but `InstructionsLoaded` may be answered with. */
export interface HookReply {
  /** For the person. */
  readonly message?: string;
  /** The host ends the turn, whatever else was said. The reason is for the person, and may be empty. */
  readonly endTurn?: string;
}

/** More for the model to read. */
export interface HookContextReply extends HookReply {
  readonly contexts?: readonly string[];
}

/** What was about to happen does not, for this reason. */
export interface HookBlockReply extends HookContextReply {
  readonly block?: string;
}

/** Nothing is listened for. */
export type NoHookReply = Readonly<Record<string, never>>;

/** What a hook says of a tool call. Rules that forbid the call stay in force whatever it is. */
export interface HookPermission {
  readonly behavior: "allow" | "ask" | "deny";
  /** For the model where it is `deny`, for the person otherwise. */
  readonly reason?: string;
}

/** An answer in place of the person's. */
export type PermissionAnswer =
  | {
      readonly behavior: "allow";
      /** In place of the whole input. */
      readonly updatedInput?: ToolInput;
      /** Changes of rules and mode, as the ecosystem writes them; the host judges them. */
      readonly updatedPermissions?: readonly unknown[];
    }
  | {
      readonly behavior: "deny";
      /** For the model. */
      readonly message?: string;
      /** The turn ends too. */
      readonly interrupt?: boolean;
    };

interface ToolCallInput extends HookCaller {
  readonly toolName: string;
  readonly toolInput: ToolInput;
}

interface StopInput extends HookCaller {
  /** The turn only goes on because a hook blocked its end before: whoever blocks again may never stop. */
  readonly isStopHookActive: boolean;
  readonly lastAssistantMessage?: string;
}

/** What each event of a session says to hooks, and what they may answer. */
export interface HookEvents {
  readonly PreCompact: {
    readonly input: PreCompactInput & HookCaller;
    readonly output: PreCompactOutput & HookReply;
  };
  readonly PostCompact: {
    readonly input: PostCompactInput & HookCaller;
    readonly output: HookContext & HookReply;
  };
  readonly SessionStart: {
    readonly input: HookCaller & {
      readonly source: "startup" | "resume" | "clear" | "compact";
      readonly model?: string;
    };
    readonly output: HookContextReply;
  };
  /** A memory file was loaded; fired once for each. */
  readonly InstructionsLoaded: {
    readonly input: HookCaller & {
      readonly filePath: string;
      readonly memoryType: "User" | "Project" | "Local" | "Managed";
      readonly loadReason: "session_start" | "nested_traversal" | "path_glob_match" | "include" | "compact";
      /** The patterns that matched, where the reason is `path_glob_match`. */
      readonly globs?: readonly string[];
      /** The file whose use led to it. */
      readonly triggerFilePath?: string;
      /** The memory file that included it. */
      readonly parentFilePath?: string;
    };
    readonly output: NoHookReply;
  };
  readonly SessionEnd: {
    readonly input: HookCaller & {
      readonly reason: "clear" | "resume" | "logout" | "prompt_input_exit" | "other";
    };
    readonly output: HookReply;
  };
  /** The model is done. A block sends it on, with the reason as what it is told. */
  readonly Stop: { readonly input: StopInput; readonly output: HookBlockReply };
  readonly SubagentStart: {
    readonly input: HookCaller & { readonly agentId: string; readonly agentType: string };
    readonly output: HookContextReply;
  };
  /** As `Stop`, for a subagent. */
  readonly SubagentStop: {
    readonly input: StopInput & {
      readonly agentId: string;
      readonly agentType: string;
      readonly agentTranscriptPath?: string;
    };
    readonly output: HookBlockReply;
  };
  /** A block keeps the prompt from the model; its reason is for the person. */
  readonly UserPromptSubmit: {
    readonly input: HookCaller & { readonly prompt: string };
    readonly output: HookBlockReply;
  };
  readonly PreToolUse: {
    readonly input: ToolCallInput & { readonly toolUseId: string };
    readonly output: HookContextReply & {
      readonly permission?: HookPermission;
      /** In place of the whole input. Whoever uses it asks its rules again. */
      readonly updatedInput?: ToolInput;
    };
  };
  /** The tool has run: a block undoes nothing, its reason is what the model is told beside the result. */
  readonly PostToolUse: {
    readonly input: ToolCallInput & {
      readonly toolUseId: string;
      readonly toolResponse: unknown;
      readonly durationMs?: number;
    };
    readonly output: HookBlockReply & {
      /** What the model sees in place of the tool's own output. */
      readonly updatedOutput?: unknown;
    };
  };
  /** The person is about to be asked. */
  readonly PermissionRequest: {
    readonly input: ToolCallInput & { readonly suggestions?: readonly unknown[] };
    readonly output: HookReply & { readonly answer?: PermissionAnswer };
  };
}

export const hookNames = [
  "PreCompact",
  "PostCompact",
  "SessionStart",
  "InstructionsLoaded",
  "SessionEnd",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
] as const satisfies readonly (keyof HookEvents)[];

export type HookName = keyof HookEvents;
export type HookInput<Name extends HookName> = HookEvents[Name]["input"];
export type HookOutput<Name extends HookName> = HookEvents[Name]["output"];

/** A hook that did not do its part. It counts as having said nothing. */
export interface HookProblem {
  readonly event: HookName;
  /** Which one: the name of a function, or the key of a command in the settings. */
  readonly hook: string;
  readonly kind: "failed" | "timed-out" | "bad-output";
  readonly message: string;
}

export interface HookRunOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What hosts want to say or do at events of a session. */
export interface Hooks {
  /**
   * Tells every hook of the event and gives back what all of them said, as one. Never rejects, and never waits
   * for a hook without limit. An abort gives `{}` at once: whoever calls asks its own signal before it goes on.
   */
  readonly run: <Name extends HookName>(
    name: Name,
    input: HookInput<Name>,
    options?: HookRunOptions,
  ) => Promise<HookOutput<Name>>;
}

export const noHooks: Hooks = { run: () => Promise.resolve({}) };
