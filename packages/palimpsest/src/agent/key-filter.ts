import { withoutSecrets } from "../providers/secrets.js";

/** Takes keys out of bytes as they come. */
export interface KeyFilter {
  /** What can be handed on now: the end is held back as long as it could be the beginning of a key. */
  readonly add: (chunk: Buffer) => Buffer;
  /** What was held back. */
  readonly end: () => Buffer;
}

export function createKeyFilter(keys: readonly string[]): KeyFilter {
  // One character a byte, so that nothing is lost of what is no text.
  const sought = keys.map((key) => Buffer.from(key).toString("latin1"));
  const hide = withoutSecrets(sought);
  const longest = Math.max(0, ...sought.map((key) => key.length));
  let held = "";
  const begun = (text: string): number => {
    for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
      const end = text.slice(-length);
      if (sought.some((key) => key.length > length && key.startsWith(end))) return length;
    }
    return 0;
  };
  return {
    add(chunk) {
      if (longest === 0) return chunk;
      const text = hide(held + chunk.toString("latin1"));
      const whole = text.length - begun(text);
      held = text.slice(whole);
      return Buffer.from(text.slice(0, whole), "latin1");
    },
    end() {
      const rest = Buffer.from(held, "latin1");
      held = "";
      return rest;
    },
  };
}
