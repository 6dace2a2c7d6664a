import type { AdvisedRequest } from "./advised-request.js";
import type { Finding } from "./finding.js";
import { spanCost } from "./span-cost.js";

const MCP_TOOL = /^mcp__(.+?)__./;

/** The MCP server that a tool belongs to; undefined for the agent's own. */
const serverOf = (tool: string): string | undefined => MCP_TOOL.exec(tool)?.[1];

/** Dollars that the tools of each MCP server cost in the requests that carried them, and which servers were called. */
export interface ServerUse {
  readonly called: ReadonlySet<string>;
  readonly servers: ReadonlyMap<string, CarriedServer>;
}

interface CarriedServer {
  readonly tools: number;
  /** Of one request. */
  readonly tokens: number;
  readonly dollars: number;
  readonly requests: number;
}

/** Tools stand at the beginning of a prompt: what they cost is known by their size and by what was read and written. */
export function serverUse(requests: readonly AdvisedRequest[]): ServerUse {
  const called = new Set(requests.flatMap(({ calls }) => calls.flatMap(({ name }) => serverOf(name) ?? [])));
  const servers = new Map<string, CarriedServer>();
  for (const request of requests) {
    const carried = new Map<string, { tools: number; tokens: number }>();
    for (const { kind, name, tokens } of request.prompt?.parts ?? []) {
      const server = kind === "tool" ? serverOf(name) : undefined;
      if (server === undefined) continue;
      const sum = carried.get(server) ?? { tools: 0, tokens: 0 };
      carried.set(server, { tools: sum.tools + 1, tokens: sum.tokens + tokens });
    }
    for (const [server, { tools, tokens }] of carried) {
      const sum = servers.get(server) ?? { tools: 0, tokens: 0, dollars: 0, requests: 0 };
      servers.set(server, {
        tools: Math.max(sum.tools, tools),
        tokens: Math.max(sum.tokens, tokens),
        dollars: sum.dollars + spanCost(request, 0, tokens),
        requests: sum.requests + 1,
      });
    }
  }
  return { called, servers };
}

/** The servers that no conversation called, of several conversations of one agent. */
export function findUnusedServers(uses: readonly ServerUse[]): readonly Finding[] {
  const called = new Set(uses.flatMap((use) => [...use.called]));
  const unused = new Map<string, CarriedServer>();
  for (const { servers } of uses) {
    for (const [name, { tools, tokens, dollars, requests }] of servers) {
      if (called.has(name)) continue;
      const sum = unused.get(name) ?? { tools: 0, tokens: 0, dollars: 0, requests: 0 };
      unused.set(name, {
        tools: Math.max(sum.tools, tools),
        tokens: Math.max(sum.tokens, tokens),
        dollars: sum.dollars + dollars,
        requests: sum.requests + requests,
      });
    }
  }
  if (unused.size === 0) return [];
  const servers = [...unused]
    .toSorted(([, one], [, other]) => other.dollars - one.dollars)
    .map(([name, { tools, tokens }]) => ({ name, tools, tokens }));
  const all = [...unused.values()];
  return [
    {
      key: "unused-servers",
      dollars: all.reduce((sum, { dollars }) => sum + dollars, 0),
      facts: { kind: "unused-servers", servers, requests: Math.max(...all.map(({ requests }) => requests)) },
    },
  ];
}
