import { hashMessage, hashValue } from "../../messages/hash.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { isPinnedCopy } from "../../messages/pinned.js";
import { isSyntheticError } from "../../messages/predicates.js";
import { decideApiNative, type NativeClearing } from "../clear/api-native.js";
import { CONTEXT_MANAGEMENT_BETA } from "../clear/context-management.js";
import {
  changedSections,
  holdSections,
  toldOf,
  type ChangedSection,
  type HeldHead,
} from "../prompt/request-state.js";
import { createDefaultEstimator } from "../measure/default-estimator.js";
import { buildRequest, type BuiltRequest } from "../prompt/request-builder.js";
import type { ResolvedSection } from "../prompt/sections.js";
import { createSystemLayouter, type SystemLayout } from "../prompt/system-blocks.js";
import { createToolList, type ToolListing } from "../prompt/tool-list.js";
import { latchTtl, ttlsFor, type LatchedTtlState } from "../prompt/ttl/ttl-state.js";
import type { ConversationEvent } from "./event.js";
import { clearContextOf, isCachingOn, thresholdsOf } from "./facts.js";
import type { Moment } from "./stages.js";
import { recordedWrites } from "./recorded-writes.js";
import type { Setup } from "./stages.js";

/** System prompt and tools of one request. */
interface Head {
  readonly layout: SystemLayout;
  readonly listing: ToolListing;
  /** As thinking is bound to them. */
  readonly key: string;
  /** By estimate. */
  readonly tokens: number;
  /** As the transcript has to say it, and what the model has to be told of. */
  readonly held: HeldHead;
  readonly changed: readonly ChangedSection[];
}

/** A request, and what was settled for it. */
interface Assembled {
  readonly built: BuiltRequest;
  readonly native: NativeClearing;
  readonly ttl: LatchedTtlState;
}

/** Puts requests together: system prompt, tools, messages and what the provider is to clear by itself. */
export class RequestAssembly {
  readonly #setup: Setup;
  readonly #layouter = createSystemLayouter();
  readonly #tools: ReturnType<typeof createToolList>;
  /** As the last request was built of them. */
  sections: readonly ResolvedSection[] = [];
  #head: { readonly parts: readonly object[]; readonly key: string; readonly tokens: number } | undefined;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#tools = createToolList({ absent: setup.options.absentTools });
  }

  reset(): void {
    this.#setup.options.system?.prompt?.reset();
    this.#tools.reset();
  }

  async head(moment: Moment): Promise<Head> {
    const { system = {}, tools } = this.#setup.options;
    const known = moment.state.head;
    const now = await system.prompt?.resolve();
    this.sections = holdSections(known?.sections, now ?? []);
    // Of a conversation that was begun in another process.
    if (this.#head === undefined && known?.tools !== undefined) this.#tools.hold(known.tools);
    const listing = this.#tools.list(tools?.() ?? []);
    const changed = known === undefined || now === undefined ? [] : changedSections(known, now);
    const told = changed.length === 0 ? known?.told : toldOf(known?.told, changed);
    const heldTools = this.#tools.held();
    const held: HeldHead = {
      sections: now && this.sections,
      tools: heldTools.length === 0 ? undefined : heldTools,
      told,
    };
    const layout = this.#layOut();
    const parts = [...listing.tools, ...layout.blocks];
    let last = this.#head;
    if (last?.parts.length !== parts.length || parts.some((part, at) => part !== last?.parts[at])) {
      // By what is known of the model at the start: so it is the same in every process.
      const { estimator = createDefaultEstimator(moment.state) } = this.#setup.options;
      last = this.#head = {
        parts,
        key: hashValue([listing.tools.map(hashMessage), layout.blocks.map(({ text }) => text)]),
        tokens: parts.reduce((sum, part) => sum + estimator.block(part), 0),
      };
    }
    const { key, tokens } = last;
    return { layout, listing, key, tokens, held, changed };
  }

  #layOut(): SystemLayout {
    const { custom } = this.#setup.options.system ?? {};
    return this.#layouter.layOut(custom === undefined ? { sections: this.sections } : { custom });
  }

  build(moment: Moment, { layout, listing }: Head, messages = moment.state.context.messages): Assembled {
    const { setup, state } = moment;
    const { parameters = {} } = setup.options;
    const { parameter, native } = decideNative(moment, listing);
    const ttl = latchTtl(state.cache.ttl, setup.ttlFacts(state.model));
    const betas = [
      ...(parameters.betas ?? []),
      ...(parameter === undefined ? [] : [CONTEXT_MANAGEMENT_BETA]),
    ];
    const built = buildRequest(
      {
        source: setup.source,
        parameters: {
          ...parameters,
          model: state.model,
          max_tokens: state.maxTokens,
          betas,
          ...(parameter === undefined ? {} : { context_management: parameter }),
        },
        system: layout,
        tools: listing,
        messages,
        capabilities: setup.capabilitiesOf(state.model),
        ttl: ttlsFor(ttl, setup.source).shared,
        pinnedEdits: state.cache.edits.pinned,
        placeEdits: this.#setup.options.cachedClearing?.place,
        isCachingOn: isCachingOn(moment),
      },
      state.cache.answered,
    );
    return { built, native, ttl };
  }

  /** The last request of a resumed conversation, as it was: what it left in the cache may still be there. */
  rebuild(moment: Moment, head: Head, { messages: before, messageId, at }: LastRequest): PickedUp {
    const { messages } = normalise(before);
    const { built, ttl } = this.build(moment, head, messages);
    const writes = recordedWrites(before, messages, ttlsFor(ttl, this.#setup.source).shared);
    return { kind: "picked-up", built: { ...built, params: { ...built.params, writes } }, messageId, at };
  }
}

type PickedUp = Extract<ConversationEvent, { kind: "picked-up" }>;

/** The provider's own strategies, held as the cache key demands. */
function decideNative(
  moment: Moment,
  { tools }: ToolListing,
): { readonly parameter: object | undefined; readonly native: NativeClearing } {
  const { setup, state } = moment;
  const { native } = state.cache;
  if (!setup.capabilitiesOf(state.model).contextEdits) return { parameter: undefined, native };
  const { previous: _previous, recallHint: _hint, target: _target, ...context } = clearContextOf(moment);
  const decision = decideApiNative({
    ...context,
    state: native,
    tools: setup.compactable,
    declaredTools: tools,
    isThinking: isThinking(setup.options.parameters?.thinking),
    contextTokens: state.context.size.tokens,
    thresholds: thresholdsOf(moment),
    now: setup.clock.now(),
  });
  return { parameter: decision.parameter, native: decision.state };
}

const isThinking = (thinking: Readonly<Record<string, unknown>> | undefined): boolean =>
  thinking !== undefined && thinking["type"] !== "disabled";

/** The messages that a response was the answer to, and what it was. */
export interface LastRequest {
  readonly messages: readonly Message[];
  readonly messageId: string;
  readonly at: number;
}

export function lastRequestOf(live: readonly Message[]): LastRequest | undefined {
  const last = live.findLast(
    (message) => message.type === "assistant" && !isSyntheticError(message) && !isPinnedCopy(message),
  );
  if (last?.type !== "assistant") return undefined;
  const { id } = last.message;
  const first = live.findIndex((message) => message.type === "assistant" && message.message.id === id);
  return { messages: live.slice(0, first), messageId: id, at: Date.parse(last.timestamp) };
}
