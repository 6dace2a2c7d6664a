import type { ToolDefinition } from "../../messages/call/request.js";
import { hashValue } from "../../messages/hash.js";
import { PalimpsestError } from "../../messages/palimpsest-error.js";

/** A tool that the host has now. */
export interface OfferedTool {
  readonly definition: ToolDefinition;
  /** From a server that may come and go. By default so for names that begin with `mcp__`. */
  readonly isMcp?: boolean;
}

/** The tools of a request. */
export interface ToolListing {
  /** Built-in ones first, each part by name. The same list again while nothing changed. */
  readonly tools: readonly ToolDefinition[];
  readonly hasMcp: boolean;
  /** Tools that the host no longer has and that are still listed: answer calls to them with an error. */
  readonly absent: readonly string[];
}

export interface ToolListOptions {
  /**
   * `keep` (the default): a tool that goes away stays listed until the list is reset, because taking it out
   * rewrites the whole prompt. `remove`: it goes at once.
   */
  readonly absent?: "keep" | "remove" | undefined;
}

/** The tools of one conversation, in bytes that do not change without need. */
export interface ToolList {
  /** Throws a `TypeError` for two tools of one name. */
  list(offered: readonly OfferedTool[]): ToolListing;
  /** Holds these as if they had been listed: those of a conversation that goes on in another process. */
  hold(tools: readonly HeldTool[]): void;
  /** What is held, in the order in which it came. */
  held(): readonly HeldTool[];
  /** Lets go what is held: at /clear and at a compaction. */
  reset(): void;
}

/** A tool as it was first listed. */
export interface HeldTool {
  readonly definition: ToolDefinition;
  readonly isMcp: boolean;
}

interface Held extends HeldTool {
  readonly schemaHash: string;
}

/**
 * Definitions are held as they were first listed: a server that comes back with its keys in another order or
 * another wording of a description changes nothing. A schema that really differs is taken over, because calls
 * would fail without it.
 */
export function createToolList({ absent = "keep" }: ToolListOptions = {}): ToolList {
  let held = new Map<string, Held>();
  let last: ToolListing = { tools: [], hasMcp: false, absent: [] };
  return {
    list(offered) {
      const present = new Set<string>();
      for (const { definition, isMcp } of offered) {
        const { name } = definition;
        if (present.has(name)) throw new PalimpsestError("bad_option", `there are two tools named "${name}"`);
        present.add(name);
        const found = hold(held.get(name), definition, isMcp ?? name.startsWith("mcp__"));
        held.set(name, found);
      }
      const listed = [...held.values()].filter(
        ({ definition }) => absent === "keep" || present.has(definition.name),
      );
      const ordered = listed.toSorted(byPlace);
      const next: ToolListing = {
        tools: ordered.map(({ definition }) => definition),
        hasMcp: ordered.some(({ isMcp }) => isMcp),
        absent: ordered.flatMap(({ definition: { name } }) => (present.has(name) ? [] : [name])),
      };
      if (isSameList(last.tools, next.tools)) last = { ...next, tools: last.tools };
      else last = next;
      return last;
    },
    hold(tools) {
      // As they are: they were copies when they were written down.
      for (const { definition, isMcp } of tools) {
        held.set(definition.name, { definition, schemaHash: schemaHashOf(definition), isMcp });
      }
    },
    held: () => [...held.values()].map(({ definition, isMcp }) => ({ definition, isMcp })),
    reset() {
      held = new Map();
    },
  };
}

/** Known by object first: a host that hands in the same definitions pays nothing for them. */
const schemaHashes = new WeakMap<object, string>();

function schemaHashOf(definition: ToolDefinition): string {
  let hash = schemaHashes.get(definition);
  if (hash === undefined) {
    const { description: _description, cache_control: _marker, ...rest } = definition;
    schemaHashes.set(definition, (hash = hashValue(sortKeys(rest))));
  }
  return hash;
}

function hold(known: Held | undefined, given: ToolDefinition, isMcp: boolean): Held {
  const schemaHash = schemaHashOf(given);
  if (known !== undefined && known.schemaHash === schemaHash && known.isMcp === isMcp) return known;
  return { definition: copyOf(given), schemaHash, isMcp };
}

const copies = new WeakMap<object, { readonly json: string; readonly definition: ToolDefinition }>();

/** A copy: what the host does to its object later must not change what is sent. The same one while it says the same. */
function copyOf(given: ToolDefinition): ToolDefinition {
  const { cache_control: _marker, ...rest } = given;
  const json = JSON.stringify(rest);
  const known = copies.get(given);
  if (known?.json === json) return known.definition;
  const definition = JSON.parse(json) as ToolDefinition;
  copies.set(given, { json, definition });
  return definition;
}

/** Code units, not a locale: the same order on every machine. */
function byPlace(a: Held, b: Held): number {
  if (a.isMcp !== b.isMcp) return a.isMcp ? 1 : -1;
  return a.definition.name < b.definition.name ? -1 : 1;
}

/** Whether two lists hold the same things, thing by thing. */
export const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/** Which fields are required is a set: its order says nothing. */
const sortWords = (value: unknown): unknown =>
  Array.isArray(value) && value.every((item) => typeof item === "string")
    ? value.toSorted()
    : sortKeys(value);

/** The value with the keys of every object in order; descriptions inside a schema count as they are. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, key === "required" ? sortWords(item) : sortKeys(item)]),
  );
}
