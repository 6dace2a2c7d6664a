import { isPressed } from "../input/key-names.js";
import { PromptView, type PromptViewOptions } from "./prompt-view.js";
import type { View } from "./view.js";

const CTRL_C = "\u0003";

/** A text that a person may change; undefined where they call it off. */
export function createEditView({
  title,
  text,
  onEdited,
  ...options
}: Pick<PromptViewOptions, "theme" | "rows" | "onChange"> & {
  readonly title: string;
  readonly text: string;
  readonly onEdited: (text: string | undefined) => void;
}): View {
  const view = new PromptView({ ...options, onSubmit: onEdited });
  view.title = title;
  view.text = text;
  return {
    render: (look) => view.render(look),
    handleInput: (data) =>
      isPressed(data, "escape") || data === CTRL_C ? onEdited(undefined) : view.handleInput(data),
  };
}
