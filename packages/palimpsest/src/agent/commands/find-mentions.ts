/** A place in a prompt that may name a file: `@file`, `@"a file"`, `@file#L10-20`. */
export interface Mention {
  /** As it is written. */
  readonly written: string;
  /** What it may mean, the longest first: a dot or a bracket at its end may belong to the sentence. */
  readonly paths: readonly string[];
  readonly firstLine?: number;
  readonly lastLine?: number;
}

const form = /(?<=^|[\s([{"'`])@(?:"([^"\n]{1,1000})"(#L\d{1,7}(?:-L?\d{1,7})?)?|([^\s"'`<>|]{1,1000}))/gmu;
const lines = /#L(\d{1,7})(?:-L?(\d{1,7}))?$/;
const ending = /[.,;:!?)\]}]+$/;

/** So many are looked for in one prompt. */
const MOST_MENTIONS = 50;

/** The mentions of a text, each once. An address such as `a@b.org` is none, since a letter stands before its sign. */
export function findMentions(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [written, quoted, range, plain] of text.matchAll(form)) {
    if (found.size >= MOST_MENTIONS) break;
    const bare = plain?.replace(ending, "") ?? "";
    const place = quoted === undefined ? bare : `${quoted}${range ?? ""}`;
    const part = lines.exec(place);
    const path = part === null ? (quoted ?? plain ?? "") : place.slice(0, part.index);
    const stem = part === null ? (quoted ?? bare) : path;
    const paths = [...new Set([path, stem])].filter((one) => one !== "" && !one.includes("\0"));
    if (paths.length === 0) continue;
    const first = part === null ? undefined : Math.max(1, Number(part[1]));
    const last = part?.[2] === undefined ? first : Math.max(first ?? 1, Number(part[2]));
    found.set(written, {
      written,
      paths,
      ...(first === undefined || last === undefined ? {} : { firstLine: first, lastLine: last }),
    });
  }
  return [...found.values()];
}
