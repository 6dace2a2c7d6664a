/** One measured number. Names are a contract: they may become more, but stay what they are. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
}

/** `ratio` is a share (0.042 is 4.2%) or how many times one figure is another. */
type Unit =
  | "$"
  | "MB"
  | "MB/s"
  | "bytes"
  | "commands"
  | "conversations"
  | "messages"
  | "ms"
  | "ratio"
  | "requests"
  | "requests/s"
  | "tokens"
  | "turns"
  | "µs";
