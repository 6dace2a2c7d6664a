import { oneLine } from "../base/plain-text.js";
import { findCall, findMessage, findResult } from "./find-entry.js";
import { wellFormed } from "./fold.js";
import { pageOf, type Page, type PageOptions } from "./page.js";
import { passagesOf } from "./passages.js";
import { shownCall, shownTime, type ShowOptions } from "./show-hits.js";
import { QUOTE_NOTE } from "./wording.js";

export interface EntryOptions extends ShowOptions, PageOptions {
  readonly id: string;
}

/** What an id leads to, or why it leads nowhere. */
export interface ShownEntry {
  readonly text: string;
  readonly isError: boolean;
}

/** A page of the result of the call with that id. */
export async function showResult(options: EntryOptions): Promise<ShownEntry> {
  const { file, signal, id } = options;
  const result = await findResult(file, { id, signal });
  if (result === undefined)
    return failure("No call with that tool_use_id is in the transcript. Search with a query instead.");
  if (result.kind === "cleared")
    return failure("The transcript itself has only a placeholder for that result. Run the tool again.");
  if (result.kind === "call") return failure("That call has no result in the transcript.");
  const { passage, found } = result;
  const call = await findCall(file, { toolUseId: id, end: found.callsEnd, signal });
  const name = call === undefined ? passage.label : `${passage.label} of ${shownCall(call)}`;
  const heading = `${shownTime(found.message.timestamp)}${name}`;
  return shown(pageOf([{ heading, text: passage.text }], options));
}

/** A page of the message with that uuid. */
export async function showMessage(options: EntryOptions): Promise<ShownEntry> {
  const { file, signal, id } = options;
  const found = await findMessage(file, { id, signal });
  if (found === undefined)
    return failure("No message with that id is in the transcript. Search with a query instead.");
  const parts = passagesOf(found.message).map(({ label, text, toolUseId }) => ({
    heading: `${shownTime(found.message.timestamp)}${oneLine(label, 80)}${toolUseId === undefined ? "" : `, tool_use_id ${oneLine(toolUseId, 130)}`}`,
    text,
  }));
  if (parts.length === 0) return failure("That message holds no text that can be shown.");
  return shown(pageOf(parts, options));
}

function shown({ text, first, last, total }: Page): ShownEntry {
  if (last < first) return failure(`It has ${total} lines: choose an offset from 1 to ${total}.`);
  const rest = last < total ? `Lines ${first} to ${last} of ${total}. Go on with offset ${last + 1}.` : "";
  const parts = [QUOTE_NOTE, text, rest].filter((part) => part !== "");
  return { text: wellFormed(parts.join("\n\n")), isError: false };
}

const failure = (text: string): ShownEntry => ({ text, isError: true });
