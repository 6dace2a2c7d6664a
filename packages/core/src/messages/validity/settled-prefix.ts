import { factsOf, type MessageFacts } from "./message-facts.js";

/**
 * A beginning of a conversation that was judged before, message object for message object, and in which
 * nothing can matter to the rules across messages any more: user and assistant take turns, every call is
 * answered right after it, and there are no markers, images, server calls or anything else that is counted
 * over the whole request. Only the ids of its calls stay of interest.
 */
export interface SettledPrefix {
  readonly length: number;
  /** Whether a call in it has this id. */
  hasCall(id: string): boolean;
}

interface Chain {
  readonly messages: object[];
  /** The ids of the calls, with their order. */
  readonly ids: Map<string, number>;
}

/** A user message that ends a settled beginning: the first `length` messages of its chain. */
interface End {
  /** Shared along a conversation that only grew: what lies beyond the end belongs to later ones. */
  readonly chain: Chain;
  readonly length: number;
  readonly calls: number;
}

/** The newest end that a message was; a conversation that forks is judged from the start again. */
const ends = new WeakMap<object, End>();

/** How far from the end the settled part may end: the newest messages are judged each time. */
const LOOK_BACK = 24;

/** The longest settled beginning that leaves at least the last two messages to judge. */
export function settledPrefixOf(messages: readonly unknown[]): SettledPrefix | undefined {
  const last = messages.length - 3;
  for (let at = last; at >= Math.max(1, last - LOOK_BACK); at -= 1) {
    const end = endAt(messages, at);
    if (end !== undefined) {
      const { length, calls, chain } = end;
      return { length, hasCall: (id) => (chain.ids.get(id) ?? Number.POSITIVE_INFINITY) < calls };
    }
  }
  return undefined;
}

function endAt(messages: readonly unknown[], at: number): End | undefined {
  const message = messages[at];
  const end = typeof message === "object" && message !== null ? ends.get(message) : undefined;
  if (end?.length !== at + 1) return undefined;
  for (let index = 0; index <= at; index += 1) {
    if (messages[index] !== end.chain.messages[index]) return undefined;
  }
  return end;
}

/** Remembers the beginning of a list in which no problem was found, as far as it is ordinary. */
export function settle(messages: readonly unknown[], known: SettledPrefix | undefined): void {
  let end = known === undefined ? startChain(messages) : endAt(messages, known.length - 1);
  while (end !== undefined && end.length + 1 < messages.length) end = extend(end, messages);
}

function startChain(messages: readonly unknown[]): End | undefined {
  const [first] = messages;
  if (typeof first !== "object" || first === null) return undefined;
  const facts = factsOf(first);
  if (facts.role !== "user" || !isOrdinary(facts)) return undefined;
  return { chain: { messages: [first], ids: new Map() }, length: 1, calls: 0 };
}

/** One response and its user turn further, where both are ordinary and nothing can join the turn. */
function extend({ chain, length, calls }: End, messages: readonly unknown[]): End | undefined {
  const [response, turn] = [messages[length], messages[length + 1]];
  if (typeof response !== "object" || response === null || typeof turn !== "object" || turn === null) {
    return undefined;
  }
  const known = ends.get(turn);
  if (known?.chain === chain && known.length === length + 2 && chain.messages[length] === response)
    return known;
  const [said, answered] = [factsOf(response), factsOf(turn)];
  if (said.role !== "assistant" || !isOrdinary(said)) return undefined;
  if (answered.role !== "user" || !isOrdinary(answered)) return undefined;
  if (factsOf(messages[length + 2]).role === "user") return undefined;
  const own = chain.messages.length === length ? chain : copyChain(chain, { length, calls });
  own.messages.push(response, turn);
  for (const { id } of said.toolUses) own.ids.set(id, own.ids.size);
  const end: End = { chain: own, length: length + 2, calls: own.ids.size };
  ends.set(turn, end);
  return end;
}

/** Somebody else already grew from here: this branch gets a list of its own. */
function copyChain(chain: Chain, until: { readonly length: number; readonly calls: number }): Chain {
  return {
    messages: chain.messages.slice(0, until.length),
    ids: new Map([...chain.ids].filter(([, order]) => order < until.calls)),
  };
}

function isOrdinary({ notes, ...facts }: MessageFacts): boolean {
  return (
    facts.malformed.length === 0 &&
    notes.findings.length === 0 &&
    notes.markers.length === 0 &&
    notes.images.length === 0 &&
    notes.documents.length === 0 &&
    notes.toolReferences.length === 0 &&
    facts.serverCalls.length === 0 &&
    facts.serverResults.length === 0 &&
    facts.compactions.length === 0 &&
    !facts.changesTools &&
    !facts.isEmpty
  );
}
