import type { Message } from "@palimpsest/core";
import { blockText } from "../index/block-text.js";
import { blocksOf } from "../index/indexed-message.js";
import { previewOf } from "../index/shortened.js";
import type { PlacedBlock } from "./context-blocks.js";
import type { OpenConversation } from "./conversations.js";

/** The words of blocks, read from the file. */
export async function wordsOf(
  { index, reader }: OpenConversation,
  blocks: readonly Pick<PlacedBlock, "ordinal" | "block">[],
): Promise<readonly string[]> {
  const ordinals = [...new Set(blocks.map(({ ordinal }) => ordinal))];
  const places = ordinals.flatMap((ordinal) => index.messages[ordinal]?.place ?? []);
  const read = await reader.read(places);
  const contents = new Map<number, readonly unknown[]>(
    ordinals.map((ordinal, at) => [ordinal, contentOf(read[at])] as const),
  );
  return blocks.map(({ ordinal, block }) => blockText(contents.get(ordinal)?.[block] ?? ""));
}

const contentOf = (message: Message | undefined): readonly unknown[] =>
  message === undefined ? [] : blocksOf(message);

const PREVIEW_CHARACTERS = 300;

/** A text for one line of a list; JSON without the breaks and spaces that its lines begin with. */
export const blockPreview = (type: string, text: string): string =>
  previewOf(type.endsWith("tool_use") ? text.replaceAll(/\n */g, " ") : text, PREVIEW_CHARACTERS);
