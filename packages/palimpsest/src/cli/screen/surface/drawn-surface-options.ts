import type { AutocompleteProvider } from "@earendil-works/pi-tui";
import type { TextSink } from "../../terminal.js";
import type { Keys } from "../input/key-names.js";
import type { Glyphs } from "../lines/glyphs.js";
import type { Verbosity } from "../state/state.js";
import type { Theme } from "../theme.js";
import type { Drawer } from "../writer/drawer.js";
import type { SurfaceHandlers } from "./surface.js";
import type { KeySource } from "./terminal-mode.js";

/** What a terminal that is drawn on is made of. */
export interface DrawnSurfaceOptions {
  readonly sink: TextSink;
  readonly keys: KeySource;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Called when the size has changed; gives what takes the listener away. */
  readonly onResize: (listener: () => void) => () => void;
  readonly drawer: Drawer;
  readonly theme: Theme;
  /** The terminal is asked for its background, and the theme follows. */
  readonly asksBackground?: boolean;
  readonly glyphs: Glyphs;
  readonly bindings: Keys;
  readonly verbosity: Verbosity;
  readonly hasMotion: boolean;
  readonly bell: "bell" | "notify" | "none";
  readonly handlers: SurfaceHandlers;
  readonly completions?: AutocompleteProvider;
  readonly now: () => number;
  /** Stops this process until it is wanted again. */
  readonly suspend: (whenBack: () => void) => void;
}
