import {
  createAssistantMessage,
  createAttachmentMessage,
  createUserMessage,
  findModel,
  type AssistantBlock,
  type Attachment,
  type Message,
  type ModelCall,
  type ModelRequest,
  type ModelResponse,
  type RequestMessage,
} from "@palimpsest/core";
import { sendable } from "@palimpsest/core/protocols";
import { createNormaliser } from "@palimpsest/core/engine";
import { asText } from "../readers/recording.js";
import type { PolicyEdit, PolicyHost, PolicyTtl } from "./policy.js";

/** Characters in a token, as simple agents count what the API has not counted yet. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * The messages of a conversation as a simple agent holds them: a list that grows, is sent with the usual three
 * markers, and is replaced where a policy edits it. It knows its size from the last response.
 */
export class PromptList {
  readonly #host: PolicyHost;
  #messages: Message[] = [];
  #normaliser = createNormaliser();
  #wire: readonly RequestMessage[] = [];
  #counted = 0;
  #uncounted = 0;
  #ids = 0;
  /** Messages of the list that the last request held. */
  #sent = 0;
  /** How long entries live that the next request writes. */
  ttl: PolicyTtl;
  constructor(host: PolicyHost) {
    this.#host = host;
    this.ttl = host.ttl;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** As they are sent, without markers. */
  get wire(): readonly RequestMessage[] {
    return this.#wire;
  }

  /** Tokens: what the last response reported, and an estimate of what came since. */
  get size(): number {
    return this.#counted + this.#uncounted;
  }

  /** The same, with what is only estimated taken so many times. */
  paddedSize(factor: number): number {
    return this.#counted + Math.ceil(this.#uncounted * factor);
  }

  append(messages: readonly Message[]): void {
    for (const message of messages) this.#messages.push(message);
    this.#wire = this.#normaliser.append(messages).messages;
    this.#uncounted += messages.reduce((sum, message) => sum + roughTokens(message), 0);
  }

  answered({ id, model, content, usage, stop_reason: stopReason }: ModelResponse): void {
    this.append([createAssistantMessage(this.#origin(), { id, model, content, usage, stopReason })]);
    const { input_tokens: input, output_tokens: output } = usage;
    this.#counted =
      input + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + output;
    this.#uncounted = 0;
  }

  /**
   * Another list from here on. Models that bind thinking to what stands before it would refuse it: all of it goes
   * there. The new size is an estimate until the next response.
   */
  replace(messages: readonly Message[], tier: string): PolicyEdit {
    const tokensBefore = this.size;
    const before = this.#messages.reduce((sum, message) => sum + roughTokens(message), 0);
    const isBound = findModel(this.#host.model)?.capabilities.thinking.boundToPrefix ?? true;
    this.#messages = isBound ? messages.map(withoutThinking) : [...messages];
    this.#normaliser = createNormaliser();
    this.#wire = this.#normaliser.append(this.#messages).messages;
    const after = this.#messages.reduce((sum, message) => sum + roughTokens(message), 0);
    this.#counted = Math.max(0, Math.round(tokensBefore - (before - after)));
    this.#uncounted = 0;
    this.#sent = 0;
    return { tier, tokensBefore, tokensAfter: this.#counted };
  }

  /** A message of the policy's own, such as a summary. */
  say(text: string): Message {
    return createUserMessage(this.#origin(), { content: text, isMeta: true });
  }

  /** What a person said, in other words than it stands in the list. */
  quote(text: string): Message {
    return createUserMessage(this.#origin(), { content: text });
  }

  /** State that the policy puts back. */
  attach(attachment: Attachment): Message {
    return createAttachmentMessage(this.#origin(), attachment);
  }

  /** The next request: markers after the system prompt, on the last message and on the user message before it. */
  request(more: Partial<ModelRequest> = {}, betas: readonly string[] = []): ModelCall {
    const messages = marked(this.#wire, this.#cacheControl);
    this.#sent = messages.length;
    return { request: sendable({ ...this.#head(), messages, ...more }), betas };
  }

  /**
   * A request beside the conversation that reads what the last one wrote, and writes nothing itself: the same
   * head and messages with their markers where they were, then one more instruction.
   */
  requestAside(instruction: string): ModelCall {
    const sent = marked(this.#wire.slice(0, this.#sent), this.#cacheControl);
    const messages = withInstruction([...sent, ...this.#wire.slice(this.#sent)], instruction);
    return { request: sendable({ ...this.#head(), messages }) };
  }

  #head() {
    const { model, maxTokens, system, tools, thinking } = this.#host;
    return {
      model,
      max_tokens: maxTokens,
      system: [{ type: "text" as const, text: system, cache_control: this.#cacheControl }],
      tools,
      ...(thinking === undefined ? {} : { thinking }),
    };
  }

  get #cacheControl(): { readonly type: "ephemeral"; readonly ttl?: "1h" } {
    return this.ttl === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  }

  #origin() {
    this.#ids += 1;
    const uuid = `list-${this.#ids}`;
    return {
      clock: { now: this.#host.now },
      ids: { next: () => uuid },
      sessionId: this.#host.sessionId,
      parentUuid: this.#messages.at(-1)?.uuid ?? null,
    };
  }
}

function marked(messages: readonly RequestMessage[], marker: object): readonly RequestMessage[] {
  const copy = [...messages];
  let left = 2;
  for (let at = copy.length - 1; at >= 0 && left > 0; at -= 1) {
    const message = copy[at];
    if (message?.role !== "user" || typeof message.content === "string") continue;
    const last = message.content.at(-1);
    if (last === undefined) continue;
    const content = [...message.content.slice(0, -1), { ...last, cache_control: marker }];
    copy[at] = { ...message, content } as RequestMessage;
    left -= 1;
  }
  return copy;
}

/** The messages with one more text of a user at their end: two user messages in a row are one. */
export function withInstruction(
  messages: readonly RequestMessage[],
  instruction: string,
): readonly RequestMessage[] {
  const text = { type: "text" as const, text: instruction };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [text] }];
  const before =
    typeof last.content === "string" ? [{ type: "text" as const, text: last.content }] : last.content;
  return [...messages.slice(0, -1), { role: "user", content: [...before, text] }];
}

const isThinking = ({ type }: AssistantBlock): boolean => type === "thinking" || type === "redacted_thinking";

/** The same message where it holds no thinking. */
export function withoutThinking(message: Message): Message {
  if (message.type !== "assistant" || !message.message.content.some(isThinking)) return message;
  const content = message.message.content.filter((block) => !isThinking(block));
  return { ...message, message: { ...message.message, content } };
}

/** By their characters, pictures as most agents count them. */
export function roughTokens(message: Message): number {
  if (message.type === "attachment") return roughLength(message.attachment);
  if (message.type !== "user" && message.type !== "assistant") return 0;
  return roughLength(message.message.content);
}

const lengths = new WeakMap<object, number>();
const IMAGE_TOKENS = 1500;

function roughLength(content: unknown): number {
  if (typeof content === "string") return content.length / CHARACTERS_PER_TOKEN;
  if (typeof content !== "object" || content === null) return 0;
  let known = lengths.get(content);
  if (known === undefined) {
    const { type } = content as { type?: unknown };
    known =
      type === "image" || type === "document"
        ? IMAGE_TOKENS
        : type === "thinking"
          ? asText((content as { signature?: unknown }).signature).length / CHARACTERS_PER_TOKEN
          : Object.values(content).reduce<number>((sum, value) => sum + roughLength(value), 0);
    lengths.set(content, known);
  }
  return known;
}

/** A response with everything up to the next one; what stands before the first response is a round too. */
export function roundsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const rounds: Message[][] = [];
  for (const message of messages) {
    const current = rounds.at(-1);
    if (current === undefined || message.type === "assistant") rounds.push([message]);
    else current.push(message);
  }
  return rounds;
}
