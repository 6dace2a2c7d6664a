/** Calls back once, unless it is called off before. */
export interface Timer {
  /** Gives back what calls it off. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}
