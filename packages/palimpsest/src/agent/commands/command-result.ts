import type { EngineStep } from "@palimpsest/core";

/** What came of a command. */
export interface CommandResult {
  readonly kind: "done" | "failed";
  /** For the person; where it failed one sentence. */
  readonly text: string;
  /** The same for programs. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** What it did to the conversation, to be told as what the engine does on its own is. */
  readonly step?: EngineStep;
  /** The conversation goes on as a new one. */
  readonly startsAnew?: boolean;
}
