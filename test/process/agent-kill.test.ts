import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@palimpsest/core";
import { afterEach, describe, expect, it } from "vitest";
import {
  createRequestLog,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
  type RequestLog,
} from "../../packages/palimpsest/src/simulator/index.js";
import { createJsonlStore } from "../../packages/palimpsest/src/stores/index.js";
import {
  agentArguments,
  filesBelow,
  linesOf,
  makeFolders,
  startCommand,
  transcriptsIn,
  type Folders,
} from "./agent-command.js";
import { createCarefulPlayer, type Job } from "./careful-player.js";

const KILLS = 50;
const STEPS = 320;
const WINDOW = 70_000;
const PARTS = 5;
const PROMPT = "Do all of the work in src, step by step.";
const seed = Number(process.env["PALIMPSEST_KILL_SEED"] ?? Date.now() % 1_000_000);

const pathOf = (part: number): string => `src/part-${part}.txt`;
const textOf = (part: number, value: number): string =>
  `value = ${value};\n${Array.from({ length: 30 }, (_, line) => `part ${part} line ${line} is filler`).join("\n")}\n`;
const shell = (command: string): Job => ({ tool: "Bash", input: { command } });

/** What the model wants done in a step. All of it can be done again; what cannot has another way for that. */
function jobsAt(step: number): readonly Job[] {
  const part = Math.floor(step / 4) % PARTS;
  const file = pathOf(part);
  switch (step % 4) {
    case 0:
      return [
        { tool: "Read", input: { file_path: file } },
        { tool: "Grep", input: { pattern: "value", path: "src", output_mode: "content" } },
      ];
    case 1: {
      const value = Math.floor(step / (4 * PARTS));
      const [before, after] = [`value = ${value};`, `value = ${value + 1};`];
      return [
        { tool: "Read", input: { file_path: file } },
        {
          tool: "Edit",
          input: { file_path: file, old_string: before, new_string: after },
          again: shell(`grep -qx '${after}' ${file} || sed -i 's/^${before}$/${after}/' ${file}`),
        },
      ];
    }
    case 2:
      return [
        shell(`seq -f 'step ${step} output %g' 1 200`),
        shell(`sleep 0.02; mkdir -p slow; echo ${step} > slow/${step}`),
      ];
    default:
      return [
        shell(`grep -qx 'step ${step}' log.txt || echo 'step ${step}' >> log.txt`),
        { tool: "Write", input: { file_path: `out/${step}.txt`, content: `This is step ${step}.\n` } },
      ];
  }
}

interface World {
  readonly folders: Folders;
  readonly url: string;
  readonly log: RequestLog;
  /** Told of every request from now on. */
  onRequest: () => void;
  readonly close: () => Promise<void>;
}

/** A folder to work in, and a model that carries on wherever the agent comes back. */
async function createWorld(name: string): Promise<World> {
  const folders = await makeFolders(name);
  await mkdir(join(folders.work, "src"));
  await writeFile(join(folders.work, "log.txt"), "");
  for (let part = 0; part < PARTS; part += 1) {
    await writeFile(join(folders.work, pathOf(part)), textOf(part, 0));
  }
  const player = createCarefulPlayer({ steps: STEPS, jobsAt });
  const log = createRequestLog(10_000);
  const app = createSimulatorApp({
    simulator: createSimulator({ player: withSummaries(player), startTime: Date.now(), window: WINDOW }),
    log,
    window: WINDOW,
    onRequest: () => world.onRequest(),
  });
  const server = await startSimulatorServer({ app });
  const world: World = {
    folders,
    url: server.url,
    log,
    onRequest: () => {},
    async close() {
      await server.close();
      await folders.remove();
    },
  };
  return world;
}

/** From 0 to 1, the same for the same seed. */
function createRandom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The conversation that holds the person's words; undefined where none was stored yet. */
async function storedSession({ data }: Folders): Promise<string | undefined> {
  for (const { id, path } of await transcriptsIn(data).catch(() => [])) {
    if ((await readFile(path, "utf8")).includes(PROMPT)) return id;
  }
  return undefined;
}

/** One life of the agent: killed at an instant that chance chose, or left to its end. */
async function live(world: World, killAt: { readonly request: number; readonly ms: number } | undefined) {
  const { folders, url } = world;
  const id = await storedSession(folders);
  const { child, ended } = startCommand(folders, [
    "-p",
    ...(id === undefined ? [PROMPT] : ["--resume", id]),
    ...agentArguments({ url, window: WINDOW }),
  ]);
  if (killAt === undefined) return ended;
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
  return ended;
}

let worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.map(({ close }) => close()));
  worlds = [];
});

describe("an agent that is killed", () => {
  it(`${KILLS} times and resumed each time ends where an undisturbed one does (seed ${seed})`, async () => {
    const random = createRandom(seed);
    const calm = await createWorld("calm");
    const wild = await createWorld("killed");
    worlds = [calm, wild];

    const undisturbed = await live(calm, undefined);
    expect({ code: undisturbed.code, stderr: undisturbed.stderr }).toEqual({ code: 0, stderr: "" });

    let kills = 0;
    const complaints: string[] = [];
    for (let turn = 0; turn < KILLS; turn += 1) {
      // Some while they start, most in the middle of a response, of a call, or of what is between them.
      const killAt =
        random() < 0.15
          ? { request: 0, ms: random() * 700 }
          : { request: 1 + Math.floor(random() * 9), ms: random() * 60 };
      const { code, stderr } = await live(wild, killAt);
      if (code === null) kills += 1;
      complaints.push(stderr);
    }
    expect({ kills, complaints: complaints.join("") }).toEqual({ kills: KILLS, complaints: "" });
    const last = await live(wild, undefined);
    expect({ code: last.code, stderr: last.stderr }).toEqual({ code: 0, stderr: "" });
    expect(linesOf(last.stdout).at(-1)).toMatchObject({ subtype: "success", result: "All steps are done." });

    // The same files.
    expect(await filesBelow(wild.folders.work)).toEqual(await filesBelow(calm.folders.work));

    // The API had nothing to refuse, the last request included.
    for (const { log } of worlds) {
      expect(log.since(0).flatMap(({ error }) => (error === null ? [] : [error.message]))).toEqual([]);
    }

    // Every transcript is whole, and says once what became of every call.
    for (const { folders } of worlds) {
      for (const { directory, id } of await transcriptsIn(folders.data)) {
        const store = createJsonlStore({ directory });
        expect((await store.readLive(id)).damaged).toEqual([]);
        const { messages, damaged } = await store.readAll(id);
        expect(damaged).toEqual([]);
        expect(unevenCalls(messages)).toEqual([]);
      }
    }
    const session = await storedSession(wild.folders);
    expect(session).toBeDefined();
    console.log(
      `seed ${seed}: ${wild.log.totals().requests} requests, ${calm.log.totals().requests} undisturbed`,
    );
  });
});

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
