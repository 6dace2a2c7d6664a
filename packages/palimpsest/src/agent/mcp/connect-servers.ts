import type { Announced } from "@palimpsest/core/restore";
import { LONGEST_TIMER } from "../../providers/interruptible.js";
import { withoutSecrets } from "../../providers/secrets.js";
import { withoutKeys } from "../base/key-variables.js";
import type { AgentTool } from "../base/tool.js";
import type { ListedTool } from "./listed-tool.js";
import { createMcpTool } from "./mcp-tool.js";
import { secretsOf, type McpServerConfig } from "./server-config.js";
import { createServerSession, type McpServerState, type ServerSession } from "./server-session.js";
import { serverLabels } from "./tool-name.js";
import type { ResultSpill } from "./tool-result.js";

export interface McpOptions {
  readonly spill: ResultSpill;
  /** Where servers are started. */
  readonly cwd: string;
  /** What servers get their few shared variables from. Default: the process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly clientVersion?: string;
  /** How long `started` waits at most. Default 5 s. */
  readonly startTimeoutMs?: number;
  /** For one attempt to connect. Default 30 s. */
  readonly connectTimeoutMs?: number;
  /** For a call without a sign of life. Default 120 s. */
  readonly callTimeoutMs?: number;
  /** For a call that keeps reporting progress. Default 30 min. */
  readonly callTotalMs?: number;
  /** How long a call waits for a server that is away. Default 30 s. */
  readonly reconnectWaitMs?: number;
  /** Before the first new attempt. Default 500 ms. */
  readonly retryMs?: number;
  /** Attempts in a row before a server rests until it is needed. Default 5. */
  readonly retries?: number;
  /** Between asking a server's processes to end and killing them. Default 1 s. */
  readonly killGraceMs?: number;
  /** Bytes of one message. Default 32 MB. */
  readonly longestMessage?: number;
  /** A server's state, tools or instructions changed. Must not throw. */
  readonly onChange?: () => void;
}

/** The MCP servers of a session. */
export interface McpServers {
  /** Resolves when every server was tried once, or the time for it is over. Later ones appear later. */
  readonly started: Promise<void>;
  readonly states: () => readonly McpServerState[];
  /** The tools of all servers, those included that are away for now. The same objects while nothing changed. */
  readonly tools: () => readonly AgentTool[];
  /** What servers say about their use, by name. */
  readonly instructions: () => readonly Announced[];
  /** Tries a server again at once; an unknown name is ignored. */
  readonly reconnect: (name: string) => void;
  /** Ends every connection and process. Resolves when none is left. */
  readonly close: () => Promise<void>;
}

const SECOND = 1_000;
const timer = (ms: number): number => Math.min(ms, LONGEST_TIMER);

interface Server {
  readonly session: ServerSession;
  readonly tools: () => readonly AgentTool[];
}

/** Starts all servers at the same time, in the background. Never throws: what fails is told by the states. */
export function connectServers(configs: readonly McpServerConfig[], options: McpOptions): McpServers {
  const environment = options.environment ?? process.env;
  const hideKeys = withoutKeys(environment);
  const leaders = new Set<number>();
  // A host that leaves without closing takes its servers with it.
  const onExit = (): void => {
    for (const leader of leaders) kill(leader);
  };
  if (configs.length > 0) process.on("exit", onExit);
  const labels = serverLabels(configs.map(({ name }) => name));
  const servers = configs.map((config, index): Server => {
    const hideOwn = withoutSecrets(secretsOf(config));
    const hide = (text: string): string => hideKeys(hideOwn(text));
    const session = createServerSession(config, {
      label: labels[index] ?? "server",
      hide,
      cwd: options.cwd,
      environment,
      clientVersion: options.clientVersion ?? "0.0.0",
      connectTimeoutMs: timer(options.connectTimeoutMs ?? 30 * SECOND),
      callTimeoutMs: timer(options.callTimeoutMs ?? 120 * SECOND),
      callTotalMs: timer(options.callTotalMs ?? 1_800 * SECOND),
      reconnectWaitMs: timer(options.reconnectWaitMs ?? 30 * SECOND),
      retryMs: timer(options.retryMs ?? 500),
      retries: options.retries ?? 5,
      killGraceMs: timer(options.killGraceMs ?? SECOND),
      longestMessage: options.longestMessage ?? 32 * 1_048_576,
      watch: { started: (leader) => leaders.add(leader), ended: (leader) => leaders.delete(leader) },
      onChange: () => options.onChange?.(),
    });
    return { session, tools: toolsOf(session, { session, spill: options.spill, hide }) };
  });
  return {
    started: startOf(servers, timer(options.startTimeoutMs ?? 5 * SECOND)),
    states: () => servers.map(({ session }) => session.state()),
    tools: joined(servers),
    instructions: () =>
      servers.flatMap(({ session }) => {
        const description = session.instructions();
        return description === "" ? [] : [{ name: session.state().name, description }];
      }),
    reconnect(name) {
      for (const { session } of servers) if (session.state().name === name) session.wake();
    },
    async close() {
      await Promise.all(servers.map(({ session }) => session.close()));
      process.off("exit", onExit);
    },
  };
}

function startOf(servers: readonly Server[], timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(resolve, timeoutMs);
    void Promise.all(servers.map(({ session }) => session.tried)).then(() => {
      clearTimeout(patience);
      resolve();
    });
  });
}

/** A tool is the same object for as long as the server lists it in the same words. */
function toolsOf(
  session: ServerSession,
  options: Parameters<typeof createMcpTool>[1],
): () => readonly AgentTool[] {
  let listed: readonly ListedTool[] = [];
  let tools: readonly AgentTool[] = [];
  let known = new Map<string, AgentTool>();
  return () => {
    if (session.tools() === listed) return tools;
    listed = session.tools();
    const next = new Map<string, AgentTool>();
    tools = listed.map((tool) => {
      const key = JSON.stringify(tool);
      const made = known.get(key) ?? createMcpTool(tool, options);
      next.set(key, made);
      return made;
    });
    known = next;
    return tools;
  };
}

function joined(servers: readonly Server[]): () => readonly AgentTool[] {
  let parts: readonly (readonly AgentTool[])[] = [];
  let all: readonly AgentTool[] = [];
  return () => {
    const now = servers.map(({ tools }) => tools());
    if (now.length !== parts.length || now.some((part, index) => part !== parts[index])) {
      parts = now;
      all = now.flat();
    }
    return all;
  };
}

function kill(leader: number): void {
  try {
    process.kill(process.platform === "win32" ? leader : -leader, "SIGKILL");
  } catch {
    // Gone already.
  }
}
