import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRecording } from "../../replay/readers/read-recording.js";
import { recordedCost } from "../../replay/recorded-cost.js";
import { prose } from "../../simulator/testing/client.js";
import type { WhatIf } from "../contract.js";
import { recordScript, type ScriptedTurn } from "../testing/scripted-recording.js";
import { createInspectorJobs, type InspectorJobs } from "./inspector-jobs.js";
import { performTask } from "./perform-task.js";
import type { StartTask, Task, TaskResult } from "./task.js";

let folder = "";
let file = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-jobs-"));
  file = join(folder, "conversation.jsonl");
  const turns: readonly ScriptedTurn[] = Array.from({ length: 12 }, (_, at) => ({
    ...(at === 0 ? { asked: "Read everything." } : {}),
    calls: [{ name: "Read", input: { file_path: `/src/${at}.ts` }, result: prose(`file ${at}`, 2000) }],
  }));
  recordScript(file, {
    turns: [...turns, { said: "That was all." }],
    tools: () => [{ name: "Read", description: "Reads.", input_schema: { type: "object" } }],
    system: () => prose("system", 1500),
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** In this thread; what was begun goes on, and nobody hears of it. */
const startHere: StartTask = <Kind extends Task["kind"]>(
  task: Extract<Task, { readonly kind: Kind }>,
  onProgress: (share: number) => void,
) => {
  let end = (): void => {};
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(new Error("ended"));
  });
  const done = performTask(task, onProgress) as Promise<TaskResult<Kind>>;
  return { result: Promise.race([done, ended]), end };
};

/** Begins what it is told to, and never comes to an end by itself. */
function startNothing() {
  const begun: { readonly task: Task; ended: boolean }[] = [];
  const start: StartTask = (task) => {
    const one = { task, ended: false };
    begun.push(one);
    let reject: (error: Error) => void = () => {};
    const result = new Promise<never>((_, fail) => {
      reject = fail;
    });
    return {
      result,
      end() {
        one.ended = true;
        reject(new Error("ended"));
      },
    };
  };
  return { begun, start };
}

function jobsWith(start: StartTask): { readonly jobs: InspectorJobs; readonly changes: WhatIf[] } {
  const changes: WhatIf[] = [];
  return { changes, jobs: createInspectorJobs({ start, env: {}, onChange: (one) => changes.push(one) }) };
}

const of = (conversation: string, path = file) => ({ conversation, file: path, numberOf: numbers() });

/** Numbers answers in the order in which they are asked for. */
function numbers(): (response: string) => number {
  const known = new Map<string, number>();
  return (response) => {
    const number = known.get(response) ?? known.size;
    known.set(response, number);
    return number;
  };
}

