import { restore } from "@palimpsest/core/restore";
import type { Attachment, RestoreSources, Message } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";
import { asFieldsList, asText, isFields, type Fields } from "../readers/recording.js";
import type { KnownLines } from "./known-file.js";
import { createRecordedAgents } from "./recorded-agents.js";
import { createRecordedFiles, type RecordedFileCounts } from "./recorded-files.js";
import { createRecordedPlan } from "./recorded-plan.js";
import { createRecordedSkills } from "./recorded-skills.js";
import { createRecordedTodos } from "./recorded-todos.js";

export interface RecordedWorldOptions {
  /** Where relative paths of calls start. Default `/`. */
  readonly workingDirectory?: string;
  /** Files that are held, the least recently used given up first. Default 200. */
  readonly maxFiles?: number;
  /** Characters of files that are held in all. Default 20 million. */
  readonly maxCharacters?: number;
}

/**
 * What a host would know while a recorded conversation is played, as far as its calls and results show it.
 * Nothing is run and no disk is asked; what a recording does not show is not known. Neither method throws,
 * whatever the recording holds.
 */
export interface RecordedWorld {
  readonly state: RestoreSources;
  readonly counts: () => RecordedFileCounts;
  /** The parts of a file that are known, in their order. */
  readonly linesOf: (path: string) => readonly KnownLines[];
  /** What was added before a request that goes out at `now`. */
  readonly note: (incoming: readonly Message[], now: number) => void;
  /** What came back, complete at `now`. */
  readonly noteResponse: (content: readonly AnswerBlock[], now: number) => void;
}

/** Calls that wait for their results; some never get one. */
const MOST_PENDING_CALLS = 256;

export function createRecordedWorld(options: RecordedWorldOptions = {}): RecordedWorld {
  const { workingDirectory = "/", ...limits } = options;
  const files = createRecordedFiles({ workingDirectory, ...limits });
  const [todos, plan] = [createRecordedTodos(), createRecordedPlan()];
  const [skills, agents] = [createRecordedSkills(), createRecordedAgents()];
  const pending = new Map<string, { readonly name: string; readonly input: Fields }>();

  const noteResult = (block: Fields, at: number): void => {
    const id = asText(block["tool_use_id"]);
    const called = pending.get(id);
    if (called === undefined) return;
    pending.delete(id);
    const call = {
      id,
      ...called,
      text: resultText(block["content"]),
      isError: block["is_error"] === true,
      at,
    };
    for (const path of files.answered(call)) plan.written(path, files.textOf(path));
    for (const part of [todos, plan, skills, agents]) part.answered(call);
  };
  const noteAttachment = (attachment: Attachment, at: number): void => {
    if (attachment.type === "queued_command") agents.said(asText(attachment["prompt"]));
    files.attached(attachment, at);
    todos.attached(attachment);
    plan.attached(attachment);
  };
  const noteSaid = (text: string, { message, at }: { message: Fields; at: number }): void => {
    agents.said(text);
    if (message["isMeta"] === true) skills.said(text, { callId: asText(message["sourceToolUseID"]), at });
  };
  const noteMessage = (message: Fields, now: number): void => {
    if (message["isSidechain"] === true) return;
    const at = timeOf(message["timestamp"], now);
    const { attachment } = message;
    if (message["type"] === "attachment" && isAttachment(attachment)) noteAttachment(attachment, at);
    const content =
      message["type"] === "user" && isFields(message["message"]) ? message["message"]["content"] : [];
    if (typeof content === "string") noteSaid(content, { message, at });
    for (const block of asFieldsList(content)) {
      if (block["type"] === "tool_result") noteResult(block, at);
      else if (typeof block["text"] === "string") noteSaid(block["text"], { message, at });
    }
  };
  return {
    state: {
      restore,
      readState: files.readState,
      workingDirectory,
      ports: {
        files: files.access,
        todos: todos.source,
        plan: plan.source,
        skills: skills.source,
        backgroundAgents: agents.source,
      },
    },
    counts: files.counts,
    linesOf: files.linesOf,
    note(incoming, now) {
      for (const message of asFieldsList(incoming)) noteMessage(message, now);
    },
    noteResponse(content) {
      for (const { type, id, name, input } of asFieldsList(content)) {
        if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") continue;
        pending.set(id, { name, input: isFields(input) ? input : {} });
      }
      for (const oldest of pending.keys()) {
        if (pending.size <= MOST_PENDING_CALLS) break;
        pending.delete(oldest);
      }
    },
  };
}

const isAttachment = (value: unknown): value is Attachment =>
  isFields(value) && typeof value["type"] === "string";

/** When a message was written: never after the request that it goes out with. */
function timeOf(timestamp: unknown, now: number): number {
  const written = Date.parse(asText(timestamp));
  return Number.isNaN(written) ? now : Math.min(written, now);
}

/** The text of a result; undefined where it holds something else. */
function resultText(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  let text = "";
  for (const block of asFieldsList(content)) {
    if (block["type"] !== "text" || typeof block["text"] !== "string") return undefined;
    text += (text === "" || text.endsWith("\n") ? "" : "\n") + block["text"];
  }
  return text;
}
