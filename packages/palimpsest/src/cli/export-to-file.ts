import { writeFile } from "node:fs/promises";
import { createInspector, type InspectorOptions } from "../inspector/live/create-inspector.js";
import { createProgress, formatNumber, printable, type Terminal } from "./terminal.js";

export interface ExportToFile {
  readonly file: string;
  readonly overwrites: boolean;
  /** Of several conversations, such as one with its subagents', the largest. Else several are refused. */
  readonly takesLargest: boolean;
  readonly terminal: Terminal;
}

/** Writes the one conversation that is found to a file that only this user can read. Gives the exit code. */
export async function exportToFile(
  options: InspectorOptions,
  { file, overwrites, takesLargest, terminal }: ExportToFile,
): Promise<number> {
  const say = (sentence: string): void => void terminal.stderr.write(`palimpsest: ${printable(sentence)}\n`);
  const progress = createProgress(terminal.stderr);
  const inspector = createInspector(options);
  try {
    const conversations = await inspector.library.list();
    const [first] = conversations.toSorted((one, other) => other.bytes - one.bytes);
    if (conversations.length !== 1 && !takesLargest) {
      say(
        `an export is of one conversation, and there are ${formatNumber(conversations.length)}: name its file`,
      );
      return 2;
    }
    progress.show("reading the conversation");
    const page = first && (await inspector.exportPage(first.id));
    progress.clear();
    if (page === undefined) {
      say(`${first?.place ?? file} cannot be read, so there is nothing to export`);
      return 1;
    }
    await writeFile(file, page.html, { flag: overwrites ? "w" : "wx", mode: 0o600 });
    const size = (Buffer.byteLength(page.html) / 1024 / 1024).toFixed(1);
    terminal.stdout.write(`${printable(file)}: ${size} MB, without what looks like a key\n`);
    if (page.leftOut !== null) say(page.leftOut);
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    say(`${file} is there already: choose another name, or overwrite it with --force`);
    return 1;
  } finally {
    progress.clear();
    await inspector.close();
  }
}
