import type { ModelRequest, ToolDefinition } from "@palimpsest/core";

/** What a tool does, whatever an agent calls it. */
export const toolKinds = [
  "shell",
  "read",
  "write",
  "edit",
  "search",
  "glob",
  "list",
  "fetch",
  "web-search",
  "todo",
  "task",
] as const;

export type ToolKind = (typeof toolKinds)[number];

export const isToolKind = (value: unknown): value is ToolKind => toolKinds.some((kind) => kind === value);

/** By kind: the names it goes by, the best first. Names are compared in lower case, without `_`, `-` and `.`. */
const names: Readonly<Record<ToolKind, readonly RegExp[]>> = {
  shell: [
    /^bash$/,
    /^(run)?shell(command)?$/,
    /^(exec|execute|run)(command|bash|shell|commands|inshell)?$/,
    /^(run)?terminal(cmd|command)?$|^runinterminal$|^localshell$|^developershell$|^powershell$/,
    /^(?!.*(output|kill|status|stdin|list)).*(shell|bash|execcommand|runcommand|executecommand)/,
  ],
  read: [
    /^read$/,
    /^(read|view|open)files?$|^fileread$|^fsread$/,
    /^view$|^cat$/,
    /^strreplace(basededittool|editor)$/,
    /^(?!.*(resource|thread|url|mcp|image|notebook)).*readfile/,
  ],
  write: [
    /^write$/,
    /^(write|create)(to)?file$|^filewrite$|^fswrite$/,
    /^create$/,
    /^strreplace(basededittool|editor)$/,
    /^(?!.*(todo|memory|stdin|mcp)).*writefile/,
  ],
  edit: [
    /^edit$/,
    /^(edit|update)file$|^fileedit$/,
    /^strreplace(basededittool|editor)?$/,
    /^(search)?replace(infile|stringinfile)?$/,
    /^multiedit$/,
    /^(?!.*(notebook|memory)).*(editfile|strreplace)/,
  ],
  search: [
    /^grep$/,
    /^(grepsearch|searchfilecontent|ripgrep|rg)$/,
    /^search(files?|code|content)?$|^codesearch$/,
    /^(?!.*web).*grep/,
  ],
  glob: [/^glob$/, /^find$/, /^(find|file)(files?|search)$|^globfiles?$/, /glob/],
  list: [/^ls$/, /^list(dir|directory|files)?$|^readfolder$/],
  fetch: [/^(web)?fetch(url)?$/, /^readurl$|^browse$/],
  "web-search": [/^(google)?websearch$|^searchweb$/],
  todo: [/^todo(write)?$|^writetodos?$|^updateplan$|^updatetodos?(list)?$/],
  task: [/^(task|agent)$/, /^(spawn|dispatch|new)(agent|task)$|^delegate(toagent|task)?$/],
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_.-]/g, "");

/** The kind that a name stands for; undefined for a tool of no known kind. */
export function kindOfName(name: string): ToolKind | undefined {
  const wanted = plain(name);
  for (let rank = 0; rank < 5; rank += 1) {
    const kind = toolKinds.find((kind) => names[kind][rank]?.test(wanted) === true);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** The offered tool that does this kind of thing best. */
export function findByKind(kind: ToolKind, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  for (const pattern of names[kind]) {
    const tool = tools.find(({ name }) => pattern.test(plain(name)));
    if (tool !== undefined) return tool;
  }
  return undefined;
}

/**
 * The tools of a request that the model may call and the client carries out: not the provider's own, and none
 * where the request forbids calls.
 */
export function callableTools(request: ModelRequest): readonly ToolDefinition[] {
  if (request.tool_choice?.["type"] === "none") return [];
  return (request.tools ?? []).filter(
    (tool) => typeof tool.name === "string" && (schemaOf(tool) !== undefined || isClientType(tool.type)),
  );
}

const isClientType = (type: ToolDefinition["type"]): boolean =>
  type === undefined || type === null || type === "custom" || /^(bash|text_editor|memory)_\d+$/.test(type);

/** The schema of a tool's input; the provider's own client tools have none on the wire, and get theirs here. */
export function schemaOf(tool: ToolDefinition): Readonly<Record<string, unknown>> | undefined {
  if (tool.input_schema !== undefined && tool.input_schema !== null) return tool.input_schema;
  if (/^bash_\d+$/.test(tool.type ?? "")) return bashSchema;
  return /^(text_editor|memory)_\d+$/.test(tool.type ?? "") ? editorSchema : undefined;
}

const string = { type: "string" };

const bashSchema = { type: "object", properties: { command: string }, required: ["command"] };

const editorSchema = {
  type: "object",
  properties: {
    command: { type: "string", enum: ["view", "create", "str_replace", "insert"] },
    path: string,
    file_text: string,
    old_str: string,
    new_str: string,
  },
  required: ["command", "path"],
};
