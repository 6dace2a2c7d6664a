import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { entries } from "./entries.js";

/** What an entry exports, read off the sources: nothing has to be built for it. */
export interface Declaration {
  readonly name: string;
  readonly file: string;
  readonly kind: "function" | "class" | "constant" | "interface" | "type";
  readonly isValue: boolean;
  /** The comment before it, as one line. */
  readonly comment: string;
  /** One line: how it is called, or what it is. */
  readonly signature: string;
  /** The text of the declaration, without comments and bodies. */
  readonly text: string;
  /** Of interfaces and object types, with those that are inherited. */
  readonly members: readonly Member[];
  /** What its types mention, in its own file or imported from beside. */
  readonly mentioned: readonly Place[];
}

export interface Member {
  readonly name: string;
  readonly signature: string;
  readonly comment: string;
}

interface Place {
  readonly file: string;
  readonly name: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly declared: ReadonlyMap<string, { readonly node: Node; readonly start: number }>;
  readonly imported: ReadonlyMap<string, Place>;
  /** By the name outside: where it is declared. */
  readonly exported: ReadonlyMap<string, Place>;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

const node = (parent: Node, field: string): Node | undefined => {
  const value = parent[field];
  return isNode(value) ? value : undefined;
};

const nodes = (parent: Node | undefined, field: string): readonly Node[] => {
  const value = parent?.[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

const nameOf = (of: Node | undefined): string => {
  const name = of?.["name"] ?? of?.["value"];
  return typeof name === "string" ? name : "";
};

/** Handed from one entry to another as they are: what is inside is nobody's business. */
export const handedWhole: ReadonlySet<string> = new Set(["BreakDiffs", "CompactionStage", "NotesStage"]);

const read = new Map<string, Source>();

function sourceOf(file: string): Source {
  const known = read.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, "utf8");
  const declared = new Map<string, { node: Node; start: number }>();
  const imported = new Map<string, Place>();
  const exported = new Map<string, Place>();
  for (const statement of parseAst(text, { lang: "ts" }).body as unknown as readonly Node[]) {
    const from = nameOf(node(statement, "source"));
    const target = from.startsWith(".")
      ? resolve(dirname(file), from.replace(/\.js$/, ".ts"))
      : entries.find(({ specifier }) => specifier === from)?.file;
    for (const specifier of nodes(statement, "specifiers")) {
      const local = nameOf(node(specifier, "local"));
      if (statement.type === "ImportDeclaration") {
        const name = nameOf(node(specifier, "imported"));
        if (target !== undefined && name !== "") imported.set(local, { file: target, name });
      } else if (statement.type === "ExportNamedDeclaration") {
        exported.set(nameOf(node(specifier, "exported")), { file: target ?? file, name: local });
      }
    }
    const declaration = node(statement, "declaration") ?? statement;
    const list =
      declaration.type === "VariableDeclaration" ? nodes(declaration, "declarations") : [declaration];
    for (const one of list) {
      const name = nameOf(node(one, "id"));
      if (name === "") continue;
      declared.set(name, { node: one, start: statement.start });
      if (declaration !== statement) exported.set(name, { file, name });
    }
  }
  const source = { file, text, declared, imported, exported };
  read.set(file, source);
  return source;
}

const withoutComments = (text: string): string =>
  text
    .replaceAll(/^[ \t]*\/\*\*?[\s\S]*?\*\/[ \t]*\n/gm, "")
    .replaceAll(/^[ \t]*\/\/.*\n/gm, "")
    .replaceAll(/\/\*\*[\s\S]*?\*\/ ?/g, "");

const oneLine = (text: string): string =>
  withoutComments(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/,? ([)\]>])/g, "$1")
    .replaceAll(/([([<]) /g, "$1")
    .replaceAll(/([:=(<]) \| /g, "$1 ")
    .trim();

/** The comment that ends right before a place. */
function commentBefore(text: string, start: number): string {
  const before = text.slice(0, start).trimEnd();
  if (!before.endsWith("*/")) return "";
  const comment = before.slice(before.lastIndexOf("/**") + 3, -2);
  return comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** A name for what a function takes apart at once: that of its type. */
function nameByType(type: string): string {
  const [, name = ""] = /^: (?:(?:Pick|Omit|Partial|Readonly)<)?([A-Z]\w*)/.exec(type) ?? [];
  return name === "" || name.endsWith("Options") ? "options" : name.charAt(0).toLowerCase() + name.slice(1);
}

/** Parameters as a reader sees them: what is taken apart has a name, what has a default a question mark. */
function parameterText(parameter: Node, { text }: Source): string {
  const inner = parameter.type === "AssignmentPattern" ? node(parameter, "left") : parameter;
  if (inner === undefined) return "";
  const annotation = node(inner, "typeAnnotation") ?? node(parameter, "typeAnnotation");
  const byDefault = node(parameter, "right")?.["value"];
  const guessed = byDefault === undefined || byDefault === null ? "" : `: ${typeof byDefault}`;
  const type = annotation === undefined ? guessed : oneLine(text.slice(annotation.start, annotation.end));
  const isOptional = parameter.type === "AssignmentPattern" || inner["optional"] === true;
  if (inner.type === "RestElement") return `...${nameOf(node(inner, "argument"))}${type}`;
  const name = inner.type === "Identifier" ? nameOf(inner) : nameByType(type);
  return `${name}${isOptional ? "?" : ""}${type}`;
}

function callText(called: Node, source: Source): string {
  const generic = node(called, "typeParameters");
  const returned = node(called, "returnType");
  const slice = (part: Node | undefined): string =>
    part === undefined ? "" : oneLine(source.text.slice(part.start, part.end));
  const parameters = nodes(called, "params").map((parameter) => parameterText(parameter, source));
  return `${slice(generic)}(${parameters.join(", ")})${slice(returned)}`;
}

/** Everything that types below this node mention; bodies of functions do not count. */
function* mentionedIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* mentionedIn(item);
  if (!isNode(value) || value.type === "BlockStatement") return;
  if (value.type === "TSTypeReference") yield nameOf(node(value, "typeName"));
  if (value.type === "TSInterfaceHeritage") yield nameOf(node(value, "expression"));
  for (const field of Object.values(value)) yield* mentionedIn(field);
}

function signatureOfMember(member: Node, source: Source): string {
  const value = node(member, "value");
  const isMethod = value !== undefined && /Function/.test(value.type);
  if (isMethod) return `${nameOf(node(member, "key"))}${callText(value, source)}`;
  return oneLine(source.text.slice(member.start, value?.start ?? member.end))
    .replaceAll("readonly ", "")
    .replace(/ ?[=;]$/, "");
}

function membersOf(declared: Node, source: Source): readonly Member[] {
  const inherited = nodes(declared, "extends").flatMap((heritage) => {
    const name = nameOf(node(heritage, "expression"));
    const place = source.imported.get(name) ?? { file: source.file, name };
    const parent = sourceOf(place.file);
    const found = parent.declared.get(place.name);
    return found === undefined ? [] : membersOf(found.node, parent);
  });
  const body = node(declared, "body") ?? node(declared, "typeAnnotation");
  const own = [...nodes(body, "body"), ...nodes(body, "members")].flatMap((member) => {
    const name = nameOf(node(member, "key"));
    if (name === "" || node(member, "key")?.type === "PrivateIdentifier") return [];
    const comment = commentBefore(source.text, member.start);
    return [{ name, signature: signatureOfMember(member, source), comment }];
  });
  return [...inherited.filter(({ name }) => !own.some((one) => one.name === name)), ...own];
}

/** What it is called, how it is written in one line, and its whole text. */
function described(
  name: string,
  declared: Node,
  source: Source,
): Pick<Declaration, "kind" | "signature" | "text"> {
  const { text } = source;
  const init = node(declared, "init");
  const annotation = node(node(declared, "id") ?? declared, "typeAnnotation");
  const called = /Function/.test(declared.type) ? declared : init;
  if (called !== undefined && /Function/.test(called.type) && annotation === undefined) {
    const signature = `${name}${callText(called, source)}`;
    return { kind: "function", signature, text: `function ${signature};` };
  }
  switch (declared.type) {
    case "ClassDeclaration": {
      const parent = nameOf(node(declared, "superClass"));
      const members = membersOf(declared, source).map(({ signature }) => `${signature};`);
      const head = `class ${name}${parent === "" ? "" : ` extends ${parent}`}`;
      return { kind: "class", signature: head, text: `${head} {\n  ${members.join("\n  ")}\n}` };
    }
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration": {
      const whole = withoutComments(text.slice(declared.start, declared.end));
      const kind = declared.type === "TSInterfaceDeclaration" ? "interface" : "type";
      const alias = node(declared, "typeAnnotation");
      const signature =
        alias === undefined ? name : `${name} = ${oneLine(text.slice(alias.start, alias.end))}`;
      return { kind, signature: signature.replaceAll("readonly ", "").replace(/= \| /, "= "), text: whole };
    }
    default: {
      const type =
        annotation !== undefined
          ? oneLine(text.slice(annotation.start, annotation.end))
          : init?.type === "Literal"
            ? ` = ${text.slice(init.start, init.end)}`
            : init?.type === "TemplateLiteral"
              ? ": string"
              : "";
      return { kind: "constant", signature: `${name}${type}`, text: `const ${name}${type};` };
    }
  }
}

/** The parts of a declaration that are types: of functions what goes in and comes out, of constants what is written. */
function typesOf(declared: Node): unknown {
  const called = node(declared, "init") ?? declared;
  const annotation = node(node(declared, "id") ?? declared, "typeAnnotation");
  if (annotation !== undefined) return annotation;
  if (/Function/.test(called.type)) return [called["params"], called["returnType"], called["typeParameters"]];
  return called === declared ? declared : undefined;
}

function declarationAt(place: Place): Declaration | undefined {
  const source = sourceOf(place.file);
  const found = source.declared.get(place.name);
  if (found === undefined) {
    const passedOn = source.exported.get(place.name);
    const further = passedOn?.file === place.file ? source.imported.get(passedOn.name) : passedOn;
    return further === undefined ? undefined : declarationAt(further);
  }
  const mentioned = [...new Set(mentionedIn(typesOf(found.node)))].flatMap((name) => {
    if (source.declared.has(name)) return [{ file: place.file, name }];
    return source.imported.get(name) ?? [];
  });
  const description = described(place.name, found.node, source);
  return {
    ...place,
    ...description,
    isValue: description.kind !== "interface" && description.kind !== "type",
    comment: commentBefore(source.text, found.start),
    members: membersOf(found.node, source),
    mentioned,
  };
}

/** Everything that a file exports under a name, in the order of the alphabet. */
export function declarationsOf(entry: string): readonly Declaration[] {
  return [...sourceOf(entry).exported]
    .map(([name, place]) => {
      const declaration = declarationAt(place);
      if (declaration === undefined)
        throw new Error(`${entry}: ${name} is not declared where it is exported from`);
      return declaration;
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What these mention that nobody exports, and what that mentions, but for the insides of what is handed over whole. */
export function hiddenBehind(
  shown: readonly Declaration[],
  exported: ReadonlySet<string>,
): readonly Declaration[] {
  const found = new Map<string, Declaration>();
  const left = [...shown];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (handedWhole.has(next.name)) continue;
    for (const place of next.mentioned) {
      const declaration = declarationAt(place);
      const key = `${place.file}#${place.name}`;
      if (declaration === undefined || exported.has(place.name) || found.has(key)) continue;
      found.set(key, declaration);
      left.push(declaration);
    }
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
