import type { HookInput, HookName } from "./hooks.js";
import type { Fields } from "../base/fields.js";

/** How an event looks to a command. */
interface WireEvent<Name extends HookName> {
  /** What matchers are held against; an event without it ignores them. */
  readonly matched?: (input: HookInput<Name>) => string;
  /** What stands on stdin beside the common fields. */
  readonly fields: (input: HookInput<Name>) => Fields;
}

const toolFields = ({ toolName, toolInput }: { readonly toolName: string; readonly toolInput: unknown }) => ({
  tool_name: toolName,
  tool_input: toolInput,
});

const byTool = ({ toolName }: { readonly toolName: string }): string => toolName;
const byTrigger = ({ trigger }: { readonly trigger: string }): string => trigger;
const byAgent = ({ agentType }: { readonly agentType: string }): string => agentType;

/** Every event in the words of Claude Code's hooks. */
const wireEvents: { readonly [Name in HookName]: WireEvent<Name> } = {
  PreCompact: {
    matched: byTrigger,
    fields: ({ trigger, customInstructions }) => ({
      trigger,
      custom_instructions: customInstructions ?? null,
    }),
  },
  PostCompact: {
    matched: byTrigger,
    fields: ({ trigger, summary, tokensBefore, tokensAfter }) => ({
      trigger,
      compact_summary: summary,
      tokens_before: tokensBefore,
      tokens_after: tokensAfter,
    }),
  },
  SessionStart: {
    matched: ({ source }) => source,
    fields: ({ source, model }) => ({ source, model }),
  },
  InstructionsLoaded: {
    matched: ({ loadReason }) => loadReason,
    fields: (input) => ({
      file_path: input.filePath,
      memory_type: input.memoryType,
      load_reason: input.loadReason,
      globs: input.globs,
      trigger_file_path: input.triggerFilePath,
      parent_file_path: input.parentFilePath,
    }),
  },
  SessionEnd: { matched: ({ reason }) => reason, fields: ({ reason }) => ({ reason }) },
  Stop: {
    fields: ({ isStopHookActive, lastAssistantMessage }) => ({
      stop_hook_active: isStopHookActive,
      last_assistant_message: lastAssistantMessage,
    }),
  },
  SubagentStart: { matched: byAgent, fields: () => ({}) },
  SubagentStop: {
    matched: byAgent,
    fields: ({ isStopHookActive, lastAssistantMessage, agentTranscriptPath }) => ({
      stop_hook_active: isStopHookActive,
      agent_transcript_path: agentTranscriptPath ?? "",
      last_assistant_message: lastAssistantMessage,
    }),
  },
  UserPromptSubmit: { fields: ({ prompt }) => ({ prompt }) },
  PreToolUse: {
    matched: byTool,
    fields: (input) => ({ ...toolFields(input), tool_use_id: input.toolUseId }),
  },
  PostToolUse: {
    matched: byTool,
    fields: (input) => ({
      ...toolFields(input),
      tool_response: input.toolResponse,
      tool_use_id: input.toolUseId,
      duration_ms: input.durationMs,
    }),
  },
  PermissionRequest: {
    matched: byTool,
    fields: (input) => ({ ...toolFields(input), permission_suggestions: input.suggestions }),
  },
};

/** What matchers of the event are held against; undefined where they do not count. */
export function matchedValue<Name extends HookName>(name: Name, input: HookInput<Name>): string | undefined {
  const event: WireEvent<Name> = wireEvents[name];
  return event.matched?.(input);
}

export interface WireSession {
  readonly sessionId: string;
  readonly transcriptPath?: string | undefined;
  readonly cwd: string;
  readonly permissionMode?: string | undefined;
}

/** What a command reads on stdin: one line of JSON. What the input says of the session goes before `session`. */
export function encodeHookInput<Name extends HookName>(
  name: Name,
  { input, session }: { readonly input: HookInput<Name>; readonly session: WireSession },
): string {
  const event: WireEvent<Name> = wireEvents[name];
  const payload = {
    session_id: input.sessionId ?? session.sessionId,
    transcript_path: input.transcriptPath ?? session.transcriptPath ?? "",
    cwd: session.cwd,
    permission_mode: input.permissionMode ?? session.permissionMode ?? "default",
    hook_event_name: name,
    agent_id: input.agentId,
    agent_type: input.agentType,
    ...event.fields(input),
  };
  return `${JSON.stringify(payload)}\n`;
}
