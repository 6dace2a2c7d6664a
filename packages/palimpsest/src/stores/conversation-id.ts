import { TranscriptError } from "@palimpsest/core";

const CONVERSATION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export const isConversationId = (id: unknown): id is string =>
  typeof id === "string" && CONVERSATION_ID.test(id);

/** Throws a `TranscriptError` of code `bad_id` for what could mean another place than its own file. */
export function checkConversationId(id: string): void {
  if (isConversationId(id)) return;
  const text = String(id);
  const shown =
    text.length > 40
      ? `${JSON.stringify(text.slice(0, 40))}… (${text.length} characters)`
      : JSON.stringify(text);
  throw new TranscriptError(
    "bad_id",
    `${shown} cannot name a conversation: use 1 to 128 letters, digits, dots, dashes and underscores, with a letter or digit first.`,
  );
}
