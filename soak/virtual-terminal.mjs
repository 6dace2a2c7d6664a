import { visibleWidth } from "@earendil-works/pi-tui";
import xterm from "@xterm/headless";

const isRegional = (point) => point >= 0x1f1e6 && point <= 0x1f1ff;
const widths = new Map();

/** Columns of each character by itself, as terminals of today have them; those of xterm.js are twenty years old. */
function widthOf(point) {
  let width = widths.get(point);
  if (width === undefined) {
    width = isRegional(point) ? 1 : visibleWidth(String.fromCodePoint(point));
    widths.set(point, width);
  }
  return width;
}

const ofToday = {
  version: "today",
  wcwidth: widthOf,
  charProperties(point, preceding) {
    const own = widthOf(point);
    const before = (preceding >> 1) & 3;
    const joins = own === 0 && preceding !== 0 && before !== 0;
    return ((joins ? Math.max(own, before) : own) << 1) | (joins ? 1 : 0);
  },
};

/** A terminal as programs know it, without a window. */
export function createVirtualTerminal({ columns, rows }) {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  terminal.unicode.register(ofToday);
  terminal.unicode.activeVersion = "today";
  let title = "";
  terminal.onTitleChange((next) => {
    title = next;
  });
  const row = (at) => terminal.buffer.active.getLine(at);
  const line = (at) => row(at)?.translateToString(true) ?? "";
  return {
    columns: () => terminal.cols,
    rows: () => terminal.rows,
    resize: (nextColumns, nextRows) => terminal.resize(nextColumns, nextRows),
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    screen: () => Array.from({ length: terminal.rows }, (_, at) => line(terminal.buffer.active.baseY + at)),
    scrollback: () => Array.from({ length: terminal.buffer.active.baseY }, (_, at) => line(at)),
    logicalLines() {
      const { length } = terminal.buffer.active;
      const lines = [];
      for (let at = 0; at < length; at += 1) {
        const isJoined = row(at)?.isWrapped === true && lines.length > 0;
        // A row that goes on in the next one is full: blanks at its end count.
        const isFull = row(at + 1)?.isWrapped === true;
        const whole = row(at)?.translateToString(!isFull) ?? "";
        // A wide character that did not fit any more has left a cell empty.
        const last = row(at)?.getCell(terminal.cols - 1);
        const isEmpty = last?.getChars() === "" && last.getWidth() === 1;
        const isShort =
          isFull &&
          isEmpty &&
          row(at + 1)
            ?.getCell(0)
            ?.getWidth() === 2;
        const text = isShort ? whole.slice(0, -1) : whole;
        if (isJoined) lines[lines.length - 1] += text;
        else lines.push(text);
      }
      return lines.map((text) => text.trimEnd());
    },
    cells: (at) => {
      const found = row(terminal.buffer.active.baseY + at);
      return Array.from({ length: terminal.cols }, (_, column) => {
        const cell = found?.getCell(column);
        return {
          text: cell?.getChars() ?? "",
          width: cell?.getWidth() ?? 1,
          colour: cell?.isFgDefault() === false ? cell.getFgColor() : undefined,
          isBold: cell?.isBold() === 1 || (cell?.isBold() ?? 0) > 0,
          isDim: (cell?.isDim() ?? 0) > 0,
        };
      });
    },
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    title: () => title,
    dispose: () => terminal.dispose(),
  };
}
