import { isFields } from "../../../messages/fields.js";
import type { Message } from "../../../messages/message.js";
import { pathKey } from "../../../messages/paths.js";
import type { CompactableTools } from "../../tools/compactable-tools.js";
import { fileReadsOf } from "../../tools/file-reads.js";
import type { LineRange } from "../line-range.js";
import { editsOf } from "./edits-of.js";

/** A part of a file that came back after an earlier compaction. */
export interface RestoredRange extends LineRange {
  /** Rounds since the agent changed something there, when it came back; left out where it never did. */
  readonly editedBefore?: number;
}

/** What messages tell of the work on one file. Ages are in rounds: responses since. */
export interface FileTouches {
  /** Since it was last read, written or edited. */
  readonly age: number;
  /** Lines that edits put into it, the oldest first. */
  readonly edits: readonly { readonly age: number; readonly lines: readonly string[] }[];
  /** What came back of it after the compaction before, and how long ago that was. */
  readonly restored?: { readonly age: number; readonly ranges: readonly RestoredRange[] };
}

export interface TouchOptions {
  readonly tools: CompactableTools;
  /** The name under which the read-state knows a path. */
  readonly resolvePath: (path: string) => string;
}

interface Open {
  age: number;
  edits: { age: number; lines: readonly string[] }[];
  restored?: { age: number; ranges: readonly RestoredRange[] };
}

/** By `pathKey`. Messages come from files and may be anything. */
export function fileTouches(
  messages: readonly Message[],
  { tools, resolvePath }: TouchOptions,
): ReadonlyMap<string, FileTouches> {
  const touches = new Map<string, Open>();
  const touch = (path: string, age: number): Open => {
    const key = pathKey(resolvePath(path));
    let file = touches.get(key);
    if (file === undefined) touches.set(key, (file = { age, edits: [] }));
    file.age = age;
    return file;
  };
  const ages = agesOf(messages);
  for (const [index, message] of messages.entries()) {
    const age = ages[index] ?? 0;
    if (message.type === "attachment") takeRestored(message.attachment, age, touch);
    const content: unknown = message.type === "assistant" ? message.message?.content : undefined;
    for (const block of Array.isArray(content) ? content : []) {
      if (!isFields(block) || block["type"] !== "tool_use" || typeof block["name"] !== "string") continue;
      const { name, input } = block;
      const kind = tools.kindOf(name);
      if (kind === "file-read") for (const { path } of fileReadsOf(input)) touch(path, age);
      if (kind !== "file-edit" && kind !== "file-write") continue;
      for (const { path, lines } of editsOf(input, kind)) {
        const file = touch(path, age);
        if (lines.length > 0) file.edits.push({ age, lines });
      }
    }
  }
  return touches;
}

/** What an earlier compaction brought back is as old as it was then, and what came since. */
function takeRestored(attachment: unknown, age: number, touch: (path: string, age: number) => Open): void {
  if (!isFields(attachment) || attachment["type"] !== "file" || typeof attachment["path"] !== "string")
    return;
  const { path, reuse } = attachment;
  const ranges = restoredRanges(reuse);
  if (ranges === undefined) return;
  const file = touch(path, age + (numberOf((reuse as { readonly age?: unknown }).age) ?? 0));
  file.restored = { age, ranges };
}

/** The parts that an attachment of an earlier compaction shows; undefined for one that tells of none. */
export function restoredRanges(reuse: unknown): readonly RestoredRange[] | undefined {
  if (!isFields(reuse)) return undefined;
  const given: readonly unknown[] = Array.isArray(reuse["ranges"]) ? reuse["ranges"] : [];
  return given.slice(0, MOST_RANGES).flatMap((range) => {
    if (!isFields(range)) return [];
    const [first, last, editedBefore] = [range["first"], range["last"], range["editedBefore"]].map(numberOf);
    return first === undefined || last === undefined
      ? []
      : [{ first, last, ...(editedBefore === undefined ? {} : { editedBefore }) }];
  });
}

/** A compaction brings back no more parts of one file; who forges more gains nothing. */
const MOST_RANGES = 1000;

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** How many responses came after each message. */
function agesOf(messages: readonly Message[]): readonly number[] {
  const ages: number[] = [];
  let age = 0;
  let id: unknown;
  for (const message of messages.toReversed()) {
    if (message.type === "assistant") {
      const own: unknown = message.message?.id;
      if (own !== id || own === undefined) age += 1;
      id = own;
    }
    ages.push(Math.max(0, message.type === "assistant" ? age - 1 : age));
  }
  return ages.toReversed();
}
