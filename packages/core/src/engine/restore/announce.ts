import { asText, isFields } from "../../messages/fields.js";
import type { Attachment, Message } from "../../messages/message.js";
import type { Announced, Announcements } from "./ports/announcement-source.js";
import type { RestoreChannel } from "./restored.js";

type AnnouncementChannel = Extract<RestoreChannel, "deferred-tools" | "agent-listing" | "mcp-instructions">;

/** How one kind of announcement is written down. */
interface Kind {
  readonly channel: AnnouncementChannel;
  readonly type: string;
  readonly listed: (current: Announcements) => readonly Announced[] | undefined;
  readonly line: (announced: Announced) => string;
  /** Whether another description is announced again. */
  readonly tellsChanges: boolean;
  /** The fields: names that came, their texts, names that went. */
  readonly fields: { readonly names: string; readonly texts: string; readonly removed: string };
}

const kinds: readonly Kind[] = [
  {
    channel: "deferred-tools",
    type: "deferred_tools_delta",
    listed: ({ deferredTools }) => deferredTools,
    line: ({ name, description }) => (description === "" ? name : `${name}: ${description}`),
    tellsChanges: false,
    fields: { names: "addedNames", texts: "addedLines", removed: "removedNames" },
  },
  {
    channel: "agent-listing",
    type: "agent_listing_delta",
    listed: ({ agents }) => agents,
    line: ({ name, description }) => (description === "" ? `- ${name}` : `- ${name}: ${description}`),
    tellsChanges: true,
    fields: { names: "addedTypes", texts: "addedLines", removed: "removedTypes" },
  },
  {
    channel: "mcp-instructions",
    type: "mcp_instructions_delta",
    listed: ({ mcpInstructions }) => mcpInstructions,
    line: ({ name, description }) => `## ${name}\n${description}`,
    tellsChanges: true,
    fields: { names: "addedNames", texts: "addedBlocks", removed: "removedNames" },
  },
];

export interface Announcement {
  readonly channel: AnnouncementChannel;
  readonly attachment: Attachment;
}

/**
 * What has to be announced so that the model knows of exactly what there is now: at most one attachment of each
 * kind. What it knows already is read off the attachments in `history`, the live messages; against an empty one
 * everything is new.
 */
export function announce(current: Announcements, history: readonly Message[]): readonly Announcement[] {
  return kinds.flatMap((kind) => {
    const listed = kind.listed(current);
    if (listed === undefined) return [];
    const attachment = deltaOf(kind, listed, knownFrom(kind, history));
    return attachment === undefined ? [] : [{ channel: kind.channel, attachment }];
  });
}

function deltaOf(
  kind: Kind,
  listed: readonly Announced[],
  known: ReadonlyMap<string, string | undefined>,
): Attachment | undefined {
  const { fields, line, tellsChanges } = kind;
  const lines = new Map(listed.map((announced) => [announced.name, line(announced)]));
  const added = [...lines].filter(([name, text]) => {
    if (!known.has(name)) return true;
    const before = known.get(name);
    return tellsChanges && before !== undefined && before !== text;
  });
  const removed = [...known.keys()].filter((name) => !lines.has(name));
  if (added.length === 0 && removed.length === 0) return undefined;
  return {
    type: kind.type,
    [fields.names]: added.map(([name]) => name),
    [fields.texts]: added.map(([, text]) => text),
    [fields.removed]: removed,
    isInitial: known.size === 0,
  };
}

/** What the messages say there is, by name, with the text where it was given. Transcripts may hold anything. */
function knownFrom(
  { type, fields }: Kind,
  history: readonly Message[],
): ReadonlyMap<string, string | undefined> {
  const known = new Map<string, string | undefined>();
  for (const message of history) {
    if (message.type !== "attachment" || !isFields(message.attachment)) continue;
    const { attachment } = message;
    if (attachment.type !== type) continue;
    const names = listOf(attachment[fields.names]);
    const texts = listOf(attachment[fields.texts]);
    for (const [index, name] of names.entries()) {
      if (typeof name !== "string") continue;
      const text = texts.length === names.length ? asText(texts[index]) : "";
      known.set(name, text === "" ? undefined : text);
    }
    for (const name of listOf(attachment[fields.removed])) if (typeof name === "string") known.delete(name);
  }
  return known;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
