import type { AssistantBlock, UserBlock } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { applyClearings } from "../boundaries/clear-results.js";
import { isClearedResult } from "../boundaries/cleared-result.js";
import type { CompactableTools } from "../tools/compactable-tools.js";
import { fileReadsOf, showsFile } from "../tools/file-reads.js";
import { pathKey } from "../../messages/paths.js";

export interface VisibleFilesOptions {
  readonly tools: CompactableTools;
  /** The name under which the read-state knows a path. */
  readonly resolvePath: (path: string) => string;
}

/**
 * The files whose text stands in these messages, by `pathKey`, each with the time of the newest message that
 * shows it: reads that were answered with the text, and attachments. A stub for an unchanged file shows nothing,
 * nor does a result that was cleared.
 */
export function visibleFiles(
  messages: readonly Message[],
  { tools, resolvePath }: VisibleFilesOptions,
): ReadonlyMap<string, number> {
  const visible = new Map<string, number>();
  const calls = new Map<string, readonly string[]>();
  const show = (path: string, message: Message): void => {
    visible.set(pathKey(resolvePath(path)), Date.parse(message.timestamp));
  };
  for (const message of applyClearings(messages)) {
    if (message.type === "attachment") {
      const path = attachedFile(message.attachment);
      if (path !== undefined) show(path, message);
      continue;
    }
    for (const block of blocksOf(message)) {
      if (block?.type === "tool_use" && isFileRead(block, tools)) {
        calls.set(
          block.id,
          fileReadsOf(block.input).map(({ path }) => path),
        );
      } else if (block?.type === "tool_result" && showsFile(block) && !isClearedResult(block)) {
        for (const path of calls.get(block.tool_use_id) ?? []) show(path, message);
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

/** The file that an attachment shows. What comes from a transcript may be anything. */
function attachedFile(attachment: unknown): string | undefined {
  if (typeof attachment !== "object" || attachment === null) return undefined;
  const { type, path, filename } = attachment as Readonly<Record<string, unknown>>;
  if (type !== "file" && type !== "nested_memory") return undefined;
  const name = path ?? filename;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function isFileRead({ name }: { readonly name: unknown }, tools: CompactableTools): boolean {
  return typeof name === "string" && tools.kindOf(name) === "file-read";
}