async function finished(jobs: InspectorJobs, job: string): Promise<WhatIf> {
  for (;;) {
    const whatIf = jobs.whatIf(job);
    if (whatIf === undefined || whatIf.state !== "running") return whatIf as WhatIf;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("a what-if", () => {
  it("says what another policy would have cost, and how large each request would have been", async () => {
    const { jobs, changes } = jobsWith(startHere);
    const { job, state, progress } = jobs.startWhatIf(of("one"), { policy: "none" });
    expect({ state, progress }).toEqual({ state: "running", progress: 0 });
    const { result, ...done } = await finished(jobs, job);
    expect(done).toMatchObject({ conversation: "one", policy: "none", state: "done", progress: 1 });
    const { dollars } = recordedCost((await readRecording(file)).messages);
    expect(result?.recordedCost).toBeCloseTo(dollars ?? 0, 9);
    expect(result?.cost).toBeGreaterThan((dollars ?? 0) * 0.9);
    expect(result?.cost).toBeLessThan((dollars ?? 0) * 1.1);
    expect(result?.line.request).toEqual(Array.from({ length: 13 }, (_, at) => at));
    expect(result?.line.tokens).toEqual(result?.line.tokens.toSorted((one, other) => one - other));
    expect(changes.map((one) => one.progress)).toEqual(
      changes.map((one) => one.progress).toSorted((one, other) => one - other),
    );
    expect(changes.at(-1)?.state).toBe("done");
  });

  it("in a smaller window compacts, with the lifetime that is asked for", async () => {
    const { jobs } = jobsWith(startHere);
    const request = { window: 16_000, lifetime: "1h" } as const;
    const ours = jobs.startWhatIf(of("one"), { ...request, policy: "palimpsest" });
    const other = jobs.startWhatIf(of("two"), { ...request, policy: "summarise-all" });
    const [one, two] = await Promise.all([finished(jobs, ours.job), finished(jobs, other.job)]);
    expect(one.failure).toBeUndefined();
    expect(two.result?.compactions).toBeGreaterThan(0);
    expect(Math.max(...(one.result?.line.tokens ?? []))).toBeLessThanOrEqual(16_000);
  });

  it.each([
    [{ policy: "nothing" }, 'there is no policy "nothing"'],
    [{ policy: "none,mask" }, "one policy is asked for at a time"],
    [
      { policy: "as-recorded", lifetime: "1h" as const },
      "as-recorded does not let cache entries live an hour",
    ],
    [{ policy: "none", window: 12.5 }, "A window is a whole number"],
  ])("of %j is refused", (request, sentence) => {
    const { jobs } = jobsWith(startHere);
    expect(() => jobs.startWhatIf(of("one"), request)).toThrow(sentence);
  });

  it("of a file that is not a recording fails with a sentence", async () => {
    const other = join(folder, "other.txt");
    await writeFile(other, "hello");
    const { jobs } = jobsWith(startHere);
    const { job } = jobs.startWhatIf(of("one", other), { policy: "none" });
    expect(await finished(jobs, job)).toMatchObject({ state: "failed" });
    expect((await finished(jobs, job)).failure).not.toBe("");
  });
});

describe("the queue", () => {
  it("plays one what-if of a conversation at a time, two in all, and refuses more than ten", () => {
    const { begun, start } = startNothing();
    const { jobs } = jobsWith(start);
    jobs.startWhatIf(of("0"), { policy: "none" });
    expect(() => jobs.startWhatIf(of("0"), { policy: "mask" })).toThrow("already");
    for (let at = 1; at < 10; at += 1) jobs.startWhatIf(of(String(at)), { policy: "none" });
    expect(begun).toHaveLength(2);
    expect(() => jobs.startWhatIf(of("10"), { policy: "none" })).toThrow("Too many");
    jobs.close();
    expect(begun.every(({ ended }) => ended)).toBe(true);
    expect(() => jobs.startWhatIf(of("11"), { policy: "none" })).toThrow("closing");
  });

  it("goes on with the next one where one is called off, and a conversation may be played again", async () => {
    const { begun, start } = startNothing();
    const { jobs, changes } = jobsWith(start);
    const started = ["a", "b", "c"].map((name) => jobs.startWhatIf(of(name), { policy: "none" }));
    expect(jobs.cancelWhatIf(started[0]?.job ?? "")?.state).toBe("cancelled");
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(begun).toHaveLength(3);
    expect(changes.map(({ state }) => state)).toEqual(["cancelled"]);
    expect(jobs.startWhatIf(of("a"), { policy: "none" }).state).toBe("running");
    expect(jobs.cancelWhatIf("another")).toBeUndefined();
    jobs.close();
  });

  it("takes back what waits", async () => {
    const { begun, start } = startNothing();
    const { jobs } = jobsWith(start);
    const started = ["a", "b", "c"].map((name) => jobs.startWhatIf(of(name), { policy: "none" }));
    jobs.cancelWhatIf(started[2]?.job ?? "");
    jobs.cancelWhatIf(started[0]?.job ?? "");
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(begun).toHaveLength(2);
    jobs.close();
  });
});

it("policies that are offered are known, and none of them is made to cheat", () => {
  const { policies } = jobsWith(startHere).jobs.policies();
  const names = policies.map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual([
    "palimpsest",
    "palimpsest(memory=thrifty)",
    "palimpsest(memory=faithful)",
  ]);
  expect(names.some((name) => name.startsWith("cheat"))).toBe(false);
  expect(policies.every(({ title }) => title !== "")).toBe(true);
});
