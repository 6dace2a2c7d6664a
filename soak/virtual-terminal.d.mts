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
  /** All of it, with rows joined that the terminal itself has wrapped. */
  readonly logicalLines: () => readonly string[];
  /** The cells of a row of the screen, as they look. */
  readonly cells: (row: number) => readonly VirtualCell[];
  readonly cursor: () => { readonly row: number; readonly column: number };
  readonly title: () => string;
  readonly dispose: () => void;
}

export interface VirtualCell {
  readonly text: string;
  readonly width: number;
  readonly colour: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export function createVirtualTerminal(size: {
  readonly columns: number;
  readonly rows: number;
}): VirtualTerminal;
