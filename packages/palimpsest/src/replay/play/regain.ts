import { createUserMessage, type Message, type ModelCall, type UserBlock } from "@palimpsest/core";
import { RECALL_TOOL } from "@palimpsest/core/engine";
import type { AnswerBlock } from "../../simulator/player.js";
import type { MissingSource } from "../forgetting/blind-turn.js";
import type { RegainedText } from "./recorded-sources.js";

/** One response that reads again what was forgotten, and what comes back. */
export interface Regaining {
  readonly content: readonly AnswerBlock[];
  readonly results: (at: number) => Message;
  /** What is read again, by call. */
  readonly sources: readonly MissingSource[];
}

export interface RegainOptions {
  readonly turn: number;
  readonly call: ModelCall;
  readonly missing: readonly MissingSource[];
  readonly read: (source: MissingSource) => RegainedText;
  /** Tokens of a block, as the model counts. */
  readonly count: (block: unknown) => number;
}

const MOST_CALLS = 5;
/** What a response that reads has for each call: the median of recorded ones. */
const TOKENS_PER_CALL = 162;
const WORDS = "I no longer have this at hand, so I look at it once more before I go on. ";

const READING_TOOLS = ["Read", "read", "read_file", "view"];
const SHELL_TOOLS = [
  "exec_command",
  "shell_command",
  "shell",
  "exec",
  "Bash",
  "bash",
  "run_shell_command",
  "PowerShell",
];

/** Sources that nothing in this request could bring back. */
export const lostSources = (missing: readonly MissingSource[], call: ModelCall): readonly MissingSource[] =>
  missing.filter((source) => source.class === "transcript" && !declared(call).includes(RECALL_TOOL));

/** Undefined where there is nothing that could be read again. */
export function planRegaining(options: RegainOptions): Regaining | undefined {
  const { turn, call, missing, read, count } = options;
  const names = declared(call);
  const lost = new Set(lostSources(missing, call));
  const regained = missing
    .filter((source) => !lost.has(source))
    .slice(0, MOST_CALLS)
    .flatMap(
      (source, index) => callFor(source, { names, text: read(source), id: `regain_${turn}_${index}` }) ?? [],
    );
  if (regained.length === 0) return undefined;
  const calls = regained.map(({ block }) => block);
  const said = calls.reduce((sum, block) => sum + count(block), 0);
  const wanted = regained.length * TOKENS_PER_CALL - said;
  const times = Math.round(wanted / count({ type: "text", text: WORDS }));
  const words: readonly AnswerBlock[] =
    times < 1 ? [] : [{ type: "text", text: WORDS.repeat(times).trimEnd() }];
  const results = regained.map(({ result }) => result);
  return {
    content: [...words, ...calls],
    sources: regained.map(({ source }) => source),
    results: (at) =>
      createUserMessage(
        {
          clock: { now: () => at },
          ids: { next: () => `regained-${turn}` },
          sessionId: "replay",
          parentUuid: null,
        },
        { content: results },
      ),
  };
}

const declared = ({ request: { tools = [] } }: ModelCall): readonly string[] =>
  tools.flatMap(({ name }) => (typeof name === "string" ? [name] : []));

interface RegainCall {
  readonly source: MissingSource;
  readonly block: Extract<AnswerBlock, { type: "tool_use" }>;
  readonly result: UserBlock;
}

function callFor(
  source: MissingSource,
  {
    names,
    text,
    id,
  }: { readonly names: readonly string[]; readonly text: RegainedText; readonly id: string },
): RegainCall | undefined {
  const first = (wanted: readonly string[]): string | undefined =>
    wanted.find((name) => names.includes(name));
  const made = (name: string, input: Readonly<Record<string, unknown>>, content: string): RegainCall => ({
    source,
    block: { type: "tool_use", id, name, input },
    result: { type: "tool_result", tool_use_id: id, content },
  });
  if (source.class === "transcript") {
    return made(RECALL_TOOL, { query: source.lines[0]?.line ?? source.paths[0] ?? source.label }, text.text);
  }
  const reader = source.class === "disk" ? first(READING_TOOLS) : undefined;
  const path = source.path ?? source.label;
  if (reader !== undefined) return made(reader, readInput(reader, path, text), readResult(reader, text));
  const name = first(SHELL_TOOLS) ?? first(READING_TOOLS) ?? names[0];
  if (name === undefined) return undefined;
  const command = source.class === "disk" ? readCommand(path, text) : source.label;
  const input = name === "exec_command" || name === "exec" ? { cmd: command } : { command };
  return made(name, input, `Process exited with code 0\nOutput:\n${text.text}`);
}

const lineCount = (text: string): number => text.split("\n").length - (text.endsWith("\n") ? 1 : 0);

function readInput(
  tool: string,
  path: string,
  { text, first }: RegainedText,
): Readonly<Record<string, unknown>> {
  const file = tool === "read" || tool === "view" ? { path } : { file_path: path };
  if (first === undefined) return file;
  return { ...file, offset: tool === "read_file" ? first - 1 : first, limit: lineCount(text) };
}

/** As the tool shows a file: one numbers the lines, where it is known which they are. */
function readResult(tool: string, { text, first }: RegainedText): string {
  if (tool !== "Read" || first === undefined) return text;
  return text
    .split("\n")
    .slice(0, lineCount(text))
    .map((line, index) => `${first + index}\t${line}`)
    .join("\n");
}

const readCommand = (path: string, { text, first }: RegainedText): string =>
  first === undefined ? `cat '${path}'` : `sed -n '${first},${first + lineCount(text) - 1}p' '${path}'`;
