import { PalimpsestError } from "../../messages/palimpsest-error.js";

/** What a section's text is made by; undefined and blank text leave the section out. */
export type ComputeSection = () => string | undefined | Promise<string | undefined>;

/** A named piece of the system prompt. */
export interface PromptSection {
  readonly kind: "section";
  readonly name: string;
  readonly compute: ComputeSection;
  /** Why it is computed anew for every request; undefined for one that is held. */
  readonly volatileBecause?: string;
}

/** Where the static sections end. It is never sent. */
export interface PromptBoundary {
  readonly kind: "boundary";
}

/** Where the static sections end: put it between them and those that may change. */
export const dynamicBoundary: PromptBoundary = { kind: "boundary" };

/** A section that is computed once and held until the prompt is reset (/clear, compaction). */
export function section(name: string, compute: ComputeSection): PromptSection {
  return checkedSection({ kind: "section", name, compute });
}

/** A section that is computed for every request. Each change of its text breaks the cache: say why it must. */
export function volatileSection(name: string, compute: ComputeSection, reason: string): PromptSection {
  if (typeof reason !== "string" || reason.trim() === "")
    throw badPart(`the volatile section "${name}" needs a reason`);
  return checkedSection({ kind: "section", name, compute, volatileBecause: reason });
}

function checkedSection(made: PromptSection): PromptSection {
  if (typeof made.compute === "function") return made;
  throw badPart(`the section "${made.name}" needs a function that gives its text`);
}

const badPart = (message: string): PalimpsestError => new PalimpsestError("bad_option", message);

/** A section as it goes into a request. */
export interface ResolvedSection {
  readonly name: string;
  readonly text: string;
  readonly part: "static" | "dynamic";
  readonly volatileBecause?: string;
}

/** The sections of one conversation, with the texts that are held. */
export interface SystemPrompt {
  /** Rejects with an error that names the section whose text could not be computed; it is tried again next time. */
  resolve(): Promise<readonly ResolvedSection[]>;
  /** Forgets the held texts: at /clear and at a compaction, where the prefix is written anew in any case. */
  reset(): void;
}

/**
 * Static sections, the boundary, dynamic sections. Throws `PalimpsestError` for what would go wrong quietly: a
 * name twice, a second boundary, a volatile section before the boundary. Without a boundary all is static.
 */
export function createSystemPrompt(parts: readonly (PromptSection | PromptBoundary)[]): SystemPrompt {
  const boundary = parts.findIndex(({ kind }) => kind === "boundary");
  const placed = parts.flatMap((part, index) =>
    part.kind === "section"
      ? [{ section: part, part: isStatic(index, boundary) ? ("static" as const) : ("dynamic" as const) }]
      : [],
  );
  checkParts(placed, parts.length - placed.length);
  let held = new Map<PromptSection, Promise<string>>();

  const textOf = (part: PromptSection): Promise<string> => {
    if (part.volatileBecause !== undefined) return computeText(part);
    const holder = held;
    const known = holder.get(part);
    if (known !== undefined) return known;
    const text = computeText(part);
    holder.set(part, text);
    text.catch(() => holder.delete(part));
    return text;
  };

  return {
    async resolve() {
      const texts = await Promise.all(placed.map(({ section }) => textOf(section)));
      return placed.flatMap(({ section, part }, index) => {
        const text = texts[index] ?? "";
        if (text === "") return [];
        const { name, volatileBecause } = section;
        return [{ name, text, part, ...(volatileBecause === undefined ? {} : { volatileBecause }) }];
      });
    },
    reset() {
      held = new Map();
    },
  };
}

const isStatic = (index: number, boundary: number): boolean => boundary === -1 || index < boundary;

async function computeText({ name, compute }: PromptSection): Promise<string> {
  try {
    const text = (await compute()) ?? "";
    return text.trim() === "" ? "" : text;
  } catch (cause) {
    throw new Error(`the section "${name}" of the system prompt could not be computed`, { cause });
  }
}

function checkParts(
  placed: readonly { readonly section: PromptSection; readonly part: "static" | "dynamic" }[],
  boundaries: number,
): void {
  if (boundaries > 1) throw badPart("a system prompt has one boundary at most");
  const names = new Set<string>();
  for (const { section, part } of placed) {
    if (names.has(section.name)) throw badPart(`there are two sections "${section.name}"`);
    names.add(section.name);
    if (section.volatileBecause !== undefined && part === "static") {
      throw badPart(`the volatile section "${section.name}" must stand after the boundary`);
    }
  }
}
