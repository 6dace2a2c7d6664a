import { isFields, isTooDeep } from "../fields.js";
import type { Message } from "../message.js";

/** A line that is JSON but no message of ours or of Claude Code's: kept on disk, ignored by the engine. */
export interface ForeignEntry {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type DecodedLine =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "foreign"; readonly entry: ForeignEntry }
  | { readonly kind: "blank" }
  | { readonly kind: "damaged"; readonly reason: string };

/** One message as one line, without the line break. Fields that nobody here knows are written as they came. */
export function encodeLine(message: Message | ForeignEntry): string {
  return JSON.stringify(message);
}

/** What one line of a transcript holds. Never throws. */
export function decodeLine(line: string): DecodedLine {
  if (line.trim() === "") return { kind: "blank" };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: "damaged", reason: "not valid JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { kind: "damaged", reason: "not a JSON object" };
  }
  return decodeEntry(value as Readonly<Record<string, unknown>>);
}

/** The same for a value that is parsed already. */
export function decodeEntry(value: Readonly<Record<string, unknown>>): DecodedLine {
  const { type } = value;
  if (typeof type !== "string") return { kind: "damaged", reason: "no type" };
  const demands = Object.hasOwn(required, type) ? required[type] : undefined;
  if (demands === undefined) return { kind: "foreign", entry: value as unknown as ForeignEntry };
  if (typeof value["uuid"] !== "string") return { kind: "damaged", reason: `${type} message without uuid` };
  const reason = isTooDeep(value) ? "nested too deeply" : demands(value);
  return reason === undefined
    ? { kind: "message", message: value as unknown as Message }
    : { kind: "damaged", reason };
}

type Demand = (value: Readonly<Record<string, unknown>>) => string | undefined;

const hasContent: Demand = (value) => {
  const { message, type } = value;
  if (!isFields(message)) return `${String(type)} message without message`;
  return typeof message["content"] === "string" || Array.isArray(message["content"])
    ? undefined
    : `${String(type)} message without content`;
};

/** What a line of each type must have for the engine to use it. */
const required: Readonly<Record<string, Demand>> = {
  user: hasContent,
  assistant: hasContent,
  attachment: (value) =>
    isFields(value["attachment"]) ? undefined : "attachment message without attachment",
  system: (value) => (typeof value["subtype"] === "string" ? undefined : "system message without subtype"),
  progress: () => undefined,
};
