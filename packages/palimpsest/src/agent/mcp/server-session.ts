import { redactSecrets } from "../base/redact-secrets.js";
import { readFailure, type ConnectionFailure } from "./connection-failure.js";
import type { Connection, ConnectionOptions } from "./connection.js";
import { readTools, type ListedTool } from "./listed-tool.js";
import { capPlain, oneLine, plainText } from "../base/plain-text.js";
import type { McpServerConfig } from "./server-config.js";

export interface McpServerState {
  readonly name: string;
  readonly state: "connecting" | "ready" | "failed" | "closed";
  /** A sentence: why it failed, or why it is being connected again. Empty while there is nothing to say. */
  readonly reason: string;
  readonly toolCount: number;
}

export interface SessionOptions extends Omit<ConnectionOptions, "onToolsChanged" | "signal"> {
  /** How the server is called inside tool names. */
  readonly label: string;
  /** Takes the server's keys out of a text. */
  readonly hide: (text: string) => string;
  /** Before the first new attempt; each further one waits twice as long. */
  readonly retryMs: number;
  /** Attempts in a row before it rests until somebody needs the server. */
  readonly retries: number;
  /** How long a call waits for a server that is away. */
  readonly reconnectWaitMs: number;
  readonly callTimeoutMs: number;
  readonly callTotalMs: number;
  readonly onChange: () => void;
}

interface SessionCall {
  readonly tool: string;
  readonly input: object;
  readonly signal: AbortSignal;
  /** Can be sent again when the connection broke under it. */
  readonly isRepeatable: boolean;
}

/** How a call ended. */
export type CallEnding =
  | { readonly kind: "answer"; readonly result: unknown }
  | { readonly kind: "aborted" }
  /** The server is away, and did not come back in time. */
  | { readonly kind: "away"; readonly reason: string }
  | { readonly kind: "failed"; readonly failure: ConnectionFailure };

/** One server, through all its connections. */
export interface ServerSession {
  readonly state: () => McpServerState;
  /** As they were last listed, also while the server is away. The same list again while nothing changed. */
  readonly tools: () => readonly ListedTool[];
  readonly instructions: () => string;
  /** Resolves when the first attempt is over, however it ended. */
  readonly tried: Promise<void>;
  /** Never rejects. */
  readonly call: (call: SessionCall) => Promise<CallEnding>;
  /** Tries at once where it rests or waits. */
  readonly wake: () => void;
  readonly close: () => Promise<void>;
}

const LONGEST_INSTRUCTIONS = 4_000;
const LONGEST_WAIT_MS = 30_000;
/** A connection that lasted so long counts as a success. */
const STABLE_MS = 10_000;
/** The least time between two listings that a server asks for. */
const REFRESH_MS = 1_000;

