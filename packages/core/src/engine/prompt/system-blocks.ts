import type { TextBlock } from "../../messages/content.js";
import type { ResolvedSection } from "./sections.js";

/** What the system prompt of a request is made of. */
export type SystemParts =
  | { readonly sections: readonly ResolvedSection[] }
  /** A caller's own prompt: it replaces everything and is cached as one block. */
  | { readonly custom: string };

/** The blocks to send, without markers, and which of them a marker belongs on. */
export interface SystemLayout {
  readonly blocks: readonly TextBlock[];
  /** The end of the static part; undefined where there is none, and for a prompt of the caller's. */
  readonly staticEnd?: number;
  /** The last block; undefined for an empty prompt. */
  readonly end?: number;
}

export interface SystemLayouter {
  /** Up to two blocks. A block whose text did not change is the same object again. */
  layOut(parts: SystemParts): SystemLayout;
}

/** Lays out the system prompt of one conversation. */
export function createSystemLayouter(): SystemLayouter {
  let last: readonly TextBlock[] = [];
  const blockOf = (text: string): TextBlock =>
    last.find((block) => block.text === text) ?? { type: "text", text };
  return {
    layOut(parts) {
      const { texts, hasStatic } = textsOf(parts);
      last = texts.map(blockOf);
      return {
        blocks: last,
        ...(hasStatic ? { staticEnd: 0 } : {}),
        ...(last.length === 0 ? {} : { end: last.length - 1 }),
      };
    },
  };
}

const BETWEEN_SECTIONS = "\n\n";

function textsOf(parts: SystemParts): { readonly texts: readonly string[]; readonly hasStatic: boolean } {
  if ("custom" in parts) {
    return { texts: parts.custom.trim() === "" ? [] : [parts.custom], hasStatic: false };
  }
  const joined = (part: ResolvedSection["part"]): string =>
    parts.sections
      .filter((section) => section.part === part)
      .map(({ text }) => text)
      .join(BETWEEN_SECTIONS);
  const staticText = joined("static");
  return {
    texts: [staticText, joined("dynamic")].filter((text) => text !== ""),
    hasStatic: staticText !== "",
  };
}
