import { hashMessage, hashValue } from "../../messages/hash.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { isSyntheticError } from "../../messages/predicates.js";
import { findModel } from "../../models/table.js";
import { decideApiNative } from "../clear/api-native.js";
import { CONTEXT_MANAGEMENT_BETA } from "../clear/context-management.js";
import type { BuiltRequest } from "../prompt/request-builder.js";
import type { ResolvedSection } from "../prompt/sections.js";
import { createSystemLayouter, type SystemLayout } from "../prompt/system-blocks.js";
import { createToolList, type ToolListing } from "../prompt/tool-list.js";
import type { ConversationCore } from "./conversation-core.js";
import type { LiveState } from "./live-state.js";
import { recordedWrites } from "./recorded-writes.js";
import { dropThinking } from "./tier-one.js";

interface Head {
  readonly layout: SystemLayout;
  readonly listing: ToolListing;
}

/** Puts requests together: system prompt, tools, messages and what the provider is to clear by itself. */
export class RequestAssembly {
  readonly #core: ConversationCore;
  readonly #layouter = createSystemLayouter();
  readonly #tools: ReturnType<typeof createToolList>;
  /** A resumed conversation knows where its last request ended once it is built again. */
  #resumed: LastRequest | undefined;
  /** As the last request was built of them. */
  sections: readonly ResolvedSection[] = [];
  /** System prompt and tools of the last built request, as thinking is bound to them. */
  promptHead = "";
  /** What it is the hash of. */
  #headParts: readonly object[] = [];

  /** `live`: the messages of a conversation that is resumed. */
  constructor(core: ConversationCore, live: readonly Message[]) {
    const { absentTools } = core.options;
    this.#core = core;
    this.#tools = createToolList(absentTools === undefined ? {} : { absent: absentTools });
    this.#resumed = lastRequestOf(live);
  }

  reset(): void {
    this.#core.options.system?.prompt?.reset();
    this.#tools.reset();
  }

  async pickUp(): Promise<void> {
    if (this.#resumed !== undefined) this.#buildResumed(await this.#head());
  }

  async build(): Promise<BuiltRequest> {
    const head = await this.#head();
    this.#buildResumed(head);
    this.#noteHead(head);
    const core = this.#core;
    const isBound = findModel(core.model)?.capabilities.thinking.boundToPrefix === true;
    if (isBound && this.#hasHeadChanged()) await dropThinking(core);
    return this.#buildFrom(core.state.messages, head);
  }

  #noteHead({ layout, listing }: Head): void {
    const parts = [...listing.tools, ...layout.blocks];
    const isSame =
      this.promptHead !== "" &&
      parts.length === this.#headParts.length &&
      parts.every((part, at) => part === this.#headParts[at]);
    if (isSame) return;
    this.#headParts = parts;
    const { estimator, state } = this.#core;
    state.useHead(parts.reduce((sum, part) => sum + estimator.block(part), 0));
    this.promptHead = hashValue([listing.tools.map(hashMessage), layout.blocks.map(({ text }) => text)]);
  }

  async #head(): Promise<Head> {
    const { system = {}, tools } = this.#core.options;
    this.sections = (await system.prompt?.resolve()) ?? [];
    return { listing: this.#tools.list(tools?.() ?? []), layout: this.#layOut() };
  }

  #layOut(): SystemLayout {
    const { attribution, productPrefix, custom } = this.#core.options.system ?? {};
    const head = {
      ...(attribution === undefined ? {} : { attribution }),
      ...(productPrefix === undefined ? {} : { productPrefix }),
    };
    return this.#layouter.layOut(
      custom === undefined ? { ...head, sections: this.sections } : { ...head, custom },
    );
  }

  /** Whether the newest response was given to another system prompt or other tools, as far as that was noted. */
  #hasHeadChanged(): boolean {
    const last = this.#core.state.live.findLast(
      (message) => message.type === "assistant" && promptHeadOf(message) !== undefined,
    );
    const head = last === undefined ? undefined : promptHeadOf(last);
    return head !== undefined && head !== this.promptHead;
  }

  #buildFrom(messages: LiveState["messages"], { layout, listing }: Head): BuiltRequest {
    const core = this.#core;
    const { parameters = {} } = core.options;
    const native = this.#decideNative(listing);
    const betas = [...(parameters.betas ?? []), ...(native === undefined ? [] : [CONTEXT_MANAGEMENT_BETA])];
    return core.builder.build({
      source: core.source,
      parameters: {
        ...parameters,
        model: core.model,
        max_tokens: core.maxTokens,
        betas,
        ...(native === undefined ? {} : { context_management: native }),
      },
      system: layout,
      tools: listing,
      messages,
      capabilities: core.capabilities,
      ttl: core.ttl.ttlFor(core.source).shared,
      pinnedEdits: core.edits.pinned,
      isCachingOn: core.isCachingOn(),
    });
  }

  /** The provider's own strategies, held as the cache key demands. */
  #decideNative({ tools }: ToolListing): object | undefined {
    const core = this.#core;
    if (!core.capabilities.contextEdits) return undefined;
    const { previous: _previous, recallHint: _hint, target: _target, ...context } = core.clearContext();
    const decision = decideApiNative({
      ...context,
      state: core.native,
      tools: core.compactable,
      declaredTools: tools,
      isThinking: isThinking(core.options.parameters?.thinking),
      contextTokens: core.state.size.tokens,
      thresholds: core.thresholds,
      now: core.clock.now(),
    });
    core.native = decision.state;
    return decision.parameter;
  }

  /** The last request of a resumed conversation, as it was: what it left in the cache may still be there. */
  #buildResumed(head: Head): void {
    const resumed = this.#resumed;
    this.#resumed = undefined;
    if (resumed === undefined) return;
    const { builder, ttl, source } = this.#core;
    const { messages } = normalise(resumed.messages);
    const built = this.#buildFrom(messages, head);
    const writes = recordedWrites(resumed.messages, messages, ttl.ttlFor(source).shared);
    const params = { ...built.params, writes };
    builder.answered({ ...built, params }, { messageId: resumed.messageId, at: resumed.at });
  }
}

/** What a response of ours was given to, where that matters; it may come from a file and be anything. */
function promptHeadOf(message: Message): string | undefined {
  const head: unknown = (message as { readonly promptHead?: unknown }).promptHead;
  return typeof head === "string" ? head : undefined;
}

const isThinking = (thinking: Readonly<Record<string, unknown>> | undefined): boolean =>
  thinking !== undefined && thinking["type"] !== "disabled";

/** The messages that a response was the answer to, and what it was. */
interface LastRequest {
  readonly messages: readonly Message[];
  readonly messageId: string;
  readonly at: number;
}

function lastRequestOf(live: readonly Message[]): LastRequest | undefined {
  const last = live.findLast((message) => message.type === "assistant" && !isSyntheticError(message));
  if (last?.type !== "assistant") return undefined;
  const { id } = last.message;
  const first = live.findIndex((message) => message.type === "assistant" && message.message.id === id);
  return { messages: live.slice(0, first), messageId: id, at: Date.parse(last.timestamp) };
}
