import { describe, expect, it } from "vitest";
import { createMemoryTodos } from "../../packages/core/src/engine/restore/ports/todo-source.js";
import { restoreState } from "../../packages/core/src/engine/restore/restore-state.js";
import type {
  CompactPorts,
  CompactStatus,
} from "../../packages/core/src/engine/summarise/run/compact-run.js";
import { hooksWith } from "./failures/abort-rows.js";
import { createHost, expectCompacted, type HostOptions } from "./host.js";

type Shown = NonNullable<CompactStatus>;
type Given = Partial<CompactPorts>;

/** Compacts, and notes every status with how many requests had been sent. */
async function watch(
  options: HostOptions = {},
  given: (host: ReturnType<typeof createHost>) => Given = () => ({}),
) {
  const host = createHost(options);
  await host.turns(14);
  const statuses: { readonly status: CompactStatus; readonly requests: number }[] = [];
  const onStatus = (status: CompactStatus): void =>
    void statuses.push({ status, requests: host.requests.length });
  const outcome = await host.compact({}, { onStatus, ...given(host) });
  const shown = statuses.flatMap(({ status }): readonly Shown[] => (status === undefined ? [] : [status]));
  return { host, outcome, statuses, shown };
}

const restore = (host: ReturnType<typeof createHost>): NonNullable<Given["restore"]> => {
  const { estimator, settings, clock } = host;
  const ports = { todos: createMemoryTodos([{ content: "tidy", status: "pending" }]) };
  return () => restoreState({ ports, readState: { reads: [] }, estimator, settings, clock });
};

const phasesOf = (shown: readonly Shown[]): readonly string[] =>
  shown.map(({ phase }) => phase).filter((phase, index, all) => phase !== all[index - 1]);

/** Never less than before. */
const expectAdvancing = (characters: readonly number[]): void =>
  expect(characters).toEqual(characters.toSorted((a, b) => a - b));

describe("the status of a compaction", () => {
  it("goes through its phases in order, each with its text, and ends", async () => {
    const { shown, statuses } = await watch({}, (host) => ({ hooks: hooksWith({}), restore: restore(host) }));
    expect(phasesOf(shown)).toEqual(["hooks", "summarising", "restoring", "finishing"]);
    expect(Object.fromEntries(shown.map(({ phase, text }) => [phase, text]))).toEqual({
      hooks: "Running PreCompact hooks…",
      summarising: "Compacting conversation",
      restoring: "Restoring files, plan and tasks…",
      finishing: "Running SessionStart hooks…",
    });
    expect(statuses.filter(({ status }) => status === undefined)).toHaveLength(1);
    expect(statuses.at(-1)?.status).toBeUndefined();
  });

  it("says that the model responds from the first text on, and counts its characters", async () => {
    const { shown, outcome } = await watch();
    const written = shown.filter(({ phase }) => phase === "summarising");
    expect(written[0]).toMatchObject({ isResponding: false, characters: 0 });
    const first = written.findIndex(({ isResponding }) => isResponding);
    expect(first).toBeGreaterThan(0);
    expect(written.slice(first).every(({ isResponding, characters }) => isResponding && characters > 0)).toBe(
      true,
    );
    expectAdvancing(written.map(({ characters }) => characters));
    expect(new Set(written.map(({ characters }) => characters)).size).toBeGreaterThan(2);
    // What was mended came later, the scratchpad and the tags went.
    expect(written.at(-1)?.characters).toBeGreaterThan(0.5 * expectCompacted(outcome).summary.length);
  });

  it.each([
    ["is cut off in the middle", { fault: "cut", events: 8 }],
    ["fails in the middle", { fault: "error", events: 8, type: "api_error" }],
  ] as const)("begins anew with the next writer when the fork %s", async (_, fault) => {
    const { statuses, outcome } = await watch({}, (host) => {
      host.provider.faults.set([{ fault, span: { next: 1 } }]);
      return {};
    });
    expect(outcome).toMatchObject({ writer: "streaming", failedAttempts: [{ writer: "fork" }] });
    const shown = statuses.flatMap(({ status, requests }) =>
      status?.phase === "summarising" ? [{ ...status, requests }] : [],
    );
    const fork = shown.filter(({ requests }) => requests === 1);
    expect(fork.some(({ characters }) => characters > 0)).toBe(true);
    const anew = shown.findIndex(({ characters, requests }) => requests === 1 && characters === 0);
    expect(shown[anew]).toMatchObject({ isResponding: false });
    const streaming = shown.slice(anew).map(({ characters }) => characters);
    expectAdvancing(streaming);
    expect(streaming.length).toBeGreaterThan(2);
  });

  it("begins anew when a summary was not good enough", async () => {
    const roomy = { maxTokens: 60_000, settings: { compactOutputTokens: 60_000 } };
    const { shown } = await watch({ ...roomy, summaries: { mode: "inflated", times: 1 } }, (host) => ({
      restore: restore(host),
    }));
    expect(phasesOf(shown)).toEqual(["hooks", "summarising", "restoring", "summarising", "finishing"]);
    const second = shown.findLastIndex(
      ({ phase, characters }) => phase === "summarising" && characters === 0,
    );
    expect(shown[second - 1]?.phase).toBe("restoring");
  });

  it("shows that it works where no model is asked", async () => {
    const host = createHost({ settings: { compactExtractive: true } });
    await host.turns(14);
    const { provider: _provider, ...ports } = host.ports();
    const statuses: CompactStatus[] = [];
    const { compact } = await import("../../packages/core/src/engine/summarise/compact.js");
    await compact(host.input(), { ...ports, onStatus: (status) => statuses.push(status) });
    expect(statuses.map((status) => status?.phase)).toEqual([
      "hooks",
      "summarising",
      "restoring",
      "finishing",
      undefined,
    ]);
  });
});

describe("the keep-alive", () => {
  it("is set once, repeats what was shown last, and is stopped", async () => {
    const beats: { readonly milliseconds: number; readonly beat: () => void }[] = [];
    let stopped = 0;
    const every: NonNullable<Given["every"]> = (milliseconds, beat) => {
      beats.push({ milliseconds, beat });
      return () => {
        stopped += 1;
      };
    };
    const { statuses } = await watch({ settings: { compactKeepAliveMs: 25_000 } }, (host) => ({
      every,
      hooks: hooksWith({
        preCompact: () => {
          beats[0]?.beat();
          beats[0]?.beat();
          return Promise.resolve({});
        },
        postCompact: () => {
          beats[0]?.beat();
          return Promise.resolve({});
        },
      }),
      restore: restore(host),
    }));
    expect(beats.map(({ milliseconds }) => milliseconds)).toEqual([25_000]);
    expect(stopped).toBe(1);
    const phases = statuses.map(({ status }) => status?.phase);
    expect(phases.slice(0, 3)).toEqual(["hooks", "hooks", "hooks"]);
    expect(phases.slice(-3)).toEqual(["finishing", "finishing", undefined]);
    const finishing = statuses.flatMap(({ status }) => (status?.phase === "finishing" ? [status] : []));
    expect(finishing[0]).toEqual(finishing[1]);
    beats[0]?.beat();
    expect(statuses.at(-1)?.status).toBeUndefined();
  });
});
