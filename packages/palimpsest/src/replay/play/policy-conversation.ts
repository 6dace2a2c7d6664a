import type {
  ApiFailure,
  Message,
  Model,
  ModelCall,
  RequestMessage,
  TranscriptWriter,
} from "@palimpsest/core";
import { endOf, untilAnswered } from "@palimpsest/core/engine";
import type { Verdict } from "../../simulator/outcome.js";
import type { Answer } from "../../simulator/player.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import type { Policy, PolicyEdit, PolicyHost, PolicyTtl } from "../policies/policy.js";
import type { RecordedBill } from "../measures/recorded-bill.js";
import type { RecordedRound } from "../rounds/recorded-round.js";
import type { SummaryWriter } from "../summaries/summary-writer.js";
import type { PromptHead } from "./prompt-head.js";
import { createSimulatedModel, type SimulatedModel, type SimulatedOutcome } from "./simulated-model.js";

const MOST_ATTEMPTS = 4;

/** What a policy's conversation is played with. */
export interface PlayedWith {
  readonly policy: Policy;
  readonly ttl: PolicyTtl;
  readonly model: Model;
  readonly window: number;
  readonly maxTokens: number;
  readonly head: PromptHead;
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly counter: TokenCounter;
  readonly startTime: number;
  readonly summaryCharacters?: number | undefined;
  /** Who answers calls beside the conversation, where it is not the simulator's player. */
  readonly summaries?: SummaryWriter | undefined;
  /** Where the policy stores its transcript, where it writes one. */
  readonly writer?: TranscriptWriter;
}

/** Who wants to know what happens. */
export interface ConversationWatcher {
  /** A call was answered; `isAside`: beside the conversation, such as for a summary. */
  readonly billed: (verdict: Verdict, isAside: boolean) => void;
  readonly edited?: (edits: readonly PolicyEdit[]) => void;
  /** A request was refused, or held back by the policy itself. */
  readonly refused?: (isOverflow: boolean) => void;
}

export interface Ending {
  readonly because: string;
  readonly isOverflow: boolean;
}

export type Answered = Extract<SimulatedOutcome, { kind: "response" }> & {
  readonly seen: readonly RequestMessage[];
};

/** A policy at work on one conversation, with a simulated API of its own. */
export class PolicyConversation {
  /** Why it could not go on. */
  ending: Ending | undefined;
  /** Milliseconds of the policy's own work since it was last set: what its model calls took is not its own. */
  cpu = 0;
  readonly #model: SimulatedModel;
  readonly #run: ReturnType<Policy["start"]>;
  readonly #watcher: ConversationWatcher;

  constructor(options: PlayedWith, watcher: ConversationWatcher) {
    const { policy, ttl, model, maxTokens, head, thinking, counter, startTime } = options;
    const window = policy.window ?? options.window;
    this.#watcher = watcher;
    this.#model = createSimulatedModel({
      startTime,
      window,
      counter,
      summaryCharacters: options.summaryCharacters,
      summaries: options.summaries,
      onSideCall: (verdict) => watcher.billed(verdict, true),
    });
    const host: PolicyHost = {
      model: model.id,
      window,
      maxTokens,
      ttl,
      system: head.system,
      tools: head.tools,
      ...(thinking === undefined ? {} : { thinking }),
      now: this.#model.now,
      sessionId: "replay",
      provider: this.#model.provider,
      ...(options.writer === undefined ? {} : { writer: options.writer }),
    };
    this.#run = policy.start(host);
  }

  get now(): number {
    return this.#model.now();
  }

  /** The host's read-state, where the policy knows one. */
  get holdsFile(): ((path: string) => boolean) | undefined {
    const run = this.#run;
    return run.holdsFile === undefined ? undefined : (path) => run.holdsFile?.(path) ?? true;
  }

  /** What the recording's own bill was, where the policy plays that. */
  get bill(): RecordedBill | undefined {
    return this.#run.bill?.();
  }

  /** What came in by this time; `round`: the recorded one that it begins. */
  async append(messages: readonly Message[], at: number, round?: RecordedRound): Promise<void> {
    this.#model.reach(at);
    if (round !== undefined) this.#run.recorded?.(round);
    await this.#measured(() => this.#run.append(messages));
  }

  /** Sends the next request, once more where the policy mends a refusal. Undefined where the conversation has ended. */
  async ask(
    answer: (seen: readonly RequestMessage[], call: ModelCall) => Answer,
  ): Promise<Answered | undefined> {
    let attempts = 0;
    const end = await endOf(
      untilAnswered({
        prepare: async () => {
          const prepared = await this.#measured(() => this.#run.prepare());
          this.#edited(prepared.edits);
          return prepared;
        },
        send: async ({ call }) => this.#model.send(call, (seen) => answer(seen, call)),
        observe: async (_, outcome) => {
          if (outcome.kind === "response") return outcome;
          const { failure } = outcome;
          const reaction = await this.#measured(() => this.#run.refused(failure));
          this.#edited(reaction.edits);
          const ending = { because: failure.message, isOverflow: isTooLong(failure) };
          attempts += 1;
          if (reaction.next === "end" || attempts === MOST_ATTEMPTS)
            return { kind: "ended" as const, ending };
          this.#watcher.refused?.(ending.isOverflow);
          return { kind: "retry" as const };
        },
      }),
    );
    if (end.kind === "held") return this.#end({ because: end.message, isOverflow: true });
    if (end.kind === "ended") return this.#end(end.ending);
    this.#watcher.billed(end.verdict, false);
    return end;
  }

  /** The answer was complete at this time; it belongs to the conversation from now on. */
  async answered({ response }: Answered, at: number): Promise<void> {
    this.#model.reach(at);
    this.#edited(await this.#measured(() => this.#run.answered(response)));
  }

  #end(ending: Ending): undefined {
    this.#watcher.refused?.(ending.isOverflow);
    this.ending = ending;
  }

  #edited(edits: readonly PolicyEdit[]): void {
    if (edits.length > 0) this.#watcher.edited?.(edits);
  }

  async #measured<T>(work: () => Promise<T>): Promise<T> {
    const simulatedBefore = this.#model.spentMs();
    const started = performance.now();
    const result = await work();
    const elapsed = performance.now() - started;
    this.cpu += Math.max(0, elapsed - (this.#model.spentMs() - simulatedBefore));
    return result;
  }
}

const isTooLong = ({ kind }: ApiFailure): boolean =>
  kind === "context-overflow" || kind === "request-too-large";
