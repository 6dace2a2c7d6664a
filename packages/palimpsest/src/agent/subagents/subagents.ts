import type { Estimator } from "@palimpsest/core";
import { capResult } from "@palimpsest/core/engine";
import type { BackgroundAgent, BackgroundAgents } from "@palimpsest/core/restore";
import type { AgentEvent, AgentResult } from "../base/agent-event.js";
import type { AgentType } from "./agent-types.js";

/** Starts one subagent and tells what happens in it. */
export type StartSubagent = (task: SubagentTask) => AsyncGenerator<AgentEvent, AgentResult>;

interface SubagentTask {
  readonly id: string;
  readonly type: AgentType;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

export interface SubagentsOptions {
  readonly types: () => readonly AgentType[];
  readonly start: StartSubagent;
  readonly nextId: () => string;
  readonly estimator: Estimator;
  /** Tokens that a result may have in the parent's context. */
  readonly resultTokens: () => number;
  /** Keeps a text and says where. */
  readonly keep: (text: string, name: string) => Promise<string>;
}

interface Running {
  readonly id: string;
  readonly description: string;
  status: BackgroundAgent["status"];
  progress: string;
  isRetrieved: boolean;
  readonly stop: AbortController;
  readonly ended: Promise<string>;
}

/** The subagents of a session. Those in the background go on while the conversation does. */
export interface Subagents extends BackgroundAgents {
  readonly types: () => readonly AgentType[];
  /** Waits for its result. */
  readonly run: (request: AgentRequest) => Promise<{ readonly text: string; readonly isError: boolean }>;
  /** Does not wait. */
  readonly startInBackground: (request: AgentRequest) => string;
  /** Its status, and its result once it has one; waits so long for that. Undefined for an unknown id. */
  readonly fetch: (
    id: string,
    options: { readonly waitMs: number; readonly signal: AbortSignal },
  ) => Promise<{ readonly status: BackgroundAgent["status"]; readonly text: string } | undefined>;
  /** Ends all of them; resolves when they have. */
  readonly close: () => Promise<void>;
}

interface AgentRequest {
  readonly type: AgentType;
  readonly description: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

const PROGRESS_CHARACTERS = 200;

export function createSubagents(options: SubagentsOptions): Subagents {
  const background = new Map<string, Running>();

  const work = async (
    id: string,
    { type, prompt, signal }: AgentRequest,
    onEvent: (event: AgentEvent) => void,
  ): Promise<{ readonly text: string; readonly isError: boolean }> => {
    try {
      const events = options.start({ id, type, prompt, signal });
      let next = await events.next();
      while (next.done !== true) {
        onEvent(next.value);
        next = await events.next();
      }
      const { reason, text } = next.value;
      const said = text === "" ? "It ended without a word." : text;
      const capped = await capResult(said, {
        estimator: options.estimator,
        maxTokens: options.resultTokens(),
        spill: (whole) => options.keep(whole, `agent-${id}`),
      });
      return {
        text: reason === "done" ? capped : `It did not finish (${reason}). ${capped}`,
        isError: reason !== "done",
      };
    } catch (error) {
      return { text: error instanceof Error ? error.message : String(error), isError: true };
    }
  };

  return {
    types: options.types,
    run: (request) => work(options.nextId(), request, () => {}),
    startInBackground(request) {
      const id = options.nextId();
      const stop = new AbortController();
      const state: Running = {
        id,
        description: request.description,
        status: "running",
        progress: "",
        isRetrieved: false,
        stop,
        ended: work(id, { ...request, signal: stop.signal }, (event) => {
          if (event.kind === "tool-start")
            state.progress = `calls ${event.name}`.slice(0, PROGRESS_CHARACTERS);
        }).then(({ text, isError }) => {
          state.status = stop.signal.aborted ? "killed" : isError ? "failed" : "completed";
          state.progress = text.replaceAll(/\s+/g, " ").slice(0, PROGRESS_CHARACTERS);
          return text;
        }),
      };
      background.set(id, state);
      return id;
    },
    async fetch(id, { waitMs, signal }) {
      const state = background.get(id);
      if (state === undefined) return undefined;
      const text = await within(state.ended, waitMs, signal);
      if (text === undefined) return { status: state.status, text: state.progress };
      state.isRetrieved = true;
      return { status: state.status, text };
    },
    async agents(agentId) {
      // Subagents start none themselves.
      if (agentId !== undefined) return [];
      return [...background.values()].map(({ id, description, status, progress, isRetrieved }) => ({
        id,
        description,
        status,
        isRetrieved,
        ...(progress === "" ? {} : { progress }),
      }));
    },
    async close() {
      for (const { stop } of background.values()) stop.abort();
      await Promise.all([...background.values()].map(({ ended }) => ended));
    },
  };
}

/** Undefined where the time is over, or nobody waits any more. */
async function within(
  ended: Promise<string>,
  waitMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  let stop: () => void = () => {};
  const over = new Promise<undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), waitMs);
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([ended, over]);
  } finally {
    stop();
  }
}
