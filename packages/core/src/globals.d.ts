/** The few standard globals that the core uses beyond its `lib`; nothing of Node. */
interface String {
  /** ES2024; in every runtime this project supports. */
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/** As far as the core hands one on or asks it. */
interface AbortSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
