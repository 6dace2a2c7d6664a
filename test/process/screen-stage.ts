import { describe, expect, onTestFinished } from "vitest";
import type { ScriptStep } from "../../packages/palimpsest/src/simulator/index.js";
import { makeFolders, type Folders } from "./agent-command.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";
import { startPty, xterm } from "./pty-terminal.js";
import type { ScreenTerminal, TerminalOptions } from "./screen-terminal.js";
import { startScriptedApi, type ScriptedApi } from "./scripted-api.js";
import { closeTmuxAfterwards, tmux } from "./tmux-terminal.js";

export interface ScreenStage<Terminal extends ScreenTerminal = ScreenTerminal> {
  readonly at: Folders;
  readonly api: ScriptedApi;
  /** The command in a terminal, ready for the first key. */
  readonly open: (options?: TerminalOptions) => Promise<Terminal>;
}

type Steps = readonly ScriptStep[] | ((at: Folders) => readonly ScriptStep[]);

/** A simulated API that plays a script, and folders; terminals are closed with the test. */
export const setScreen = (steps?: Steps): Promise<ScreenStage<ReturnType<typeof startPty>>> =>
  setStage(steps, async (at, options) => startPty(at, options));

async function setStage<Terminal extends ScreenTerminal>(
  steps: Steps = [],
  start: (at: Folders, options: TerminalOptions) => Promise<Terminal>,
): Promise<ScreenStage<Terminal>> {
  const at = await makeFolders("screen");
  onTestFinished(() => at.remove());
  const api = await startScriptedApi(typeof steps === "function" ? steps(at) : steps);
  onTestFinished(() => api.close());
  return {
    at,
    api,
    async open({ args = [], ...options } = {}) {
      const started = await start(at, { ...options, args: ["--base-url", api.url, ...args] });
      onTestFinished(() => started.end());
      await started.untilScreen(/% left|esc calls it off|^>/m);
      return started;
    },
  };
}

/** What scenarios have that are run in more than one kind of terminal. */
export interface InTerminal {
  readonly setScreen: (steps?: Steps) => Promise<ScreenStage>;
  /** A terminal of a test that has no API, or another program. */
  readonly start: (at: Folders, options: TerminalOptions) => Promise<ScreenTerminal>;
  /**
   * What is seen here at this step, and what has left the screen, must be what is seen there, but for figures, times and
   * names of folders.
   */
  readonly compare: (step: string, screen: ScreenTerminal) => Promise<void>;
}

/**
 * Runs the same scenarios in each kind of terminal, and compares what is seen in them. `npm test` plays each file in one kind, some
 * files in one and some in the other; the run `properties` plays all in both.
 */
export function describeInEach(title: string, define: (here: InTerminal) => void): void {
  closeTmuxAfterwards();
  const grids = new Map<string, { readonly where: string; readonly text: string }>();
  for (const kind of tmux.whyNot === undefined ? someOf([xterm, tmux], 1, title.length) : [xterm, tmux]) {
    const reason = kind.whyNot === undefined ? "" : ` (not run: ${kind.whyNot})`;
    describe.skipIf(kind.whyNot !== undefined)(`${title}, in ${kind.name}${reason}`, () => {
      define({
        setScreen: (steps) => setStage(steps, kind.start),
        async start(at, options) {
          const started = await kind.start(at, options);
          onTestFinished(() => started.end());
          return started;
        },
        async compare(step, screen) {
          await screen.settled();
          const key = `${expect.getState().currentTestName?.split(" > ").at(-1)}: ${step}`;
          const grid = withoutFigures(screen.all());
          const other = grids.get(key);
          if (other === undefined || other.where === kind.name)
            grids.set(key, { where: kind.name, text: grid });
          else expect(grid, `${key}: ${kind.name} and ${other.where} show the same`).toBe(other.text);
        },
      });
    });
  }
}

/** A screen without what is another one in every run. */
const withoutFigures = (text: string): string =>
  text
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/palimpsest-(?:screen|no-key)-(?:\w\n?){6}/g, "FOLDER")
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]*)+/g, "UUID")
    .replaceAll(/127\.0\.(?:\n?[.\d:]){3,}/g, "ADDRESS")
    .replaceAll(/\$\d+(?:\.\d+)?/g, "$N")
    .replaceAll(/\b\d+(?:\.\d+)?K\b/g, "NK")
    .replaceAll(/\b[\d,]+(?= tokens| → )/g, "N")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/g, "DATE")
    .replaceAll(/\b\d\d:\d\d\b/g, "HH:MM")
    // On a busy machine an answer is not over yet where all of it is seen.
    .replaceAll(/^· answering · .*\n+/gm, "")
    // What compacting would cost is worked out when all else is done.
    .replaceAll(/ · compact \$N drops NK/g, "")
    // A terminal that wraps anew may leave an empty row.
    .replaceAll(/\n{3,}/g, "\n\n");
