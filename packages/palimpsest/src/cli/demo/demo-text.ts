/** Colours that terminals have had for ever; none where they are not wanted. */
export interface Paint {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly red: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly magenta: (text: string) => string;
}

export function createPaint(isColoured: boolean): Paint {
  const by =
    (code: number) =>
    (text: string): string =>
      isColoured && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
  return {
    dim: by(2),
    bold: by(1),
    green: by(32),
    yellow: by(33),
    red: by(31),
    cyan: by(36),
    magenta: by(35),
  };
}

/** The beginning of a text that does not fit, with a sign that there is more. */
export const fitting = (text: string, columns: number): string =>
  text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;

export const dollars = (value: number): string => `$${value.toFixed(2)}`;
export const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/** `131K`, `7.9M` */
export function thousands(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens));
  return tokens < 999_500 ? `${Math.round(tokens / 1000)}K` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** A text in lines that are no longer than so many columns. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}