export function createServerSession(config: McpServerConfig, options: SessionOptions): ServerSession {
  const closing = new AbortController();
  const waiting = new Set<() => void>();
  let state: McpServerState["state"] = "connecting";
  let reason = "";
  let connection: Connection | undefined;
  let tools: readonly ListedTool[] = [];
  let leftOut = 0;
  let instructions = "";
  let wakeUp = (): void => {};
  let isRefreshing = false;
  let isStale = false;
  let tried = (): void => {};
  const firstTry = new Promise<void>((resolve) => (tried = resolve));
  const isClosed = (): boolean => closing.signal.aborted;

  const become = (next: McpServerState["state"], why = ""): void => {
    if (state === "closed") return;
    state = next;
    const sentence = `${oneLine(config.name, 60)}: ${why.replace(/(?<![.\s])[.\s]+$/, "")}.`;
    reason = why === "" ? "" : redactSecrets(options.hide(sentence), {});
    changed();
  };
  const changed = (): void => {
    for (const listener of waiting) listener();
    options.onChange();
  };

  /** Ends at a change of state that suits, or when the time is over, or when the signal says so. */
  const waitUntil = (isThere: () => boolean, ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(check);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const check = (): void => {
        if (isThere()) done();
      };
      const timer = setTimeout(done, ms);
      waiting.add(check);
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
      else check();
    });

  /** Until the time is over, or somebody wakes it, or it is closed; without a time until one of the latter. */
  const rest = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(() => wakeUp(), ms);
      wakeUp = () => {
        clearTimeout(timer);
        wakeUp = () => {};
        resolve();
      };
      if (isClosed()) wakeUp();
    });

  const takeTools = (listed: readonly unknown[]): void => {
    const next = readTools(listed, options);
    leftOut = next.leftOut;
    if (JSON.stringify(next.tools) !== JSON.stringify(tools)) tools = next.tools;
  };

  async function open(): Promise<Connection> {
    const { openConnection } = await import("./connection.js");
    const opened = await openConnection(config, {
      ...options,
      signal: closing.signal,
      onToolsChanged: () => {
        isStale = true;
        if (connection !== undefined) void refresh();
      },
    });
    try {
      takeTools(await opened.listTools());
    } catch (error) {
      await opened.close();
      throw error;
    }
    instructions = capPlain(options.hide(plainText(opened.instructions)).trim(), LONGEST_INSTRUCTIONS);
    return opened;
  }

  /** The tools again; whoever asks while that is under way is served by one more listing after it. */
  async function refresh(): Promise<void> {
    if (isRefreshing) return;
    isRefreshing = true;
    while (isStale && !isClosed()) {
      isStale = false;
      const before = tools;
      try {
        const listed = await connection?.listTools();
        if (listed !== undefined) takeTools(listed);
      } catch {
        // What was listed before stays; a server that is gone is noticed elsewhere.
      }
      if (tools !== before) changed();
      await new Promise((resolve) => setTimeout(resolve, REFRESH_MS).unref());
    }
    isRefreshing = false;
  }

  async function live(): Promise<void> {
    for (let failures = 0; !isClosed();) {
      const failure = await openAndStay();
      tried();
      if (isClosed()) return;
      if (failure === undefined) failures = 0;
      else if (failure.kind === "refused" || failures >= options.retries) {
        become("failed", failure.what);
        await rest();
        failures = 0;
        become("connecting");
        continue;
      } else failures += 1;
      await rest(Math.min(options.retryMs * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS));
    }
  }

  /** What came of it; undefined for a connection that lasted. */
  async function openAndStay(): Promise<ConnectionFailure | undefined> {
    try {
      connection = await open();
    } catch (error) {
      const failure = readFailure(error);
      if (!isClosed()) become("connecting", failure.what);
      return failure;
    }
    if (isClosed()) {
      await connection.close();
      return undefined;
    }
    const since = Date.now();
    become("ready", leftOut === 0 ? "" : `it has too many tools, ${leftOut} of them are left out`);
    tried();
    if (isStale) void refresh();
    const why = await connection.gone;
    connection = undefined;
    become("connecting", `the connection was lost: ${reasonOf(why)}`);
    return Date.now() - since >= STABLE_MS ? undefined : { kind: "broken", what: reasonOf(why) };
  }

  const running = live();

  async function call({ tool, input, signal, isRepeatable }: SessionCall): Promise<CallEnding> {
    for (let repeats = 0; ; repeats += 1) {
      if (connection === undefined) {
        if (state === "failed") wakeUp();
        await waitUntil(() => connection !== undefined || isClosed(), options.reconnectWaitMs, signal);
      }
      const current = connection;
      if (signal.aborted) return { kind: "aborted" };
      if (current === undefined) return { kind: "away", reason: isClosed() ? "It was closed." : reason };
      try {
        const { callTimeoutMs: timeoutMs, callTotalMs: totalMs } = options;
        return { kind: "answer", result: await current.call(tool, input, { signal, timeoutMs, totalMs }) };
      } catch (error) {
        if (signal.aborted) return { kind: "aborted" };
        const failure = readFailure(error);
        const isLost = failure.kind === "not-delivered" || failure.kind === "broken";
        if (isLost) {
          if (connection === current) connection = undefined;
          await current.close();
        }
        const isAgain = failure.kind === "not-delivered" || (failure.kind === "broken" && isRepeatable);
        if (!isAgain || repeats > 0 || isClosed()) return { kind: "failed", failure };
      }
    }
  }

  return {
    state: () => ({ name: oneLine(config.name, 60), state, reason, toolCount: tools.length }),
    tools: () => tools,
    instructions: () => instructions,
    tried: firstTry,
    call,
    wake: () => wakeUp(),
    async close() {
      closing.abort();
      wakeUp();
      await connection?.close();
      await running;
      tried();
      become("closed");
    },
  };
}

const reasonOf = (why: string): string => (why === "" ? "it went away" : why);
