import type { HookInput, HookName, HookOutput, HookRunOptions, Hooks } from "./hooks.js";
import { mergeHookOutputs } from "./merge-hook-outputs.js";

/** All of them as one: they run at the same time, and what they say counts in their order. */
export function combineHooks(...all: readonly Hooks[]): Hooks {
  return {
    run: async <Name extends HookName>(
      name: Name,
      input: HookInput<Name>,
      options: HookRunOptions = {},
    ): Promise<HookOutput<Name>> => {
      const outputs = await Promise.all(all.map((hooks) => orNothing(hooks, name, { input, options })));
      return options.signal?.aborted === true ? {} : mergeHookOutputs<Name>(outputs);
    },
  };
}

/** The others still count where one breaks its promise never to reject. */
async function orNothing<Name extends HookName>(
  hooks: Hooks,
  name: Name,
  { input, options }: { readonly input: HookInput<Name>; readonly options: HookRunOptions },
): Promise<HookOutput<Name>> {
  try {
    return await hooks.run(name, input, options);
  } catch {
    return {};
  }
}
