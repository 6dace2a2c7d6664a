import type { PreparedRequest } from "../engine/conversation/conversation-api.js";
import { endOf } from "../engine/conversation/end-of.js";
import { untilAnswered } from "../engine/conversation/until-answered.js";
import type { AssistantMessage } from "../messages/message.js";
import { PalimpsestError } from "../messages/palimpsest-error.js";
import { createPrefixTree, type PrefixNode } from "../tree/prefix-tree.js";
import { sha256 } from "../tree/sha-256.js";
import type { AdapterOptions } from "./adapter-options.js";
import { tellStep } from "./adapter-telling.js";
import { failureOf } from "./failure-of.js";
import { HeldThreads } from "./held-threads.js";
import { answerKey, keyAfter, placesOf, type Place } from "./message-print.js";
import { ThreadStore } from "./thread-store.js";
import { readThread } from "./thread-transcript.js";
import { createThread, take, type Thread } from "./thread.js";
import { createTurn, type Turn } from "./turn.js";
import type { TurnInput } from "./turn-input.js";

export type { Turn } from "./turn.js";

/** The conversations after one adapter. */
export interface Threads {
  /** Takes in what is new in the list, makes room, and gives what to send. Rejects where nothing can be sent. */
  begin(input: TurnInput): Promise<Turn>;
}

/**
 * Frameworks hand in the whole list with every request. A conversation is known by it: the one that has taken in the longest
 * beginning of the list goes on with the rest, whether it is held in memory or kept in the store. One that another list has
 * gone on from is not touched: what was stored of it goes on a second time. A list that nobody knows begins a new one.
 */
export function createThreads(options: AdapterOptions): Threads {
  return new KnownThreads(options);
}

/** A conversation, and how many messages of a list it has taken in. */
interface Claimed {
  readonly thread: Thread;
  readonly depth: number;
}

