import type { Model } from "../../models/model.js";
import { isObject, type JsonObject, type Notes } from "./cursor.js";
import type { MessageFacts } from "./message-facts.js";
import type { JudgeOptions, Problem } from "./problem.js";

export interface PlacedMessage {
  /** In the `messages` of the request. */
  readonly index: number;
  readonly facts: MessageFacts;
}

/** Messages that the API combines: neighbours of one role. A system message stands alone. */
export interface Turn {
  readonly role: MessageFacts["role"];
  readonly messages: readonly PlacedMessage[];
}

/** A request whose parts have been judged one by one, for the rules that look at several. */
export interface JudgedRequest {
  readonly request: JsonObject;
  /** What was noted in `tools`, `system` and the other settings. */
  readonly notes: Readonly<Notes>;
  readonly messages: readonly PlacedMessage[];
  readonly turns: readonly Turn[];
  /** Undefined for a model that is not in the table: rules that depend on it are skipped. */
  readonly model: Model | undefined;
  readonly options: JudgeOptions;
}

/** A rule over the whole request. */
export type RequestRule = (judged: JudgedRequest) => readonly Problem[];

export function combineTurns(messages: readonly PlacedMessage[]): readonly Turn[] {
  const turns: { role: MessageFacts["role"]; messages: PlacedMessage[] }[] = [];
  for (const message of messages) {
    const { role } = message.facts;
    const last = turns.at(-1);
    if (last !== undefined && last.role === role && (role === "user" || role === "assistant")) {
      last.messages.push(message);
    } else turns.push({ role, messages: [message] });
  }
  return turns;
}

/** A member of a member of the request; undefined wherever the way ends early. */
export function setting(request: JsonObject, ...keys: readonly string[]): unknown {
  let value: unknown = request;
  for (const key of keys) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function isForcedChoice(request: JsonObject): boolean {
  const type = setting(request, "tool_choice", "type");
  return type === "any" || type === "tool";
}

/** Whether the request asks for an on-demand compaction. */
export function isCompactionRequest(request: JsonObject): boolean {
  return isObject(request["compaction"]);
}

/** Whether the earlier messages are held by the server, so that only the new ones can be judged. */
export function continuesThread(request: JsonObject): boolean {
  return setting(request, "thread", "type") === "continue";
}

export function blockPath(index: number, block: number): string {
  return `messages.${index}.content.${block}`;
}

/** The types of all blocks of a turn, in order. */
export function turnTypes(turn: Turn): readonly (string | undefined)[] {
  return turn.messages.length === 1
    ? (turn.messages[0]?.facts.types ?? [])
    : turn.messages.flatMap((message) => message.facts.types);
}
