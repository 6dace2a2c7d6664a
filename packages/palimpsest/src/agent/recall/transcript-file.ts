import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isFields } from "../base/fields.js";

/** One transcript, open for reading. */
export interface TranscriptFile {
  /** In bytes, as it was when it was opened: what is written later is not looked at. */
  readonly size: number;
  /** Fills the buffer with the bytes from `start` on; rejects where there are fewer. */
  readonly fill: (buffer: Buffer, start: number) => Promise<void>;
}

/**
 * Opens the transcript for as long as `use` takes. Undefined where there is none yet. A symbolic link or
 * anything but a plain file in its place is not read.
 */
export async function withTranscript<T>(
  path: string,
  use: (file: TranscriptFile) => Promise<T>,
): Promise<T | undefined> {
  // Not all systems know the flags; a pipe must not hold the call up.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags).catch((error: unknown) => {
    if (isFields(error) && error["code"] === "ENOENT") return undefined;
    throw unreadable(error);
  });
  if (handle === undefined) return undefined;
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw unreadable(undefined);
    return await use({
      size: status.size,
      async fill(buffer, start) {
        for (let filled = 0; filled < buffer.length;) {
          const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
          if (bytesRead === 0) throw new Error("The transcript became shorter while it was read. Try again.");
          filled += bytesRead;
        }
      },
    });
  } finally {
    await handle.close();
  }
}

/** Says no path: the model has no use for it. */
function unreadable(cause: unknown): Error {
  const code = isFields(cause) && typeof cause["code"] === "string" ? ` (${cause["code"]})` : "";
  return new Error(`The transcript of this session cannot be read${code}: nothing can be recalled.`, {
    cause,
  });
}
