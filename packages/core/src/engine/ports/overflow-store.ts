/** Which text it is: for a hint, never for a file's name alone. */
export interface OverflowText {
  /** What it is part of. */
  readonly name: "message" | "result";
  /** Of the message that holds it, as it stands whole in the transcript. */
  readonly uuid: string;
  /** Of the call whose result it is. */
  readonly toolUseId?: string;
}

/** Where texts are kept that are too long for the window. */
export interface OverflowStore {
  /** Keeps the whole text and says where the model finds it, usually a path. Rejects where that fails. */
  readonly keep: (text: string, about: OverflowText) => Promise<string>;
  /** One sentence for the model: how it looks at what was kept there. */
  readonly hint?: (place: string, about: OverflowText) => string | undefined;
}

/** Texts that live as long as the process. */
export function createMemoryOverflow(): OverflowStore & { readonly texts: ReadonlyMap<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    async keep(text, { name }) {
      const place = `memory/${name}-${texts.size + 1}.txt`;
      texts.set(place, text);
      return place;
    },
  };
}
