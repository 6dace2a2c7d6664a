import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Starts the program of `store-writer.ts`. */
export const startWriter = (...parameters: readonly string[]): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [fileURLToPath(new URL("./store-writer.js", import.meta.url)), ...parameters]);
