import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { ConversationPlace } from "../inspector/live/conversation-places.js";
import type { FoundConversation } from "../inspector/live/find-conversations.js";
import { complain } from "./read-recordings.js";
import { printable, type Terminal } from "./terminal.js";

interface Wanted {
  /** Files and folders; none for what is on this machine. */
  readonly paths: readonly string[];
  /** The address of a running gateway. */
  readonly gateway?: string | undefined;
  /** The id of one conversation. */
  readonly session?: string | undefined;
}

/**
 * Finds the conversations that were asked for, again each time it is called. Undefined where there is nothing to look at: then it was
 * said why.
 */
export async function conversationsToInspect(
  { paths, gateway, session }: Wanted,
  terminal: Terminal,
): Promise<(() => Promise<readonly FoundConversation[]>) | undefined> {
  const { findConversations, findNamed, whyUnread } = await import("../inspector/live/find-conversations.js");
  const places = await placesOf(gateway, terminal);
  if (places === undefined) return undefined;
  /** What was no conversation, and from when that is: it may have become one since. */
  const unread = new Map<string, number>();
  if (paths.length > 0) {
    const { found, failed } = await findNamed(paths);
    for (const { file, error } of failed) complain(terminal, file, error);
    for (const { file, modified } of found) {
      const why = await whyUnread(file);
      if (why === undefined) continue;
      complain(terminal, file, why);
      unread.set(file, modified);
    }
    if (found.length === unread.size) return undefined;
  }
  const isWanted = ({ file, modified }: FoundConversation): boolean => {
    if (unread.get(file) === modified) return false;
    const name = basename(file, ".jsonl");
    return session === undefined || name === session || name.endsWith(`-${session}`);
  };
  const find = async (): Promise<readonly FoundConversation[]> => {
    const isAll = paths.length === 0 || gateway !== undefined;
    const found = [
      ...(paths.length === 0 ? [] : (await findNamed(paths)).found),
      ...(isAll ? await findConversations(places) : []),
    ];
    return found.filter(isWanted);
  };
  if (session === undefined || (await find()).length > 0) return find;
  terminal.stderr.write(`palimpsest: there is no conversation ${printable(session)} here\n`);
  return undefined;
}

/** Those of a gateway, or of this machine; undefined where there is no such gateway. */
async function placesOf(
  gateway: string | undefined,
  { env, stderr }: Terminal,
): Promise<readonly ConversationPlace[] | undefined> {
  const { conversationPlaces } = await import("../inspector/live/conversation-places.js");
  if (gateway === undefined) return conversationPlaces(env);
  const { dataDirectory } = await import("../agent/session/session-folder.js");
  const { findGateway } = await import("../inspector/live/find-gateway.js");
  const data = dataDirectory({ home: env["HOME"] || homedir(), env });
  const found = await findGateway(gateway, join(data, "gateway"));
  if (found.kind === "found") return [found.place];
  stderr.write(`palimpsest: ${printable(found.message)}\n`);
  return undefined;
}
