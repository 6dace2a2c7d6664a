import type { RequestMessage } from "@palimpsest/core";
import { requestTexts } from "./shown-texts.js";
import { createTextIndex, type TextIndex } from "./text-index.js";

/** The texts of the context that a policy last gave the model. Several readers of one policy can share it. */
export interface ContextTexts {
  /** The texts of these messages. Costs what is new since the last call; a message that is the same object is not. */
  readonly of: (
    messages: readonly RequestMessage[],
  ) => Pick<TextIndex, "findWhole" | "findCollapsed" | "newest">;
}

interface Shown {
  readonly message: RequestMessage;
  readonly texts: readonly string[];
}

export function createContextTexts(): ContextTexts {
  const index = createTextIndex();
  let list: readonly RequestMessage[] | undefined;
  let shown: readonly Shown[] = [];

  /** What stands at this place; a new message with the old texts, such as one with a marker, is nothing new. */
  function next(message: RequestMessage, place: number): Shown {
    const old = shown[place];
    if (old?.message === message) return old;
    const texts = requestTexts(message);
    const isSame = old?.texts.length === texts.length && old.texts.every((text, at) => text === texts[at]);
    return { message, texts: isSame ? old.texts : texts };
  }

  return {
    of: (messages) => {
      if (messages === list) return index;
      const now = messages.map(next);
      // What stays must not leave in between: first all that comes, then all that goes.
      for (const [place, { texts }] of now.entries()) {
        if (texts !== shown[place]?.texts) texts.forEach(index.add);
      }
      for (const [place, { texts }] of shown.entries()) {
        if (texts !== now[place]?.texts) texts.forEach(index.remove);
      }
      list = messages;
      shown = now;
      return index;
    },
  };
}
