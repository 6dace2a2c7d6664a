import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@palimpsest/core";
import {
  createRequestLog,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
  type RequestLog,
} from "../simulator/index.js";
import { createJsonlStore } from "../stores/index.js";
import { filesBelow, startAgent, transcriptsIn, type AgentFolders, type Ended } from "./agent-command.js";
import { jobsAt, layOutWork } from "./agent-work.js";
import { createCarefulPlayer } from "./careful-player.js";
import { ensure, ensureSame } from "./ensure.js";
import type { SoakContext, SoakRun } from "./soak-run.js";
import { withFolder } from "./with-folder.js";

const PROMPT = "Do all of the work in src, step by step.";

/** Long ones and short ones, by the seed; all of them compact. */
const sizes = [
  { steps: 64, kills: 10, window: 40_000 },
  { steps: 320, kills: 50, window: 70_000 },
] as const;

type Size = (typeof sizes)[number];

export const agentKillRun: SoakRun = {
  name: "agent-kill",
  about: "an agent that is killed again and again, and resumed each time, ends where an undisturbed one does",
  passes: 8,
  pass: (context) =>
    withFolder("calm", (calm) => withFolder("killed", (killed) => compare({ calm, killed }, context))),
};

interface World {
  readonly folders: AgentFolders;
  readonly size: Size;
  readonly url: string;
  readonly log: RequestLog;
  /** Told of every request from now on. */
  onRequest: () => void;
  /** How far the work goes. */
  steps: number;
  readonly step: () => number;
  readonly close: () => Promise<void>;
}

/** A folder to work in, and a model that carries on wherever the agent comes back. */
async function createWorld(root: string, size: Size, tell: SoakContext["step"]): Promise<World> {
  const folders = { home: root, work: join(root, "work"), data: join(root, "data") };
  await mkdir(folders.work);
  await layOutWork(folders.work);
  const player = createCarefulPlayer({ steps: () => world.steps, jobsAt });
  const log = createRequestLog(10_000);
  const app = createSimulatorApp({
    simulator: createSimulator({ player: withSummaries(player), startTime: Date.now(), window: size.window }),
    log,
    window: size.window,
    onRequest: () => {
      void tell({ requests: 1 });
      world.onRequest();
    },
  });
  const server = await startSimulatorServer({ app });
  const world: World = {
    folders,
    size,
    url: server.url,
    log,
    onRequest: () => {},
    steps: size.steps,
    step: player.step,
    close: () => server.close(),
  };
  return world;
}

async function compare(
  { calm: calmRoot, killed: killedRoot }: { readonly calm: string; readonly killed: string },
  { seed, random, step, isOver, signal }: SoakContext,
): Promise<void> {
  const size = sizes[seed % sizes.length] ?? sizes[0];
  const calm = await createWorld(calmRoot, size, step);
  const killed = await createWorld(killedRoot, size, step);
  const worlds = [calm, killed];
  try {
    for (let kills = 0; kills < size.kills; kills += 1) {
      // Some while they start, most in the middle of a response, of a call, or of what is between them.
      const killAt =
        random.next() < 0.15
          ? { request: 0, ms: random.next() * 700 }
          : { request: 1 + random.below(9), ms: random.next() * 60 };
      const { code, stderr } = await live(killed, { killAt, signal });
      signal.throwIfAborted();
      // It may have come to the end of all steps before.
      ensureSame(
        { code: code === 0 ? null : code, stderr },
        { code: null, stderr: "" },
        "an agent that is killed",
      );
      if (code === 0) break;
      await step({ kills: 1 });
      if (!isOver()) continue;
      // Time is up: what is under way is brought to its end, and that is all the work there was.
      killed.steps = Math.min(size.steps, killed.step() + 4);
      calm.steps = killed.steps;
      break;
    }
    const last = await live(killed, { signal });
    ensureWell(last, signal);
    ensureWell(await live(calm, { signal }), signal);
    await step({ steps: calm.step() });
    const end = JSON.parse(last.stdout.trimEnd().split("\n").at(-1) ?? "") as Record<string, unknown>;
    ensureSame(
      { subtype: end["subtype"], result: end["result"] },
      { subtype: "success", result: "All steps are done." },
      "the end",
    );
    ensureSame(
      await filesBelow(killed.folders.work),
      await filesBelow(calm.folders.work),
      "the files of the one that was killed",
    );
    // The API had nothing to refuse, the last request included.
    const refused = worlds.flatMap(({ log }) => log.since(0).flatMap(({ error }) => error?.message ?? []));
    ensureSame(refused, [], "requests that the API refused");
    for (const { folders } of worlds) await step({ compactions: await checkTranscripts(folders) });
  } finally {
    await Promise.all(worlds.map(({ close }) => close()));
  }
}

