import { isFields } from "../../messages/fields.js";
import type { CompactBoundary, Message } from "../../messages/message.js";
import { isCompactBoundary, isHumanMessage } from "../../messages/predicates.js";
import type { HumanText } from "./human-text.js";
import { typedText } from "./typed-text.js";

/**
 * What people said in a conversation, in order and each message once: what a boundary carries on, in the
 * boundary's place, and the human messages of the list. A boundary that another program wrote carries nothing.
 */
export function humanTextsOf(live: readonly Message[]): readonly HumanText[] {
  const seen = new Set<string>();
  const texts: HumanText[] = [];
  for (const message of live) {
    for (const said of textsIn(message)) {
      if (said.text === "" || seen.has(said.uuid)) continue;
      if (said.uuid !== "") seen.add(said.uuid);
      texts.push(said);
    }
  }
  return texts;
}

function textsIn(message: Message): readonly HumanText[] {
  if (isCompactBoundary(message)) return carriedTexts(message);
  if (!isHumanMessage(message)) return [];
  const uuid: unknown = message.uuid;
  return [{ uuid: typeof uuid === "string" ? uuid : "", text: typedText(message) }];
}

/** What a boundary carries on; metadata comes from files and may be anything. */
export function carriedTexts(boundary: CompactBoundary): readonly HumanText[] {
  const metadata: unknown = boundary.compactMetadata;
  const list = isFields(metadata) ? metadata["humanMessages"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown): readonly HumanText[] => {
    if (!isFields(entry)) return [];
    const { uuid, text } = entry;
    if (typeof uuid !== "string" || typeof text !== "string" || text.trim() === "") return [];
    return [{ uuid, text }];
  });
}
