import type { ViewLines } from "../lines/live-lines.js";
import type { Look } from "../lines/look.js";

/** What stands at the bottom of the screen and hears the keys. */
export interface View {
  /** At most `rows` lines are shown. */
  readonly render: (look: Look, rows: number) => ViewLines;
  /** One key, or `ESC [200~ … ESC [201~` for a paste. */
  readonly handleInput: (data: string) => void;
}
