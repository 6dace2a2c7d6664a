import type { TalkHandle } from "../talk/talk-handle.js";

/** Something that only the screen does, by its name. */
export interface ScreenCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** May be done while a turn is under way. */
  readonly isBeside?: boolean;
  readonly run: (args: string, talk: TalkHandle, signal: AbortSignal) => Promise<void>;
}
