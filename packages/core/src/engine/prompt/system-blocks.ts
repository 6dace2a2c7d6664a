import type { TextBlock } from "../../messages/content.js";
import type { ResolvedSection } from "./sections.js";

/** What the system prompt of a request is made of. */
export type SystemParts = {
  /**
   * The first line, hashed like all others: it is held for the whole conversation, whatever is given later.
   * What varies by request belongs into a header.
   */
  readonly attribution?: string;
  /** Who the product is; stands before the sections. */
  readonly productPrefix?: string;
} & (
  | { readonly sections: readonly ResolvedSection[] }
  /** A caller's own prompt: it replaces everything and is cached as one block. */
  | { readonly custom: string }
);

/** The blocks to send, without markers, and which of them a marker belongs on. */
export interface SystemLayout {
  readonly blocks: readonly TextBlock[];
  /** The end of the static part; undefined where there is none, and for a prompt of the caller's. */
  readonly staticEnd?: number;
  /** The last block; undefined for an empty prompt. */
  readonly end?: number;
}

export interface SystemLayouter {
  /** Up to four blocks. A block whose text did not change is the same object again. */
  layOut(parts: SystemParts): SystemLayout;
  /** Lets the held attribution go, for a new conversation. */
  reset(): void;
}

/** Lays out the system prompt of one conversation. */
export function createSystemLayouter(): SystemLayouter {
  let attribution: { readonly text: string } | undefined;
  let last: readonly TextBlock[] = [];
  const blockOf = (text: string): TextBlock =>
    last.find((block) => block.text === text) ?? { type: "text", text };
  return {
    layOut(parts) {
      attribution ??= { text: parts.attribution ?? "" };
      const { texts, staticAt } = textsOf(parts, attribution.text);
      last = texts.map(blockOf);
      return {
        blocks: last,
        ...(staticAt === undefined ? {} : { staticEnd: staticAt }),
        ...(last.length === 0 ? {} : { end: last.length - 1 }),
      };
    },
    reset() {
      attribution = undefined;
      last = [];
    },
  };
}

const BETWEEN_SECTIONS = "\n\n";

function textsOf(
  parts: SystemParts,
  attribution: string,
): { readonly texts: readonly string[]; readonly staticAt?: number } {
  if ("custom" in parts) return { texts: parts.custom.trim() === "" ? [] : [parts.custom] };
  const joined = (part: ResolvedSection["part"]): string =>
    parts.sections
      .filter((section) => section.part === part)
      .map(({ text }) => text)
      .join(BETWEEN_SECTIONS);
  const head = [attribution, parts.productPrefix ?? ""].filter((text) => text.trim() !== "");
  const staticText = joined("static");
  const dynamicText = joined("dynamic");
  const texts = [
    ...head,
    ...(staticText === "" ? [] : [staticText]),
    ...(dynamicText === "" ? [] : [dynamicText]),
  ];
  return staticText === "" ? { texts } : { texts, staticAt: head.length };
}
