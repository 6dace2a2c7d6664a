import { promptName } from "../base/shown-path.js";
import type { MemoryFile, MemoryKind } from "./load-memory-files.js";

const whose: Readonly<Record<MemoryKind, string>> = {
  User: "the person's own, for all their projects",
  Project: "of this project, shared by all who work on it",
  Local: "the person's own, for this project",
};

/** The part of the system prompt that holds the memory files; undefined where there are none. */
export function memorySection(files: readonly MemoryFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const parts = files.map(
    ({ path, kind, content }) => `## ${promptName(path)} (${whose[kind]})\n\n${wellFormed(content)}`,
  );
  const head = [
    "# Instructions from the people you work for",
    "",
    "They were left in the files below and hold for everything you do here, also where you would do it differently by default. Where two of them disagree, the one further down counts, and what the person says in the conversation counts over all. What does not concern the task at hand needs no mention.",
  ].join("\n");
  return [head, ...parts].join("\n\n");
}

/** A cut may have parted a character. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
