import { printable } from "./terminal.js";

/** The first column is text, the others are figures; the last one is as long as it has to be. */
export function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [titles, ...rows].map((row) => row.map(printable));
  const widths = titles.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? "").length)));
  return cells
    .map((row) => {
      const line = row.map((cell, at) => {
        const isText = at === 0 || at === row.length - 1;
        return isText ? cell.padEnd(at === 0 ? (widths[at] ?? 0) : 0) : cell.padStart(widths[at] ?? 0);
      });
      return `${line.join("  ").trimEnd()}\n`;
    })
    .join("");
}

/** The name of a file without its folders, cut in the middle where it is long. */
export function shortName(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return name.length > 36 ? `${name.slice(0, 17)}…${name.slice(-18)}` : name;
}
