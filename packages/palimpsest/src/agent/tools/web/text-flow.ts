/** Text that is laid out as it comes: white space folded, breaks between blocks, links around what they hold. */
export interface TextFlow {
  readonly text: (text: string) => void;
  /** At least so many ends of lines before the next text. */
  readonly breakLines: (count: number) => void;
  /** One more end of a line, up to an empty line. */
  readonly breakLine: () => void;
  /** What the next line begins with. */
  readonly startLine: (prefix: string) => void;
  /** A line that was to begin with a prefix and stayed empty is none. */
  readonly endLine: () => void;
  /** Between this and the next text of the same line. */
  readonly separate: (separator: string) => void;
  /** Without an address its text is plain text. */
  readonly startLink: (target: string | undefined) => void;
  readonly endLink: () => void;
  /** White space counts from now on. */
  readonly startVerbatim: () => void;
  readonly endVerbatim: () => void;
  /** All of it. */
  readonly end: () => string;
}

export function createTextFlow(): TextFlow {
  const parts: string[] = [];
  let breaks = 0;
  let isSpaced = false;
  let separator = "";
  let prefix = "";
  let verbatim = 0;
  let link: { readonly target: string; isOpen: boolean } | undefined;

  const put = (text: string): void => {
    if (parts.length > 0 && breaks > 0) parts.push("\n".repeat(breaks));
    else if (parts.length > 0 && separator !== "") parts.push(separator);
    else if (parts.length > 0 && isSpaced) parts.push(" ");
    parts.push(prefix);
    if (link?.isOpen === false) {
      parts.push("[");
      link.isOpen = true;
    }
    parts.push(text);
    breaks = 0;
    isSpaced = false;
    separator = "";
    prefix = "";
  };
  const breakLines = (count: number): void => {
    // A line that has begun with a prefix goes on with what comes first in it.
    if (prefix === "") breaks = Math.max(breaks, count);
    separator = "";
  };
  const endLink = (): void => {
    if (link?.isOpen === true) parts.push(`](${link.target})`);
    link = undefined;
  };

  return {
    text(text) {
      if (verbatim > 0) {
        if (text !== "") put(text.replaceAll("\r\n", "\n"));
        return;
      }
      const folded = text.replaceAll(/\s+/g, " ");
      if (folded.startsWith(" ")) isSpaced = true;
      const inner = folded.trim();
      if (inner === "") return;
      put(inner);
      isSpaced = folded.endsWith(" ");
    },
    breakLines,
    breakLine() {
      breaks = Math.min(2, breaks + 1);
    },
    startLine(next) {
      breaks = Math.max(breaks, 1);
      prefix = next;
    },
    endLine() {
      prefix = "";
      breaks = Math.max(breaks, 1);
    },
    separate(next) {
      if (breaks === 0) separator = next;
    },
    startLink(target) {
      endLink();
      link = target === undefined ? undefined : { target, isOpen: false };
    },
    endLink,
    startVerbatim() {
      breakLines(2);
      verbatim++;
    },
    endVerbatim() {
      verbatim = Math.max(0, verbatim - 1);
      breakLines(2);
    },
    end() {
      endLink();
      return parts
        .join("")
        .replaceAll(/(?<![ \t])[ \t]+\n/g, "\n")
        .replaceAll(/\n{3,}/g, "\n\n")
        .trim();
    },
  };
}
