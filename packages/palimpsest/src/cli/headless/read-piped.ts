import { fstatSync } from "node:fs";
import type { PipedInput } from "../terminal.js";

/** How long the first byte is waited for, where a prompt is there anyway. */
const PIPE_WAIT_MS = 3000;
/** Programs that start this one often leave such a connection open and never use it. */
const SOCKET_WAIT_MS = 300;

/** No server takes a longer request. */
export const MOST_INPUT_BYTES = 32 * 1024 * 1024;

export interface PipedText {
  readonly text: string;
  /** Nothing came for so long, and nothing was waited for any longer. */
  readonly hasTimedOut: boolean;
  /** There was more than can be sent, and it was not read to its end. */
  readonly isTooLong: boolean;
}

/**
 * What is piped in, without the space around it. Where it is needed it is waited for; where it is not, only as long as
 * somebody seems to write. A terminal is never read.
 */
export async function readPiped(
  input: PipedInput,
  { isNeeded, signal }: { readonly isNeeded: boolean; readonly signal: AbortSignal },
): Promise<PipedText> {
  const none = { text: "", hasTimedOut: false, isTooLong: false };
  const kind = kindOf(input);
  if (kind === "none" || (kind === "device" && !isNeeded) || signal.aborted) return none;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const waitMs = kind === "socket" ? SOCKET_WAIT_MS : PIPE_WAIT_MS;
    const timer = isNeeded ? undefined : setTimeout(() => finish(kind === "pipe"), waitMs);
    const finish = (hasTimedOut: boolean): void => {
      clearTimeout(timer);
      input.off("data", onData);
      input.off("end", onEnd);
      input.off("error", onEnd);
      signal.removeEventListener("abort", onEnd);
      const isTooLong = bytes > MOST_INPUT_BYTES;
      // What is left open is nobody's reason to stay.
      if (isTooLong) input.destroy();
      else input.pause();
      const text = isTooLong ? "" : Buffer.concat(chunks).toString("utf8").trim();
      resolve({ text, hasTimedOut, isTooLong });
    };
    const onData = (chunk: Buffer | string): void => {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > MOST_INPUT_BYTES) finish(false);
    };
    const onEnd = (): void => finish(false);
    input.on("data", onData);
    input.once("end", onEnd);
    input.once("error", onEnd);
    signal.addEventListener("abort", onEnd, { once: true });
  });
}

type InputKind = "none" | "device" | "pipe" | "socket";

function kindOf({ isTTY, fd }: PipedInput): InputKind {
  if (isTTY === true) return "none";
  if (fd === undefined) return "pipe";
  try {
    const status = fstatSync(fd);
    if (status.isFIFO() || status.isFile()) return "pipe";
    return status.isSocket() ? "socket" : "device";
  } catch {
    return "none";
  }
}
