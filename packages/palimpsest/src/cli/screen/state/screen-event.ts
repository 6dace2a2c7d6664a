import type { AgentEvent } from "../../../agent/base/agent-event.js";
import type { CompactionProgress } from "../../../agent/session/compaction-progress.js";
import type { Detail, GridPart, Tone } from "./item.js";
import type { Status } from "./status.js";
import type { Verbosity } from "./state.js";

/** What happens on a screen. */
export type ScreenEvent =
  | { readonly kind: "agent"; readonly event: AgentEvent }
  | { readonly kind: "compaction"; readonly progress: CompactionProgress | undefined; readonly at: number }
  /** The person said this, and it is being answered. */
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "turn-began"; readonly at: number }
  /** `text` is what has to be said of its end; empty where the answer says it all. */
  | { readonly kind: "turn-ended"; readonly text: string; readonly tone: Tone }
  | { readonly kind: "queued"; readonly text: string }
  /** The oldest message of the queue is taken, or all of them are given back. */
  | { readonly kind: "unqueued"; readonly all: boolean }
  | {
      readonly kind: "output";
      readonly text: string;
      readonly detail?: Detail;
      readonly isMarkdown?: boolean;
    }
  /** A person was asked, and took so long: nothing that is under way did. */
  | { readonly kind: "waited"; readonly milliseconds: number }
  | { readonly kind: "grid"; readonly parts: readonly GridPart[]; readonly limit: number }
  | { readonly kind: "notice"; readonly text: string; readonly tone: Tone }
  | { readonly kind: "status"; readonly status: Status }
  | { readonly kind: "verbosity"; readonly verbosity: Verbosity }
  /** So many pending items are written. */
  | { readonly kind: "flushed"; readonly items: number }
  /** So many characters of the open part are written. */
  | { readonly kind: "spilled"; readonly characters: number };