class KnownThreads implements Threads {
  readonly #options: AdapterOptions;
  readonly #tree;
  readonly #held: HeldThreads;
  readonly #store: ThreadStore;
  /** Lists that are being made ready, so that each is once. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #created = 0;

  constructor(options: AdapterOptions) {
    const { maxHeldCharacters, store, events } = options;
    this.#options = options;
    this.#tree = createPrefixTree({
      hash: sha256,
      ...(maxHeldCharacters === undefined ? {} : { maxCharacters: maxHeldCharacters }),
    });
    this.#held = new HeldThreads(options);
    this.#store = new ThreadStore(store, events);
  }

  begin(input: TurnInput): Promise<Turn> {
    const { node } = this.#tree.place(input.messages, { scope: input.key ?? "" });
    return this.#inTurn(node.key, async () => this.#ready(await this.#claim(input, node), input, node));
  }

  async #inTurn<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(key) ?? Promise.resolve();
    const run = before.then(task);
    const settled = run.catch(() => {});
    this.#turns.set(key, settled);
    try {
      return await run;
    } finally {
      if (this.#turns.get(key) === settled) this.#turns.delete(key);
    }
  }

  /** The conversation goes on with this list, and room is made for it. */
  async #ready(
    { thread, depth }: Claimed,
    input: TurnInput,
    node: PrefixNode,
    isTheirs = false,
  ): Promise<Turn> {
    const { conversation, transcript } = thread;
    const open = {};
    thread.open = open;
    thread.now.input = input;
    thread.node = node;
    this.#held.move(thread, node.key);
    const { model, signal } = input;
    for (const [at, message] of input.messages.slice(depth).entries()) {
      await take(thread, message, { place: depth + at, model });
    }
    const cancel = signal === undefined ? {} : { signal };
    if (conversation.model !== model) await conversation.switchModel(model, cancel);
    const prepared = await conversation.prepare(cancel);
    const { onStep } = this.#options;
    for (const step of prepared.steps) tellStep(onStep, thread, step);
    if (transcript.hasChanged && !(await this.#saveChange(thread)) && !isTheirs) {
      // Somebody has made room for this list at the same time: it is gone on with what they made.
      const theirs = await this.#resume(input, [{ key: node.key, depth: node.depth, isAnswer: false }]);
      if (theirs !== undefined) {
        this.#held.drop(thread);
        return this.#ready(theirs, input, node, true);
      }
    }
    this.#held.makeRoom();
    if (prepared.kind === "held") {
      if (thread.open === open) thread.open = undefined;
      throw new PalimpsestError(prepared.reason, prepared.message, { cause: prepared });
    }
    return this.#turn({ thread, open, prepared, cancel });
  }

  #turn(
    parts: Pick<Parameters<typeof createTurn>[0], "thread" | "open" | "cancel"> & {
      readonly prepared: PreparedRequest;
    },
  ): Turn {
    const { thread } = parts;
    const { node } = thread;
    return createTurn({
      ...parts,
      onStep: this.#options.onStep,
      onAnswer: (message) => this.#answered(thread, node, message),
    });
  }

  /** The conversation that has taken in most of a list, and how much of it. It is the caller's alone. */
  async #claim(input: TurnInput, node: PrefixNode): Promise<Claimed> {
    for (;;) {
      const held = this.#longestHeld(node);
      if (held?.thread.pending !== undefined) {
        await held.thread.pending;
        continue;
      }
      const stored = await this.#resume(input, longerThan(placesOf(node), held?.place));
      if (stored !== undefined) return stored;
      if (held === undefined) return { thread: this.#create(input, node), depth: 0 };
      // It may have gone on while the store was asked.
      if (held.thread.place === held.place.key && this.#isFree(held.thread, node)) {
        return { thread: held.thread, depth: held.place.depth };
      }
    }
  }

  #longestHeld(node: PrefixNode): { readonly thread: Thread; readonly place: Place } | undefined {
    for (const place of placesOf(node)) {
      const thread = this.#held.at(place.key).findLast((found) => this.#isFree(found, node));
      if (thread !== undefined) return { thread, place };
    }
    return undefined;
  }

  /** The same list again while its answer is on the way: somebody samples several. */
  #isFree({ open, pending, place }: Thread, node: PrefixNode): boolean {
    return open === undefined || pending !== undefined || place !== node.key;
  }

  #resume(input: TurnInput, places: Iterable<Place>): Promise<Claimed | undefined> {
    return this.#store.find(places, ({ place, ...chain }) => {
      const { key } = chain;
      const stored = readThread(chain, input.messages);
      if (stored === undefined) return undefined;
      const facts = { ...stored.facts, session: this.#ownSession(stored.facts.session) };
      const saved = place.isAnswer ? { key } : { key, node: place.key };
      const beginning = input.messages.slice(0, place.depth);
      const { node } = this.#tree.place(beginning, { scope: input.key ?? "" });
      const start = { facts, node, place: place.key, saved, stored };
      return { thread: createThread(this.#options, input, start), depth: place.depth };
    });
  }

  #create(input: TurnInput, node: PrefixNode): Thread {
    const { key = `thread-${node.key.slice(0, 16)}`, model, maxTokens } = input;
    const facts = { session: this.#ownSession(key), model, maxTokens };
    return createThread(this.#options, input, { facts, node, place: node.key });
  }

  /** No two conversations that are held are the same session: one of them has gone on from the other. */
  #ownSession(session: string): string {
    if (!this.#held.hasSession(session)) return session;
    this.#created += 1;
    return `${session}-${this.#created}`;
  }

  async #answered(
    thread: Thread,
    node: PrefixNode,
    { message: { content } }: AssistantMessage,
  ): Promise<void> {
    const place = answerKey(node, content);
    thread.transcript.noteGiven(content, node.depth, true);
    this.#held.move(thread, place);
    await this.#save(thread, place, { key: place });
    this.#held.makeRoom();
  }

  /** Room was made for a list: what was made stands for it from now on, for everybody who sends it. */
  #saveChange(thread: Thread): Promise<boolean> {
    const { saved, node } = thread;
    const key = saved?.node === node.key ? keyAfter(saved.key) : node.key;
    return this.#save(thread, key, { key, node: node.key });
  }

  /** Whether what is kept is what the conversation has; else somebody was first. */
  async #save(thread: Thread, key: string, saved: NonNullable<Thread["saved"]>): Promise<boolean> {
    const { transcript, conversation, session, maxTokens } = thread;
    const facts = { session, model: conversation.model, maxTokens };
    const { value, from } = transcript.unsaved(facts, { key, last: thread.saved?.key });
    const kept = await this.#store.insert(key, value, from);
    if (kept === undefined) return true;
    if (kept !== value) return false;
    transcript.saved();
    thread.saved = saved;
    return true;
  }
}

/** Those at which more was taken in than at this one, or the same as the model said it. */
function* longerThan(places: Iterable<Place>, held: Place | undefined): Generator<Place> {
  for (const place of places) {
    if (place.key === held?.key) return;
    yield place;
  }
}

/** What was sent, and whether it has to be sent again. */
export interface Sent<R> {
  readonly result: R;
  readonly isCutOff?: boolean;
}

/** Prepares, sends, observes; what did not fit is sent once more with room made. */
export async function sendTurn<R>(
  threads: Threads,
  input: TurnInput,
  send: (turn: Turn) => Promise<Sent<R>>,
): Promise<R> {
  const { result } = await endOf(
    untilAnswered({
      prepare: async () => ({ kind: "request" as const, turn: await threads.begin(input) }),
      send: ({ turn }) => send(turn).catch((error: unknown) => ({ error })),
      async observe({ turn }, sent) {
        if (!("error" in sent)) {
          const { result, isCutOff = false } = sent;
          return isCutOff ? { kind: "retry" as const } : { kind: "sent" as const, result };
        }
        if (await turn.refused(failureOf(sent.error))) return { kind: "retry" as const };
        throw sent.error;
      },
    }),
  );
  return result;
}
