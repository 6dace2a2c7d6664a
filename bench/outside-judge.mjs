/** The fake of the Messages API that nobody here wrote, and the long audit that is run on it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const PROMPT =
  "Run the long audit: do step after step with your tools, one at a time, until all steps are done.";
export const MODEL = "claude-haiku-4-5";
export const WINDOW = 200_000;
/** Every so many steps the script reads a file. */
const READ_EVERY = 10;
const LINES = 130;
const LINE_CHARACTERS = 70;

/** Undefined, with a line that says why, where there is none. */
export function outsideJudge() {
  const judge = process.env.PALIMPSEST_OUTSIDE_JUDGE;
  // It only starts under its own name, whatever links lead to it.
  if (judge !== undefined && existsSync(judge)) return realpathSync(judge);
  console.error("the outside judge is not asked: PALIMPSEST_OUTSIDE_JUDGE names no fake-api.mjs");
  return undefined;
}

export const flags = (values) =>
  Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** The files that the script reads. */
export async function writeData(folder, steps) {
  await mkdir(folder, { recursive: true });
  for (let step = READ_EVERY; step <= steps; step += READ_EVERY) {
    const name = String(step).padStart(3, "0");
    const line = (row) => `row ${row} of file ${name} `.padEnd(LINE_CHARACTERS - 1, "lorem ipsum dolor ");
    const text = Array.from({ length: LINES }, (_, row) => `${line(row + 1)}\n`).join("");
    await writeFile(join(folder, `file_${name}.txt`), text);
  }
}

/** The judge on a free port; a port that somebody took meanwhile is tried again. */
export async function startJudge(judge, options) {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const child = spawn(process.execPath, [judge, ...flags({ port, ...options })], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const isUp = await Promise.race([
      once(child.stdout, "data").then(() => true),
      once(child, "close").then(() => false),
    ]);
    if (isUp) return { url: `http://127.0.0.1:${port}`, process: child };
  }
  throw new Error("the outside judge does not start");
}

/** What the whole run cost, in tokens of input. */
export const equivalentsOf = ({ input, cacheWrite5m, cacheWrite1h, cacheRead, output }) =>
  input + 1.25 * cacheWrite5m + 2 * cacheWrite1h + 0.1 * cacheRead + 5 * output;
