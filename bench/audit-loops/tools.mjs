/** The two tools of the audit. Nothing is run: what the judge's command would print is made here. */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";

export const [url, model, prompt, data, window] = process.argv.slice(2);
export const system = "You audit with care and report what is wrong.";
export const settings = { window: Number(window) };
export const onStep = ({ text }) => console.error(text);

const COMMAND = /^seq -f '([^']*)%05g([^']*)' 1 (\d{1,5})$/;

/** The rows that the one command of the script prints. */
export function bash({ command }) {
  const [, before, after, rows] = COMMAND.exec(command) ?? [];
  if (rows === undefined) throw new Error(`the script's command is another one now: ${command}`);
  return Array.from(
    { length: Number(rows) },
    (_, row) => `${before}${String(row + 1).padStart(5, "0")}${after}\n`,
  ).join("");
}

export const read = ({ file_path: path }) => readFile(join(data, basename(path)), "utf8");

const text = (description) => ({ type: "string", description });

export const tools = [
  {
    name: "Bash",
    description: "Runs a command in a shell and gives what it printed.",
    schema: { type: "object", properties: { command: text("The command.") }, required: ["command"] },
    run: bash,
  },
  {
    name: "Read",
    description: "Reads a file.",
    schema: { type: "object", properties: { file_path: text("Its path.") }, required: ["file_path"] },
    run: read,
  },
];
