import type { ModelResponse } from "../../messages/call/response.js";
import type { StreamOutput } from "../../messages/call/stream.js";
import type { AssistantBlock } from "../../messages/content.js";
import { inOrder, type BackwardList } from "../backward-list.js";
import { madeCallId } from "./blocks.js";
import { stopReason } from "./finish-reason.js";
import { findCall, ownId, type KnownCalls } from "./known-calls.js";
import type { CallPart, MessageParts } from "../../messages/import/chat-parts.js";
import {
  closeBlock,
  contentOf,
  isComplete,
  pieceOutputs,
  startOutput,
  withPiece,
  type BlockStart,
  type OpenBlock,
} from "./open-block.js";
import { decodeChatUsage } from "./usage.js";

/**
 * A message that is being streamed. Never changed in place; a piece costs the same at any length. Its blocks are
 * told one after the other: what begins while a call still lacks arguments waits for that call.
 */
export interface StreamContent {
  /** Its head, without content. */
  readonly message: ModelResponse;
  readonly closed: BackwardList<AssistantBlock>;
  readonly closedCount: number;
  /** The block that is being told. */
  readonly current: OpenBlock | undefined;
  /** Blocks that began after it. */
  readonly waiting: readonly OpenBlock[];
  readonly calls: KnownCalls;
  readonly callCount: number;
  readonly finish: string | undefined;
  readonly isRefusal: boolean;
  readonly usage: unknown;
}

export interface ContentStep {
  readonly content: StreamContent;
  readonly outputs: readonly StreamOutput[];
  /** What the server did that it may not do. */
  readonly fault: string | undefined;
}

export function openContent(message: ModelResponse): StreamContent {
  return {
    message,
    closed: undefined,
    closedCount: 0,
    current: undefined,
    waiting: [],
    calls: undefined,
    callCount: 0,
    finish: undefined,
    isRefusal: false,
    usage: undefined,
  };
}

export function addParts(content: StreamContent, parts: MessageParts): ContentStep {
  const draft = new Draft(parts.isRefusal ? { ...content, isRefusal: true } : content);
  draft.addText("thinking", parts.thinking);
  draft.addText("text", parts.text);
  const fault = parts.calls.map((part) => draft.addCall(part)).find((found) => found !== undefined);
  return { content: draft.content, outputs: draft.outputs, fault };
}

/** The message, after the blocks that were still open. */
export function completeContent(content: StreamContent): readonly StreamOutput[] {
  const draft = new Draft(content);
  draft.closeAll();
  const { message, closed, callCount, finish, isRefusal, usage } = draft.content;
  const whole: ModelResponse = {
    ...message,
    content: inOrder(closed),
    stop_reason: stopReason(finish, { hasCalls: callCount > 0, isRefusal }),
    usage: decodeChatUsage(usage),
  };
  return [...draft.outputs, { kind: "message", message: whole }];
}

/** The content during one step, and what there is to tell of it. */
class Draft {
  content: StreamContent;
  readonly outputs: StreamOutput[] = [];

  constructor(content: StreamContent) {
    this.content = content;
  }

  /** Goes on with the last block where it is of this kind, else begins one. */
  addText(kind: "text" | "thinking", piece: string): void {
    if (piece === "") return;
    const { current, waiting, closedCount } = this.content;
    const last = waiting.at(-1) ?? current;
    if (last?.kind === kind) this.#extend(closedCount + waiting.length, piece);
    else this.#begin({ kind }, piece);
  }

  /** Says what is wrong with the piece. */
  addCall(part: CallPart): string | undefined {
    const { calls, callCount, closedCount, message } = this.content;
    const known = findCall(calls, part);
    if (known !== undefined) {
      if (known.index >= closedCount) this.#extend(known.index, part.json);
      else if (part.json.trim() !== "") return "more arguments for a call that was complete";
      return undefined;
    }
    const { name, id, index: number, json } = part;
    if (name === undefined)
      return id === undefined && json === "" ? undefined : "a call that begins without a name";
    const head = { id: ownId(calls, part) ?? madeCallId(message.id, callCount), name };
    const index = this.#begin({ kind: "call", head }, json);
    this.content = {
      ...this.content,
      calls: { item: { number, serverId: id, id: head.id, index }, before: calls },
      callCount: callCount + 1,
    };
    return undefined;
  }

  closeAll(): void {
    while (this.content.current !== undefined) this.#closeCurrent(this.content.current);
  }

  /** Closes what is complete and begins a block, which may have to wait; gives its index. */
  #begin(start: BlockStart, piece: string): number {
    while (this.content.current !== undefined && isComplete(this.content.current)) {
      this.#closeCurrent(this.content.current);
    }
    const { current, waiting, closedCount } = this.content;
    const block = withPiece(start, piece);
    if (current !== undefined) {
      this.content = { ...this.content, waiting: [...waiting, block] };
      return closedCount + waiting.length + 1;
    }
    this.content = { ...this.content, current: block };
    this.#tell(block, closedCount);
    return closedCount;
  }

  #extend(index: number, piece: string): void {
    const { current, waiting, closedCount } = this.content;
    const place = index - closedCount;
    if (place === 0 && current !== undefined) {
      this.outputs.push(...pieceOutputs(current, { index, piece }));
      this.content = { ...this.content, current: withPiece(current, piece) };
      return;
    }
    const block = waiting[place - 1];
    if (block === undefined) return;
    this.content = { ...this.content, waiting: waiting.with(place - 1, withPiece(block, piece)) };
  }

  /** The first block that waits takes its place. */
  #closeCurrent(current: OpenBlock): void {
    const { closed, closedCount, waiting } = this.content;
    const done = closeBlock(current);
    this.outputs.push({ kind: "block", index: closedCount, ...done });
    const [next, ...rest] = waiting;
    this.content = {
      ...this.content,
      closed: { item: done.block, before: closed },
      closedCount: closedCount + 1,
      current: next,
      waiting: rest,
    };
    if (next !== undefined) this.#tell(next, closedCount + 1);
  }

  #tell(block: OpenBlock, index: number): void {
    this.outputs.push(startOutput(index, block), ...pieceOutputs(block, { index, piece: contentOf(block) }));
  }
}
