/** The few standard globals that the core uses beyond its `lib`; nothing of Node. */
interface String {
  /** ES2024; in every runtime this project supports. */
  isWellFormed(): boolean;
  toWellFormed(): string;
}
