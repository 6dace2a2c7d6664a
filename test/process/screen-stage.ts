import { onTestFinished } from "vitest";
import type { ScriptStep } from "../../packages/palimpsest/src/simulator/index.js";
import { makeFolders, type Folders } from "./agent-command.js";
import { startPty, type PtyOptions, type PtyTerminal } from "./pty-terminal.js";
import { startScriptedApi, type ScriptedApi } from "./scripted-api.js";

export interface ScreenStage {
  readonly at: Folders;
  readonly api: ScriptedApi;
  /** The command in a terminal, ready for the first key. */
  readonly open: (options?: PtyOptions) => Promise<PtyTerminal>;
}

/** A simulated API that plays a script, and folders; terminals are closed with the test. */
export async function setScreen(
  steps: readonly ScriptStep[] | ((at: Folders) => readonly ScriptStep[]) = [],
): Promise<ScreenStage> {
  const at = await makeFolders("screen");
  onTestFinished(() => at.remove());
  const api = await startScriptedApi(typeof steps === "function" ? steps(at) : steps);
  onTestFinished(() => api.close());
  return {
    at,
    api,
    async open({ args = [], ...options } = {}) {
      const started = startPty(at, { ...options, args: ["--base-url", api.url, ...args] });
      onTestFinished(() => started.end());
      await started.untilScreen(/% left|esc calls it off|^>/m);
      return started;
    },
  };
}

/** A terminal of a test that has no API. */
export function openPty(at: Folders, options: PtyOptions): PtyTerminal {
  const started = startPty(at, options);
  onTestFinished(() => started.end());
  return started;
}
