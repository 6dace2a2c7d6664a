import { accountOf, accountTotal, type Message } from "@palimpsest/core";
import { describeBreak } from "@palimpsest/core/engine";
import type { AgentEvent } from "../../../agent/base/agent-event.js";
import { dollars } from "../../../agent/commands/figures.js";
import { shownLine, shownText } from "../text/shown-text.js";
import { closedBlock, spilled, takeText, type TakenText } from "./answer-blocks.js";
import { aboutCall, changeOf, resultText } from "./call-words.js";
import { compactionDetail, compactionLine } from "./compaction-words.js";
import type { Detail, Item, PreviewLine, Tone } from "./item.js";
import type { ScreenEvent } from "./screen-event.js";
import type { RunningCall, ScreenState } from "./state.js";

const MOST_DETAILS = 50;
const LONGEST_DETAIL = 400_000;
const PREVIEW_LINES = { quiet: 0, normal: 5, verbose: 40 } as const;
const LONGEST_PREVIEW = 2000;
const LONGEST_THINKING = 20_000;

/** What the screen knows after something has happened. Nothing is drawn here, and no clock is asked. */
export function reduce(state: ScreenState, event: ScreenEvent): ScreenState {
  switch (event.kind) {
    case "agent":
      return hear(state, event.event);
    case "compaction":
      return {
        ...state,
        compaction: event.progress === undefined ? undefined : { ...event.progress, at: event.at },
      };
    case "said":
      return commit(state, { kind: "prompt", text: shownText(event.text) });
    case "turn-began":
      return { ...state, activity: { at: event.at, what: "working", characters: 0 } };
    case "turn-ended":
      return ended(state, event.text, event.tone);
    case "queued":
      return { ...state, queue: [...state.queue, event.text] };
    case "unqueued":
      return { ...state, queue: event.all ? [] : state.queue.slice(1) };
    case "output":
      return commit(event.detail === undefined ? state : withDetail(state, event.detail), {
        kind: "output",
        text: shownText(event.text),
        ...(event.isMarkdown === true ? { isMarkdown: true } : {}),
      });
    case "waited":
      return {
        ...state,
        calls: state.calls.map((call) => ({
          ...call,
          waitedMs: (call.waitedMs ?? 0) + event.milliseconds,
        })),
        activity: state.activity && { ...state.activity, at: state.activity.at + event.milliseconds },
      };
    case "grid": {
      const parts = event.parts.map(({ name, tokens }) => ({ name: shownLine(name), tokens }));
      return commit(state, { kind: "grid", parts, limit: event.limit });
    }
    case "notice":
      return notify(state, { kind: "notice", text: shownText(event.text), tone: event.tone });
    case "status":
      return { ...state, status: event.status };
    case "verbosity":
      return { ...state, verbosity: event.verbosity };
    case "flushed":
      return { ...state, pending: state.pending.slice(event.items) };
    case "spilled":
      return state.open === undefined
        ? state
        : { ...state, open: spilled(state.open, event.characters), lastPart: "block" };
  }
}

const commit = (state: ScreenState, ...items: readonly Item[]): ScreenState => {
  const settled = state.open === undefined ? state : closeAnswer(state);
  return { ...settled, lastPart: "none", pending: [...settled.pending, ...items] };
};

/** What is told meanwhile does not part a paragraph: it stands after it. */
const notify = (state: ScreenState, item: Item): ScreenState =>
  state.open === undefined ? commit(state, item) : { ...state, held: [...state.held, item] };

const settleHeld = (state: ScreenState): ScreenState =>
  state.held.length === 0
    ? state
    : { ...state, pending: [...state.pending, ...state.held], held: [], lastPart: "none" };

const withDetail = (state: ScreenState, { title, text }: Detail): ScreenState => ({
  ...state,
  details: [
    ...state.details.slice(-(MOST_DETAILS - 1)),
    { title: shownLine(title), text: shownText(text.slice(0, LONGEST_DETAIL)) },
  ],
});

function answerItems(state: ScreenState, closed: TakenText["closed"]): ScreenState {
  let { lastPart } = state;
  const items = closed.map(({ isItem, ...block }): Item => {
    const hasGap = lastPart === "none" || !(isItem && lastPart === "item");
    lastPart = isItem ? "item" : "block";
    const isRest = block.kind === "raw" || (block.kind === "code" && block.opening === undefined);
    return { kind: "answer", block, hasGap: hasGap && !isRest };
  });
  return items.length === 0 ? state : { ...state, lastPart, pending: [...state.pending, ...items] };
}

function closeAnswer(state: ScreenState): ScreenState {
  if (state.open === undefined) return state;
  return settleHeld({ ...answerItems(state, closedBlock(state.open)), open: undefined });
}

function say(state: ScreenState, text: string): ScreenState {
  const { closed, open } = takeText(state.open, shownText(text));
  const begun = answerItems(settleThinking(state), closed);
  return {
    ...(closed.length > 0 || open === undefined ? settleHeld(begun) : begun),
    open,
    hasStreamed: true,
    activity: state.activity && {
      ...state.activity,
      what: "answering",
      characters: state.activity.characters + text.length,
    },
  };
}

