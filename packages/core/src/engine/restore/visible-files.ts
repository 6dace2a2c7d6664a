import type { AssistantBlock, UserBlock } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { applyClearings } from "../boundaries/clear-results.js";
import { isClearedResult } from "../boundaries/cleared-result.js";
import type { CompactableTools } from "../tools/compactable-tools.js";
import { fileReadsOf, showsFile } from "../tools/file-reads.js";
import { rangeAskedFor, type LineRange } from "./line-range.js";
import { isFields } from "../../messages/fields.js";
import { pathKey } from "../../messages/paths.js";
import { restoredRanges } from "./regions/file-touches.js";

export interface VisibleFilesOptions {
  readonly tools: CompactableTools;
  /** The name under which the read-state knows a path. */
  readonly resolvePath: (path: string) => string;
}

/** What messages show of a file. */
export interface VisibleFile {
  /** When the newest message that shows it was written; NaN where it does not say. */
  readonly at: number;
  /** The lines of it that are shown, where only parts are; undefined where all of it may be. */
  readonly parts?: readonly LineRange[];
}

/**
 * The files whose text stands in these messages, by `pathKey`: reads that were answered with the text, and
 * attachments. A stub for an unchanged file shows nothing, nor does a result that was cleared.
 */
export function visibleFiles(
  messages: readonly Message[],
  { tools, resolvePath }: VisibleFilesOptions,
): ReadonlyMap<string, VisibleFile> {
  const visible = new Map<string, VisibleFile>();
  const calls = new Map<string, unknown>();
  const show = (path: string, message: Message, part?: LineRange): void => {
    const key = pathKey(resolvePath(path));
    const before = visible.get(key);
    const isInParts = part !== undefined && (before === undefined || before.parts !== undefined);
    const parts = isInParts ? { parts: [...(before?.parts ?? []), part] } : {};
    visible.set(key, { at: Date.parse(message.timestamp), ...parts });
  };
  for (const message of applyClearings(messages)) {
    if (message.type === "attachment") {
      const { path, ranges = [] } = attachedFile(message.attachment);
      if (path === undefined) continue;
      for (const range of ranges.length === 0 ? [undefined] : ranges) show(path, message, range);
      continue;
    }
    for (const block of blocksOf(message)) {
      if (block?.type === "tool_use" && isFileRead(block, tools)) {
        calls.set(block.id, block.input);
      } else if (block?.type === "tool_result" && showsFile(block) && !isClearedResult(block)) {
        const input = calls.get(block.tool_use_id);
        for (const { path, isWhole } of fileReadsOf(input)) {
          show(path, message, isWhole ? undefined : rangeAskedFor(input));
        }
      }
    }
  }
  return visible;
}

function blocksOf(message: Message): readonly (UserBlock | AssistantBlock)[] {
  if (message.type !== "user" && message.type !== "assistant") return [];
  const content: unknown = message.message?.content;
  return Array.isArray(content) ? content : [];
}

/** The file that an attachment shows, and which parts where it is not all. What comes from a transcript may be anything. */
function attachedFile(attachment: unknown): {
  readonly path?: string;
  readonly ranges?: readonly LineRange[] | undefined;
} {
  if (!isFields(attachment) || (attachment["type"] !== "file" && attachment["type"] !== "nested_memory"))
    return {};
  const path = attachment["path"] ?? attachment["filename"];
  return typeof path === "string" && path !== "" ? { path, ranges: restoredRanges(attachment["reuse"]) } : {};
}

function isFileRead({ name }: { readonly name: unknown }, tools: CompactableTools): boolean {
  return typeof name === "string" && tools.kindOf(name) === "file-read";
}
