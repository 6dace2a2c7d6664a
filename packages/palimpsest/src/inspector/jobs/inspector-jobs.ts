import { randomUUID } from "node:crypto";
import { parsePolicies, PolicyError, policyNames } from "../../replay/policies/parse-policies.js";
import type { AdviceList, NeededLater, PolicyList, WhatIf, WhatIfRequest } from "../contract.js";
import { JobError } from "./job-error.js";
import { policyOf } from "./play-what-if.js";
import { startInThread } from "./start-in-thread.js";
import type { PlayedWhatIf, RunningTask, StartTask, Task, TaskResult } from "./task.js";

export interface InspectorJobsOptions {
  /** Told of every change of a what-if. */
  readonly onChange: (whatIf: WhatIf) => void;
  /** Settings of the engine may stand in it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where tasks are done. Default: each in a thread of its own. */
  readonly start?: StartTask;
}

/** A conversation in a file, whose requests have numbers. */
interface NumberedConversation {
  readonly conversation: string;
  readonly file: string;
  /** The number of the request that this response answered. */
  readonly numberOf: (response: string) => number | undefined;
}

type Needed = NonNullable<NeededLater["items"]>;

/** What the inspector does beside answering: some tasks at a time, the others wait their turn. */
export interface InspectorJobs {
  /** Throws `JobError`. */
  startWhatIf(of: NumberedConversation, request: WhatIfRequest): WhatIf;
  /** The newest ones are remembered. */
  whatIf(job: string): WhatIf | undefined;
  /** As it is afterwards; undefined where there is none. */
  cancelWhatIf(job: string): WhatIf | undefined;
  /** Rejects with one sentence. */
  advice(files: readonly string[]): Promise<AdviceList>;
  /** For recorded compactions, by the number of the first request after each. Rejects with one sentence. */
  neededLater(of: NumberedConversation): Promise<ReadonlyMap<number, Needed>>;
  policies(): PolicyList;
  /** Ends everything. */
  close(): void;
}

const MOST_RUNNING = 2;
const MOST_WAITING = 8;
const MOST_REMEMBERED = 50;

interface Waiting {
  readonly begin: () => void;
  readonly drop: () => void;
}

