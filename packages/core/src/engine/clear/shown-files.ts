import type { FileRead } from "../tools/file-reads.js";

/** A result that shows files. */
export interface ShownResult {
  readonly id: string;
  /** Which call, counted as they came. */
  readonly order: number;
}

/** Which results in the context show which files. */
export class ShownFiles {
  readonly #byPath = new Map<string, Map<ShownResult, FileRead>>();
  /** By path: the newest result that shows the whole file. */
  readonly #newestWhole = new Map<string, ShownResult>();

  add(result: ShownResult, reads: readonly FileRead[]): void {
    for (const read of reads) {
      const shown = this.#byPath.get(read.path) ?? new Map<ShownResult, FileRead>();
      this.#byPath.set(read.path, shown.set(result, read));
      const newest = this.#newestWhole.get(read.path);
      if (read.isWhole && result.order >= (newest?.order ?? 0)) this.#newestWhole.set(read.path, result);
    }
  }

  remove(result: ShownResult, reads: readonly FileRead[]): void {
    for (const { path } of reads) {
      const shown = this.#byPath.get(path);
      shown?.delete(result);
      if (this.#newestWhole.get(path) !== result) continue;
      this.#newestWhole.delete(path);
      for (const [other, read] of shown ?? []) {
        const newest = this.#newestWhole.get(path);
        if (read.isWhole && other.order >= (newest?.order ?? 0)) this.#newestWhole.set(path, other);
      }
    }
  }

  /** Whether each of these files is shown in full by a newer result. */
  isReplaced(result: ShownResult, reads: readonly FileRead[]): boolean {
    return (
      reads.length > 0 && reads.every(({ path }) => (this.#newestWhole.get(path)?.order ?? -1) > result.order)
    );
  }

  /** Whether a newer result than this one, and none of `without`, shows the file. */
  isShownAfter(path: string, result: ShownResult, without: ReadonlySet<string>): boolean {
    const shown = [...(this.#byPath.get(path)?.keys() ?? [])];
    return shown.some((other) => other.order > result.order && !without.has(other.id));
  }
}
