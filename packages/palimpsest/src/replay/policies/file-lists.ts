import type { Message } from "@palimpsest/core";
import { asFields } from "@palimpsest/core/engine";
import { asText } from "../readers/recording.js";
import { fileCallOf, type FileCall } from "../world/file-call.js";
import { patchChanges } from "../world/patch-changes.js";

/** The files that calls read and changed, over all messages that it was told of. */
export interface FileLists {
  note(message: Message): void;
  /** Both lists, each in its element; nothing where both are empty. */
  text(): string;
}

export function createFileLists(): FileLists {
  const read = new Set<string>();
  const changed = new Set<string>();
  return {
    note(message) {
      if (message.type !== "assistant") return;
      for (const block of message.message.content) {
        const call = block.type === "tool_use" ? fileCallOf(block.name, asFields(block.input)) : undefined;
        if (call === undefined) continue;
        for (const path of pathsOf(call))
          (call.kind === "read" || call.kind === "command" ? read : changed).add(path);
      }
    },
    text: () =>
      element(
        "read-files",
        [...read].filter((path) => !changed.has(path)),
      ) + element("modified-files", [...changed]),
  };
}

function pathsOf(call: FileCall): readonly string[] {
  if (call.kind === "command") return [];
  const paths =
    call.kind === "patch" ? patchChanges(call.patch).map(({ path }) => path) : [asText(call.path)];
  return paths.filter((path) => path !== "");
}

const element = (name: string, paths: readonly string[]): string =>
  paths.length === 0 ? "" : `\n\n<${name}>\n${paths.toSorted().join("\n")}\n</${name}>`;
