import type {
  AssistantBlock,
  AssistantRequestMessage,
  CompactionBlock,
  RequestMessage,
  ToolResultBlock,
  UserBlock,
  UserRequestMessage,
} from "../content.js";
import type { Message } from "../message.js";
import { isSyntheticError, isThinkingBlock } from "../predicates.js";
import {
  cleanAssistantContent,
  cleanToolId,
  cleanUserContent,
  withResultId,
  withToolUseId,
} from "./clean-block.js";
import { noteOrigin } from "../list-origin.js";
import type { CleanContext } from "./block-fields.js";
import type { JsonSchema } from "./repair-tool-input.js";
import type { Repair, RepairKind } from "./repairs.js";
import { renderAttachment } from "./render-attachment.js";
import { Round, type Report, type ToolCall } from "./round.js";
import { CONTINUE_TEXT, FIRST_USER_TEXT } from "./wording.js";

export interface NormaliseOptions {
  /** The tools that the request declares, where they are known: inputs and references are fitted to them. */
  readonly tools?: readonly { readonly name: string; readonly input_schema?: JsonSchema }[] | undefined;
}

export interface Normalised {
  /** The `messages` of a request. A new array each time; its objects are reused from call to call. */
  readonly messages: readonly RequestMessage[];
  /** What had to be mended; empty for a conversation in good order. */
  readonly repairs: readonly Repair[];
}

/** Normalises a growing conversation: each call costs what is new, not what is there. */
export interface Normaliser {
  /** Adds messages at the end and gives the request for the whole list so far. */
  append(messages: readonly Message[]): Normalised;
}

const userText = (text: string): UserRequestMessage => ({ role: "user", content: [{ type: "text", text }] });
const continueMessage = userText(CONTINUE_TEXT);
const firstUserMessage = userText(FIRST_USER_TEXT);

/** Whether thinking was recorded here, also such that cannot be sent. */
const holdsThinking = (content: unknown): boolean => Array.isArray(content) && content.some(isThinkingBlock);

/**
 * A fold over the messages. A conversation is a slot for user content, then rounds: a response with the slot
 * after it. Only the newest round can still grow, so everything before it is built once and kept
 * (`#sealed`). A response that so far holds thinking alone waits in `#pending`: if nothing follows it
 * vanishes and its slot joins the one before.
 */
class FoldingNormaliser implements Normaliser {
  readonly #sealed: RequestMessage[] = [];
  readonly #repairs: Repair[] = [];
  readonly #calls = new Map<string, ToolCall>();
  readonly #usedIds = new Set<string>();
  readonly #context: CleanContext;
  #current = new Round(undefined);
  #pending: Round | undefined;
  #startsSigned = false;
  #reached = false;
  #uuid: string | undefined;
  /** Another one from where on sealed messages are no longer what they were. */
  #maker: object = {};

