import { createCompactableTools } from "@palimpsest/core";
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSimulatorServer } from "../../packages/palimpsest/src/simulator/http/node-server.js";
import { MODEL, settings, SYSTEM } from "../adapters/lab.js";
import { createTalkLab } from "../adapters/talk-lab.js";
import { talkWith } from "../adapters/talks.js";
import type { AdapterTurn } from "./adapter-turn.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Beside the packages, so that what it imports is found. */
const built = join(root, "node_modules", `.palimpsest-test-${process.pid}`);
const directories: string[] = [];

beforeAll(async () => {
  const build = await rolldown({
    input: join(root, "test/process/adapter-turn.ts"),
    external: /^[^./]/,
    platform: "node",
    logLevel: "warn",
  });
  await build.write({ dir: built, format: "esm", entryFileNames: "[name].mjs" });
  await build.close();
});

afterAll(async () => {
  await rm(built, { recursive: true, force: true });
  await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })));
});

/** A process for one turn; gives the history then. */
async function inProcess(turn: AdapterTurn): Promise<readonly unknown[]> {
  const child = spawn(process.execPath, [join(built, "adapter-turn.mjs")], {
    cwd: root,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.stdin.end(JSON.stringify(turn));
  const [said, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ code: await ended, complaints }).toEqual({ code: 0, complaints: "" });
  return JSON.parse(said) as readonly unknown[];
}

const TURNS = 4;
const READS = 6;
const prompt = (turn: number): string => `Prompt ${turn}: go on.`;

describe("a process for every call, with one store of files", () => {
  const frameworks: readonly (readonly [name: string, never: readonly string[]])[] = [
    ["the AI SDK", []],
    ["LangChain", []],
    ["the official SDK", ["Read"]],
  ];
  it.each(someOf(frameworks, 1))("%s: the bytes of one process, at its cost", async (name, never) => {
    const one = createTalkLab({ reads: READS });
    const steps: string[] = [];
    const compactableTools = createCompactableTools({ never });
    const createTalk = await talkWith(name);
    const say = createTalk(one.place, {
      settings,
      compactableTools,
      onStep: ({ tier }) => steps.push(tier),
    });
    let history: readonly unknown[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) history = await say(history, prompt(turn));
    expect(steps).toContain(never.length === 0 ? "size-based" : "full");

    const many = createTalkLab({ reads: READS });
    const server = await startSimulatorServer({ app: many.app });
    const directory = await mkdtemp(join(tmpdir(), "palimpsest-adapter-store-"));
    directories.push(directory);
    try {
      const shared = { name, url: server.url, directory, model: MODEL, system: SYSTEM, settings, never };
      let told: readonly unknown[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) {
        told = await inProcess({ ...shared, history: told, prompt: prompt(turn) });
      }
      expect(told.length).toBe(history.length);
    } finally {
      await server.close();
    }
    expect(many.refused()).toEqual([]);
    expect(many.bodies.findIndex((body, at) => body !== one.bodies[at])).toBe(-1);
    expect(many.bodies.length).toBe(one.bodies.length);
    expect(many.cost()).toBeLessThanOrEqual(one.cost() * 1.1);
    expect((await readdir(directory)).length).toBeGreaterThan(10);
  });
});
