import { createSystemMessage, type MessageOrigin } from "../../messages/construct.js";
import { isFields } from "../../messages/fields.js";
import { hashValue } from "../../messages/hash.js";
import type { Message, SystemMessage } from "../../messages/message.js";
import { isCompactBoundary, preservedSegmentOf } from "../../messages/predicates.js";
import type { ResolvedSection } from "./sections.js";
import { isSameList, type HeldTool } from "./tool-list.js";

/** What requests begin with and messages do not show: it stays what it was until a compaction, in whatever process. */
export interface HeldHead {
  readonly sections?: readonly ResolvedSection[] | undefined;
  readonly tools?: readonly HeldTool[] | undefined;
  /** Sections that say something else by now, and what the model was told of them: the hash of their text. */
  readonly told?: Readonly<Record<string, string>> | undefined;
}

/** Says in the transcript what requests begin with; a later one says what has changed of it. */
export interface RequestStateRecord extends SystemMessage {
  readonly subtype: "request_state";
  readonly requestState: HeldHead;
}

export function createRequestState(origin: MessageOrigin, requestState: HeldHead): RequestStateRecord {
  const base = createSystemMessage(origin, {
    subtype: "request_state",
    content: "System prompt and tools",
    level: "info",
  });
  return { ...base, subtype: "request_state", requestState };
}

/** What a record says, as far as it can be used; undefined for any other message. It may come from a file. */
function readRequestState(message: Message): HeldHead | undefined {
  if (message.type !== "system" || message.subtype !== "request_state") return undefined;
  const state: unknown = (message as Partial<RequestStateRecord>).requestState;
  if (!isFields(state)) return undefined;
  const { sections, tools, told } = state;
  return {
    ...(Array.isArray(sections) && sections.every(isSection) ? { sections } : {}),
    ...(Array.isArray(tools) && tools.every(isTool) ? { tools } : {}),
    ...(isFields(told) && Object.values(told).every((hash) => typeof hash === "string")
      ? { told: told as Readonly<Record<string, string>> }
      : {}),
  };
}

const isSection = (value: unknown): value is ResolvedSection =>
  isFields(value) &&
  typeof value["name"] === "string" &&
  typeof value["text"] === "string" &&
  (value["part"] === "static" || value["part"] === "dynamic");

const isTool = (value: unknown): value is HeldTool =>
  isFields(value) &&
  typeof value["isMcp"] === "boolean" &&
  isFields(value["definition"]) &&
  typeof value["definition"]["name"] === "string";

/** What the records among live messages say: those since a compaction that began the prompt anew. */
export function heldHeadIn(live: readonly Message[]): HeldHead | undefined {
  let head: HeldHead | undefined;
  let keptUntil: string | undefined;
  for (const message of live) {
    if (isCompactBoundary(message)) {
      const segment = preservedSegmentOf(message);
      // A beginning that was kept keeps its prompt.
      if (segment?.anchorUuid === null) continue;
      head = undefined;
      keptUntil = segment?.tailUuid;
    }
    const state = keptUntil === undefined ? readRequestState(message) : undefined;
    if (state !== undefined) head = { ...head, ...state };
    if (message.uuid === keptUntil) keptUntil = undefined;
  }
  return head;
}

/** What is to be written so that a transcript which says `known` says `now`; undefined where it does already. */
export function headChange(known: HeldHead | undefined, now: HeldHead): HeldHead | undefined {
  const names = (["sections", "tools", "told"] as const).filter(
    (name) => now[name] !== undefined && !isSame(known?.[name], now[name]),
  );
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, now[name]]));
}

/** Asked for every request: lists are compared thing by thing, not written out for it. */
const isSame = (a: object | undefined, b: object | undefined): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length &&
      a.every((item: object, at) => isSameList(Object.values(item), Object.values(b[at] as object)))
    : JSON.stringify(a) === JSON.stringify(b);

/** The sections to send: held ones as they were, volatile ones as they are. */
export function holdSections(
  held: readonly ResolvedSection[] | undefined,
  now: readonly ResolvedSection[],
): readonly ResolvedSection[] {
  if (held === undefined) return now;
  const names = new Set(held.map(({ name }) => name));
  const current = new Map(now.map((section) => [section.name, section]));
  return [
    ...held.map((section) =>
      section.volatileBecause === undefined ? section : (current.get(section.name) ?? section),
    ),
    ...now.filter(({ name, volatileBecause }) => volatileBecause !== undefined && !names.has(name)),
  ];
}

/** A section that says something else than the model knows; an empty text where it is gone. */
export interface ChangedSection {
  readonly name: string;
  readonly text: string;
}

/** Held sections that say something else by now, but for what the model was told of already. */
export function changedSections(
  { sections, told = {} }: HeldHead,
  now: readonly ResolvedSection[],
): readonly ChangedSection[] {
  if (sections === undefined) return [];
  const isHeld = ({ volatileBecause }: ResolvedSection): boolean => volatileBecause === undefined;
  const texts = new Map(sections.filter(isHeld).map(({ name }) => [name, ""]));
  for (const { name, text } of now.filter(isHeld)) texts.set(name, text);
  const before = new Map(sections.map(({ name, text }) => [name, text]));
  return [...texts].flatMap(([name, text]) => {
    const isKnown = Object.hasOwn(told, name)
      ? hashValue(text) === told[name]
      : text === (before.get(name) ?? "");
    return isKnown ? [] : [{ name, text }];
  });
}

/** What the model was told, once it was told of these too. */
export const toldOf = (
  told: HeldHead["told"],
  changed: readonly ChangedSection[],
): Readonly<Record<string, string>> => ({
  ...told,
  ...Object.fromEntries(changed.map(({ name, text }) => [name, hashValue(text)])),
});
