import { startInspector } from "../../inspector/live/start-inspector.js";
import { findConversations } from "../../inspector/live/find-conversations.js";
import { gatewayPlace } from "../../inspector/live/conversation-places.js";
import type { KeySource } from "../screen/surface/terminal-mode.js";

export interface ShowRecordingOptions {
  readonly recordFolder: string;
  /** Where the inspector keeps what it makes. */
  readonly dataDirectory: string;
  readonly keys: KeySource;
  readonly write: (lines: readonly string[]) => void;
  readonly signal: AbortSignal;
}

/** Shows a recording in the inspector until a key is pressed, or the signal says that it is over. */
export async function showRecording(options: ShowRecordingOptions): Promise<void> {
  const { recordFolder, dataDirectory, keys, write, signal } = options;
  if (signal.aborted) return;
  const inspector = await startInspector({
    find: () => findConversations([{ ...gatewayPlace(recordFolder), agent: "palimpsest" }]),
    dataDirectory,
    env: {},
  });
  try {
    write(["", "Every request of this run, in a browser (any key ends it):", inspector.url]);
    await keyOrEnd(keys, signal);
  } finally {
    await inspector.close();
  }
}

async function keyOrEnd(keys: KeySource, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  keys.setRawMode?.(true);
  try {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        keys.removeListener("data", done);
        keys.removeListener("end", done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      keys.on("data", done);
      // The terminal is gone.
      keys.on("end", done);
      signal.addEventListener("abort", done);
      keys.resume();
    });
  } finally {
    keys.pause();
    keys.setRawMode?.(false);
  }
}
