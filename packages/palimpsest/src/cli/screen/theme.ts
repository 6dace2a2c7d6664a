type Paint = (text: string) => string;

/** What things look like. With no colours all of them are the text as it is. */
export interface Theme {
  readonly dim: Paint;
  readonly bold: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strikethrough: Paint;
  readonly accent: Paint;
  readonly code: Paint;
  readonly good: Paint;
  readonly warn: Paint;
  readonly bad: Paint;
  readonly person: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  /** For parts that are told from each other. */
  readonly parts: readonly Paint[];
}

export type ThemeName = "dark" | "light" | "auto";
export const themeNames: readonly ThemeName[] = ["dark", "light", "auto"];

const style =
  (on: string, off: string): Paint =>
  (text) =>
    text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`;

const plain: Paint = (text) => text;

const weights = {
  dim: style("2", "22"),
  bold: style("1", "22"),
  italic: style("3", "23"),
  underline: style("4", "24"),
  strikethrough: style("9", "29"),
};

/** Colours of the palette that people have chosen for their terminal, so that they can be read on their background. */
const dark: Theme = {
  ...weights,
  accent: style("36", "39"),
  code: style("33", "39"),
  good: style("32", "39"),
  warn: style("33", "39"),
  bad: style("31", "39"),
  person: style("1;36", "22;39"),
  added: style("32", "39"),
  removed: style("31", "39"),
  parts: ["36", "32", "33", "35", "31", "34"].map((colour) => style(colour, "39")),
};

const light: Theme = {
  ...weights,
  accent: style("34", "39"),
  code: style("35", "39"),
  good: style("32", "39"),
  warn: style("38;5;130", "39"),
  bad: style("31", "39"),
  person: style("1;34", "22;39"),
  added: style("38;5;22", "39"),
  removed: style("31", "39"),
  parts: ["34", "38;5;22", "38;5;130", "35", "31", "36"].map((colour) => style(colour, "39")),
};

const none: Theme = {
  dim: plain,
  bold: plain,
  italic: plain,
  underline: plain,
  strikethrough: plain,
  accent: plain,
  code: plain,
  good: plain,
  warn: plain,
  bad: plain,
  person: plain,
  added: plain,
  removed: plain,
  parts: [plain],
};

/** `COLORFGBG` is the one thing that terminals say of their background without being asked: `15;0`, the last is the background. */
function isLight(env: Readonly<Record<string, string | undefined>>): boolean {
  const background = Number(/(\d+)$/.exec(env["COLORFGBG"] ?? "")?.[1]);
  return background === 7 || (background >= 9 && background <= 15);
}

export function themeNamed(
  name: ThemeName,
  {
    env,
    hasColours,
  }: { readonly env: Readonly<Record<string, string | undefined>>; readonly hasColours: boolean },
): Theme {
  if (!hasColours) return none;
  if (name === "auto") return isLight(env) ? light : dark;
  return name === "light" ? light : dark;
}

/** The theme for a background of this colour, each part from 0 to 255. */
export const themeOn = ({ r, g, b }: { readonly r: number; readonly g: number; readonly b: number }): Theme =>
  0.299 * r + 0.587 * g + 0.114 * b > 140 ? light : dark;
