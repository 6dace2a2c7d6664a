import type { CompactHooks, HookContext } from "@palimpsest/core";
import type { HookContextReply, HookRunOptions, Hooks } from "./hooks.js";

/**
 * The hooks of a session as a compaction asks for them. A hook that ends the turn before a compaction blocks it;
 * afterwards its reason is a message. The signal is that of the compaction.
 */
export function asCompactHooks(hooks: Hooks, options: HookRunOptions = {}): CompactHooks {
  return {
    async preCompact(input) {
      const { endTurn, block = endTurn, ...rest } = await hooks.run("PreCompact", input, options);
      return block === undefined ? rest : { ...rest, block };
    },
    sessionStart: async (input) => asContext(await hooks.run("SessionStart", input, options)),
    postCompact: async (input) => asContext(await hooks.run("PostCompact", input, options)),
  };
}

function asContext({ endTurn, message, contexts }: HookContextReply): HookContext {
  const messages = [message, endTurn].filter((text) => text !== undefined && text !== "");
  return {
    ...(contexts === undefined ? {} : { contexts }),
    ...(messages.length === 0 ? {} : { message: messages.join("\n") }),
  };
}
