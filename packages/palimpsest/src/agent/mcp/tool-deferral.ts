import type { Message } from "@palimpsest/core";
import type { Announced } from "@palimpsest/core/restore";
import type { AgentTool } from "../base/tool.js";
import { announcedTools, carriedTools } from "./discovered-tools.js";

export interface ToolDeferralOptions {
  /**
   * Whether the provider takes `defer_loading` and `tool_reference`. Where it does not, every tool is listed with its
   * schema and nothing is announced.
   */
  readonly isSupported: boolean;
  /** Tokens of all schemas of MCP tools from which on they are deferred; a token is taken for four characters. */
  readonly deferAbove?: number;
}

/**
 * Which tools of one conversation are listed with their schemas and which wait to be asked for. A deferred tool is
 * listed from the start with `defer_loading`, which is no part of the prompt; what refers to it shows it. So neither
 * a search nor a server that comes late changes a byte of the prefix.
 */
export interface ToolDeferral {
  /** The tools as the next request lists them, in the order given; the same objects again while nothing changed. */
  readonly apply: (tools: readonly AgentTool[]) => readonly AgentTool[];
  /** Of the last `apply`: the tools that a search can find, those found already included. */
  readonly deferred: () => readonly AgentTool[];
  /** The same for an announcement; undefined where nothing is ever announced. */
  readonly announced: () => readonly Announced[] | undefined;
  /** Decides anew: at the start of a conversation, when one is resumed, at /clear, and after a compaction. */
  readonly reset: (live: readonly Message[]) => void;
}

const DEFER_ABOVE = 10_000;
const CHARACTERS_PER_TOKEN = 4;

/** `found`: asked for before the last compaction, so that it is listed with its schema although it is deferred. */
type Listing = "plain" | "deferred" | "found";

export function createToolDeferral({
  isSupported,
  deferAbove = DEFER_ABOVE,
}: ToolDeferralOptions): ToolDeferral {
  const listings = new Map<string, Listing>();
  let carried: ReadonlySet<string> = new Set();
  let announced: ReadonlySet<string> = new Set();
  let isDecided = false;
  let deferred: readonly AgentTool[] = [];

  /** Once for each name. Tools that come after the first request are deferred: that way they change no prefix. */
  const decide = (tools: readonly AgentTool[]): void => {
    const fresh = tools.filter((tool) => canWait(tool) && !listings.has(tool.definition.name));
    const size = fresh.reduce((sum, tool) => sum + sizeOf(tool), 0);
    const isTooMuch = isDecided || size / CHARACTERS_PER_TOKEN > deferAbove;
    for (const tool of fresh) {
      const { name } = tool.definition;
      const waits = isTooMuch || tool.isDeferred === true || announced.has(name);
      listings.set(name, carried.has(name) ? "found" : waits ? "deferred" : "plain");
    }
    isDecided = true;
  };

  return {
    apply(tools) {
      if (!isSupported) return tools.map(plainly);
      decide(tools);
      const applied = tools.map((tool) => {
        const listing = listings.get(tool.definition.name);
        return listing === "deferred" ? waiting(tool) : listing === "found" ? found(tool) : tool;
      });
      deferred = applied.filter(({ isDeferred }) => isDeferred === true);
      return applied;
    },
    deferred: () => deferred,
    announced: () =>
      isSupported ? deferred.map(({ definition: { name } }) => ({ name, description: "" })) : undefined,
    reset(live) {
      listings.clear();
      carried = carriedTools(live);
      announced = announcedTools(live);
      isDecided = false;
    },
  };
}

const canWait = ({ isMcp, isDeferred }: AgentTool): boolean => isMcp === true || isDeferred === true;

/** Copies by tool, so that one that is listed again is the same object again. */
const copies = new WeakMap<AgentTool, Map<Listing, AgentTool>>();

function copyOf(tool: AgentTool, listing: Listing, make: () => AgentTool): AgentTool {
  const known = copies.get(tool) ?? new Map<Listing, AgentTool>();
  copies.set(tool, known);
  const copy = known.get(listing) ?? make();
  known.set(listing, copy);
  return copy;
}

const waiting = (tool: AgentTool): AgentTool =>
  copyOf(tool, "deferred", () => ({
    ...tool,
    definition: { ...tool.definition, defer_loading: true },
    isDeferred: true,
  }));

const found = (tool: AgentTool): AgentTool => copyOf(tool, "found", () => ({ ...tool, isDeferred: true }));

const plainly = (tool: AgentTool): AgentTool =>
  tool.isDeferred === true ? copyOf(tool, "plain", () => ({ ...tool, isDeferred: false })) : tool;

const sizes = new WeakMap<AgentTool, number>();

function sizeOf(tool: AgentTool): number {
  let size = sizes.get(tool);
  if (size === undefined) sizes.set(tool, (size = JSON.stringify(tool.definition).length));
  return size;
}