/** What the model thought stands before what it says, where the person wants to see it. */
function settleThinking(state: ScreenState): ScreenState {
  if (state.thinking === "") return state;
  const item: Item = { kind: "thinking", text: shownText(state.thinking.trim()) };
  const isShown = state.verbosity === "verbose" && state.thinking.trim() !== "";
  return { ...state, thinking: "", ...(isShown ? { pending: [...state.pending, item] } : {}) };
}

function hear(state: ScreenState, event: AgentEvent): ScreenState {
  switch (event.kind) {
    case "text":
      return say(state, event.text);
    case "thinking":
      return {
        ...state,
        thinking: (state.thinking + event.text).slice(-LONGEST_THINKING),
        activity: state.activity && {
          ...state.activity,
          what: "thinking",
          characters: state.activity.characters + event.text.length,
        },
      };
    case "message":
      return hearMessage(state, event.message);
    case "tool-start": {
      const { id, name, input } = event;
      const call = { id, name: shownLine(name), about: aboutCall(input), input };
      const settled = closeAnswer(settleThinking(state));
      return {
        ...settled,
        calls: [...settled.calls, call],
        activity: settled.activity && { ...settled.activity, what: "working" },
      };
    }
    case "tool-end": {
      const { id, isError, isDenied, milliseconds } = event;
      const outcome = isDenied ? "denied" : isError ? "failed" : "done";
      return {
        ...state,
        calls: state.calls.map((call) =>
          call.id === id ? { ...call, ended: { outcome, milliseconds } } : call,
        ),
      };
    }
    case "step": {
      const { step } = event;
      if (step.compacted === undefined)
        return commit(state, { kind: "notice", text: shownLine(step.text), tone: "plain" });
      const { dollars: cost, unpricedCalls } = accountTotal(accountOf(step.compacted.calls));
      const price = step.compacted.calls.length === unpricedCalls ? undefined : dollars(cost);
      return commit(withDetail(state, compactionDetail(step.compacted)), {
        kind: "compaction",
        text: shownLine(compactionLine(step.compacted, price)),
      });
    }
    case "cache-break":
      return commit(state, {
        kind: "notice",
        text: shownLine(describeBreak(event.cacheBreak)),
        tone: "warn",
      });
    case "retry": {
      const seconds = Math.max(1, Math.round(event.waitMs / 1000));
      const text = `The request failed (${event.failure.kind}) and is sent again in ${seconds} s.`;
      // What was told of its answer is void.
      return commit({ ...state, hasStreamed: false }, { kind: "notice", text, tone: "warn" });
    }
    case "notice":
      return notify(state, { kind: "notice", text: shownText(event.text), tone: "plain" });
  }
}

function hearMessage(state: ScreenState, message: Message): ScreenState {
  if (message.type === "assistant") {
    const told = state.hasStreamed ? state : say(state, saidIn(message));
    return { ...closeAnswer(settleThinking(told)), hasStreamed: false };
  }
  if (message.type !== "user" || typeof message.message.content === "string") return state;
  let next = state;
  for (const block of message.message.content) {
    if (block.type !== "tool_result") continue;
    const call = next.calls.find(({ id }) => id === block.tool_use_id);
    if (call === undefined) continue;
    next = showResult({ ...next, calls: next.calls.filter((one) => one !== call) }, call, block);
  }
  return next;
}

const saidIn = (message: Extract<Message, { readonly type: "assistant" }>): string =>
  message.message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");

function showResult(
  state: ScreenState,
  call: RunningCall,
  { content, is_error: isError }: { readonly content?: unknown; readonly is_error?: boolean | undefined },
): ScreenState {
  const text = resultText(content);
  const { outcome = isError === true ? "failed" : "done", milliseconds = 0 } = call.ended ?? {};
  const change = outcome === "done" ? changeOf(call.name, call.input) : undefined;
  const limit =
    outcome === "done" ? PREVIEW_LINES[state.verbosity] : Math.max(3, PREVIEW_LINES[state.verbosity]);
  const lines: readonly PreviewLine[] =
    change ??
    shownText(text.slice(0, LONGEST_DETAIL).trimEnd())
      .split("\n")
      .map((line) => ({ text: line.slice(0, LONGEST_PREVIEW) }));
  const most = change === undefined ? limit : limit * 3;
  const preview = lines.slice(0, most);
  return commit(withDetail(state, { title: `${call.name} ${call.about}`.trim(), text }), {
    kind: "tool",
    name: call.name,
    about: call.about,
    outcome,
    milliseconds: Math.max(0, milliseconds - (call.waitedMs ?? 0)),
    preview,
    more: lines.length - preview.length,
  });
}

function ended(state: ScreenState, text: string, tone: Tone): ScreenState {
  const settled = closeAnswer(settleThinking({ ...state, activity: undefined, compaction: undefined }));
  // Calls whose results never came.
  const open = settled.calls.map(({ name, about }): Item => ({
    kind: "tool",
    name,
    about,
    outcome: "failed",
    milliseconds: 0,
    preview: [],
    more: 0,
  }));
  const last: readonly Item[] = text === "" ? [] : [{ kind: "notice", text: shownText(text), tone }];
  return { ...commit({ ...settled, calls: [] }, ...open, ...last), hasStreamed: false };
}
