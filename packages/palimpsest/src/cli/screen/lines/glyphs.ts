/** Marks of the screen. */
export interface Glyphs {
  readonly prompt: string;
  readonly bullet: string;
  readonly corner: string;
  readonly rule: string;
  readonly dot: string;
}

export const glyphs: Glyphs = { prompt: "❯", bullet: "●", corner: "└", rule: "─", dot: "·" };
export const plainGlyphs: Glyphs = { prompt: ">", bullet: "*", corner: "`", rule: "-", dot: "-" };
