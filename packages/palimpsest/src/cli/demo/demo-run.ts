import type { AgentEvent, AgentResult } from "../../agent/base/agent-event.js";
import { query } from "../../agent/loop/query.js";
import type { Session } from "../../agent/session/session.js";
import type { Message, ModelRequest } from "@palimpsest/core";
import { createBpeCounter } from "../../simulator/tokens/bpe-counter.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";
import { createEmbeddedProvider } from "../../providers/embedded.js";
import { withSummaries } from "../../simulator/players/summaries-player.js";
import { createBaseline } from "./demo-baseline.js";
import type { Check } from "./check.js";
import { createDemoChecks } from "./demo-checks.js";
import { describeCalls, type DemoEvent, type DemoMeter, type DemoStep } from "./demo-event.js";
import { createDemoMoney } from "./demo-money.js";
import type { DemoPart } from "./demo-parts.js";
import { openDemoSession } from "./demo-session.js";
import { createDemoPlayer } from "./demo-player.js";
import { demoTurns } from "./demo-story.js";
import { createKeptWords } from "./kept-words.js";
import { restoredKinds } from "./restored-kinds.js";
import type { DemoWorkspace } from "./demo-workspace.js";

export interface DemoOptions {
  readonly workspace: DemoWorkspace;
  /** What is switched off. */
  readonly without: ReadonlySet<DemoPart>;
  readonly path: string;
  readonly signal: AbortSignal;
  /** Records the conversation and its requests in this folder. */
  readonly recordFolder?: string;
  /** Milliseconds since 1970 at which it begins, by its own clock; now where it is left out. */
  readonly startTime?: number;
  readonly onEvent: (event: DemoEvent) => void;
}

export interface DemoOutcome {
  readonly model: string;
  readonly window: number;
  readonly meter: DemoMeter;
  readonly steps: readonly DemoStep[];
  readonly checks: readonly Check[];
  /** Share of the person's words that requests held, over all of them: here, and with the other policy. */
  readonly words: number;
  readonly baselineWords: number;
  readonly baselineCompactions: number;
  /** Why the work came to an end before its time. */
  readonly problem?: string;
}

const MODEL = "claude-sonnet-5";
const WINDOW = 200_000;
/** As long as summaries of real conversations are. */
const SUMMARY_CHARACTERS = 12_000;
/** Simulated time: of an answer, and of what tools and people take. */
const ANSWER_MS = 9000;
const TOOLS_MS = 4000;
const MINUTE = 60_000;

/** Drives the agent through the whole task. Rejects only where the disk does. */
export async function runDemo(options: DemoOptions): Promise<DemoOutcome> {
  const demo = await openDemo(options);
  try {
    return await demo.run();
  } finally {
    await demo.close();
  }
}

async function openDemo(options: DemoOptions): Promise<Demo> {
  const { workspace, without, path } = options;
  const { work, areas } = workspace;
  const counter = createSharedCounter(createBpeCounter());
  const turns = demoTurns(workspace);
  const requests: ModelRequest[] = [];
  const player = createDemoPlayer({
    work,
    areas,
    turns,
    onRequest: ({ request }) => void requests.splice(0, 1, request),
  });
  const provider = createEmbeddedProvider({
    player: withSummaries(player, { characters: SUMMARY_CHARACTERS }),
    window: WINDOW,
    clock: "manual",
    startTime: options.startTime ?? Date.now(),
    counter,
  });
  const money = createDemoMoney();
  const session = await openDemoSession({
    workspace,
    without,
    provider,
    model: MODEL,
    window: WINDOW,
    path,
    recordFolder: options.recordFolder,
    now: () => provider.simulator.now(),
  });
  session.events.on("call_billed", money.add);
  return new Demo({
    options,
    session,
    turns,
    money,
    requests,
    advance: (milliseconds) => provider.simulator.advance(milliseconds),
    now: () => provider.simulator.now(),
    baseline: createBaseline({
      model: MODEL,
      window: WINDOW,
      counter,
      summaryCharacters: SUMMARY_CHARACTERS,
    }),
    checks: createDemoChecks({ workspace, session, said: turns.map(({ text }) => text) }),
  });
}

interface DemoParts {
  readonly options: DemoOptions;
  readonly session: Session;
  readonly turns: ReturnType<typeof demoTurns>;
  readonly money: ReturnType<typeof createDemoMoney>;
  /** The last request of the main conversation. */
  readonly requests: readonly ModelRequest[];
  readonly advance: (milliseconds: number) => void;
  readonly now: () => number;
  readonly baseline: ReturnType<typeof createBaseline>;
  readonly checks: ReturnType<typeof createDemoChecks>;
}