export function createInspectorJobs(options: InspectorJobsOptions): InspectorJobs {
  const { onChange, env, start = startInThread } = options;
  const whatIfs = new Map<string, { whatIf: WhatIf; end: () => void }>();
  const running = new Set<RunningTask<Task["kind"]>>();
  let waiting: Waiting[] = [];
  let isClosed = false;

  const next = (): void => {
    while (running.size < MOST_RUNNING && waiting.length > 0) waiting.shift()?.begin();
  };

  /** The task, now or when its turn comes; `end` takes it back. */
  const perform = <Kind extends Task["kind"]>(
    task: Extract<Task, { readonly kind: Kind }>,
    onProgress: (share: number) => void,
  ): RunningTask<Kind> => {
    if (isClosed) throw new JobError("closed", "The inspector is closing.");
    if (waiting.length >= MOST_WAITING) {
      throw new JobError(
        "too_many",
        "Too many things are being worked out: wait until some of them are done.",
      );
    }
    let own: RunningTask<Kind> | undefined;
    let place: Waiting | undefined;
    const result = new Promise<TaskResult<Kind>>((resolve, reject) => {
      place = {
        begin() {
          const task_ = start<Kind>(task, onProgress);
          own = task_;
          running.add(task_);
          const done = (): void => {
            running.delete(task_);
            next();
          };
          task_.result.then(resolve, reject).finally(done);
        },
        drop: () => reject(new Error("It was called off.")),
      };
      waiting.push(place);
    });
    result.catch(() => {});
    next();
    return {
      result,
      end() {
        if (own !== undefined) return own.end();
        waiting = waiting.filter((one) => one !== place);
        place?.drop();
      },
    };
  };

  const change = (job: string, changed: Partial<WhatIf>): void => {
    const known = whatIfs.get(job);
    if (known === undefined || known.whatIf.state !== "running") return;
    known.whatIf = { ...known.whatIf, ...changed };
    onChange(known.whatIf);
  };

  const remember = (job: string, known: { whatIf: WhatIf; end: () => void }): void => {
    whatIfs.set(job, known);
    for (const [oldest, { whatIf }] of whatIfs) {
      if (whatIfs.size <= MOST_REMEMBERED) break;
      if (whatIf.state !== "running") whatIfs.delete(oldest);
    }
  };

  return {
    startWhatIf({ conversation, file, numberOf }, request) {
      checkRequest(request, env);
      const isBusy = [...whatIfs.values()].some(
        ({ whatIf }) => whatIf.conversation === conversation && whatIf.state === "running",
      );
      if (isBusy) {
        throw new JobError(
          "already_running",
          "This conversation is being played already: wait, or call that off.",
        );
      }
      const job = randomUUID();
      const task = perform({ kind: "what-if", file, request, env }, (progress) => change(job, { progress }));
      const whatIf: WhatIf = { job, conversation, policy: request.policy, state: "running", progress: 0 };
      remember(job, { whatIf, end: () => task.end() });
      task.result.then(
        (played) => change(job, { state: "done", progress: 1, result: numbered(played, numberOf) }),
        (error: Error) => change(job, { state: "failed", failure: error.message }),
      );
      return whatIf;
    },
    whatIf: (job) => whatIfs.get(job)?.whatIf,
    cancelWhatIf(job) {
      const known = whatIfs.get(job);
      if (known === undefined) return undefined;
      change(job, { state: "cancelled" });
      known.end();
      return known.whatIf;
    },
    async advice(files) {
      const { advice, note } = await perform({ kind: "advice", files }, () => {}).result;
      return { advice, note };
    },
    async neededLater({ file, numberOf }) {
      const losses = await perform({ kind: "needed-later", file }, () => {}).result;
      return new Map(
        losses.flatMap(({ response, needed }): readonly [number, Needed][] => {
          const at = numberOf(response);
          if (at === undefined) return [];
          const known = needed.flatMap(({ response: needing, what, seen }) => {
            const request = numberOf(needing);
            return request === undefined ? [] : [{ request, what, seen }];
          });
          return [[at, known]];
        }),
      );
    },
    policies: offeredPolicies,
    close() {
      isClosed = true;
      for (const { drop } of waiting) drop();
      waiting = [];
      for (const task of running) task.end();
    },
  };
}

function numbered(
  { line, ...figures }: PlayedWhatIf,
  numberOf: NumberedConversation["numberOf"],
): NonNullable<WhatIf["result"]> {
  const columns = line.response.flatMap((response, at) => {
    const request = numberOf(response);
    return request === undefined ? [] : [{ request, tokens: line.tokens[at] ?? 0 }];
  });
  return {
    ...figures,
    line: { request: columns.map(({ request }) => request), tokens: columns.map(({ tokens }) => tokens) },
  };
}

const SMALLEST_WINDOW = 1000;

function checkRequest(request: WhatIfRequest, env: InspectorJobsOptions["env"]): void {
  const { window } = request;
  if (window !== undefined && !(Number.isSafeInteger(window) && window >= SMALLEST_WINDOW)) {
    throw new JobError("bad_window", `A window is a whole number of tokens, ${SMALLEST_WINDOW} or more.`);
  }
  try {
    policyOf(request, env);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new JobError("bad_policy", `${error.message}.`);
  }
}

/** Policies that only show what measures miss. */
const NOT_OFFERED = /^cheat-/;

/** What a what-if may ask for: each policy by its name, and ours from thrifty to faithful. */
function offeredPolicies(): PolicyList {
  const [own = "palimpsest", ...others] = policyNames.filter((name) => !NOT_OFFERED.test(name));
  const offered = [own, `${own}(memory=thrifty)`, `${own}(memory=faithful)`, ...others];
  return {
    policies: parsePolicies(offered.join(",")).map(({ name, description }) => ({ name, title: description })),
  };
}