function ensureWell({ code, stderr }: Ended, signal: AbortSignal): void {
  signal.throwIfAborted();
  ensureSame({ code, stderr }, { code: 0, stderr: "" }, "an agent that nobody disturbs");
}

interface Life {
  /** Killed so many milliseconds after that request; left to its end without. */
  readonly killAt?: { readonly request: number; readonly ms: number };
  readonly signal: AbortSignal;
}

/** One life of the agent: killed at an instant that chance chose, or left to its end. */
async function live(world: World, { killAt, signal }: Life): Promise<Ended> {
  const { folders, url, size } = world;
  const id = await storedSession(folders);
  const { child, ended } = startAgent(folders, [
    ...(id === undefined ? [PROMPT] : ["--resume", id]),
    `--base-url=${url}`,
    "--model=claude-sonnet-5",
    "--permission-mode=bypassPermissions",
    "--output-format=stream-json",
    `--window=${size.window}`,
  ]);
  const onAbort = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (killAt === undefined) return await ended;
    let requests = 0;
    const reached = new Promise<void>((resolve) => {
      if (killAt.request === 0) resolve();
      world.onRequest = () => {
        requests += 1;
        if (requests === killAt.request) resolve();
      };
    });
    await Promise.race([reached.then(() => sleep(killAt.ms)), ended]);
    child.kill("SIGKILL");
    return await ended;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The conversation that holds the person's words; undefined where none was stored yet. */
async function storedSession(folders: AgentFolders): Promise<string | undefined> {
  for (const { id, path } of await transcriptsIn(folders)) {
    if ((await readFile(path, "utf8")).includes(PROMPT)) return id;
  }
  return undefined;
}

/** Every transcript is whole, and says once what became of every call. Gives how often it was compacted. */
async function checkTranscripts(folders: AgentFolders): Promise<number> {
  let boundaries = 0;
  for (const { directory, id } of await transcriptsIn(folders)) {
    const store = createJsonlStore({ directory });
    ensureSame((await store.readLive(id)).damaged, [], "damaged lines");
    const { messages, damaged } = await store.readAll(id);
    ensureSame(damaged, [], "damaged lines");
    ensureSame(unevenCalls(messages), [], "calls without one result");
    boundaries += messages.filter(
      (message) => message.type === "system" && message.subtype === "compact_boundary",
    ).length;
  }
  ensure((await storedSession(folders)) !== undefined, "the conversation is gone");
  return boundaries;
}

/** Calls that are not there once, or have not one result. */
function unevenCalls(messages: readonly Message[]): readonly string[] {
  const counts = new Map<string, { calls: number; results: number }>();
  const countOf = (id: string) => {
    const count = counts.get(id) ?? { calls: 0, results: 0 };
    counts.set(id, count);
    return count;
  };
  for (const message of messages) {
    if (message.type !== "user" && message.type !== "assistant") continue;
    const { content } = message.message;
    for (const block of typeof content === "string" ? [] : content) {
      if (block.type === "tool_use") countOf(block.id).calls += 1;
      else if (block.type === "tool_result") countOf(block.tool_use_id).results += 1;
    }
  }
  return [...counts].flatMap(([id, { calls, results }]) =>
    calls === 1 && results === 1 ? [] : [`${id}: ${calls} calls, ${results} results`],
  );
}
