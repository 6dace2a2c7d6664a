import type { Answer, AnswerBlock, Player, PlayerPrompt } from "../player.js";
import { checkPlayer } from "../check-parts.js";
import { writeNotesEdits } from "./notes-writer.js";
import { PlayerError } from "../player-error.js";
import type { ObservingPlayer } from "./positioned-player.js";
import { cutText } from "../cut-text.js";
import { blocksOf } from "./prompt-text.js";
import { readMaterial, type Material } from "./summary-material.js";
import { recogniseSummaryRequest, type SummaryRequest } from "./summary-request.js";
import { writeSummary } from "./summary-writer.js";
import { callableTools } from "./tool-kinds.js";
import { callWithDefaults } from "./tool-mapping.js";

/** How requests for a summary are answered: the first as well as it can, the others badly, each in its own way. */
export const summaryModes = [
  "mediocre",
  "empty",
  "tool-call",
  "truncated",
  "inflated",
  "api-error-text",
  "no-tags",
  "unclosed",
  "refusal",
] as const;

export type SummaryMode = (typeof summaryModes)[number];

export const isSummaryMode = (value: unknown): value is SummaryMode =>
  summaryModes.some((mode) => mode === value);

export interface SummariesOptions {
  readonly mode?: SummaryMode;
  /** About how long a summary is. Default 4096 characters. */
  readonly characters?: number;
  /** How many requests get the bad answer before the rest get a mediocre one. Default: all. */
  readonly times?: number;
}

interface SummariesMemory {
  readonly inner: unknown;
  /** How many requests for summaries and notes were answered. */
  readonly answered: number;
}

/**
 * Answers requests for summaries and for updates of notes itself, and leaves everything else to the inner player.
 * An inner player that keeps a place in conversations is told of them.
 */
export function withSummaries(inner: Player, options: SummariesOptions = {}): Player {
  checkPlayer("withSummaries", inner);
  const { mode = "mediocre", times = Infinity, characters } = options;
  if (!isSummaryMode(mode)) {
    throw new PlayerError(
      "bad-player",
      `withSummaries: there is no mode ${JSON.stringify(mode)}; there are ${summaryModes.join(", ")}`,
    );
  }
  return {
    answer(prompt, memory) {
      const own = readMemory(memory);
      if (isOwnResults(prompt)) return { answer: afterOwnCalls(prompt, characters), memory: own };

      const request = recogniseSummaryRequest(prompt);
      if (request === undefined) {
        const played = inner.answer(prompt, own.inner);
        return { answer: played.answer, memory: { ...own, inner: played.memory } };
      }
      const observed =
        request.kind === "summary" && isObserving(inner)
          ? inner.observeSummary(prompt, own.inner)
          : own.inner;
      const now = own.answered < times ? mode : "mediocre";
      return {
        answer: answerAs(now, { prompt, request, ...(characters === undefined ? {} : { characters }) }),
        memory: { inner: observed, answered: own.answered + 1 } satisfies SummariesMemory,
      };
    },
  };
}

const readMemory = (memory: unknown): SummariesMemory =>
  typeof memory === "object" && memory !== null && "answered" in memory
    ? (memory as SummariesMemory)
    : { inner: undefined, answered: 0 };

const isObserving = (player: Player): player is ObservingPlayer => "observeSummary" in player;

interface Task {
  readonly prompt: PlayerPrompt;
  readonly request: SummaryRequest;
  readonly characters?: number;
}

const text = (value: string): AnswerBlock => ({ type: "text", text: value });

