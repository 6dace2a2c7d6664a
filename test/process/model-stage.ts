import type { ModelRequest } from "@palimpsest/core";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import {
  createScriptPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
  type Player,
  type ScriptStep,
} from "../../packages/palimpsest/src/simulator/index.js";
import {
  agentArguments,
  linesOf,
  makeFolders,
  runCommand,
  type Folders,
  type Line,
} from "./agent-command.js";
import { put } from "./hostile-stage.js";

export const WINDOW = 60_000;

let cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  cleanups = [];
});

export interface Seen {
  readonly system: string;
  readonly messages: string;
  readonly tools: readonly string[];
}

export interface Stage {
  readonly at: Folders;
  readonly url: string;
  /** What the model was shown before each of its answers, calls for summaries left out. */
  readonly seen: readonly Seen[];
}

const seenIn = ({ system, messages, tools }: ModelRequest): Seen => ({
  system: JSON.stringify(system),
  messages: JSON.stringify(messages),
  tools: (tools ?? []).map(({ name }) => name),
});

/** The simulated API and folders for one test; steps may depend on the folders. */
export async function setUp(stepsFor: (at: Folders) => readonly ScriptStep[] | Player): Promise<Stage> {
  const at = await makeFolders("model");
  cleanups.push(() => at.remove());
  const seen: Seen[] = [];
  const steps = stepsFor(at);
  const inner: Player = "answer" in steps ? steps : createScriptPlayer({ steps, closing: "Done." });
  const player = withSummaries({
    answer(prompt, memory) {
      seen.push(seenIn(prompt.request));
      return inner.answer(prompt, memory);
    },
  });
  const app = createSimulatorApp({
    simulator: createSimulator({ player, startTime: Date.now(), window: WINDOW }),
    window: WINDOW,
  });
  const server = await startSimulatorServer({ app });
  cleanups.push(() => server.close());
  return { at, url: server.url, seen };
}

/** Runs the command; a mode of its own takes the place of the usual one. */
export const run = async (
  { at, url }: Stage,
  prompt: string,
  mode = "bypassPermissions",
  ...args: readonly string[]
) => {
  const usual = agentArguments({ url, window: WINDOW });
  const given = usual.map((arg) => (arg === "bypassPermissions" ? mode : arg));
  const ended = await runCommand(at, ["-p", prompt, ...given, ...args]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  return ended;
};

export const count = (text: string | undefined, part: string): number => (text ?? "").split(part).length - 1;

export const git = ({ work }: Folders, ...args: readonly string[]) =>
  execFileSync("git", ["-C", work, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);

export const calling = (tool: string, input: object): ScriptStep => ({
  text: `I use ${tool}.`,
  calls: [{ tool, input: input as Readonly<Record<string, unknown>> }],
});

/** Enough of them fill the window, so that the conversation is compacted by itself. */
export const fillers = (count: number): readonly ScriptStep[] =>
  Array.from({ length: count }, (_, at) =>
    calling("Bash", { command: `seq -f 'filler ${at} line %g' 1 1500` }),
  );

/** A server with instructions, and more tools than are shown from the start. It changes the file that a call names. */
const SERVER = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const tools = Array.from({ length: 30 }, (_, at) => ({
  name: at === 0 ? "change" : "other" + at,
  description: "What it does. ".repeat(200),
  inputSchema: { type: "object", properties: { where: { type: "string" } } },
}));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "files", version: "1" },
    instructions: "Ask this server kindly.",
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ arguments: { where } }) => {
    appendFileSync(where, "changed by the server\\n");
    return { content: [{ type: "text", text: "It is done." }] };
  },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: result ?? {} }));
});
`;

/** The server, and a hook that writes down what it is told for each of these events. */
export async function putServerAndHooks({ work, root }: Folders, events: readonly string[]): Promise<void> {
  await put(join(root, "server.mjs"), SERVER);
  const server = { command: process.execPath, args: [join(root, "server.mjs")] };
  await put(join(work, ".mcp.json"), settingsOf({ mcpServers: { files: server } }));
  const hook = (event: string) => [
    { hooks: [{ type: "command", command: `cat >> '${join(root, event)}.jsonl'` }] },
  ];
  const hooks = Object.fromEntries(events.map((event) => [event, hook(event)]));
  await put(join(work, ".claude/settings.json"), settingsOf({ hooks }));
}

export const heard = async ({ root }: Folders, event: string): Promise<readonly Line[]> =>
  linesOf(await readFile(join(root, `${event}.jsonl`), "utf8"));

/** Subagents are told what they are: they have a script of their own. */
export function twoMinds(main: readonly ScriptStep[], sub: readonly ScriptStep[]): Player {
  const players = {
    main: createScriptPlayer({ steps: main, closing: "Done." }),
    sub: createScriptPlayer({ steps: sub, closing: "Done." }),
  };
  return {
    answer(prompt, memory) {
      const who = JSON.stringify(prompt.request.system).includes("You are a subagent") ? "sub" : "main";
      const known = (memory ?? {}) as Readonly<Record<string, unknown>>;
      const played = players[who].answer(prompt, known[who]);
      return { ...played, memory: { ...known, [who]: played.memory } };
    },
  };
}

export const settingsOf = (settings: object): string => JSON.stringify(settings);
