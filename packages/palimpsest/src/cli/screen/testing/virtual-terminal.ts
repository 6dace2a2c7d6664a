import xterm from "@xterm/headless";

/** A terminal as programs know it, without a window. */
export interface VirtualTerminal {
  readonly columns: () => number;
  readonly rows: () => number;
  readonly resize: (columns: number, rows: number) => void;
  /** Resolves once it has been carried out. */
  readonly write: (text: string) => Promise<void>;
  /** What is seen, without blanks at the ends of lines. */
  readonly screen: () => readonly string[];
  /** What has left the screen at its top, the oldest first. */
  readonly scrollback: () => readonly string[];
  readonly cursor: () => { readonly row: number; readonly column: number };
  readonly title: () => string;
  readonly dispose: () => void;
}

export function createVirtualTerminal({
  columns,
  rows,
}: {
  readonly columns: number;
  readonly rows: number;
}): VirtualTerminal {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  let title = "";
  terminal.onTitleChange((next: string) => {
    title = next;
  });
  const line = (at: number): string => terminal.buffer.active.getLine(at)?.translateToString(true) ?? "";
  return {
    columns: () => terminal.cols,
    rows: () => terminal.rows,
    resize: (nextColumns, nextRows) => terminal.resize(nextColumns, nextRows),
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    screen: () => Array.from({ length: terminal.rows }, (_, at) => line(terminal.buffer.active.baseY + at)),
    scrollback: () => Array.from({ length: terminal.buffer.active.baseY }, (_, at) => line(at)),
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    title: () => title,
    dispose: () => terminal.dispose(),
  };
}
