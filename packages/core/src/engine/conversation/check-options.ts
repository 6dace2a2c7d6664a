import { isFields } from "../../messages/fields.js";
import { PalimpsestError } from "../../messages/palimpsest-error.js";
import {
  resolveSettings,
  settingDefinitions,
  type GivenSettings,
  type Settings,
} from "../settings/settings.js";
import type { ConversationOptions } from "./conversation-options.js";

/**
 * Throws for options that a conversation could not work with, and says what is wrong: programs without
 * types have nobody else to tell them.
 */
export function checkOptions(options: ConversationOptions): void {
  const given: Partial<Readonly<Record<keyof ConversationOptions, unknown>>> = options;
  const demand = (isFine: boolean, what: string): void => {
    if (!isFine) throw badOption(`createConversation: ${what}`);
  };
  const { compaction, notes, overflow, system, tools, maxTokens, state } = given;
  demand(
    compaction === "none" || hasFunction(compaction, "perform"),
    '`compaction` must be handed in: the one of @palimpsest/core/compaction, or "none"',
  );
  demand(
    notes === undefined || hasFunction(notes, "create"),
    "`notes` must be keepNotes() of @palimpsest/core/notes",
  );
  demand(typeof given.model === "string" && given.model !== "", "`model` must be a name");
  demand(typeof maxTokens === "number" && !Number.isNaN(maxTokens), "`maxTokens` must be a number");
  const { sessionId, clock, ids } = given;
  demand(sessionId === undefined || typeof sessionId === "string", "`sessionId` must be a string");
  demand(clock === undefined || hasFunction(clock, "now"), "`clock` needs `now()`");
  demand(ids === undefined || hasFunction(ids, "next"), "`ids` needs `next()`");
  demand(
    tools === undefined || typeof tools === "function" || Array.isArray(tools),
    "`tools` must be a list with `{ definition }` of each tool, or a function that gives one",
  );
  demand(overflow === undefined || hasFunction(overflow, "keep"), "`overflow` needs `keep(text)`");
  demand(
    state === undefined || (isFields(state) && hasFunction(state["restore"], "gather")),
    "`state` needs `restore`, the one of @palimpsest/core/restore",
  );
  demand(
    system === undefined || isFields(system),
    "`system` must be an object: `{ custom: text }`, or `{ prompt }` of createSystemPrompt",
  );
}

export const badOption = (message: string): PalimpsestError => new PalimpsestError("bad_option", message);

const hasFunction = (value: unknown, name: string): boolean =>
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
