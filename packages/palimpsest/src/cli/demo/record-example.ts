import { mkdir, readdir, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { version } from "../version.js";
import { runDemo } from "./demo-run.js";
import { makeDemoWorkspace } from "./demo-workspace.js";

export interface ExampleOptions {
  /** Where this program keeps what it makes. */
  readonly dataDirectory: string;
  /** Where programs are. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Told how many answers there are so far, while it is being made. */
  readonly onProgress: (responses: number) => void;
}

/**
 * The folder of a recording with all of its requests that this program made itself: the demo's, with compactions, a subagent
 * and pauses. It is made with the first call of a version and kept. Rejects where the disk does, or the demo did not come to
 * its end.
 */
export async function recordExample({
  dataDirectory,
  path,
  signal,
  onProgress,
}: ExampleOptions): Promise<string> {
  const folder = join(dataDirectory, "example", version);
  if ((await readdir(folder).catch(() => [])).length > 0) return folder;
  const making = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const workspace = await makeDemoWorkspace();
  let responses = 0;
  let now = Date.now;
  try {
    const { problem } = await runDemo({
      workspace,
      without: new Set(),
      path,
      signal,
      recordFolder: making,
      // Its pauses are not waited for: it was over before it was made, and nothing of it goes on.
      startTime: Date.now() - A_DAY,
      onEvent: (event) => {
        if (event.kind === "opened") now = event.now;
        if (event.kind !== "meter") return;
        responses += 1;
        onProgress(responses);
      },
    });
    signal.throwIfAborted();
    if (problem !== undefined) throw new Error(`the example could not be made (${problem})`);
    await setTimes(making, new Date(now()));
    // Whoever was faster has made the same.
    await rename(making, folder).catch(async (error: unknown) => {
      if ((await readdir(folder).catch(() => [])).length === 0) throw error;
    });
    return folder;
  } finally {
    await rm(making, { recursive: true, force: true });
    await workspace.remove();
  }
}

const A_DAY = 24 * 60 * 60 * 1000;

/** As if the files had last been written then. */
async function setTimes(folder: string, at: Date): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => utimes(join(parentPath, name), at, at)),
  );
}
