import type { BilledCall, ModelProvider, Settings } from "@palimpsest/core";
import { createAnthropicProvider } from "../../packages/palimpsest/src/providers/anthropic.js";
import { createNodeFetch } from "../../packages/palimpsest/src/providers/node-fetch.js";
import {
  createWorkplace,
  type Workplace,
} from "../../packages/palimpsest/src/agent/session/testing/workplace.js";
import { createSimulator } from "../../packages/palimpsest/src/simulator/core/create-simulator.js";
import { createSimulatorApp } from "../../packages/palimpsest/src/simulator/http/app.js";
import { startSimulatorServer } from "../../packages/palimpsest/src/simulator/http/node-server.js";
import {
  createRequestLog,
  type RequestRecord,
} from "../../packages/palimpsest/src/simulator/http/request-log.js";
import type { Answer, AnswerBlock, Player } from "../../packages/palimpsest/src/simulator/player.js";
import { withSummaries } from "../../packages/palimpsest/src/simulator/players/summaries-player.js";
import { recogniseSummaryRequest } from "../../packages/palimpsest/src/simulator/players/summary-request.js";
import { createBpeCounter } from "../../packages/palimpsest/src/simulator/tokens/bpe-counter.js";

/** Whose call a request is, as the model sees it. */
type Part = "main" | "sub" | "summary" | "notes";

/** What becomes of one request: what the model says, and what goes wrong. */
export interface Turn {
  readonly content?: readonly AnswerBlock[];
  readonly error?: Answer["error"];
  readonly delivery?: Answer["delivery"];
  /** The connection breaks, but all of the usage has arrived by then. */
  readonly hasUsage?: boolean;
}

export const text = (value: string): Turn => ({ content: [{ type: "text", text: value }] });
export const use = (name: string, input: Readonly<Record<string, unknown>>): Turn => ({
  content: [{ type: "tool_use", name, input }],
});

/** One request as the simulator bills it. */
export interface Bill {
  readonly record: RequestRecord;
  readonly turn: Turn;
  /** Whether the whole usage reached the client. */
  readonly isWhole: boolean;
}

export interface Stage {
  readonly place: Workplace;
  readonly open: (
    id: string,
    options: {
      readonly isResumed?: boolean;
      readonly model?: string;
      readonly engine: Partial<Settings>;
    },
  ) => ReturnType<Workplace["open"]>;
  /** What the next requests of a part get, one after the other. Without any the model does its work. */
  readonly direct: (part: Part, ...turns: readonly Turn[]) => void;
  /** Calls that begin meanwhile give up a server that says nothing for so long. */
  readonly impatient: <T>(work: () => Promise<T>) => Promise<T>;
  /** How many requests have reached the model. */
  readonly played: () => number;
  /** What the simulator charges, once every response has come to its end. */
  readonly bills: () => Promise<readonly Bill[]>;
  readonly billed: BilledCall[];
  readonly close: () => Promise<void>;
}

/** The agent on a real socket to the simulator, through the provider that talks to the API. */
export async function createStage(): Promise<Stage> {
  const directed: Record<Part, Turn[]> = { main: [], sub: [], summary: [], notes: [] };
  const turns: Turn[] = [];
  const working = withSummaries({
    answer: (_prompt, memory) => ({ answer: { content: [{ type: "text", text: "Done." }] }, memory }),
  });
  const player: Player = {
    answer(prompt, memory) {
      const isSub = JSON.stringify(prompt.request.system ?? "").includes("You are a subagent");
      const part = recogniseSummaryRequest(prompt)?.kind ?? (isSub ? "sub" : "main");
      const turn = directed[part].shift() ?? {};
      turns.push(turn);
      const played = working.answer(prompt, memory);
      const { content, error, delivery } = turn;
      return {
        memory: played.memory,
        answer: {
          ...played.answer,
          ...(content === undefined ? {} : { content }),
          ...(error === undefined ? {} : { error }),
          ...(delivery === undefined ? {} : { delivery }),
        },
      };
    },
  };
  const log = createRequestLog(10_000);
  const simulator = createSimulator({ player, counter: createBpeCounter(), startTime: Date.now() });
  const server = await startSimulatorServer({ app: createSimulatorApp({ simulator, log }) });
  const provider = (idleTimeoutMs: number): ModelProvider =>
    createAnthropicProvider({
      apiKey: "any",
      baseUrl: server.url,
      fetch: createNodeFetch(),
      baseMs: 1,
      maxMs: 2,
      idleTimeoutMs,
    });
  const [patient, hasty] = [provider(0), provider(4000)];
  let current = patient;
  const place = await createWorkplace();
  const billed: BilledCall[] = [];
  const messages = (): readonly RequestRecord[] => log.since(0).filter(({ path }) => path === "/v1/messages");
  return {
    place,
    billed,
    async open(id, { isResumed = false, model = "claude-sonnet-5", engine }) {
      const session = await place.open([], {
        id,
        isResumed,
        model,
        engine,
        provider: {
          name: patient.name,
          capabilities: (model) => patient.capabilities(model),
          stream: (call, options) => current.stream(call, options),
        },
      });
      session.events.on("call_billed", (call) => void billed.push(call));
      return session;
    },
    direct: (part, ...more) => void directed[part].push(...more),
    async impatient(work) {
      current = hasty;
      try {
        return await work();
      } finally {
        current = patient;
      }
    },
    played: () => turns.length,
    async bills() {
      for (
        let tries = 0;
        tries < 2000 && messages().some(({ journey }) => journey === "pending");
        tries += 1
      ) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const records = messages();
      // Every request got as far as the model, so that the two lists go together.
      if (records.length !== turns.length)
        throw new Error(`${records.length} requests, ${turns.length} turns`);
      return records.map((record, at) => {
        const turn = turns[at] ?? {};
        return { record, turn, isWhole: record.journey === "complete" || turn.hasUsage === true };
      });
    },
    async close() {
      await server.close();
      await place.remove();
    },
  };
}
