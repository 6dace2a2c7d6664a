import { isFields, type Fields } from "../fields.js";

/** What a prompt's prefix depends on beside its parts, by name; the first two come before the parts they stand for. */
export interface PromptSettings {
  readonly model: string;
  readonly speed: string;
  /** Only messages depend on these. */
  readonly others: Readonly<Record<string, string>>;
}

export function settingsOf(body: Fields, betas: readonly string[]): PromptSettings {
  const output = isFields(body["output_config"]) ? body["output_config"] : {};
  const { block_binding: _binding, ...thinking } = isFields(body["thinking"])
    ? body["thinking"]
    : ({} as Fields);
  const { type = "auto", ...choice } = isFields(body["tool_choice"]) ? body["tool_choice"] : {};
  const values: Fields = {
    tool_choice: {
      type,
      ...Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== false)),
    },
    thinking,
    effort: output["effort"] ?? "high",
    "anthropic-beta": betas.toSorted(),
    context_management: body["context_management"] ?? null,
    "output format": output["format"] ?? body["output_format"] ?? null,
    "images present": holdsImage(body["messages"]),
  };
  return {
    model: String(body["model"]),
    speed: typeof body["speed"] === "string" ? body["speed"] : "standard",
    others: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, JSON.stringify(value) ?? "null"]),
    ),
  };
}

/** In a message, or in a result in one. */
const holdsImage = (messages: unknown): boolean =>
  Array.isArray(messages) && messages.some((message) => isFields(message) && hasImage(message["content"]));

const hasImage = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.some((block) => isFields(block) && (block["type"] === "image" || hasImage(block["content"])));
