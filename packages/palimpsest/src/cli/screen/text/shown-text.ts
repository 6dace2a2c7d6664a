/** More marks than this on one character are a storm: real scripts need four at most. */
const MOST_MARKS = 4;

const SPACES_PER_TAB = "    ";

/**
 * Everything that steers a terminal, that turns text around or that nobody can see: control characters of both sets, line and
 * paragraph separators, marks of direction, tags, annotation and byte order marks.
 */
const STEERING =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

const STORM = new RegExp(`(\\p{M}{${MOST_MARKS}})(\\p{M}+)`, "gu");

/**
 * What joins or colours emoji: terminals do not agree how many columns the whole has, and where they do not, lines break. Each
 * of them is shown by itself.
 */
const JOINING =
  /(?<=[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})|\ufe0f|[\u{1f3fb}-\u{1f3ff}]/gu;

const escaped = (char: string): string => {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
};

/**
 * Text of a model, a tool, a file, a server, a hook or a person as a terminal may show it: what would steer the terminal is
 * written out, half characters become the replacement character, storms of combining marks are cut and counted, joined emoji
 * are shown one by one. Ends of lines stay.
 */
export function shownText(text: string): string {
  const shown = text
    .replaceAll(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", SPACES_PER_TAB)
    .replaceAll(JOINING, "")
    .replaceAll(STEERING, escaped);
  return calmText(shown);
}

/** Storms alone: marks that came in many pieces are one storm once they stand together. */
export const calmText = (text: string): string =>
  text.replaceAll(
    STORM,
    (_all: string, kept: string, rest: string) => `${kept}(+${Array.from(rest).length} marks)`,
  );

/** The same on one line. */
export const shownLine = (text: string): string => shownText(text.replaceAll(/\r?\n/g, " "));

/** Colours and weights alone, as this program writes them. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
const STYLE = /\u001b\[[\d;]*m/g;
/** Nothing of these is ever in a line that this program makes. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** The last line of defence: of a line that is about to be written nothing but letters and styles gets through. */
export function harmlessLine(line: string): string {
  if (!CONTROL.test(line)) return line;
  let made = "";
  let from = 0;
  for (const { index, 0: style } of line.matchAll(STYLE)) {
    made += escapeAll(line.slice(from, index)) + style;
    from = index + style.length;
  }
  return made + escapeAll(line.slice(from));
}

const ALL_CONTROL = new RegExp(CONTROL, "g");

const escapeAll = (text: string): string => text.replaceAll(ALL_CONTROL, escaped);
