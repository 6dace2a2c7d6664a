import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ruleSets, type RuleSet } from "../data/shell-verdicts/rule-sets.js";
import type { ToolCall, Verdict, VerdictGroup } from "../data/shell-verdicts/verdict-row.js";
import { HIDDEN, OUTSIDE, worlds } from "../data/shell-verdicts/worlds.js";
import { makeFolders, runCommand, type Folders } from "./agent-command.js";
import { startHostileServer, type Block } from "./hostile-server.js";
import { makeWorld } from "./make-world.js";

/** One call of a group, and what became of it. */
export interface PlayedCall {
  readonly about: string;
  readonly call: string | ToolCall;
  readonly expected: Verdict;
  readonly verdict: "runs" | "asked" | "denied" | "missing";
  /** What happened that must not: files that appeared, and texts that were shown. */
  readonly harm: readonly string[];
  /** What the model was told. */
  readonly told: string;
}

interface Row {
  readonly about: string;
  readonly call: string | ToolCall;
  readonly expected: Verdict;
}

/**
 * Rows of one rule set and one world: one session of the shipped command. A call that may run has a response of its own, so
 * that what it does is known as its doing; those that must not run are many in one.
 */
export async function playVerdicts(groups: readonly VerdictGroup[]): Promise<readonly PlayedCall[]> {
  const [first] = groups;
  if (first === undefined) return [];
  const rows = groups.flatMap(({ about, expected, calls }) =>
    calls.map((call): Row => ({ about, call, expected })),
  );
  const folders = await makeFolders("verdicts");
  try {
    makeWorld(worlds[first.world], folders.work);
    const stopped = rows.filter(mustNotRun);
    const others = rows.filter((row) => !mustNotRun(row));
    return await play([...stopped, ...others], { folders, rules: ruleSets[first.rules] });
  } finally {
    await folders.remove();
  }
}

interface Played {
  readonly told: string;
  readonly harm: readonly string[];
}

const idOf = (row: number): string => `toolu_row_${row}`;
/** What a command may take on the busiest machine. */
const PATIENCE_MS = 600_000;
/** So many calls that must not run are asked for at once. */
const AT_ONCE = 40;
const mustNotRun = ({ expected }: Row): boolean => expected !== "runs" && expected !== "harmless";
const moves = ({ call }: Row): boolean => typeof call === "string" && /\b(?:cd|pushd|popd)\b/.test(call);
const RESET = "toolu_reset";

async function play(
  rows: readonly Row[],
  { folders, rules }: { readonly folders: Folders; readonly rules: RuleSet },
): Promise<readonly PlayedCall[]> {
  const played = new Map<string, Played>();
  const atStart: string[] = [];
  let next = 0;
  let isMoved = false;
  const answer = (_request: unknown, _response: unknown, body: string): readonly Block[] => {
    const results = lastResults(body);
    if (results.length === 0) atStart.push(...shownIn(body));
    for (const [index, { id, text }] of results.entries()) {
      const touched = index === results.length - 1 ? takeTouched(folders.root) : [];
      played.set(id, { told: text, harm: [...shownIn(text), ...touched] });
    }
    // What a command left behind is where the next one starts.
    if (isMoved) {
      isMoved = false;
      return [{ tool: "Bash", id: RESET, input: { command: `cd ${folders.work}` } }];
    }
    const [first] = rows.slice(next);
    if (first === undefined) return [{ text: "done" }];
    const length = mustNotRun(first) ? lengthOf(rows.slice(next, next + AT_ONCE), mustNotRun) : 1;
    const asked = rows.slice(next, next + length);
    const blocks = asked.map(({ call }, index) => blockOf(call, { id: idOf(next + index), folders }));
    next += length;
    isMoved = asked.some(moves);
    return blocks;
  };
  const server = await startHostileServer([answer]);
  try {
    const args = ["-p", "go", "--base-url", server.url, "--output-format", "json", "--window", "1000000"];
    const { code, stdout, stderr } = await runCommand(folders, [...args, ...flagsOf(rules)]);
    if (code !== 0) throw new Error(`the command ended with ${code}: ${stderr || stdout}`);
    const result = JSON.parse(stdout) as { readonly permission_denials: readonly { tool_use_id: string }[] };
    const denied = new Set(result.permission_denials.map(({ tool_use_id }) => tool_use_id));
    if (denied.has(RESET))
      throw new Error(`cd into the project was not permitted: ${played.get(RESET)?.told}`);
    const late = takeTouched(folders.root);
    return rows.map((row, index) => {
      const { told, harm } = played.get(idOf(index)) ?? { told: "", harm: [] };
      return {
        ...row,
        verdict: verdictOf({ isPlayed: played.has(idOf(index)), isDenied: denied.has(idOf(index)), told }),
        harm: [...harm, ...(index === 0 ? atStart : []), ...(index === rows.length - 1 ? late : [])],
        told,
      };
    });
  } finally {
    await server.close();
  }
}

