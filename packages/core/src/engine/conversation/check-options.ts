import { isFields } from "../../messages/fields.js";
import { resolveSettings, settingDefinitions, type Settings } from "../settings/settings.js";
import type { ConversationOptions } from "./conversation-options.js";

/**
 * Throws a `TypeError` for options that a conversation could not work with, and says what is wrong: programs without
 * types have nobody else to tell them.
 */
export function checkOptions(options: ConversationOptions): void {
  const given: Partial<Readonly<Record<keyof ConversationOptions, unknown>>> = options;
  const demand = (isFine: boolean, what: string): void => {
    if (!isFine) throw new TypeError(`createConversation: ${what}`);
  };
  const { compaction, notes, overflow, system, tools, maxTokens, state } = given;
  demand(
    compaction === "none" || hasFunction(compaction, "perform"),
    '`compaction` has to be handed in: the one of @palimpsest/core/compaction, or "none"',
  );
  demand(
    notes === undefined || hasFunction(notes, "create"),
    "`notes` has to be keepNotes() of @palimpsest/core/notes",
  );
  demand(typeof given.model === "string" && given.model !== "", "`model` has to be a model's name");
  demand(
    typeof maxTokens === "number" && !Number.isNaN(maxTokens),
    "`maxTokens` has to be the number of tokens that an answer may have",
  );
  demand(typeof given.sessionId === "string", "`sessionId` has to be a text");
  demand(hasFunction(given.clock, "now"), "`clock` needs `now()`, which gives milliseconds");
  demand(hasFunction(given.ids, "next"), "`ids` needs `next()`, which gives another id every time");
  demand(
    tools === undefined || typeof tools === "function",
    "`tools` has to be a function that gives `{ definition }` of each tool",
  );
  demand(
    overflow === undefined || hasFunction(overflow, "keep"),
    "`overflow` needs `keep(text)`, which stores a text and gives its path",
  );
  demand(
    state === undefined || (isFields(state) && hasFunction(state["restore"], "gather")),
    "`state` needs `restore`, the one of @palimpsest/core/restore",
  );
  demand(
    system === undefined || isFields(system),
    "`system` has to be an object: `{ custom: text }`, or `{ prompt }` of createSystemPrompt",
  );
}

const hasFunction = (value: unknown, name: string): boolean =>
  (isFields(value) || typeof value === "function") &&
  typeof (value as Readonly<Record<string, unknown>>)[name] === "function";

/** The settings with their defaults. Throws a `TypeError` for values and names that there are not. */
export function checkedSettings(given: Partial<Settings> = {}): Settings {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(settingDefinitions, name));
  if (unknown !== undefined) throw new TypeError(`there is no setting ${JSON.stringify(unknown)}`);
  const { settings, problems } = resolveSettings({ given });
  const [problem] = problems;
  if (problem === undefined) return settings;
  throw new TypeError(`the setting ${problem.name} cannot be ${problem.value}: it takes ${problem.allowed}`);
}
