import { isCompactBoundary, type Message } from "@palimpsest/core";
import {
  isBilledCallsRecord,
  isClearingBoundary,
  isRewound,
  preservedSegmentOf,
  undoneBoundary,
} from "@palimpsest/core/engine";
import { isPiece, responseIdOf } from "../../replay/rounds/skeleton.js";
import type { PartKind } from "../contract.js";
import { ContextList } from "./context-list.js";
import { headKind, type IndexedMessage } from "./indexed-message.js";

export const partKinds: readonly PartKind[] = [
  "system",
  "tools",
  "people",
  "assistant",
  "results",
  "attachments",
  "unknown",
];

/** Where a list stands. */
export interface Standing {
  readonly list: ContextList;
  readonly length: number;
}

/**
 * One conversation of a recording as it goes on: what its next request would hold. It is told of all its messages in the order of the
 * file, and goes back where one hangs on an earlier message.
 */
export class LaneTracer {
  readonly #messages: readonly IndexedMessage[];
  #list = new ContextList(0);
  readonly #places = new Map<string, Standing>();
  /** Before each boundary. */
  readonly #before = new Map<string, Standing>();
  /** Results by their calls. */
  #results = new Map<string, number>();
  #kept: ReadonlySet<string> = new Set();
  #waiting: { readonly anchor: string; readonly ordinals: readonly number[] } | undefined;
  /** System prompt and tools stand before whatever a compaction leaves. */
  readonly #head: number[] = [];
  #isLinked = false;

  constructor(messages: readonly IndexedMessage[]) {
    this.#messages = messages;
  }

  get standing(): Standing {
    return { list: this.#list, length: this.#list.length };
  }

  take(ordinal: number): void {
    const { message } = this.#messages[ordinal] as IndexedMessage;
    const { uuid, parentUuid } = message;
    if (isBilledCallsRecord(message)) {
      const before = typeof parentUuid === "string" ? this.#places.get(parentUuid) : undefined;
      if (before !== undefined) this.#places.set(uuid, before);
      return;
    }
    if (isCompactBoundary(message)) this.#begin(message);
    else this.#goTo(message);
    this.#isLinked ||= typeof parentUuid === "string";
    if (message.type === "system" && headKind(message.subtype) !== undefined) this.#head.push(ordinal);
    this.#push(ordinal);
    if (this.#waiting?.anchor === uuid) this.#placeKept();
  }

  /** What a compaction kept stands there, although what it should stand after has not come. */
  settle(): void {
    if (this.#waiting !== undefined) this.#placeKept();
  }

  #begin(boundary: Message & { readonly type: "system" }): void {
    this.settle();
    const before = this.standing;
    this.#before.set(boundary.uuid, before);
    const segment = isCompactBoundary(boundary) ? preservedSegmentOf(boundary) : undefined;
    const head = segment && this.#places.get(segment.headUuid);
    const tail = segment && this.#places.get(segment.tailUuid);
    const ordinals =
      segment === undefined || head === undefined
        ? []
        : before.list
            .slice(head.length - 1, tail?.length ?? before.length)
            .filter((at) => !this.#isBoundary(at));
    this.#list = new ContextList(this.#list.id + 1);
    this.#results = new Map();
    for (const at of this.#head) this.#push(at);
    this.#kept = new Set(ordinals.map((at) => this.#messages[at]?.message.uuid ?? ""));
    if (segment === undefined || ordinals.length === 0) return;
    // What hangs on the message after which they stand comes after all of them.
    if (segment.anchorUuid !== null) this.#kept = new Set([...this.#kept, segment.anchorUuid]);
    if (segment.anchorUuid === null) for (const at of ordinals) this.#push(at);
    else this.#waiting = { anchor: segment.anchorUuid, ordinals };
  }

  #isBoundary(ordinal: number): boolean {
    const message = this.#messages[ordinal]?.message;
    return message !== undefined && isCompactBoundary(message);
  }

  #placeKept(): void {
    const { ordinals = [] } = this.#waiting ?? {};
    this.#waiting = undefined;
    for (const ordinal of ordinals) this.#push(ordinal);
  }

  /** Makes the list end with what the message hangs on. */
  #goTo(message: Message): void {
    const undone = undoneBoundary(message);
    const before = undone === undefined ? undefined : this.#before.get(undone);
    if (before !== undefined) return this.#goOnFrom(before);
    const { parentUuid } = message;
    if (parentUuid === null && this.#isLinked && message.type !== "system") {
      this.#list = new ContextList(this.#list.id + 1);
      return;
    }
    const parent = typeof parentUuid === "string" ? this.#places.get(parentUuid) : undefined;
    if (parent === undefined || typeof parentUuid !== "string") return;
    if (this.#kept.has(parentUuid) && !isRewound(message)) return;
    if (parent.list === this.#list && parent.length === this.#list.length) return;
    const length = this.#withSiblings(parent);
    if (parent.list === this.#list && length === this.#list.length) return;
    this.#goOnFrom({ list: parent.list, length });
    if (isRewound(message) && Array.isArray(message.leftOut)) this.#leaveOut(new Set(message.leftOut));
  }

  #goOnFrom(standing: Standing): void {
    this.#waiting = undefined;
    this.#list = new ContextList(this.#list.id + 1, standing);
  }

  #leaveOut(gone: ReadonlySet<unknown>): void {
    const left = this.#list.slice().filter((at) => !gone.has(this.#messages[at]?.message.uuid));
    this.#list = new ContextList(this.#list.id + 1);
    for (const ordinal of left) this.#push(ordinal);
  }

  /** What stands right after a message and belongs to the same response: its other pieces, results, and state beside those. */
  #withSiblings({ list, length }: Standing): number {
    const last = this.#messages[list.at(length - 1) ?? -1]?.message;
    let response = last !== undefined && isPiece(last) ? responseIdOf(last) : undefined;
    if (last?.type === "user" && !holdsResults(last)) return length;
    let end = length;
    for (const ordinal of list.slice(length, length + MOST_SIBLINGS)) {
      const next = this.#messages[ordinal]?.message;
      if (next === undefined) break;
      if (isPiece(next)) {
        response ??= responseIdOf(next);
        if (responseIdOf(next) !== response || last === undefined || !isPiece(last)) break;
      } else if (next.type === "user" && !holdsResults(next)) break;
      end += 1;
    }
    return end;
  }

  #push(ordinal: number): void {
    const { message, blocks } = this.#messages[ordinal] as IndexedMessage;
    const change: Record<number, number> = {};
    const add = (kind: PartKind, tokens: number): void => {
      const at = partKinds.indexOf(kind);
      change[at] = (change[at] ?? 0) + tokens;
    };
    for (const { kind, tokens, call, type } of blocks) {
      add(kind, tokens);
      if (type === "tool_result" && call !== undefined) this.#results.set(call, tokens);
    }
    if (isClearingBoundary(message)) {
      for (const id of message.microcompactMetadata.toolUseIds) {
        add("results", -(this.#results.get(id) ?? 0));
        this.#results.delete(id);
      }
    }
    this.#list.push(ordinal, change);
    this.#places.set(message.uuid, this.standing);
  }
}

/** Of one response there are not more than these. */
const MOST_SIBLINGS = 512;

const holdsResults = (message: Message): boolean =>
  message.type === "user" &&
  Array.isArray(message.message.content) &&
  message.message.content.some((block) => block?.type === "tool_result");
