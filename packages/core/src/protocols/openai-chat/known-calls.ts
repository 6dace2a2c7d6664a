import type { BackwardList } from "../backward-list.js";
import type { CallPart } from "../../messages/import/chat-parts.js";

/** By what the pieces of a call are known: the server's own number and id, where it gives them. */
export interface KnownCall {
  readonly number: number | undefined;
  readonly serverId: string | undefined;
  /** The id of its block. */
  readonly id: string;
  /** The index of its block. */
  readonly index: number;
}

export type KnownCalls = BackwardList<KnownCall>;

/**
 * The call that a piece belongs to; undefined for one that begins a call. Pieces are told apart by number; where a
 * server gives none, or gives all calls the same, by id and by the name with which each call begins.
 */
export function findCall(calls: KnownCalls, part: CallPart): KnownCall | undefined {
  if (part.index !== undefined) {
    const call = firstOf(calls, ({ number }) => number === part.index);
    return call !== undefined && isAnother(call, part) ? undefined : call;
  }
  const same = part.id === undefined ? undefined : firstOf(calls, ({ serverId }) => serverId === part.id);
  return same ?? (part.name === undefined ? calls?.item : undefined);
}

/** The server's id, unless it gave it to another call already. */
export function ownId(calls: KnownCalls, { id }: CallPart): string | undefined {
  return firstOf(calls, (call) => call.id === id) === undefined ? id : undefined;
}

const isAnother = ({ serverId }: KnownCall, { id, name }: CallPart): boolean =>
  name !== undefined && id !== undefined && id !== serverId;

function firstOf(calls: KnownCalls, fits: (call: KnownCall) => boolean): KnownCall | undefined {
  for (let at = calls; at !== undefined; at = at.before) if (fits(at.item)) return at.item;
  return undefined;
}
