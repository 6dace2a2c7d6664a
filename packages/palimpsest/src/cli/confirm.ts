import { createInterface } from "node:readline/promises";
import type { TextSink } from "./terminal.js";

/** What a person types into; `isTTY` where it is a person. */
export interface TextSource extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

/**
 * Asks a person, who has to say `y` or `yes`; anything else, or the end of the input, is a no. Undefined where nobody
 * can be asked: then nothing is written.
 */
export async function confirm(
  question: string,
  { stdin, stderr }: { readonly stdin: TextSource; readonly stderr: TextSink },
): Promise<boolean | undefined> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
  stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    for await (const line of lines) return /^y(?:es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}
