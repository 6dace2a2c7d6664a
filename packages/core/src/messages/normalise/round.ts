import { isThinkingBlock } from "../predicates.js";
import type {
  AssistantBlock,
  AssistantRequestMessage,
  ServerToolResultBlock,
  ServerToolUseBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
  UserRequestMessage,
} from "../content.js";
import { noContent } from "./clean-block.js";
import type { RepairKind } from "./repairs.js";
import { MISSING_RESULT_TEXT } from "./wording.js";

export interface ToolCall {
  /** The id in the request, which may differ from the recorded one. */
  readonly id: string;
  readonly round: Round;
}

/** Where a repair is told. */
export type Report = (kind: RepairKind, toolUseId?: string, uuid?: string) => void;

const isServerCall = (block: AssistantBlock): block is ServerToolUseBlock =>
  block.type === "server_tool_use" || block.type === "mcp_tool_use";
const isServerResult = (block: AssistantBlock): block is ServerToolResultBlock =>
  block.type.endsWith("_tool_result");
const isPlaceholder = (block: ToolResultBlock): boolean =>
  block.is_error === true && block.content === MISSING_RESULT_TEXT;

/**
 * One response, all its pieces, and the slot of user content after it; without a response, the slot at the
 * start of the conversation. What it builds is kept, object for object, until something is added to it.
 */
export class Round {
  readonly blocks: AssistantBlock[] = [];
  /** A person spoke since: a later piece with the same id is a response of its own. */
  closedToPieces = false;
  /** Where the built user message lies among the sealed ones. */
  userIndex: number | undefined;

  readonly #rest: UserBlock[] = [];
  /** A user message stood here, even if nothing of it is left. */
  #hasUserMessage = false;
  readonly #results = new Map<string, ToolResultBlock>();
  readonly #calls: string[] = [];
  readonly #serverCalls = new Map<string, "open" | "answered">();
  readonly #response: { readonly id: string | undefined; readonly uuid: string | undefined } | undefined;
  #thinks = false;
  #substance = false;
  #assistant: AssistantRequestMessage | undefined;
  #user: UserRequestMessage | undefined;

  constructor(response: { readonly id: string | undefined; readonly uuid: string | undefined } | undefined) {
    this.#response = response;
  }

  get isResponse(): boolean {
    return this.#response !== undefined;
  }

  get uuid(): string | undefined {
    return this.#response?.uuid;
  }

  /** Holds something besides thinking and unanswered server calls. */
  get hasSubstance(): boolean {
    return this.#substance;
  }

  get isThinkingOnly(): boolean {
    return this.#thinks && !this.#substance;
  }

  get slotIsEmpty(): boolean {
    return !this.#hasUserMessage && this.#rest.length === 0 && this.#results.size === 0;
  }

  /** The start of a conversation in which nothing was said before the first response. */
  get isEmptyStart(): boolean {
    return !this.isResponse && this.slotIsEmpty;
  }

  get startsWithCompaction(): boolean {
    return this.blocks[0]?.type === "compaction";
  }

  /** Whether a piece of the response `id` continues this one: only results and attachments stand between. */
  takesPiece(id: string | undefined): boolean {
    return id !== undefined && this.#response?.id === id && !this.closedToPieces;
  }

  noteThinking(): void {
    this.#thinks = true;
  }

  noteUserMessage(): void {
    this.#hasUserMessage = true;
    this.#user = undefined;
  }

  /** User content other than results. */
  say(block: UserBlock): void {
    this.#rest.push(block);
    this.#user = undefined;
  }

  call(block: ToolUseBlock): ToolCall {
    this.#calls.push(block.id);
    this.#push(block, true);
    return { id: block.id, round: this };
  }

  /** False for a server tool's block that has no partner and was left out. */
  add(block: AssistantBlock): boolean {
    if (isServerCall(block)) {
      if (this.#serverCalls.has(block.id)) return false;
      this.#serverCalls.set(block.id, "open");
      this.#push(block, false);
      return true;
    }
    if (isServerResult(block)) {
      if (this.#serverCalls.get(block.tool_use_id) !== "open") return false;
      this.#serverCalls.set(block.tool_use_id, "answered");
    }
    this.#push(block, !isThinkingBlock(block));
    return true;
  }

  #push(block: AssistantBlock, substance: boolean): void {
    this.blocks.push(block);
    this.#substance ||= substance;
    this.#assistant = undefined;
    this.#user = undefined;
  }

  /** Takes the result of a call of this round; a real one replaces a placeholder, never the other way. */
  answer(call: ToolCall, block: ToolResultBlock): "taken" | "duplicate" {
    const known = this.#results.get(call.id);
    if (known !== undefined && (!isPlaceholder(known) || isPlaceholder(block))) return "duplicate";
    this.#results.set(call.id, block);
    this.#user = undefined;
    return "taken";
  }

  /** The slot of a response that vanished becomes part of this one. */
  absorbSlot(other: Round): void {
    this.#rest.push(...other.#rest);
    this.#hasUserMessage ||= other.#hasUserMessage;
    this.closedToPieces ||= other.closedToPieces;
    this.#user = undefined;
  }

  assistant(report: Report, isLast: boolean): AssistantRequestMessage {
    for (const [id, state] of this.#serverCalls) {
      if (state === "open") report("unpaired_server_block", id, this.uuid);
    }
    this.#assistant ??= { role: "assistant", content: this.#paired() };
    const { content } = this.#assistant;
    if (!this.blocks.some((block) => this.#isSent(block))) {
      report("empty_content", undefined, this.uuid);
    }
    const lastBlock = content.at(-1);
    if (!isLast || lastBlock === undefined || !isThinkingBlock(lastBlock)) return this.#assistant;
    report("trailing_thinking", undefined, this.uuid);
    return {
      role: "assistant",
      content: content.slice(0, content.findLastIndex((block) => !isThinkingBlock(block)) + 1),
    };
  }

  #paired(): readonly AssistantBlock[] {
    const paired = this.blocks.filter((block) => this.#isSent(block));
    return paired.length === 0 ? [noContent] : paired;
  }

  /** A server call without its result stays out. */
  #isSent(block: AssistantBlock): boolean {
    return !isServerCall(block) || this.#serverCalls.get(block.id) === "answered";
  }

  /**
   * The user message after the response: results first; undefined where there is nothing to say. `joined` is
   * a round whose response may vanish: its slot is shown as part of this one, for now.
   */
  user(report: Report, joined?: Round): UserRequestMessage | undefined {
    const missing = this.#calls.filter((id) => !this.#results.has(id));
    for (const id of missing) report("missing_result", id, this.uuid);
    const rest = joined === undefined ? this.#rest : [...this.#rest, ...joined.#rest];
    const hasUserMessage = this.#hasUserMessage || (joined !== undefined && joined.#hasUserMessage);
    const isEmpty = this.#results.size + missing.length + rest.length === 0;
    if (isEmpty && hasUserMessage) report("empty_content", undefined, this.uuid);
    if (joined === undefined && this.#user !== undefined) return this.#user;
    const content = [...this.#results.values(), ...missing.map(missingResult), ...rest];
    const user: UserRequestMessage | undefined =
      content.length > 0
        ? { role: "user", content }
        : hasUserMessage
          ? { role: "user", content: [noContent] }
          : undefined;
    if (joined === undefined) this.#user = user;
    return user;
  }
}

const missingResult = (id: string): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: MISSING_RESULT_TEXT,
  is_error: true,
});
