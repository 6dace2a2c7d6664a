import type { ScreenState } from "../state/state.js";
import type { Status } from "../state/status.js";

export interface WatchedTimeOptions {
  readonly now: () => number;
  readonly hasMotion: boolean;
  /** A second of what is under way has gone by. */
  readonly onSecond: () => void;
  /** The cache has gone cold. */
  readonly onCold: (status: Status) => void;
}

/** Seconds are counted while something is under way; the moment when the cache goes cold is told once. */
export class WatchedTime {
  readonly #options: WatchedTimeOptions;
  #ticker: NodeJS.Timeout | undefined;
  #cooling: NodeJS.Timeout | undefined;

  constructor(options: WatchedTimeOptions) {
    this.#options = options;
  }

  see({ activity, compaction, status }: Pick<ScreenState, "activity" | "compaction" | "status">): void {
    const { hasMotion, onSecond, onCold, now } = this.#options;
    const isBusy = activity !== undefined || compaction !== undefined;
    if (isBusy && this.#ticker === undefined && hasMotion) {
      this.#ticker = setInterval(onSecond, 1000);
      this.#ticker.unref();
    } else if (!isBusy && this.#ticker !== undefined) {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
    }
    clearTimeout(this.#cooling);
    if (status?.warmUntil === undefined || !status.isWarm) return;
    this.#cooling = setTimeout(() => onCold(status), Math.max(0, status.warmUntil - now()));
    this.#cooling.unref();
  }

  stop(): void {
    clearInterval(this.#ticker);
    clearTimeout(this.#cooling);
  }
}
