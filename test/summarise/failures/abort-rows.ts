import { expect } from "vitest";
import type { CompactHooks } from "../../../packages/core/src/engine/ports/compact-hooks.js";
import type { HostOptions } from "../host.js";
import type { FailureRow, Provocation, Stage } from "./stage.js";
import { onSummaries, tooLong } from "./summaries-seen.js";

const TOLD = "The compaction was called off; the conversation is unchanged.";

const never = <T>(): Promise<T> => new Promise(() => {});

/** Hooks that have nothing to say, but for these. */
export const hooksWith = (hooks: Partial<CompactHooks>): CompactHooks => ({
  preCompact: () => Promise.resolve({}),
  sessionStart: () => Promise.resolve({}),
  postCompact: () => Promise.resolve({}),
  ...hooks,
});

/** Calls it off, and then says nothing more for ever. */
const hanging = (stage: Stage) => (): Promise<never> => {
  setTimeout(stage.abort, 1);
  return never();
};

const late = (stage: Stage) => (): Promise<never> => {
  setTimeout(stage.abort, 1);
  return new Promise((_, reject) => setTimeout(() => reject(new Error("too late")), 3));
};

/** Told of the request that is about to be sent; the row's own number counts from 1. */
const inRequest = (stage: Stage, number: number, act: () => void): Provocation => {
  const { onRequest } = stage.host.ports();
  return {
    ports: {
      onRequest: (sent) => {
        onRequest?.(sent);
        if (stage.host.requests.length === number) act();
      },
    },
  };
};

/** As soon as there is text of the summary that was asked for by the row's own request. */
const inText = (stage: Stage, number: number): Provocation => ({
  ports: {
    onStatus: (status) => {
      stage.statuses.push(status);
      const isTheOne = stage.host.requests.length === number && status?.isResponding === true;
      if (isTheOne && !stage.signal.aborted) stage.abort();
    },
  },
});

