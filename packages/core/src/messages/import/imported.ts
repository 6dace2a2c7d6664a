import { createAssistantMessage, createUserMessage, type MessageOrigin } from "../construct.js";
import type { AssistantBlock, ContentBlock, UserBlock } from "../content.js";
import type { Message, Usage } from "../message.js";
import { PalimpsestError } from "../palimpsest-error.js";

/** A list of messages of another shape as messages of ours. */
export interface ImportedMessages {
  readonly messages: readonly Message[];
  /** What `system` and `developer` messages of the list said, wherever they stood; empty where there were none. */
  readonly system: string;
}

/** A block, and which part of the foreign message it was made from. */
export interface PlacedBlock {
  readonly block: ContentBlock;
  readonly part: number;
}

/** One message as it was read. A foreign message may be several of these: an answer, its results, an answer. */
export interface ReadMessage {
  readonly role: "system" | "user" | "assistant";
  readonly blocks: readonly PlacedBlock[];
  /** What an answer is known by, where the list says so. */
  readonly answer?: {
    readonly id?: string;
    readonly model?: string;
    readonly usage?: Usage;
    readonly stopReason?: string;
  };
}

/** The model of answers of which nobody says who wrote them. */
const UNKNOWN_MODEL = "unknown";

/** Ids that are counted, and no time: the same list gives the same messages. */
export const numbered = (): MessageOrigin => {
  let made = 0;
  return {
    clock: { now: () => 0 },
    ids: { next: () => `imported-${(made += 1)}` },
    sessionId: "imported",
    parentUuid: null,
  };
};

/** What was read as messages, each following the one before, the first what `origin` names. */
export function asImported(
  read: readonly ReadMessage[],
  origin: MessageOrigin = numbered(),
): ImportedMessages {
  const messages: Message[] = [];
  const system: string[] = [];
  let { parentUuid } = origin;
  for (const { role, blocks, answer = {} } of read) {
    const content = blocks.map(({ block }) => block);
    if (role === "system") {
      system.push(...content.flatMap((block) => (block.type === "text" ? [block.text] : [])));
      continue;
    }
    const from = { ...origin, parentUuid };
    const {
      id = origin.ids.next(),
      model = UNKNOWN_MODEL,
      ...others
    } = role === "user" ? { id: "" } : answer;
    const message =
      role === "user"
        ? createUserMessage(from, { content: content as readonly UserBlock[] })
        : createAssistantMessage(from, {
            id,
            model,
            content: content as readonly AssistantBlock[],
            ...others,
          });
    messages.push(message);
    parentUuid = message.uuid;
  }
  return { messages, system: system.filter((text) => text.trim() !== "").join("\n\n") };
}

/** Why a list cannot be read: one sentence. */
export class ImportError extends PalimpsestError<"bad_message"> {
  override readonly name = "ImportError";

  constructor(message: string) {
    super("bad_message", message);
  }
}

export const wrongRole = (index: number, role: unknown, known: string): ImportError =>
  new ImportError(
    `message ${index} has the role ${JSON.stringify(role) ?? "undefined"}; it must be ${known}`,
  );

export const wrongContent = (index: number): ImportError =>
  new ImportError(`the content of message ${index} must be a string or a list of parts`);

export const noMessage = (index: number): ImportError =>
  new ImportError(`message ${index} must be an object with a role and content`);

/** What no block of ours is like stands for itself, as a text. */
export const standIn = (part: unknown): ContentBlock => ({ type: "text", text: jsonText(part) });

/** A value as JSON; one that JSON cannot say (endless, too deep, too large a number) is named. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "[something that cannot be shown]";
  }
}

/** An input that came as JSON in a text; what is not JSON stays as it was written. */
export function readInput(given: unknown): Readonly<Record<string, unknown>> {
  if (typeof given === "object" && given !== null && !Array.isArray(given))
    return given as Readonly<Record<string, unknown>>;
  if (typeof given !== "string" || given.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(given);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return parsed as Readonly<Record<string, unknown>>;
  } catch {
    // Kept below.
  }
  return { arguments: given };
}
