import type { ToolResultContent } from "@palimpsest/core";
import type { AgentTool } from "../base/tool.js";

export interface ToolSearchOptions {
  /** The tools that wait to be asked for. */
  readonly deferred: () => readonly AgentTool[];
}

const DEFAULT_RESULTS = 5;
const MOST_RESULTS = 20;

const description = `Loads the schemas of tools that were announced by name only ("Tools now available"). Such a tool can be called only after this tool has returned it.
Query:
- "select:name_a,name_b": exactly these tools. Use it when you know the names.
- words, such as "github create issue": the tools whose names and descriptions fit best.`;

/** Finds deferred tools. Its result refers to them, and whoever reads the reference sees the schema. */
export function createToolSearchTool({ deferred }: ToolSearchOptions): AgentTool {
  return {
    definition: {
      name: "ToolSearch",
      description,
      input_schema: {
        type: "object",
        properties: {
          query: { type: "string", description: 'Words to look for, or "select:" and names of tools' },
          max_results: {
            type: "integer",
            minimum: 1,
            maximum: MOST_RESULTS,
            description: `At most so many tools for a query in words (default ${DEFAULT_RESULTS})`,
          },
        },
        required: ["query"],
        additionalProperties: false,
      },
    },
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input) {
      const query = typeof input["query"] === "string" ? input["query"].trim() : "";
      const wanted = Number(input["max_results"] ?? DEFAULT_RESULTS);
      const most = Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, MOST_RESULTS) : DEFAULT_RESULTS;
      if (query === "") {
        return {
          content: 'The query is empty: give words to look for, or "select:" and names.',
          isError: true,
        };
      }
      const tools = deferred();
      const selected = /^select:/i.test(query);
      const found = selected ? select(query, tools) : search(query, tools).slice(0, most);
      if (found.length === 0) return { content: nothingFound(selected, tools), isError: selected };
      return {
        content: found.map(({ definition }): ToolResultContent => ({
          type: "tool_reference",
          tool_name: definition.name,
        })),
      };
    },
  };
}

/** By exact name, else regardless of case, else by the tool's own name after the server's. */
function select(query: string, tools: readonly AgentTool[]): readonly AgentTool[] {
  const names = query.slice("select:".length).split(",");
  const found = names.flatMap((given) => {
    const name = given.trim().toLowerCase();
    if (name === "") return [];
    const whole = tools.filter(({ definition }) => definition.name.toLowerCase() === name);
    const exact = whole.find(({ definition }) => definition.name === given.trim()) ?? whole[0];
    if (exact !== undefined) return [exact];
    const own = tools.filter(({ definition }) => definition.name.toLowerCase().endsWith(`__${name}`));
    return own.length === 1 ? own : [];
  });
  return [...new Set(found)].slice(0, MOST_RESULTS);
}

const SCORES = { part: 10, insidePart: 4, word: 2, insideWord: 1 } as const;

/** Best first; those that fit equally well by name. */
function search(query: string, tools: readonly AgentTool[]): readonly AgentTool[] {
  const words = [...new Set(wordsOf(query))];
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.definition.name < b.tool.definition.name ? -1 : 1))
    .map(({ tool }) => tool);
}

function scoreOf({ definition }: AgentTool, words: readonly string[]): number {
  const parts = wordsOf(definition.name.replace(/^mcp__/, ""));
  const described = wordsOf(definition.description ?? "");
  const scores = words.map((word) => {
    if (parts.includes(word)) return SCORES.part;
    const isLong = word.length > 2;
    if (isLong && parts.some((part) => part.includes(word))) return SCORES.insidePart;
    if (described.includes(word)) return SCORES.word;
    return isLong && described.some((part) => part.includes(word)) ? SCORES.insideWord : 0;
  });
  return scores.reduce<number>((sum, score) => sum + score, 0);
}

/** Lower case; names in camel case are taken apart. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

function nothingFound(isSelection: boolean, tools: readonly AgentTool[]): string {
  if (tools.length === 0) return "No tools are waiting to be loaded: call the tools that you have.";
  return isSelection
    ? "None of these names is a tool that can be loaded. Use the names as they were announced, or look by words."
    : "No tool fits these words. Try other words, or select one of the announced names.";
}
