import type { Readable } from "node:stream";

/** What a command writes to and reads from. */
export interface Terminal {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Default: this process's own. */
  readonly stdin?: PipedInput;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where a prompt may be piped in. */
export type PipedInput = Readable & { readonly isTTY?: boolean; readonly fd?: number };

export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The same terminal, on which no key is ever written. What is written comes in whole lines. */
export function hidingTerminal(terminal: Terminal, hide: (text: string) => string): Terminal {
  const hiding = (sink: TextSink): TextSink => ({
    write: (text) => sink.write(hide(text)),
    ...(sink.isTTY === undefined ? {} : { isTTY: sink.isTTY }),
  });
  return { ...terminal, stdout: hiding(terminal.stdout), stderr: hiding(terminal.stderr) };
}

/** Text from files, models and tools with everything that could steer a terminal made visible. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (char) =>
    char === "\n" ? " " : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** As `printable`, for texts of several lines: line ends and tabs stay. */
export const printableText = (text: string): string => text.split("\n").map(printableLine).join("\n");

const printableLine = (line: string): string => line.replace(/\r$/, "").split("\t").map(printable).join("\t");

/** A value as JSON on one line that steers no terminal: what `JSON.stringify` lets through is escaped as well. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A line that is overwritten as work goes on: on a terminal only, never in a pipe or a file. */
export function createProgress(sink: TextSink): { show(text: string): void; clear(): void } {
  if (sink.isTTY !== true) return { show: () => {}, clear: () => {} };
  return {
    show: (text) => void sink.write(`\r\u001b[2K${printable(text)}`),
    clear: () => void sink.write("\r\u001b[2K"),
  };
}

let separated: Intl.NumberFormat | undefined;

/** Made with the first number: what it loads is a tenth of the shortest command. */
export const formatNumber = (value: number): string =>
  (separated ??= new Intl.NumberFormat("en-US")).format(value);

/** `1 file`, `2 files`. */
export const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
