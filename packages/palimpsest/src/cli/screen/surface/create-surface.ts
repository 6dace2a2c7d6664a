import type { AutocompleteProvider } from "@earendil-works/pi-tui";
import { glyphs, plainGlyphs } from "../lines/glyphs.js";
import { readScreenSettings } from "../settings.js";
import { asciiLine, takesUtf8 } from "../text/ascii.js";
import { themeNamed } from "../theme.js";
import { FullScreenWriter } from "../writer/full-screen-writer.js";
import { ScreenWriter } from "../writer/screen-writer.js";
import { DrawnSurface } from "./drawn-surface.js";
import { LineSurface } from "./line-surface.js";
import type { ScreenIo } from "./screen-io.js";
import type { Surface, SurfaceHandlers } from "./surface.js";

export interface CreateSurfaceOptions {
  readonly io: ScreenIo;
  readonly handlers: SurfaceHandlers;
  readonly configDirectory: string;
  readonly wantsFullScreen: boolean | undefined;
  /** Takes keys out of a line. */
  readonly hide: (line: string) => string;
  readonly completions: AutocompleteProvider;
}

type Environment = ScreenIo["terminal"]["env"];

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "0";

/** Terminals that leave what is on them as it is when they get narrower. */
const reflows = (env: Environment): boolean =>
  env["XTERM_VERSION"] === undefined &&
  !/^(?:linux|screen)/.test(env["TMUX"] === undefined ? (env["TERM"] ?? "") : "");

/** The surface that fits the terminal: drawn on, or lines alone. */
export async function createSurface(options: CreateSurfaceOptions): Promise<Surface> {
  const { io, handlers, configDirectory, wantsFullScreen, hide, completions } = options;
  const { terminal, keys, stdout } = io;
  const { env } = terminal;
  const { settings, problems } = await readScreenSettings(configDirectory);
  const isUtf8 = takesUtf8(env);
  const isDumb = env["TERM"] === "dumb";
  const hasColours = !isSet(env["NO_COLOR"]) && !isDumb;
  const theme = themeNamed(settings.theme, { env, hasColours });
  const finish = (line: string): string => (isUtf8 ? hide(line) : asciiLine(hide(line)));
  const size = (): { readonly columns: number; readonly rows: number } => ({
    columns: Math.max(8, stdout.columns || 80),
    rows: Math.max(4, stdout.rows || 24),
  });
  const common = {
    theme,
    glyphs: isUtf8 ? glyphs : plainGlyphs,
    verbosity: settings.verbosity,
    bell: settings.bell,
    handlers,
  };
  const sink = { write: (text: string) => stdout.write(text) };
  const surface = createFitting();
  for (const text of problems) surface.dispatch({ kind: "notice", text, tone: "warn" });
  return surface;

  function createFitting(): Surface {
    if (isDumb || isSet(env["ACCESSIBLE"])) {
      return new LineSurface({ ...common, sink, keys, width: () => size().columns, finish });
    }
    const isFull = wantsFullScreen ?? settings.fullScreen;
    const drawer = isFull
      ? new FullScreenWriter({ sink, size, finish })
      : new ScreenWriter({ sink, size, reflows: reflows(env), finish });
    return new DrawnSurface({
      ...common,
      sink,
      keys,
      size,
      onResize(listener) {
        stdout.on("resize", listener);
        return () => void stdout.removeListener("resize", listener);
      },
      drawer,
      asksBackground: settings.theme === "auto" && hasColours && env["COLORFGBG"] === undefined,
      bindings: settings.keys,
      hasMotion: settings.motion && !isSet(env["REDUCED_MOTION"]),
      completions,
      now: Date.now,
      suspend(whenBack) {
        process.once("SIGCONT", whenBack);
        // The whole group, as a shell does: npm in front of this program has to stop too.
        process.kill(0, "SIGTSTP");
      },
    });
  }
}
