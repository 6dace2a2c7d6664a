import { isFields } from "../../messages/fields.js";
import { PalimpsestError } from "../../messages/palimpsest-error.js";
import {
  resolveSettings,
  settingDefinitions,
  type GivenSettings,
  type Settings,
} from "../settings/settings.js";
import type { ConversationOptions } from "./conversation-options.js";
import type { ConversationTool } from "./host-options.js";

export const badOption = (message: string): PalimpsestError => new PalimpsestError("bad_option", message);

/** Throws what is wrong, in one sentence: programs without types have nobody else to tell them. */
export function demand(isFine: boolean, message: string): void {
  if (!isFine) throw badOption(message);
}

/** What is handed in whole: the option, the function by which it is known, and what it must be. */
const handedIn = [
  ["notes", "create", "must be keepNotes() of @palimpsest/core/notes"],
  ["branches", "rewind", "must be branches() of @palimpsest/core/branches"],
  ["totals", "account", "must be totals of @palimpsest/core/totals"],
  ["provider", "stream", "needs `stream()`"],
  ["writer", "append", "must be what `open()` of a store resolves with"],
  ["events", "emit", "must be made by createEventEmitter()"],
  ["clock", "now", "needs `now()`"],
  ["ids", "next", "needs `next()`"],
  ["overflow", "keep", "needs `keep(text)`"],
] as const satisfies readonly (readonly [keyof ConversationOptions, string, string])[];

/** Throws for options that a conversation could not work with. */
export function checkOptions(options: ConversationOptions): void {
  demand(isFields(options), "createConversation: the options must be an object");
  const given: Partial<Readonly<Record<keyof ConversationOptions, unknown>>> = options;
  const check = (name: keyof ConversationOptions, isFine: boolean, must: string): void =>
    demand(isFine || given[name] === undefined, `createConversation: \`${name}\` ${must}`);
  const { compaction, system, sessionId, stages, state } = given;
  demand(
    compaction === "none" || hasFunction(compaction, "perform"),
    'createConversation: `compaction` must be handed in: the one of @palimpsest/core/compaction, or "none"',
  );
  checkModel("createConversation", given.model, given.maxTokens);
  for (const [name, known, must] of handedIn) check(name, hasFunction(given[name], known), must);
  check("sessionId", isName(sessionId), "must be a name");
  check("settings", isFields(given.settings), "must be an object");
  check(
    "state",
    isFields(state) && hasFunction(state["restore"], "gather"),
    "needs `restore`, the one of @palimpsest/core/restore",
  );
  check(
    "stages",
    Array.isArray(stages) && stages.every((stage) => hasFunction(stage, "perform")),
    "must be a list of `{ name, perform }`",
  );
  check(
    "system",
    isFields(system)
      ? Object.keys(system).every((key) => key === "custom" || key === "prompt")
      : systemText(system) !== undefined,
    "must be a text, text blocks, `{ custom: text }`, or `{ prompt }` of createSystemPrompt",
  );
}

const isName = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Whose call it is, and what goes to the API with each request. */
export function checkModel(caller: string, model: unknown, maxTokens: unknown): void {
  demand(isName(model), `${caller}: \`model\` must be a name`);
  demand(isAboveZero(maxTokens), `${caller}: \`maxTokens\` must be a number above 0`);
}

export const isAboveZero = (value: unknown): boolean => typeof value === "number" && value > 0;

/** The tools, if they are such. */
export function checkedTools(tools: unknown): readonly ConversationTool[] {
  demand(
    Array.isArray(tools) &&
      tools.every(
        (tool) => isFields(tool) && isFields(tool["definition"]) && isName(tool["definition"]["name"]),
      ),
    "createConversation: `tools` must be a list with `{ definition }` of each tool, or a function that gives one",
  );
  return tools as readonly ConversationTool[];
}

/** What is said as a text or in text blocks; undefined for anything else. */
export function systemText(system: unknown): string | undefined {
  if (typeof system === "string") return system;
  if (!Array.isArray(system)) return undefined;
  const texts = system.map((block: unknown) => (isFields(block) ? block["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n\n") : undefined;
}

export const hasFunction = (value: unknown, name: string): boolean =>
  (isFields(value) || typeof value === "function") &&
  typeof (value as Readonly<Record<string, unknown>>)[name] === "function";

/** The settings with their defaults. Throws for values and names that there are not. */
export function checkedSettings(given: GivenSettings = {}): Settings {
  const known = new Set(Object.values(settingDefinitions).flatMap(({ keys }) => keys));
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown !== undefined) throw badOption(`there is no setting ${JSON.stringify(unknown)}`);
  const { settings, problems } = resolveSettings({ given });
  const [problem] = problems;
  if (problem === undefined) return settings;
  throw badOption(`the setting ${problem.name} cannot be ${problem.value}: it takes ${problem.allowed}`);
}
