/** What starts a user text that a program wrote: echoes of local commands, notices, reminders. */
const PROGRAM_TEXT =
  /^(?:<(?:local-command-(?:stdout|stderr|caveat)|command-name|bash-(?:input|stdout|stderr)|task-notification|system-reminder|context-reminder|user-prompt-submit-hook)\b|\[Request interrupted by user|Caveat: The messages below were generated)/;

/** What a host sets before the words of a person in one and the same text: an element, or a notice in brackets. */
const SET_BEFORE =
  /^(?:<(system-reminder|context-reminder|user-prompt-submit-hook|local-command-caveat)\b[^<>]*>|\[Request interrupted by user[^\]\n]*\])/;

/**
 * What a person typed in a text of a user message, blanks at its ends aside; nothing where a program wrote it. What
 * a program prints is its own to the end; words that follow a reminder are the person's.
 */
export function wordsTyped(text: string): string {
  let rest = text.trim();
  while (PROGRAM_TEXT.test(rest)) {
    const [opening, tag] = SET_BEFORE.exec(rest) ?? [];
    const end = opening === undefined ? -1 : tag === undefined ? opening.length : endOfElement(rest, tag);
    if (end === -1) return "";
    rest = rest.slice(end).trim();
  }
  return rest;
}

/** Where the element ends with which the text begins, others of its name within it closed first; -1 if nowhere. */
function endOfElement(text: string, tag: string): number {
  let depth = 0;
  for (const found of text.matchAll(new RegExp(`<(/?)${tag}\\b[^<>]*>`, "g"))) {
    depth += found[1] === "" ? 1 : -1;
    if (depth === 0) return found.index + found[0].length;
  }
  return -1;
}