/** An answer that begins, and then nothing comes. */
const silent = (number: number): HostOptions => ({
  provider: {
    wrap: onSummaries((seen, request) => {
      if (seen !== number) return undefined;
      const { signal } = request;
      return new Response(
        new ReadableStream({
          start: (controller) =>
            signal.addEventListener("abort", () => controller.error(signal.reason), { once: true }),
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    }),
  },
});

const emptyOnce: HostOptions = { summaries: { mode: "empty", times: 1 } };

const sent =
  (...writers: readonly string[]): NonNullable<FailureRow["check"]> =>
  ({ host }) =>
    expect(host.requests.map(({ writer }) => writer)).toEqual(writers);

const refusal = (): Response => tooLong("prompt is too long: 203000 tokens > 200000 maximum");

function asTheRefusalArrives(): AbortRow {
  let abort = (): void => {};
  const wrap = onSummaries((number) => {
    if (number === 2) abort();
    return refusal();
  });
  return {
    name: "as the refusal of what is too long arrives",
    host: { provider: { wrap } },
    provoke: (stage) => {
      ({ abort } = stage);
      return {};
    },
    attempts: ["fork: prompt_too_long"],
    check: sent("fork", "streaming"),
  };
}

interface AbortRow extends Omit<FailureRow, "expected"> {
  readonly attempts?: readonly string[];
}

const rows: readonly AbortRow[] = [
  {
    name: "before it begins",
    provoke: (stage) => {
      const called: string[] = [];
      stage.notes.set("called", called);
      const noting = (name: string) => () => {
        called.push(name);
        return Promise.resolve({});
      };
      stage.abort();
      return {
        ports: {
          hooks: hooksWith({ preCompact: noting("preCompact") }),
          restore: () => {
            called.push("restore");
            return never();
          },
        },
      };
    },
    check: ({ host, notes }) => {
      expect(notes.get("called")).toEqual([]);
      expect(host.requests).toEqual([]);
    },
  },
  {
    name: "before it begins, without a model",
    provoke: (stage) => {
      stage.abort();
      return { without: ["provider"] };
    },
  },
  {
    name: "in a PreCompact hook that hangs",
    provoke: (stage) => ({ ports: { hooks: hooksWith({ preCompact: hanging(stage) }) } }),
    check: sent(),
  },
  {
    name: "in a PreCompact hook that rejects when it is too late",
    provoke: (stage) => ({ ports: { hooks: hooksWith({ preCompact: late(stage) }) } }),
    check: sent(),
  },
  {
    name: "while the fork is sent",
    provoke: (stage) => inRequest(stage, 1, () => queueMicrotask(stage.abort)),
    check: sent("fork"),
  },
  {
    name: "before the first text of the fork",
    host: silent(1),
    provoke: (stage) => inRequest(stage, 1, () => setTimeout(stage.abort, 10)),
    check: sent("fork"),
  },
  {
    name: "in the middle of the fork's text",
    provoke: (stage) => inText(stage, 1),
    check: sent("fork"),
  },
  {
    name: "before the first text of the streaming call",
    host: { ...emptyOnce, ...silent(2) },
    provoke: (stage) => inRequest(stage, 2, () => setTimeout(stage.abort, 10)),
    attempts: ["fork: no_summary"],
    check: sent("fork", "streaming"),
  },
  {
    name: "in the middle of the streaming call's text",
    host: emptyOnce,
    provoke: (stage) => inText(stage, 2),
    attempts: ["fork: no_summary"],
    check: sent("fork", "streaming"),
  },
  {
    name: "while the provider waits to try again",
    host: { provider: { maxRetries: 3, baseMs: 60_000, maxMs: 60_000 } },
    provoke: (stage) => {
      stage.host.provider.faults.set([{ fault: { fault: "529" }, span: { next: Infinity } }]);
      return inRequest(stage, 1, () => setTimeout(stage.abort, 20));
    },
    check: sent("fork"),
  },
  {
    name: "by a provider that does not heed the signal",
    provoke: (stage) => {
      const { provider } = stage.host;
      return {
        ports: {
          ...inRequest(stage, 1, () => setTimeout(stage.abort, 5)).ports,
          provider: {
            name: "deaf",
            capabilities: (model) => provider.capabilities(model),
            async *stream() {
              await new Promise((resolve) => setTimeout(resolve, 8));
              // Whatever comes now comes too late.
              yield { kind: "text", index: 0, text: "late" };
              await never();
            },
          },
        },
      };
    },
    check: sent("fork"),
  },
  {
    name: "right before a retry of what is too long",
    host: { provider: { wrap: onSummaries(refusal) } },
    provoke: (stage) => inRequest(stage, 3, stage.abort),
    attempts: ["fork: prompt_too_long", "streaming: prompt_too_long"],
  },
  asTheRefusalArrives(),
  {
    name: "while state is restored",
    provoke: (stage) => ({ ports: { restore: hanging(stage) } }),
    check: sent("fork"),
  },
  {
    name: "in a SessionStart hook that hangs",
    provoke: (stage) => ({ ports: { hooks: hooksWith({ sessionStart: hanging(stage) }) } }),
    check: sent("fork"),
  },
  {
    name: "in a PostCompact hook that hangs",
    provoke: (stage) => ({ ports: { hooks: hooksWith({ postCompact: hanging(stage) }) } }),
    check: sent("fork"),
  },
  {
    name: "by a hook that calls it off and returns",
    provoke: (stage) => ({
      ports: {
        hooks: hooksWith({
          postCompact: () => {
            stage.abort();
            return Promise.resolve({});
          },
        }),
      },
    }),
    check: sent("fork"),
  },
];

export const abortRows: readonly FailureRow[] = rows.map(({ attempts = [], ...row }) => ({
  ...row,
  name: `called off ${row.name}`,
  expected: { outcome: "aborted", attempts, told: TOLD },
}));
