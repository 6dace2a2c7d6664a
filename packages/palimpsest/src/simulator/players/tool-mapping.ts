import type { ToolDefinition } from "@palimpsest/core";
import { fieldLike, fillSchema, hasFieldLike } from "../fill-schema.js";
import { findByKind, kindOfName, schemaOf, type ToolKind } from "./tool-kinds.js";

/** A tool call before it is known which tools a client offers. */
export interface WantedCall {
  /** The tool's name, where the plan or the recording knows one. */
  readonly tool?: string;
  /** What the tool is to do; otherwise read off the name. */
  readonly kind?: ToolKind;
  /** The values, under any of the names that agents use for them (`command`, `path`, `old_string`, …). */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface MappedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * The call in the terms of the tools that a client offers: the tool of that name, else one of the same kind, else
 * a shell command that does the same. Its input fits that tool's schema. Undefined where no tool can do it.
 */
export function mapCall(call: WantedCall, tools: readonly ToolDefinition[]): MappedCall | undefined {
  const named = call.tool === undefined ? undefined : findByName(call.tool, tools);
  const kind = call.kind ?? (call.tool === undefined ? undefined : kindOfName(call.tool));
  if (named !== undefined) return { name: named.name, input: inputFor(named, call, kind) };
  if (kind === undefined) return undefined;

  // Tools that wait to be discovered cannot be called before.
  const loaded = tools.filter((tool) => tool["defer_loading"] !== true);
  const alike = findByKind(kind, loaded);
  if (alike !== undefined) return { name: alike.name, input: inputFor(alike, call, kind) };
  const shell = findByKind("shell", loaded);
  const command = shell === undefined ? undefined : asShellCommand(kind, call.input);
  if (shell === undefined || command === undefined) return undefined;
  return { name: shell.name, input: inputFor(shell, { input: { command } }, "shell") };
}

/** A call of this very tool, with harmless values wherever the schema demands one. */
export const callWithDefaults = (tool: ToolDefinition): MappedCall => ({
  name: tool.name,
  input: inputFor(tool, { input: {} }, kindOfName(tool.name)),
});

function findByName(name: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => tool.name.toLowerCase() === name.toLowerCase())
  );
}

/** Tools that do several things are told by an enumeration which. */
const actions: Partial<Record<ToolKind, RegExp>> = {
  read: /view|read/i,
  write: /create|write/i,
  edit: /replace|edit/i,
};

function inputFor(tool: ToolDefinition, call: WantedCall, kind: ToolKind | undefined): MappedCall["input"] {
  const schema = schemaOf(tool) ?? {};
  const prefer = kind === undefined ? undefined : actions[kind];
  return fillSchema(schema, valuesFor(schema, call.input, kind), {
    keepUnknown: call.tool === tool.name,
    ...(prefer === undefined ? {} : { prefer }),
  });
}

/** A list of edits, for a tool that takes one at a time, counts as its first. */
function valuesFor(
  schema: Readonly<Record<string, unknown>>,
  input: WantedCall["input"],
  kind: ToolKind | undefined,
): WantedCall["input"] {
  const edits = input["edits"];
  if (kind !== "edit" || !Array.isArray(edits) || !hasFieldLike(schema, "old_string")) return input;
  const first: unknown = edits[0];
  return typeof first === "object" && first !== null ? { ...input, ...first } : input;
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function asShellCommand(kind: ToolKind, input: WantedCall["input"]): string | undefined {
  const text = (name: string): string | undefined => {
    const value = fieldLike(input, name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const path = text("path");
  const pattern = text("pattern");
  switch (kind) {
    case "read":
      return path === undefined ? undefined : `cat -- ${quote(path)}`;
    case "list":
      return `ls -la -- ${quote(path ?? ".")}`;
    case "search":
      return pattern === undefined ? undefined : `grep -rn -e ${quote(pattern)} -- ${quote(path ?? ".")}`;
    case "glob":
      return pattern === undefined
        ? undefined
        : `find ${quote(path ?? ".")} -name ${quote(pattern.replace(/^.*\//, ""))}`;
    case "write": {
      const content = text("content");
      return path === undefined ? undefined : `printf '%s' ${quote(content ?? "")} > ${quote(path)}`;
    }
    default:
      return undefined;
  }
}
