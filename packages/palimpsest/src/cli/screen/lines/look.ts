import type { Theme } from "../theme.js";
import type { Glyphs } from "./glyphs.js";

/** What lines are drawn with. */
export interface Look {
  readonly width: number;
  readonly theme: Theme;
  readonly glyphs: Glyphs;
}
