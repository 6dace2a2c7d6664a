import type { Message } from "@palimpsest/core";
import type { ReadRecord, ReadState } from "@palimpsest/core/restore";
import { stat } from "node:fs/promises";
import { isFields } from "../base/fields.js";

const FILE_TOOLS: ReadonlySet<string> = new Set(["Read", "Write", "Edit"]);
/** Files of a resumed conversation that are looked after, the newest first. */
const MOST_FILES = 100;
/** A file system's clock may be coarser than ours. */
const TOLERANCE_MS = 2000;

interface SeenFile {
  readonly timestamp: number;
  readonly kind: Pick<ReadRecord, "isMemory" | "isPicture">;
}

/**
 * What a resumed conversation's model has read, as far as it still holds: files that the live messages show or
 * changed, also those that a compaction brought back and memory files that were attached, and that nobody has changed
 * since. The others have to be read again before they can be edited.
 */
export async function rememberResumedReads(
  live: readonly Message[],
  { readState, absolute }: { readonly readState: ReadState; readonly absolute: (path: string) => string },
): Promise<void> {
  const seen = new Map<string, SeenFile>();
  const see = (path: string, message: Message, kind: SeenFile["kind"]): void => {
    const timestamp = Date.parse(message.timestamp);
    seen.delete(path);
    // A time that is none says nothing about what came later.
    if (Number.isFinite(timestamp)) seen.set(path, { timestamp, kind });
  };
  const calls = new Map<unknown, string>();
  for (const message of live) {
    if (message.type === "attachment") {
      const { type, path, content } = message.attachment;
      const isMemory = type === "nested_memory";
      const isPicture = isFields(content) && content["type"] === "image";
      const kind = { ...(isMemory ? { isMemory } : {}), ...(isPicture ? { isPicture } : {}) };
      if ((isMemory || type === "file") && typeof path === "string") see(absolute(path), message, kind);
      continue;
    }
    if (message.type !== "user" && message.type !== "assistant") continue;
    const content: unknown = message.message?.content;
    for (const block of Array.isArray(content) ? content : []) {
      if (!isFields(block)) continue;
      if (block["type"] === "tool_use" && FILE_TOOLS.has(String(block["name"])) && isFields(block["input"])) {
        const path = block["input"]["file_path"];
        if (typeof path === "string" && path !== "") calls.set(block["id"], absolute(path));
      } else if (block["type"] === "tool_result" && block["is_error"] !== true) {
        const path = calls.get(block["tool_use_id"]);
        if (path !== undefined) see(path, message, holdsPicture(block["content"]) ? { isPicture: true } : {});
      }
    }
  }
  for (const [path, { timestamp, kind }] of [...seen].slice(-MOST_FILES)) {
    const status = await stat(path).catch(() => undefined);
    if (status?.isFile() !== true || status.mtimeMs > timestamp + TOLERANCE_MS) continue;
    readState.remember(path, { timestamp, mtime: status.mtimeMs, ...kind });
  }
}

const holdsPicture = (content: unknown): boolean =>
  Array.isArray(content) && content.some((block) => isFields(block) && block["type"] === "image");
