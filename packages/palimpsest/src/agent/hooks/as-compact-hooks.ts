import type { CompactHooks, HookContext } from "@palimpsest/core";
import type { HookContextReply, Hooks } from "./hooks.js";

/**
 * The hooks of a session as a compaction asks for them. A hook that ends the turn before a compaction blocks it;
 * afterwards its reason is a message. An abort of the compaction ends them.
 */
export function asCompactHooks(hooks: Hooks): CompactHooks {
  return {
    async preCompact(input, signal) {
      const { endTurn, block = endTurn, ...rest } = await hooks.run("PreCompact", input, { signal });
      return block === undefined ? rest : { ...rest, block };
    },
    sessionStart: async (input, signal) => asContext(await hooks.run("SessionStart", input, { signal })),
    postCompact: async (input, signal) => asContext(await hooks.run("PostCompact", input, { signal })),
  };
}

function asContext({ endTurn, message, contexts }: HookContextReply): HookContext {
  const messages = [message, endTurn].filter((text) => text !== undefined && text !== "");
  return {
    ...(contexts === undefined ? {} : { contexts }),
    ...(messages.length === 0 ? {} : { message: messages.join("\n") }),
  };
}
