import { CLEARED_RESULT_TEXT } from "@palimpsest/core/engine";
import { commonLength } from "../../simulator/breaks/first-difference.js";
import type { RequestDifference } from "../contract.js";
import { beginningOf } from "../index/shortened.js";
import type { TracedRequest } from "../index/trace-requests.js";
import { wordsOf } from "./block-words.js";
import { blocksOfRequest, type PlacedBlock } from "./context-blocks.js";
import type { OpenConversation } from "./conversations.js";

interface Pair {
  readonly request: TracedRequest;
  readonly before: TracedRequest;
}

interface Shown {
  readonly blocks: readonly PlacedBlock[];
  /** Rows that stand before the first of them. */
  readonly offset: number;
}

const SHOWN_BEFORE = 40;
const SHOWN_AFTER = 160;

/** Where a request that was rebuilt departs from the one before it, and what that cost. */
export async function differenceTo(
  conversation: OpenConversation,
  { request, before }: Pair,
  { blocks, offset }: Shown,
): Promise<RequestDifference> {
  const { index } = conversation;
  const found = index.breakOf.get(request.number);
  const loss = {
    against: before.number,
    reason: found?.detail ?? null,
    lostTokens: found?.lostTokens ?? 0,
    dollars: found === undefined ? 0 : found.cost,
  };
  const earlier = blocksOfRequest(index, before);
  const at = earlier.findIndex((block, place) => !isSame(block, blocks[place]));
  if (at < 0) {
    // What is recorded goes on as it was: whatever was lost was lost to what is not.
    const what = found?.reason === "not-visible" ? "unknown" : "appended";
    return { ...loss, what, firstByte: null, owner: null, block: null, before: "", after: "" };
  }
  const [old, now] = [earlier[at], blocks[at]];
  const [was, is] = await Promise.all([shownText(conversation, old), shownText(conversation, now)]);
  const common =
    old !== undefined && now !== undefined && old.facts.type === now.facts.type ? commonLength(was, is) : 0;
  const excerpt = (text: string): string =>
    beginningOf(text.slice(Math.max(0, common - SHOWN_BEFORE)), SHOWN_BEFORE + SHOWN_AFTER);
  return {
    ...loss,
    what: "changed",
    firstByte: Buffer.byteLength(is.slice(0, common)),
    owner: ownerOf(now ?? old),
    block: now === undefined ? null : at + offset,
    before: excerpt(was),
    after: excerpt(is),
  };
}

const isSame = (one: PlacedBlock, other: PlacedBlock | undefined): boolean =>
  one.ordinal === other?.ordinal && one.block === other.block && one.isCleared === other.isCleared;

async function shownText(conversation: OpenConversation, block: PlacedBlock | undefined): Promise<string> {
  if (block === undefined) return "";
  if (block.isCleared) return CLEARED_RESULT_TEXT;
  return (await wordsOf(conversation, [block]))[0] ?? "";
}

function ownerOf(block: PlacedBlock | undefined): string | null {
  if (block === undefined) return null;
  const { facts, role, message } = block;
  if (role === "tools") return facts.name === undefined ? "tools" : `tool ${facts.name}`;
  return role === "system" ? `system block ${block.block}` : `message ${message ?? 0}`;
}
