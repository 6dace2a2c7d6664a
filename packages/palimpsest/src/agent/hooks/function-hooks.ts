import type { Timer } from "@palimpsest/core";
import type { HookInput, HookName, HookOutput, HookProblem, HookRunOptions, Hooks } from "./hooks.js";
import { mergeHookOutputs } from "./merge-hook-outputs.js";

type HookResult<Name extends HookName> = HookOutput<Name> | undefined | void;

/** A hook as a function. The signal is the caller's; when the time is over, nobody waits any longer. */
export type HookFunction<Name extends HookName> = (
  input: HookInput<Name>,
  options: HookRunOptions,
) => HookResult<Name> | Promise<HookResult<Name>>;

export type HookRegistrations = {
  readonly [Name in HookName]?: readonly HookFunction<Name>[];
};

export interface FunctionHookOptions {
  readonly timer: Timer;
  /** How long a function may take; a minute unless told. */
  readonly timeoutMs?: number;
  readonly onProblem?: (problem: HookProblem) => void;
}

/** How the wait for one function ended. */
type Ending =
  | { readonly kind: "said"; readonly output: object | undefined }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "timed-out" }
  | { readonly kind: "aborted" };

/** Hooks of library users. The functions of an event run at the same time; their answers count in their order. */
export function createFunctionHooks(
  registrations: HookRegistrations,
  { timer, timeoutMs = 60_000, onProblem }: FunctionHookOptions,
): Hooks {
  const report = (problem: HookProblem): void => {
    try {
      onProblem?.(problem);
    } catch {
      // Whoever listens for problems cannot be one.
    }
  };
  return {
    run: async <Name extends HookName>(
      name: Name,
      input: HookInput<Name>,
      { signal }: HookRunOptions = {},
    ): Promise<HookOutput<Name>> => {
      if (signal?.aborted === true) return {};
      const functions: readonly HookFunction<Name>[] = registrations[name] ?? [];
      const endings = await Promise.all(
        functions.map((hook) =>
          ending({ call: () => call(hook, input, { signal }), timer, timeoutMs, signal }),
        ),
      );
      if (endings.some(({ kind }) => kind === "aborted")) return {};
      const outputs = endings.flatMap((ended, index): HookOutput<Name>[] => {
        if (ended.kind === "said") return ended.output === undefined ? [] : [ended.output];
        const hook = functions[index]?.name || `function ${index + 1}`;
        if (ended.kind === "timed-out") {
          report({ event: name, hook, kind: "timed-out", message: `no answer within ${timeoutMs} ms` });
        }
        if (ended.kind === "failed") {
          report({ event: name, hook, kind: "failed", message: messageOf(ended.error) });
        }
        return [];
      });
      return mergeHookOutputs<Name>(outputs);
    },
  };
}

/** What the function says, checked: an answer that cannot be merged fails here, and not beside the others. */
async function call<Name extends HookName>(
  hook: HookFunction<Name>,
  input: HookInput<Name>,
  options: HookRunOptions,
): Promise<HookOutput<Name> | undefined> {
  const output: unknown = await hook(input, options);
  if (output === undefined || output === null) return undefined;
  if (typeof output !== "object")
    throw new TypeError(`a hook must return an object or nothing, not a ${typeof output}`);
  return mergeHookOutputs<Name>([output]);
}

function ending({
  call,
  timer,
  timeoutMs,
  signal,
}: {
  readonly call: () => Promise<object | undefined>;
  readonly timer: Timer;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}): Promise<Ending> {
  return new Promise((resolve) => {
    let stopTimer = (): void => {};
    const finish = (ended: Ending): void => {
      stopTimer();
      signal?.removeEventListener("abort", abort);
      resolve(ended);
    };
    const abort = (): void => finish({ kind: "aborted" });
    if (signal?.aborted === true) return abort();
    stopTimer = timer.after(timeoutMs, () => finish({ kind: "timed-out" }));
    signal?.addEventListener("abort", abort, { once: true });
    call().then(
      (output) => finish({ kind: "said", output }),
      (error: unknown) => finish({ kind: "failed", error }),
    );
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