class Demo {
  readonly #parts: DemoParts;
  readonly #steps: DemoStep[] = [];
  readonly #ownMessages = new WeakSet<Message>();
  readonly #words = createKeptWords();
  #incoming: Message[] = [];
  #responses = 0;

  constructor(parts: DemoParts) {
    this.#parts = parts;
  }

  async run(): Promise<DemoOutcome> {
    const { options, turns, advance } = this.#parts;
    let ended: AgentResult | undefined;
    options.onEvent({ kind: "opened", session: this.#parts.session, now: this.#parts.now });
    for (const { text, minutesBefore } of turns) {
      if (minutesBefore > 0) {
        advance(minutesBefore * MINUTE);
        options.onEvent({ kind: "pause", minutes: minutesBefore });
      }
      options.onEvent({ kind: "person", text });
      ended = await this.#answer(text);
      options.onEvent({ kind: "answered" });
      if (ended.reason !== "done") break;
    }
    return this.#outcome(ended);
  }

  async #answer(text: string): Promise<AgentResult> {
    const { session, options } = this.#parts;
    const events = query(session.agent, text, { signal: options.signal });
    let next = await events.next();
    while (next.done !== true) {
      await this.#hear(next.value);
      next = await events.next();
    }
    return next.value;
  }

  async #hear(event: AgentEvent): Promise<void> {
    const { options } = this.#parts;
    options.onEvent({ kind: "agent", event });
    if (event.kind === "step") this.#step(event.step);
    else if (event.kind === "message") await this.#message(event.message);
    else if (options.signal.aborted) return;
    else if (event.kind === "tool-end" && event.isError) {
      options.onEvent({ kind: "trouble", text: `${event.name} failed` });
    } else if (event.kind === "notice") options.onEvent({ kind: "trouble", text: event.text });
  }

  #step(step: Extract<AgentEvent, { kind: "step" }>["step"]): void {
    const { options } = this.#parts;
    for (const message of step.added) this.#ownMessages.add(message);
    const { tier, tokensBefore, tokensAfter, compacted, text } = step;
    const told: DemoStep = {
      tier,
      tokensBefore,
      tokensAfter,
      text,
      afterResponses: this.#responses,
      ...(compacted === undefined
        ? {}
        : {
            writer: compacted.writer,
            mended: compacted.mended,
            restored: restoredKinds(compacted.attachments),
          }),
    };
    this.#steps.push(told);
    this.#parts.checks.noteStep(step);
    options.onEvent({ kind: "step", step: told });
  }

  /** What the engine itself added is no part of what another policy would be given. */
  async #message(message: Message): Promise<void> {
    if (this.#ownMessages.has(message)) return;
    if (message.type !== "assistant") {
      this.#incoming.push(message);
      return;
    }
    const { options, advance, now, baseline, checks, requests } = this.#parts;
    const [request] = requests;
    const at = now();
    advance(ANSWER_MS);
    this.#responses += 1;
    const incoming = this.#incoming;
    this.#incoming = [];
    if (request !== undefined) {
      this.#words.note(incoming, request.messages);
      await checks.noteRequest(request, message);
      const { id, content } = message.message;
      await baseline.play({ request, incoming, content, id, at, answeredAt: now() });
    }
    options.onEvent({ kind: "action", text: describeCalls(message) });
    options.onEvent({ kind: "meter", meter: this.#meter() });
    advance(TOOLS_MS);
  }

  #meter(): DemoMeter {
    const { session, money, baseline } = this.#parts;
    const { reported, thresholds } = session.conversation.size();
    const figures = money.figures(session.conversation.account());
    return {
      tokens: reported,
      window: thresholds.contextWindow,
      responses: this.#responses,
      ...figures,
      summariseAll: baseline.figures().cost + figures.subagentCost,
    };
  }

  async #outcome(ended: AgentResult | undefined): Promise<DemoOutcome> {
    const { baseline, checks, requests, options } = this.#parts;
    const problem =
      ended === undefined || ended.reason === "done" || options.signal.aborted ? undefined : ended.text;
    const other = baseline.figures();
    return {
      model: MODEL,
      window: WINDOW,
      meter: this.#meter(),
      steps: this.#steps,
      checks: options.signal.aborted ? [] : await checks.judge(requests[0], options.path),
      words: this.#words.share(),
      baselineWords: other.userWords,
      baselineCompactions: other.compactions,
      ...(problem === undefined ? {} : { problem }),
    };
  }

  async close(): Promise<void> {
    await this.#parts.session.close();
  }
}
