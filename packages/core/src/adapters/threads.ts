import type { ApiFailure } from "../messages/call/failure.js";
import type { ModelRequest } from "../messages/call/request.js";
import type { ModelResponse } from "../messages/call/response.js";
import type {
  Observed,
  Outcome,
  Prepared,
  PreparedRequest,
} from "../engine/conversation/conversation-api.js";
import { endOf } from "../engine/conversation/end-of.js";
import { untilAnswered } from "../engine/conversation/until-answered.js";
import { PalimpsestError } from "../messages/palimpsest-error.js";
import type { AdapterOptions } from "./adapter-options.js";
import { tellStep } from "./adapter-telling.js";
import { failureOf } from "./failure-of.js";
import { answerPrint, matches, printOf, type Print } from "./message-print.js";
import { createThread, take, type Thread } from "./thread.js";
import type { TurnInput } from "./turn-input.js";

/** One request of a conversation. Say what became of it; what nobody answers is forgotten at the next one. */
export interface Turn {
  readonly request: ModelRequest;
  /** Whether it was cut off because the window was full, and there is room now: begin again where that is possible. */
  answered(response: ModelResponse): Promise<boolean>;
  /** Whether there is room now: begin again with the same input and send that. */
  refused(failure: ApiFailure): Promise<boolean>;
  /** The next request of the conversation waits for this, which must settle. */
  waitFor(answer: Promise<unknown>): void;
}

/** The conversations after one adapter. */
export interface Threads {
  /** Takes in what is new in the list, makes room, and gives what to send. Rejects where nothing can be sent. */
  begin(input: TurnInput): Promise<Turn>;
}

const MOST_THREADS = 100;

/**
 * Frameworks hand in the whole list with every request. A conversation is known by it: the one that has taken in
 * the longest beginning of the list goes on with the rest; a list that nobody knows begins a new one.
 */
export function createThreads(options: AdapterOptions): Threads {
  const { maxThreads = MOST_THREADS, onStep } = options;
  /** The newest first. */
  let threads: readonly Thread[] = [];
  let created = 0;

  const begin = async (input: TurnInput): Promise<Turn> => {
    const prints = input.messages.map(printOf);
    let found = find(threads, input, prints);
    while (found?.pending !== undefined) {
      await found.pending;
      found = find(threads, input, prints);
    }
    const thread = found ?? createThread(options, input, (created += 1));
    threads = [thread, ...threads.filter((other) => other !== thread)].slice(0, maxThreads);
    const fresh = input.messages.slice(thread.known.length);
    const open = {};
    thread.open = open;
    thread.now.input = input;
    thread.known = prints.map(({ exact }) => exact);
    const { conversation } = thread;
    for (const message of fresh) await take(conversation, message, input.model);
    const { signal } = input;
    const cancel = signal === undefined ? {} : { signal };
    if (conversation.model !== input.model) await conversation.switchModel(input.model, cancel);
    const prepared: Prepared = await conversation.prepare(cancel);
    for (const step of prepared.steps) tellStep(onStep, thread, step);
    if (prepared.kind === "held") {
      if (thread.open === open) thread.open = undefined;
      throw new PalimpsestError(prepared.reason, prepared.message, { cause: prepared });
    }
    return createTurn({ thread, open, prepared, cancel, onStep });
  };
  return { begin };
}

function createTurn({
  thread,
  open,
  prepared,
  cancel,
  onStep,
}: {
  readonly thread: Thread;
  readonly open: object;
  readonly prepared: PreparedRequest;
  readonly cancel: { readonly signal?: AbortSignal };
  readonly onStep: AdapterOptions["onStep"];
}): Turn {
  const { conversation } = thread;
  /** The conversation may have gone on without this request: then its answer comes too late. */
  const isCurrent = (): boolean => thread.open === open;
  const waitFor = (answer: Promise<unknown>): void => {
    const settle = (): void => {
      if (thread.pending === settled) thread.pending = undefined;
      if (isCurrent()) thread.open = undefined;
    };
    const settled = answer.then(settle, settle);
    thread.pending = settled;
  };
  const observe = async (outcome: Outcome): Promise<Observed["kind"]> => {
    const observed = await conversation.observe(prepared, outcome, cancel);
    if (observed.kind === "retry") tellStep(onStep, thread, observed.step);
    if (observed.kind === "accepted" && observed.message.message.content.length > 0) {
      thread.known = [...thread.known, answerPrint(observed.message.message.content)];
    }
    return observed.kind;
  };
  const settleWith = async (outcome: Outcome): Promise<Observed["kind"] | undefined> => {
    if (!isCurrent()) return undefined;
    const observing = observe(outcome);
    waitFor(observing);
    const kind = await observing;
    await thread.pending;
    return kind;
  };
  return {
    request: prepared.call.request,
    answered: async (response) => (await settleWith({ kind: "response", response })) === "retry",
    refused: async (failure) => (await settleWith({ kind: "failure", failure })) === "retry",
    waitFor,
  };
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

function find(
  threads: readonly Thread[],
  { key = "" }: TurnInput,
  prints: readonly Print[],
): Thread | undefined {
  return threads
    .filter((thread) => {
      const { known, open, pending } = thread;
      if (thread.key !== key || known.length > prints.length) return false;
      // The same list again while its answer is on the way: somebody samples several.
      if (open !== undefined && pending === undefined && known.length === prints.length) return false;
      return known.every((print, index) => matches(prints[index], print));
    })
    .toSorted((a, b) => b.known.length - a.known.length)[0];
}