/** Whether a call was given a verdict that is not the expected one, or did harm. */
export function isWrong({ expected, verdict, harm }: PlayedCall): boolean {
  if (harm.length > 0 || verdict === "missing") return true;
  if (expected === "harmless") return false;
  return expected === "stopped" ? verdict === "runs" : verdict !== expected;
}

function verdictOf(one: {
  readonly isPlayed: boolean;
  readonly isDenied: boolean;
  readonly told: string;
}): PlayedCall["verdict"] {
  if (!one.isPlayed) return "missing";
  if (!one.isDenied) return "runs";
  return one.told.includes("Nobody is there to be asked") ? "asked" : "denied";
}

const flagsOf = ({ mode, allow = [], deny = [] }: RuleSet): readonly string[] => [
  ...(mode === undefined ? [] : ["--permission-mode", mode]),
  ...(allow.length === 0 ? [] : ["--allowed-tools", allow.join(",")]),
  ...(deny.length === 0 ? [] : ["--disallowed-tools", deny.join(",")]),
];

function blockOf(
  call: string | ToolCall,
  { id, folders }: { readonly id: string; readonly folders: Folders },
): Block {
  const fill = (text: string): string =>
    text.replaceAll("{root}", folders.root).replaceAll("{work}", folders.work);
  if (typeof call === "string")
    return { tool: "Bash", id, input: { command: fill(call), timeout: PATIENCE_MS } };
  const input = Object.entries(call.input).map(([name, value]) => [
    name,
    typeof value === "string" ? fill(value) : value,
  ]);
  return { tool: call.tool, id, input: Object.fromEntries(input) as unknown };
}

interface Content {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

/** How many rows at the beginning are of that kind. */
function lengthOf(rows: readonly Row[], isOne: (row: Row) => boolean): number {
  const end = rows.findIndex((row) => !isOne(row));
  return end === -1 ? rows.length : end;
}

/** The results that a request brings; none for the first one. */
function lastResults(body: string): readonly { readonly id: string; readonly text: string }[] {
  const { messages } = JSON.parse(body) as {
    readonly messages: readonly { readonly content: string | readonly Content[] }[];
  };
  const content = messages.at(-1)?.content ?? "";
  if (typeof content === "string") return [];
  return content.flatMap(({ tool_use_id: id, content: result }) =>
    id === undefined ? [] : [{ id, text: textOf(result) }],
  );
}

const textOf = (content: unknown): string =>
  typeof content === "string" ? content : JSON.stringify(content ?? "");

const shownIn = (text: string): readonly string[] =>
  [OUTSIDE, HIDDEN].filter((marker) => text.includes(marker));

/** Files that commands touched since this was asked last; they are removed. */
function takeTouched(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const touched = entries.filter(({ name }) => name.startsWith("PWN"));
  for (const { parentPath, name } of touched)
    rmSync(join(parentPath, name), { recursive: true, force: true });
  return touched.map(({ name }) => name);
}
