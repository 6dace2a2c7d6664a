import type { Message } from "@palimpsest/core";

export type FoundMessage =
  | { readonly kind: "found"; readonly uuid: string }
  /** With a sentence for the person. */
  | { readonly kind: "unknown" | "ambiguous"; readonly message: string };

/** Fewer letters name a message by chance. */
const LEAST_LETTERS = 4;

/** The message that a person means: its uuid, or a beginning that no other has. Subagents' messages are none of theirs. */
export function findMessage(messages: readonly Message[], given: string): FoundMessage {
  const wanted = given.trim().toLowerCase();
  const uuids = new Set(
    messages.flatMap(({ uuid, isSidechain }) =>
      typeof uuid === "string" && isSidechain !== true ? [uuid] : [],
    ),
  );
  if (uuids.has(given.trim())) return { kind: "found", uuid: given.trim() };
  const matching = [...uuids].filter((uuid) => uuid.toLowerCase().startsWith(wanted));
  const shown = JSON.stringify(given.slice(0, 80));
  const [uuid] = matching;
  if (wanted.length < LEAST_LETTERS || uuid === undefined) {
    return { kind: "unknown", message: `There is no message ${shown} in the conversation.` };
  }
  if (matching.length === 1) return { kind: "found", uuid };
  return {
    kind: "ambiguous",
    message: `${matching.length} messages of the conversation begin with ${shown}: give more of the uuid.`,
  };
}
