import type { CompactHooks, HookContext } from "@palimpsest/core";
import type { HookCaller, HookContextReply, Hooks } from "./hooks.js";

/**
 * The hooks of a session as a compaction asks for them. A hook that ends the turn before a compaction blocks it;
 * afterwards its reason is a message. An abort of the compaction ends them.
 */
export function asCompactHooks(
  hooks: Hooks,
  /** Whose conversation is compacted. Default: the main thread's. */
  caller: HookCaller = {},
): CompactHooks {
  return {
    async preCompact(input, signal) {
      const said = await hooks.run("PreCompact", { ...caller, ...input }, { signal });
      const { endTurn, block = endTurn, ...rest } = said;
      return block === undefined ? rest : { ...rest, block };
    },
    sessionStart: async (input, signal) =>
      asContext(await hooks.run("SessionStart", { ...caller, ...input }, { signal })),
    postCompact: async (input, signal) =>
      asContext(await hooks.run("PostCompact", { ...caller, ...input }, { signal })),
  };
}

function asContext({ endTurn, message, contexts }: HookContextReply): HookContext {
  const messages = [message, endTurn].filter((text) => text !== undefined && text !== "");
  return {
    ...(contexts === undefined ? {} : { contexts }),
    ...(messages.length === 0 ? {} : { message: messages.join("\n") }),
  };
}
