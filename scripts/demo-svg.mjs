import { readFileSync } from "node:fs";

/**
 * Draws what a terminal shows at the end of a recording of script(1), for the README: its first and its last rows,
 * and of those between what the person said and what was done to the context.
 * Knows what the demo writes: colours, a cursor that goes up, and erasing below it.
 *
 *     node scripts/demo-svg.mjs RECORDING [HEAD [TAIL]] > docs/demo.svg
 */
const [file, head = "8", tail = "33"] = process.argv.slice(2);
if (file === undefined) throw new Error("the recording is missing");

const COLUMNS = 100;
const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
const INK = "#d6d9de";
const colours = { 31: "#ff6b6b", 32: "#7bd88f", 33: "#f5c86b", 35: "#c79bf2", 36: "#6fc3df" };

/** Rows of cells: a character with its style. */
function screenOf(recording) {
  const rows = [[]];
  let [row, column] = [0, 0];
  let style = {};
  const sequence = /\u001b\[(\d*(?:;\d+)*)([A-Za-z])|\r|\n|[^]/gu;
  for (const [text, numbers, kind] of recording.matchAll(sequence)) {
    if (kind === "m") style = styleOf(numbers, style);
    else if (kind === "A") row = Math.max(0, row - Number(numbers || 1));
    else if (kind === "J") {
      rows.length = row + 1;
      rows[row].length = column;
    } else if (text === "\r") column = 0;
    else if (text === "\n") {
      row += 1;
      rows[row] ??= [];
    } else if (kind === undefined) {
      rows[row][column] = { text, style };
      column += 1;
    }
  }
  return rows;
}

function styleOf(numbers, before) {
  const number = Number(numbers || 0);
  if (number === 0) return {};
  if (number === 1) return { ...before, bold: true };
  if (number === 2) return { ...before, dim: true };
  return colours[number] === undefined ? before : { ...before, colour: colours[number] };
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Neighbours of one style together; each run stands where its first cell does. */
function drawn(cells, y) {
  const runs = [];
  for (const [column, cell] of [...cells].entries()) {
    const { text = " ", style = {} } = cell ?? {};
    const key = JSON.stringify(style);
    const last = runs.at(-1);
    if (last?.key === key) last.text += text;
    else runs.push({ key, style, text, column });
  }
  return runs
    .filter(({ text }) => text.trim() !== "")
    .map(({ style, text, column }) => {
      const { bold, dim, colour = INK } = style;
      const [lead] = /^ */.exec(text);
      const x = (MARGIN + (column + lead.length) * CELL.width).toFixed(1);
      const shown = text.trim().replaceAll(" ", "\u00a0");
      const length = ([...shown].length * CELL.width).toFixed(1);
      const more = `${bold ? ' font-weight="bold"' : ""}${dim ? ' opacity="0.6"' : ""}`;
      return `<text x="${x}" y="${y}" fill="${colour}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${more}>${escaped(shown)}</text>`;
    })
    .join("");
}

const recording = readFileSync(file, "utf8")
  .replace(/^Script started[^\n]*\n/, "")
  .replace(/\n*Script done[^\n]*\n*$/, "");
const all = screenOf(recording);
while (all.length > 0 && all.at(-1).length === 0) all.pop();
const textOf = (cells) => [...cells].map((cell) => cell?.text ?? " ").join("");
const telling = /◆|^> |simulated minutes|^ {4}\S/;
const isTelling = (row) => telling.test(textOf(all[row] ?? []));
const isBlank = (row) => textOf(all[row] ?? []).trim() === "";
const isShown = (row) =>
  row < Number(head) ||
  row >= all.length - Number(tail) ||
  isTelling(row) ||
  (isBlank(row) && (isTelling(row - 1) || isTelling(row + 1))) ||
  (isTelling(row + 1) && textOf(all[row + 1]).includes("◆"));
const rest = [undefined, undefined, { text: "⋮", style: { dim: true } }];
const rows = all.flatMap((cells, row) => {
  if (isShown(row)) return [cells];
  return isShown(row - 1) ? [rest] : [];
});
const [width, height] = [
  Math.ceil(COLUMNS * CELL.width + 2 * MARGIN),
  Math.ceil(rows.length * CELL.height + 2 * MARGIN),
];
const lines = rows
  .map((cells, row) => drawn(cells, MARGIN + (row + 0.75) * CELL.height))
  .filter((line) => line !== "");
process.stdout.write(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">\n` +
    `<title>palimpsest demo</title>\n<rect width="100%" height="100%" rx="8" fill="#16191e"/>\n${lines.join("\n")}\n</svg>\n`,
);
