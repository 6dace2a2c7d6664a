import type { Attachment, ToolDefinition, ToolResultContent } from "@palimpsest/core";
import type { ReadState } from "@palimpsest/core/restore";

/** A JSON value of a tool's input, checked against the tool's schema. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** What a tool answers. */
export interface ToolOutput {
  readonly content: string | readonly ToolResultContent[];
  /** The model is told that it failed. */
  readonly isError?: boolean;
  /** Shown to the model after the results: memory of a directory, a skill's text. */
  readonly attachments?: readonly Attachment[];
  /** The turn ends after this result. */
  readonly endsTurn?: boolean;
}

/** What a call needs a permission for, in the words of permission rules. */
export interface PermissionSubject {
  /** `read`: looks at files. `edit`: changes files. `execute`: runs something. `network`: talks to others. */
  readonly kind: "none" | "read" | "edit" | "execute" | "network" | "other";
  /** Files that it touches, as the call names them. */
  readonly paths?: readonly string[];
  /** A shell command. */
  readonly command?: string;
  /** Where the command would run. Default: the working directory. */
  readonly directory?: string;
  /** The address of a page. */
  readonly url?: string;
}

/** Who calls, and what it may use. */
export interface ToolContext {
  readonly toolUseId: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The files that this agent's model has read. */
  readonly readState: ReadState;
  /** The agent got to this path: memory files on the way are attached at the end of the turn. */
  readonly touch: (path: string) => void;
  /** The subagent whose call it is; left out for the main thread. */
  readonly agentId?: string;
  /** Nobody allowed the calls of git in it: it runs because they only read, and git is held to that. */
  readonly holdsGit?: boolean;
}

/** From where, and under which rules, a call is asked whether it only reads. */
interface ReadOnlyView {
  /** Where a command would run. Default: where the tool stands. */
  readonly directory?: string;
  /** Whether rules hide a file, told by its absolute path: what would show its text does not only read. */
  readonly isHidden?: ((path: string) => boolean) | undefined;
  /** False as soon as the disk was asked often enough: what was to be looked at is not known then. */
  readonly mayLook?: () => boolean;
}

/**
 * A tool of the agent. `run` may reject: the model is then told the error's message. It is handed inputs that fit
 * the schema, and it stops when the signal says so.
 */
export interface AgentTool {
  readonly definition: ToolDefinition;
  /** Changes nothing: such calls run side by side, and in plan mode too. */
  readonly isReadOnly: (input: ToolInput, view?: ReadOnlyView) => boolean;
  readonly subject: (input: ToolInput) => PermissionSubject;
  readonly run: (input: ToolInput, context: ToolContext) => Promise<ToolOutput>;
  /** Whether its schema is only shown once it was asked for. */
  readonly isDeferred?: boolean;
  /** From a server that may come and go. */
  readonly isMcp?: boolean;
}
