import type { ToolInput } from "../base/tool.js";
import type { HookName, HookOutput, HookPermission, PermissionAnswer } from "./hooks.js";

/** Every field that an output of any event can have. */
interface AnyOutput {
  readonly instructions?: string;
  readonly message?: string;
  readonly endTurn?: string;
  readonly block?: string;
  readonly contexts?: readonly string[];
  readonly permission?: HookPermission;
  readonly updatedInput?: ToolInput;
  readonly updatedOutput?: unknown;
  readonly answer?: PermissionAnswer;
}

/**
 * What several hooks said, as one. Contexts, instructions and messages are all kept, in the order of the hooks;
 * of everything else the first counts, and of permissions the strictest: `deny`, then `ask`, then `allow`.
 */
export function mergeHookOutputs<Name extends HookName>(
  outputs: readonly HookOutput<Name>[],
): HookOutput<Name> {
  const all: readonly AnyOutput[] = outputs;
  const contexts = all.flatMap((output) => output.contexts ?? []).filter((text) => text.trim() !== "");
  const merged: Record<keyof AnyOutput, unknown> = {
    instructions: joined(all, "instructions", "\n\n"),
    message: joined(all, "message", "\n"),
    endTurn: first(all, "endTurn"),
    block: first(all, "block"),
    contexts: contexts.length === 0 ? undefined : contexts,
    permission: strictest(all, "permission"),
    updatedInput: first(all, "updatedInput"),
    updatedOutput: first(all, "updatedOutput"),
    answer: strictest(all, "answer"),
  };
  const said = Object.entries(merged).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said);
}

const first = (all: readonly AnyOutput[], field: keyof AnyOutput): unknown =>
  all.find((output) => output[field] !== undefined)?.[field];

function joined(
  all: readonly AnyOutput[],
  field: "instructions" | "message",
  between: string,
): string | undefined {
  const texts = all.flatMap((output) => {
    const text = output[field]?.trim();
    return text ? [text] : [];
  });
  return texts.length === 0 ? undefined : texts.join(between);
}

function strictest(all: readonly AnyOutput[], field: "permission" | "answer"): unknown {
  const given = all.flatMap((output) => output[field] ?? []);
  const ofKind = (behavior: string) => given.find((each) => each.behavior === behavior);
  return ofKind("deny") ?? ofKind("ask") ?? ofKind("allow");
}
