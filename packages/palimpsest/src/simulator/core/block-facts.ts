import type { Model } from "@palimpsest/core";
import { blockTokens } from "../tokens/block-tokens.js";
import { isFields, type Fields } from "../fields.js";
import type { TokenCounter } from "../tokens/bpe-counter.js";
import { canonicalJson, digest } from "./digest.js";
import { readCompactionSeal } from "./seals.js";

export type Ttl = "5m" | "1h";

/** What the cache needs to know of one block, whatever stands before it. */
export interface BlockFacts {
  readonly type: string;
  /** Of the content; markers are not part of it. */
  readonly digest: string;
  /** The same without regard to key order: what thinking is bound to. */
  readonly bindingDigest: string;
  readonly tokens: number;
  readonly marker: Ttl | undefined;
  readonly hasImage: boolean;
  readonly hasCitations: boolean;
  /** For a summary of the API's own: what thinking after it stays bound to. */
  readonly boundTo: string | undefined;
  /** A compaction block with a summary in it; one without is a no-op. */
  readonly isSummary: boolean;
}

/** The marker of a block: its own, or one on what it holds. */
function markerOf(block: Fields): Ttl | undefined {
  const own = ttlOf(block["cache_control"]);
  if (own !== undefined || !Array.isArray(block["content"])) return own;
  const inner = block["content"].map((item) => (isFields(item) ? ttlOf(item["cache_control"]) : undefined));
  return inner.includes("1h") ? "1h" : inner.find((ttl) => ttl !== undefined);
}

export function ttlOf(marker: unknown): Ttl | undefined {
  if (!isFields(marker)) return undefined;
  return marker["ttl"] === "1h" ? "1h" : "5m";
}

/** The block, and what a result holds, without markers and references. */
function withoutMarkers(block: Fields): Fields {
  const { cache_control: _marker, cache_reference: _reference, ...bare } = block;
  if (!Array.isArray(bare["content"])) return bare;
  const content = bare["content"].map((item) => {
    if (!isFields(item) || !("cache_control" in item)) return item as unknown;
    const { cache_control: _inner, ...rest } = item;
    return rest;
  });
  return { ...bare, content };
}

const wantsCitations = (block: unknown): boolean =>
  isFields(block) && isFields(block["citations"]) && block["citations"]["enabled"] === true;

const holdsCitations = (block: Fields): boolean =>
  wantsCitations(block) || (Array.isArray(block["content"]) && block["content"].some(wantsCitations));

const holdsImage = (block: Fields): boolean =>
  block["type"] === "image" ||
  (Array.isArray(block["content"]) &&
    block["content"].some((item) => isFields(item) && item["type"] === "image"));

/** Remembers what was found of a block by its content, so that a client may send it anew each time. */
export interface BlockReader {
  read(block: unknown, place: { readonly role: string; readonly model: Model }): BlockFacts;
}

const MOST_REMEMBERED = 50_000;

/** Facts of blocks: once per object, and tokens once per content and generation of models. */
export function createBlockReader(counter: TokenCounter): BlockReader {
  const byObject = new WeakMap<object, Map<string, BlockFacts>>();
  let tokens = new Map<string, number>();
  const countOnce = (block: Fields, key: string, model: Model): number => {
    let count = tokens.get(key);
    if (count === undefined) {
      count = blockTokens(block, model, counter);
      if (tokens.size >= MOST_REMEMBERED) tokens = new Map();
      tokens.set(key, count);
    }
    return count;
  };
  const find = (block: Fields, role: string, model: Model): BlockFacts => {
    const bare = withoutMarkers(block);
    const content = digest(`${role}\n${JSON.stringify(bare)}`);
    return {
      type: typeof block["type"] === "string" ? block["type"] : "",
      digest: content,
      get bindingDigest() {
        return digest(`${role}\n${canonicalJson(bare)}`);
      },
      tokens: countOnce(bare, `${content}${model.tokenizer}${model.capabilities.images.maxTokens}`, model),
      marker: markerOf(block),
      hasImage: holdsImage(block),
      hasCitations: holdsCitations(block),
      isSummary: block["type"] === "compaction" && typeof block["content"] === "string",
      boundTo: block["type"] === "compaction" ? readCompactionSeal(block)?.binding : undefined,
    };
  };
  return {
    read(block, { role, model }) {
      if (!isFields(block)) return find({ type: "text", text: String(block) }, role, model);
      const key = `${role} ${model.id}`;
      let known = byObject.get(block);
      if (known === undefined) byObject.set(block, (known = new Map()));
      let facts = known.get(key);
      if (facts === undefined) known.set(key, (facts = find(block, role, model)));
      return facts;
    },
  };
}
