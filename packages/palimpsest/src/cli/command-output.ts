import type { OutputConfiguration } from "commander";
import type { Terminal } from "./terminal.js";

/** Where a command prints, and how what is wrong with its words begins: as every other message of the program. */
export const commandOutput = (terminal: Terminal): OutputConfiguration => ({
  writeOut: (text) => void terminal.stdout.write(text),
  writeErr: (text) => void terminal.stderr.write(text),
  outputError: (text, write) => write(`palimpsest: ${text.replace(/^error: /, "")}`),
});
