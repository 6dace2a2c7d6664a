import { isFields } from "../../messages/fields.js";
import type { ToolUseBlock } from "../../messages/content.js";
import { keepsTemplate } from "./template.js";

/** How the host's edit tool says what it wants. */
export interface NotesEditTool {
  readonly name: string;
  /** Undefined for an input that is no edit. */
  readonly read: (input: unknown) => NotesEdit | undefined;
}

export interface NotesEdit {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly isEverywhere?: boolean;
}

export type EditOutcome =
  | { readonly kind: "edited"; readonly notes: string }
  /** Nothing was changed; the sentence is for the model. */
  | { readonly kind: "refused"; readonly message: string };

const refused = (message: string): EditOutcome => ({ kind: "refused", message });

/** The edit tool as most agents have it: a path, a text and what it becomes. */
export const commonEditTool = (name = "Edit"): NotesEditTool => ({
  name,
  read(input) {
    if (!isFields(input)) return undefined;
    const path = input["file_path"] ?? input["path"] ?? input["filePath"];
    const oldText = input["old_string"] ?? input["old_text"] ?? input["oldText"];
    const newText = input["new_string"] ?? input["new_text"] ?? input["newText"];
    if (typeof path !== "string" || typeof oldText !== "string" || typeof newText !== "string")
      return undefined;
    return { path, oldText, newText, isEverywhere: input["replace_all"] === true };
  },
});

export interface EditRules {
  readonly path: string;
  readonly tool: NotesEditTool;
}

/** Carries one call out on the notes, if it is the one thing that is allowed. */
export function applyNotesEdit(notes: string, call: ToolUseBlock, { path, tool }: EditRules): EditOutcome {
  if (call.name !== tool.name)
    return refused(`Refused: only ${tool.name} may be used here, and only on ${path}.`);
  const edit = tool.read(call.input);
  if (edit === undefined) return refused("Refused: this is not an edit.");
  if (edit.path !== path) return refused(`Refused: only ${path} may be edited.`);
  if (edit.oldText === "") return refused("Refused: the text to replace is empty.");
  const first = notes.indexOf(edit.oldText);
  if (first === -1) return refused("Refused: the text to replace is not in the file.");
  if (edit.isEverywhere !== true && notes.indexOf(edit.oldText, first + 1) !== -1) {
    return refused("Refused: the text to replace stands in the file more than once.");
  }
  const edited =
    edit.isEverywhere === true
      ? notes.split(edit.oldText).join(edit.newText)
      : notes.slice(0, first) + edit.newText + notes.slice(first + edit.oldText.length);
  return keepsTemplate(edited)
    ? { kind: "edited", notes: edited }
    : refused("Refused: headings and italic lines must stay as they are.");
}
