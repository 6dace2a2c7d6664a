import { SECRET_MARK, secretForms, secretPattern } from "../../providers/secrets.js";

/** Takes keys out of a text as it comes. */
export interface TextKeyFilter {
  /** What can be handed on now: the end is held back as long as it could be the beginning of a key. */
  readonly add: (text: string) => string;
  /** What was held back. */
  readonly end: () => string;
}

export function createTextKeyFilter(keys: readonly string[]): TextKeyFilter {
  return filterOf(secretForms(keys));
}

/** The same for bytes. */
export interface KeyFilter {
  readonly add: (chunk: Buffer) => Buffer;
  readonly end: () => Buffer;
}

export function createKeyFilter(keys: readonly string[]): KeyFilter {
  // One character a byte, so that nothing is lost of what is not text.
  const filter = filterOf(secretForms(keys).map((form) => Buffer.from(form).toString("latin1")));
  return {
    add: (chunk) => (keys.length === 0 ? chunk : Buffer.from(filter.add(chunk.toString("latin1")), "latin1")),
    end: () => Buffer.from(filter.end(), "latin1"),
  };
}

/** Forms come the longest first. */
function filterOf(forms: readonly string[]): TextKeyFilter {
  const longest = forms[0]?.length ?? 0;
  const starts = new Set(forms.map((form) => form.charCodeAt(0)));
  let held = "";
  /** Where an end begins that could be the beginning of a form. */
  const heldFrom = (text: string): number => {
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      if (!starts.has(text.charCodeAt(at))) continue;
      const end = text.slice(at);
      if (forms.some((form) => form.length > end.length && form.startsWith(end))) return at;
    }
    return text.length;
  };
  const any = secretPattern(forms);
  return {
    add(piece) {
      if (any === undefined) return piece;
      const text = (held + piece).replaceAll(any, SECRET_MARK);
      const from = heldFrom(text);
      held = text.slice(from);
      return text.slice(0, from);
    },
    end() {
      const rest = held;
      held = "";
      return rest;
    },
  };
}
