import { isFields } from "../../../messages/fields.js";
import type { Message } from "../../../messages/message.js";
import { isCompactBoundary } from "../../../messages/predicates.js";
import type { HumanText } from "./human-text.js";
import { saidWith } from "./typed-text.js";

/**
 * What people said in a conversation, in the order in which it was said and each message once: what a boundary
 * carries on, and the human messages of the list. A kept message may stand before or after the boundary: where the
 * boundary lists it, it has its place there. A boundary that another program wrote carries nothing.
 */
export function humanTextsOf(live: readonly Message[]): readonly HumanText[] {
  const listed = new Set(live.flatMap((message) => listOf(message).map(({ uuid }) => uuid)));
  const own = new Map<string, HumanText>();
  for (const message of live) {
    const said = textOf(message);
    if (said !== undefined && listed.has(said.uuid)) own.set(said.uuid, said);
  }
  const seen = new Set<string>();
  const texts: HumanText[] = [];
  const add = (said: HumanText | undefined): void => {
    if (said === undefined || said.text === "" || seen.has(said.uuid)) return;
    if (said.uuid !== "") seen.add(said.uuid);
    texts.push(said);
  };
  for (const message of live) {
    for (const { uuid, text } of listOf(message)) add(text === undefined ? own.get(uuid) : { uuid, text });
    const said = textOf(message);
    if (said !== undefined && !own.has(said.uuid)) add(said);
  }
  return texts;
}

function textOf(message: Message): HumanText | undefined {
  const text = saidWith(message);
  if (text === undefined) return undefined;
  const uuid: unknown = message.uuid;
  return { uuid: typeof uuid === "string" ? uuid : "", text };
}

/** A message in a boundary's list: without its text where it was kept. */
export interface ListedText {
  readonly uuid: string;
  readonly text?: string;
}

/** What a boundary lists, in the order in which it was said; metadata comes from files and may be anything. */
function listOf(message: Message): readonly ListedText[] {
  const metadata: unknown = isCompactBoundary(message) ? message.compactMetadata : undefined;
  const list = isFields(metadata) ? metadata["humanMessages"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown): readonly ListedText[] => {
    if (!isFields(entry)) return [];
    const { uuid, text } = entry;
    if (typeof uuid !== "string") return [];
    if (text === undefined) return uuid === "" ? [] : [{ uuid }];
    return typeof text !== "string" || text.trim() === "" ? [] : [{ uuid, text }];
  });
}

/** Whether a boundary carries on what people said before it. */
export const carriesTexts = (message: Message): boolean =>
  listOf(message).some(({ text }) => text !== undefined);

/** What a boundary lists of a conversation: all that was said, the words themselves where they are not kept. */
export function textsToList(live: readonly Message[], kept: readonly Message[]): readonly ListedText[] {
  const keptUuids = new Set(kept.map(({ uuid }) => uuid));
  return humanTextsOf(live).map((said) => (keptUuids.has(said.uuid) ? { uuid: said.uuid } : said));
}
