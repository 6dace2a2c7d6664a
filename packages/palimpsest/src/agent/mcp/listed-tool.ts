import type { ToolDefinition } from "@palimpsest/core";
import { isFields } from "../base/fields.js";
import { capPlain, oneLine, plainText } from "../base/plain-text.js";
import { toolNames } from "./tool-name.js";
import { acceptableSchema } from "./tool-schema.js";

/** A tool of a server, as the model is told of it. */
export interface ListedTool {
  /** How the server calls it. */
  readonly remoteName: string;
  readonly definition: ToolDefinition;
  readonly isReadOnly: boolean;
}

/** More than a server can sensibly have; the rest is not listed. */
export const MOST_TOOLS = 500;
const MOST_CHARACTERS = 500_000;
const LONGEST_DESCRIPTION = 2_000;

/** What was taken of a server's list. */
export interface ReadTools {
  readonly tools: readonly ListedTool[];
  /** How many tools are not listed because there is too much of them. */
  readonly leftOut: number;
}

/** The tools that a server listed, each in a form that a provider takes. Entries without a name are left out. */
export function readTools(
  listed: readonly unknown[],
  { label, hide }: { readonly label: string; readonly hide: (text: string) => string },
): ReadTools {
  const seen = new Set<string>();
  const entries = listed.filter(isFields).flatMap((entry) => {
    const { name } = entry;
    if (typeof name !== "string" || name === "" || seen.has(name)) return [];
    seen.add(name);
    return [{ name, entry }];
  });
  const names = toolNames(
    label,
    entries.map(({ name }) => name),
  );
  const tools: ListedTool[] = [];
  let characters = 0;
  for (const [index, { name: remoteName, entry }] of entries.slice(0, MOST_TOOLS).entries()) {
    const { schema, isReduced } = acceptableSchema(entry["inputSchema"]);
    const annotations = isFields(entry["annotations"]) ? entry["annotations"] : {};
    const given = typeof entry["description"] === "string" ? entry["description"] : "";
    const description = [
      capPlain(hide(plainText(given)), LONGEST_DESCRIPTION),
      isReduced ? "(Its schema was too large and is shown in part: the server checks the input.)" : "",
    ].filter((part) => part !== "");
    const definition = {
      name: names[index] ?? "",
      description: description.length === 0 ? oneLine(remoteName, 200) : description.join("\n"),
      input_schema: schema,
    };
    characters += JSON.stringify(definition).length;
    if (characters > MOST_CHARACTERS) break;
    tools.push({ remoteName, definition, isReadOnly: annotations["readOnlyHint"] === true });
  }
  return { tools, leftOut: entries.length - tools.length };
}