  constructor(options: NormaliseOptions) {
    this.#context = {
      report: (kind, toolUseId) => this.#report(kind, toolUseId),
      toolSchemas:
        options.tools && new Map(options.tools.map((tool) => [tool.name, tool.input_schema ?? {}])),
    };
  }

  append(messages: readonly Message[]): Normalised {
    for (const message of messages) this.#take(message);
    return this.#result();
  }

  #take(message: Message): void {
    if (typeof message !== "object" || message === null) return;
    this.#uuid = message.uuid;
    switch (message.type) {
      case "user":
        this.#takeUser(message.message?.content);
        break;
      case "assistant":
        if (!isSyntheticError(message)) this.#takePiece(message.message?.id, message.message?.content);
        break;
      case "attachment":
        this.#takeAttachment(cleanUserContent(renderAttachment(message.attachment), this.#context));
        break;
      default:
        break;
    }
  }

  get #open(): Round {
    return this.#pending ?? this.#current;
  }

  #takeUser(content: unknown): void {
    this.#reached = true;
    const open = this.#open;
    open.noteUserMessage();
    for (const block of cleanUserContent(content, this.#context)) {
      if (block.type === "tool_result") {
        this.#takeResult(block);
      } else {
        open.say(block);
        open.closedToPieces = true;
      }
    }
  }

  /** Attachments belong to the slot they stand in and never answer a call. */
  #takeAttachment(blocks: readonly UserBlock[]): void {
    this.#reached = true;
    for (const block of blocks) {
      if (block.type === "tool_result") this.#report("misplaced_block", block.tool_use_id);
      else this.#open.say(block);
    }
  }

  /** A result belongs to the nearest call before it that carries its id; the first real one counts. */
  #takeResult(block: ToolResultBlock): void {
    const call = this.#calls.get(block.tool_use_id);
    if (call === undefined) {
      this.#report("orphan_result", block.tool_use_id);
      return;
    }
    const outcome = call.round.answer(call, withResultId(block, call.id));
    if (outcome === "duplicate") {
      this.#report("duplicate_result", call.id);
    } else if (call.round !== this.#open) {
      this.#report("late_result", call.id);
      if (call.round.userIndex !== undefined) this.#rebuildSealed(call);
    }
  }

  #rebuildSealed(call: ToolCall): void {
    const { round } = call;
    const told = this.#repairs.findIndex(
      (repair) => repair.kind === "missing_result" && repair.toolUseId === call.id,
    );
    if (told >= 0) this.#repairs.splice(told, 1);
    const user = round.user(() => {});
    if (round.userIndex !== undefined && user !== undefined) this.#sealed[round.userIndex] = user;
    this.#maker = {};
  }

  #takePiece(id: unknown, content: unknown): void {
    this.#reached = true;
    const blocks = cleanAssistantContent(content, this.#context);
    const round = this.#roundForPiece(id);
    if (holdsThinking(content)) round.noteThinking();
    for (const block of blocks) this.#takeAssistantBlock(round, block);
    if (round === this.#pending && round.hasSubstance) this.#promote(round);
  }

  #roundForPiece(id: unknown): Round {
    const responseId = typeof id === "string" && id !== "" ? id : undefined;
    if (this.#open.takesPiece(responseId)) return this.#open;
    this.#settlePending();
    if (this.#open.takesPiece(responseId)) return this.#open;
    this.#pending = new Round({ id: responseId, uuid: this.#uuid });
    return this.#pending;
  }

  #takeAssistantBlock(round: Round, block: AssistantBlock): void {
    if (block.type === "tool_use") {
      const id = this.#freshId(block.id);
      const call = round.call(withToolUseId(block, id));
      this.#calls.set(block.id, call);
      if (id !== block.id) this.#report("renamed_id", id);
      return;
    }
    if (block.type === "compaction" && !this.#mayCompact(round, block)) {
      this.#report("misplaced_block");
      return;
    }
    if (!round.add(block)) this.#report("unpaired_server_block");
  }

  /** A signed summary of the provider's stands for all that came before: it comes first, and alone. */
  #mayCompact(round: Round, block: CompactionBlock): boolean {
    if (this.#startsSigned) return false;
    if (typeof block.signature !== "string") return true;
    this.#startsSigned = this.#current.isEmptyStart && round === this.#pending && round.blocks.length === 0;
    return this.#startsSigned;
  }

  #freshId(wanted: string): string {
    const base = cleanToolId(wanted);
    let id = base;
    for (let count = 2; this.#usedIds.has(id); count += 1) id = `${base}_${count}`;
    this.#usedIds.add(id);
    return id;
  }

  /** The response in waiting is over: a response without any block stays (as a placeholder), thinking goes. */
  #settlePending(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    if (!pending.isThinkingOnly) {
      pending.closedToPieces = true;
      this.#promote(pending);
      return;
    }
    this.#pending = undefined;
    this.#report("thinking_only", undefined, pending.uuid);
    this.#current.absorbSlot(pending);
  }

  #promote(round: Round): void {
    this.#seal(this.#current, round);
    this.#current = round;
    this.#pending = undefined;
  }

  #seal(round: Round, next: Round): void {
    const report = this.#reporter(this.#repairs);
    this.#sealed.push(...this.#build(round, { report, next }));
    round.userIndex = this.#sealed.at(-1)?.role === "user" ? this.#sealed.length - 1 : undefined;
  }

  /** The request messages of one round; `next` is the round after it, `joined` one that is shown as part of it. */
  #build(
    round: Round,
    around: {
      readonly report: Report;
      readonly next?: Round | undefined;
      readonly joined?: Round;
    },
  ): RequestMessage[] {
    const user = round.user(around.report, around.joined);
    if (!round.isResponse) {
      if (user !== undefined) return [user];
      if (around.next === undefined || around.next.startsWithCompaction) return [];
      around.report("first_user");
      return [firstUserMessage];
    }
    const isLast = user === undefined && around.next === undefined;
    const assistant: AssistantRequestMessage = round.assistant(around.report, isLast);
    return user === undefined ? [assistant] : [assistant, user];
  }

  #result(): Normalised {
    const repairs = [...this.#repairs];
    const report = this.#reporter(repairs);
    const tail = this.#tail(report);
    if ((tail.at(-1) ?? this.#sealed.at(-1))?.role === "assistant") tail.push(continueMessage);
    if (tail.length + this.#sealed.length === 0 && this.#reached) {
      report("first_user");
      tail.push(firstUserMessage);
    }
    // The one copy of the outer array: everything else here costs what is new.
    const origin = { maker: this.#maker, settled: this.#sealed.length };
    return { messages: noteOrigin(this.#sealed.concat(tail), origin), repairs };
  }

  /** What is not sealed yet, as if the conversation ended here. */
  #tail(report: Report): RequestMessage[] {
    const pending = this.#pending;
    if (pending === undefined) return this.#build(this.#current, { report });
    if (!pending.isThinkingOnly) {
      return [...this.#build(this.#current, { report, next: pending }), ...this.#build(pending, { report })];
    }
    report("thinking_only", undefined, pending.uuid);
    return this.#build(this.#current, { report, ...(pending.slotIsEmpty ? {} : { joined: pending }) });
  }

  #report(kind: RepairKind, toolUseId?: string, uuid = this.#uuid): void {
    this.#reporter(this.#repairs)(kind, toolUseId, uuid);
  }

  #reporter(list: Repair[]) {
    return (kind: RepairKind, toolUseId?: string, uuid?: string): void => {
      list.push({
        kind,
        ...(uuid === undefined ? {} : { uuid }),
        ...(toolUseId === undefined ? {} : { toolUseId }),
      });
    };
  }
}

/** A normaliser for a conversation that grows at its end. For any other change, make a new one. */
export function createNormaliser(options: NormaliseOptions = {}): Normaliser {
  return new FoldingNormaliser(options);
}

/**
 * The request for a list of messages (those after the last boundary). Whatever the list looks like, the
 * result is one that the Messages API accepts as far as that can be judged from the request alone.
 */
export function normalise(messages: readonly Message[], options: NormaliseOptions = {}): Normalised {
  return createNormaliser(options).append(messages);
}
