import { asText, isFields, type Fields } from "../../messages/fields.js";
import type { Message } from "../../messages/message.js";
import { isPinned } from "../../messages/pinned.js";
import { isCompactBoundary } from "../../messages/predicates.js";
import { fileReadsOf } from "./file-reads.js";
import { RECALL_TOOL } from "./recall-tool.js";

/** What an id or a tool's name must look like to be repeated in a sentence. */
const ID = /^[\w.:-]{1,128}$/;
/** A file's name that can stand in a sentence. */
const FILE_NAME = /^[\w.@+-]{3,60}$/;
const MOST_TOOLS = 3;
const EXAMPLE = "words that stood in it";

/** One argument of Recall with an id, as sentences name it; undefined for an id that cannot be repeated. */
export const recallById = (argument: "message" | "tool_use_id", id: string): string | undefined =>
  ID.test(id) ? `${RECALL_TOOL} with ${argument} "${id}"` : undefined;

/** How the model gets a cleared result back: the sentence after the placeholder, for `RecallHint`. */
export function recallHint(toolUseId: string, _toolName: string): string | undefined {
  const call = recallById("tool_use_id", toolUseId);
  return call && `${call} shows it again.`;
}

/** What a compaction took out of the context, and the call that finds it: one line, for `DroppedHint`. */
export function droppedHint(dropped: readonly Message[]): string | undefined {
  const isEarlier = (message: Message): boolean =>
    isCompactBoundary(message) || (message.type === "user" && message.isCompactSummary === true);
  const gone = dropped.filter(
    (message) =>
      (message.type === "user" || message.type === "assistant") && !isEarlier(message) && !isPinned(message),
  );
  const blocks = gone.flatMap(blocksOf);
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const results = blocks.filter(({ type }) => type === "tool_result").length;
  const what = [
    ...(gone.length === 0
      ? []
      : [
          `${counted(gone.length, "message")}${results === 0 ? "" : withResults(results, calls)}${timesOf(gone)}`,
        ]),
    ...(dropped.some(isEarlier) ? ["what earlier compactions took out"] : []),
  ];
  if (what.length === 0) return undefined;
  return (
    `No longer in this context: ${what.join(", and ")}. All of it can still be found word for word: before you run or read ` +
    `something a second time, or guess at a detail, call ${RECALL_TOOL} with a query of ${EXAMPLE}, ` +
    `such as {"query": "${exampleOf(calls) ?? EXAMPLE}"}.`
  );
}

function blocksOf(message: Message): readonly Fields[] {
  const content: unknown =
    message.type === "user" || message.type === "assistant" ? message.message?.content : undefined;
  return Array.isArray(content) ? content.filter(isFields) : [];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The tools that were called most come first, and of equal ones the earlier. */
function withResults(results: number, calls: readonly Fields[]): string {
  const byName = new Map<string, number>();
  for (const { name } of calls) {
    if (ID.test(asText(name))) byName.set(asText(name), (byName.get(asText(name)) ?? 0) + 1);
  }
  const listed = [...byName].toSorted(([, a], [, b]) => b - a).slice(0, MOST_TOOLS);
  const tools = listed.map(([name, count]) => `${name} ${count}`).join(", ");
  return ` with ${counted(results, "result")}${tools === "" ? "" : ` (calls: ${tools})`}`;
}

/** From when to when, to the minute. */
function timesOf(messages: readonly Message[]): string {
  const times = messages.map(({ timestamp }) => Date.parse(asText(timestamp))).filter(Number.isFinite);
  if (times.length === 0) return "";
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))].map(
    (at) => new Date(at).toISOString().slice(0, 16).replace("T", " "),
  );
  return first === last ? ` of ${first} UTC` : ` of ${first} to ${last} UTC`;
}

/** The name of the file that was called for last. */
function exampleOf(calls: readonly Fields[]): string | undefined {
  for (const { input } of calls.toReversed()) {
    const name = fileReadsOf(input).at(0)?.path.split(/[\\/]/).at(-1);
    if (name !== undefined && FILE_NAME.test(name)) return name;
  }
  return undefined;
}
