/** Headers as both `Headers` and a small object of one's own can offer them. */
export interface HeaderReader {
  /** Case-insensitive; null for a header that is absent. */
  get(name: string): string | null;
}
