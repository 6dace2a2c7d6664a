import type { Message } from "@palimpsest/core";
import type { AgentEvent } from "../../agent/base/agent-event.js";
import type { PromptResult } from "../../agent/commands/answer-prompt.js";
import type { McpServerState } from "../../agent/mcp/server-session.js";
import type { Session } from "../../agent/session/session.js";
import { costFields, type RunCost } from "./cost-fields.js";
import type { StreamLine } from "./stream-line.js";

/** What the first line says beside the session itself. */
export interface InitFacts {
  readonly cwd: string;
  readonly servers: readonly McpServerState[];
  readonly provider: string;
  readonly apiKeySource: string;
  readonly commands: readonly { readonly name: string }[];
  readonly agents: readonly { readonly name: string }[];
  readonly outputStyle: string;
}

/** The ecosystem's words for how a server stands. */
const statusWords: Readonly<Record<McpServerState["state"], string>> = {
  ready: "connected",
  connecting: "pending",
  failed: "failed",
  closed: "disabled",
};

export const serverStatus = ({ name, state, reason }: McpServerState): StreamLine => ({
  name,
  status: statusWords[state],
  ...(state === "failed" ? { error: reason } : {}),
});

/** The first line: what the session is made of. */
export const initLine = (
  session: Pick<Session, "id" | "agent" | "conversation" | "tools" | "transcriptPath" | "isResumed">,
  { cwd, servers, provider, apiKeySource, commands, agents, outputStyle }: InitFacts,
): StreamLine => ({
  type: "system",
  subtype: "init",
  session_id: session.id,
  sessionId: session.id,
  cwd,
  model: session.conversation.model,
  tools: session.tools().map(({ definition }) => definition.name),
  mcp_servers: servers.map(serverStatus),
  permissionMode: session.agent.permissionMode(),
  provider,
  apiKeySource,
  slash_commands: commands.map(({ name }) => name),
  agents: agents.map(({ name }) => name),
  output_style: outputStyle,
  is_resumed: session.isResumed,
  transcript_path: session.transcriptPath,
});

/** What a message looks like on the stream; undefined for what is of no interest there. */
export function messageLine(message: Message, sessionId: string): StreamLine | undefined {
  const common = { session_id: sessionId, uuid: message.uuid, parent_tool_use_id: null };
  switch (message.type) {
    case "assistant":
    case "user":
      return { type: message.type, message: message.message, ...common, ...flagsOf(message) };
    case "system": {
      const { subtype, compactMetadata } = message as typeof message & { readonly compactMetadata?: unknown };
      const metadata = compactMetadata === undefined ? {} : { compact_metadata: compactMetadata };
      return { type: "system", subtype, ...metadata, ...common, ...flagsOf(message) };
    }
    case "attachment":
      return { type: "attachment", attachment: message.attachment, ...common, ...flagsOf(message) };
    default:
      return undefined;
  }
}

const FLAGS = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"] as const;

/** Who wrote it, and whom it is shown to: as the transcript says it, where it does. */
function flagsOf(message: Message): StreamLine {
  const fields: StreamLine = { ...message };
  return Object.fromEntries(FLAGS.flatMap((name) => (fields[name] === true ? [[name, true]] : [])));
}

/** Events other than messages that a program may want to know of. */
export function eventLine(event: AgentEvent, sessionId: string): StreamLine | undefined {
  switch (event.kind) {
    case "message":
      return messageLine(event.message, sessionId);
    case "step": {
      const { tier, tokensBefore, tokensAfter, text } = event.step;
      return {
        type: "system",
        subtype: "context",
        tier,
        tokensBefore,
        tokensAfter,
        text,
        session_id: sessionId,
      };
    }
    case "cache-break": {
      const { cacheBreak } = event;
      return { type: "system", subtype: "cache_break", cache_break: cacheBreak, session_id: sessionId };
    }
    case "retry": {
      const { attempt, waitMs, failure } = event;
      return {
        type: "system",
        subtype: "retry",
        attempt,
        wait_ms: waitMs,
        error: failure.kind,
        session_id: sessionId,
      };
    }
    case "notice":
      return { type: "system", subtype: "notice", text: event.text, session_id: sessionId };
    default:
      return undefined;
  }
}

/** The last line, where calls were billed after the last answer. */
export const costLine = (sessionId: string, cost: RunCost): StreamLine => ({
  type: "system",
  subtype: "cost",
  ...costFields(cost),
  session_id: sessionId,
});

/** A call that was not permitted. */
export interface Denial {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a run came to. */
export interface RunSummary extends RunCost {
  readonly result: PromptResult;
  readonly sessionId: string;
  /** Who answered. */
  readonly provider: string;
  /** What the engine did, by tier. */
  readonly steps: Readonly<Record<string, number>>;
  readonly denials: readonly Denial[];
  readonly milliseconds: number;
}

/** The document of `--output-format json`, and the line after every answer of `stream-json`. What was paid is of the conversation so far, everything else of the run. */
export function summaryDocument(summary: RunSummary): StreamLine {
  const { result, sessionId, provider, steps, denials, milliseconds } = summary;
  const isError = result.reason !== "done";
  return {
    type: "result",
    subtype: isError ? `error_${result.reason.replaceAll("-", "_")}` : "success",
    is_error: isError,
    result: result.text,
    stop_reason: result.stopReason ?? null,
    sessionId,
    session_id: sessionId,
    provider,
    turns: result.turns,
    num_turns: result.turns,
    ...costFields(summary),
    compactions: (steps["full"] ?? 0) + (steps["notes"] ?? 0),
    steps,
    permission_denials: denials.map(({ id, name, input }) => ({
      tool_name: name,
      tool_use_id: id,
      tool_input: input,
    })),
    duration_ms: milliseconds,
    ...(result.command === undefined ? {} : { command: result.command }),
  };
}