function answerAs(mode: SummaryMode, task: Task): Answer {
  switch (mode) {
    case "mediocre":
      return { content: goodContent(task) };
    case "empty":
      return { content: [] };
    case "tool-call": {
      const tool = callableTools(task.prompt.request)[0];
      const start = text("Let me look at the files once more first.");
      return {
        content: tool === undefined ? [start] : [start, ownCall(task.prompt, 0, callWithDefaults(tool))],
      };
    }
    case "truncated": {
      const whole = summaryText(task);
      return { content: [text(cutText(whole, Math.ceil(whole.length / 2)))], stopReason: "max_tokens" };
    }
    case "inflated":
      return { content: [text(inflate(summaryText(task), task.prompt))] };
    case "api-error-text":
      return {
        content: [
          text('API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
        ],
      };
    case "no-tags":
      return { content: [text(withoutTags(summaryText(task)))] };
    case "unclosed":
      return { content: [text(unclosed(summaryText(task)))] };
    case "refusal":
      return { content: [text("I can't help with that.")], stopReason: "refusal" };
  }
}

function goodContent(task: Task): readonly AnswerBlock[] {
  const { prompt, request } = task;
  if (request.kind === "summary") return [text(summaryText(task))];
  const edits = writeNotesEdits(request, materialOf(prompt), callableTools(prompt.request));
  if (edits.length === 0) return [text("The notes are up to date.")];
  return edits.map((edit, index) => ownCall(prompt, index, edit));
}

function summaryText({ prompt, request, characters }: Task): string {
  const form = request.kind === "summary" ? request.form : { style: "plain" as const };
  return writeSummary(materialOf(prompt), form, characters === undefined ? {} : { characters });
}

/** On a compaction by the API there is no instruction among the messages. */
const materialOf = ({ kind, messages }: PlayerPrompt): Material =>
  readMaterial(messages, { lastIsInstruction: kind !== "compaction" && messages.at(-1)?.role === "user" });

/** Longer than all that was sent: a compaction that makes things larger. Bounded at 4 MB. */
function inflate(summary: string, { messages }: PlayerPrompt): string {
  const size = Math.min(
    4_000_000,
    Math.max(summary.length, Math.ceil(JSON.stringify(messages).length * 1.2)),
  );
  const close = /(<\/(?:summary|state_snapshot|observations)>[\s\S]*)$/.exec(summary)?.[1] ?? "";
  const open = summary.slice(0, summary.length - close.length);
  const filler = "\n- Every detail of this step is repeated here in full, so that nothing can be missed.";
  return `${open}${filler.repeat(Math.ceil(Math.max(0, size - summary.length) / filler.length))}\n${close}`;
}

const tag = /<\/?[a-z][a-z_-]*>\n?/g;

const withoutTags = (summary: string): string =>
  summary
    .replace(/<analysis>[\s\S]*?<\/analysis>\s*/, "")
    .replaceAll(tag, "")
    .trim();

/** Without its last closing tag; where none was asked for, with an opening one. */
function unclosed(summary: string): string {
  const last = [...summary.matchAll(/<\/(?:summary|state_snapshot|observations)>/g)].at(-1);
  return last === undefined ? `<summary>\n${summary}` : summary.slice(0, last.index).trimEnd();
}

const OWN_PREFIX = "toolu_summaries_";

const ownCall = (
  prompt: PlayerPrompt,
  index: number,
  call: { readonly name: string; readonly input: Readonly<Record<string, unknown>> },
): AnswerBlock => ({ type: "tool_use", id: `${OWN_PREFIX}${prompt.sequence}_${index}`, ...call });

/** Whether the last message brings the results of calls that this player made. */
function isOwnResults({ kind, messages }: PlayerPrompt): boolean {
  const last = messages.at(-1);
  if (kind !== "message" || last?.role !== "user") return false;
  const results = blocksOf(last).filter((block) => block.type === "tool_result");
  return results.length > 0 && results.every((block) => String(block["tool_use_id"]).startsWith(OWN_PREFIX));
}

/** After edits it is done; after a call that it should not have made, it writes what was asked for. */
function afterOwnCalls(prompt: PlayerPrompt, characters: number | undefined): Answer {
  const before: PlayerPrompt = { ...prompt, messages: prompt.messages.slice(0, -2) };
  const request = recogniseSummaryRequest(before);
  if (request?.kind !== "summary") return { content: [text("The notes are up to date.")] };
  const task = { prompt: before, request, ...(characters === undefined ? {} : { characters }) };
  return { content: [text(summaryText(task))] };
}
