import { createDefaultEstimator, conversationWindows } from "@palimpsest/core/engine";
import type { Message } from "@palimpsest/core";
import { modelOf } from "../../replay/analyze-recording.js";
import { contextAtEnd, HEAD_SHARE, headShownBy, startOf } from "../../replay/recorded-context.js";
import { recordedUnknowns } from "../../replay/recorded-unknowns.js";
import type { ConversationOverview } from "../contract.js";
import type { OpenConversation } from "./conversations.js";

export type EndOfContext = Pick<ConversationOverview, "duplicateReads" | "unknown">;

/** Beyond this a context is not read again for its overview. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Tokens of system prompt and tools of the newest request whose body stands in the recording; 0 where none does. */
function headSent({ scanned, traced }: OpenConversation["index"]): number {
  const sent = new Map(scanned.heads.requests.map((head) => [head.response, head]));
  const newest = traced.requests.findLast(({ lane, responseId }) => lane === 0 && sent.has(responseId));
  const { system = 0, tools = 0 } = sent.get(newest?.responseId ?? "") ?? {};
  return system + tools;
}

/** What `palimpsest analyze` says of the end of a conversation, from the words of its last window alone. */
export async function endOfContext({ index, reader }: OpenConversation): Promise<EndOfContext> {
  const { messages, scanned, cost } = index;
  const ordinals = new Map(messages.map(({ message }, ordinal) => [message, ordinal]));
  const read = async (light: readonly Message[]): Promise<readonly Message[] | undefined> => {
    const places = light.flatMap((message) => messages[ordinals.get(message) ?? -1]?.place ?? []);
    if (places.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_BYTES) return undefined;
    return (await reader.read(places)).filter((message) => message !== undefined);
  };
  const windows = conversationWindows(messages.map(({ message }) => message));
  const estimator = createDefaultEstimator({ model: modelOf(windows.at(-1) ?? []) ?? "" });
  const recorded =
    headSent(index) ||
    messages
      .flatMap(({ blocks }) => blocks)
      .reduce((sum, { kind, tokens }) => sum + (kind === "system" || kind === "tools" ? tokens : 0), 0);
  let shown: number | undefined;
  for (const window of recorded > 0 ? [] : windows.toReversed()) {
    const start = startOf(window);
    const words = start.length === 0 ? undefined : await read(start);
    if (words === undefined) continue;
    shown = headShownBy(words, estimator);
    if (shown > 0) break;
  }
  const live = await read(windows.at(-1) ?? []);
  const context = contextAtEnd(live ?? [], { estimator, recorded, shown });
  const head = context.accounting.attachments[HEAD_SHARE]?.tokens ?? null;
  const unknown = recordedUnknowns(
    messages.map(({ message }) => message),
    { head: context.head, cost, damagedLines: scanned.damagedLines },
  );
  return {
    duplicateReads: context.accounting.duplicateReads.map(({ path, count, wasted }) => ({
      what: path,
      times: count,
      tokens: wasted,
    })),
    unknown: [
      ...unknown.map(({ what, text }) => ({ what, tokens: what === "head" ? head : null, why: text })),
      ...(live === undefined
        ? [
            {
              what: "duplicate-reads",
              tokens: null,
              why: "The newest context has more than 64 MB: repeated reads in it were not looked for.",
            },
          ]
        : []),
    ],
  };
}
