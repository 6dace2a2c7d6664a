import type { EarlierPrompt } from "../../../agent/session/earlier-prompts.js";
import type { Theme } from "../theme.js";
import { PickView, type PickItem } from "./pick-view.js";

export interface HistoryViewOptions {
  readonly theme: () => Theme;
  /** Said in this conversation, the newest first. */
  readonly own: readonly string[];
  /** Said in others; they may come later. */
  readonly others: Promise<readonly EarlierPrompt[]>;
  readonly onChange: () => void;
  readonly onPicked: (text: string | undefined) => void;
}

/** What was said before, to be said again. */
export const createHistoryView = ({ theme, own, others, onChange, onPicked }: HistoryViewOptions): PickView =>
  new PickView({
    theme,
    title: "what you said before",
    items: own.map((text) => ({ value: text, label: text })),
    more: others.then((all) => all.filter(({ text }) => !own.includes(text)).map(elsewhere)),
    onChange,
    onPicked,
  });

/** A prompt of another conversation, which says so. */
const elsewhere = ({ text, updatedAt }: EarlierPrompt): PickItem => ({
  value: text,
  label: `elsewhere: ${text}`,
  description: new Date(updatedAt).toISOString().slice(0, 16).replace("T", " "),
});
