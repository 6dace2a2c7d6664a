import { createPrivateFile } from "../../stores/private-file.js";
import { previewText } from "./preview-text.js";

export interface SpillOptions {
  /** The session's own folder; made when the first text needs it. */
  readonly directory: string;
  /** Longer texts go into a file. Default 30,000. */
  readonly maxCharacters?: number;
  /** How much of such a text is shown, head and tail together. Default 8,000. */
  readonly previewCharacters?: number;
  /** Takes out what must not be kept, before anything is cut. */
  readonly hide?: (text: string) => string;
}

export interface Spill {
  /**
   * The text, or what to show of one that is too long, with the file where all of it stands. Never rejects: where
   * the disk fails the cut text says so.
   */
  readonly fit: (text: string, options: { readonly name: string }) => Promise<string>;
}

/** Keeps results of tools short in the context, without losing any of them. */
export function createSpill(options: SpillOptions): Spill {
  const { directory, maxCharacters = 30_000, previewCharacters = 8000, hide = (text) => text } = options;
  const shown = Math.min(previewCharacters, maxCharacters);
  return {
    async fit(whole, { name }) {
      const text = hide(whole);
      if (text.length <= maxCharacters) return text;
      const size = `${text.length.toLocaleString("en-US")} characters`;
      const path = await write(directory, name, text);
      const note =
        path === undefined
          ? `The output has ${size}. It could not be saved, so only its beginning and its end are shown. Ask again for less, for example through a filter.`
          : `The output has ${size}. Only its beginning and its end are shown; all of it stands in ${path}: look there with Grep, or with Read and offset and limit.`;
      return `${note}\n\n${previewText(text, path === undefined ? maxCharacters : shown)}`;
    },
  };
}

async function write(directory: string, name: string, text: string): Promise<string | undefined> {
  try {
    const { path, file } = await createPrivateFile(directory, name);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return path;
  } catch {
    return undefined;
  }
}
