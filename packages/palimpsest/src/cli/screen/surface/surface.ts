import type { EarlierPrompt } from "../../../agent/session/earlier-prompts.js";
import type { Look } from "../lines/look.js";
import type { ScreenEvent } from "../state/screen-event.js";
import type { ScreenState } from "../state/state.js";
import type { Choice, Chosen } from "../views/choice-view.js";
import type { PickItem } from "../views/pick-view.js";

export interface Question {
  /** What is asked about, as lines. */
  readonly about: (look: Look) => readonly string[];
  readonly choices: readonly Choice[];
  readonly isMultiple?: boolean;
}

/** What a person does by themselves. */
export interface SurfaceHandlers {
  readonly onSubmit: (text: string) => void;
  /** They want what is under way to stop; whether something was. */
  readonly onInterrupt: () => boolean;
  /** They want to go back in the conversation. */
  readonly onRewind: () => void;
  readonly onMode: () => void;
  /** They leave. */
  readonly onLeave: () => void;
  /** They want to have what waits back, to edit it. */
  readonly takeQueued: () => string | undefined;
  /** What stands in the place of what they paste; undefined, at once or later, where that is words. Never rejects. */
  readonly onPaste: (text: string) => Promise<string | undefined> | undefined;
  /** What they said in other conversations of this directory, the newest first. Never rejects. */
  readonly earlierPrompts: () => Promise<readonly EarlierPrompt[]>;
}

/** Where the agent meets a person: a terminal that is drawn on, or one that only gets lines. */
export interface Surface {
  readonly dispatch: (event: ScreenEvent) => void;
  readonly state: () => ScreenState;
  /** Undefined where the person called it off, or the signal did. */
  readonly ask: (question: Question, signal?: AbortSignal) => Promise<Chosen | undefined>;
  readonly pick: (list: {
    readonly title: string;
    readonly items: readonly PickItem[];
    readonly selected?: number;
  }) => Promise<string | undefined>;
  /** A text that the person may change; undefined where they called it off. */
  readonly edit: (title: string, text: string) => Promise<string | undefined>;
  /** What is whole of what happened last, the newest first. */
  readonly showDetails: () => void;
  /** What stands where the person types. */
  readonly setText: (text: string) => void;
  /** Prompts of earlier, the oldest first. */
  readonly remember: (prompts: readonly string[]) => void;
  /** Somebody is waited for. */
  readonly ring: (words: string) => void;
  /** Calls off whatever the person is asked. */
  readonly cancel: () => void;
  /** Draws what is left, and gives the terminal back as it was. */
  readonly close: () => void;
}
