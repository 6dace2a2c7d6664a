import { apiTexts } from "./api-texts.js";
import { cacheControl, markerTtl } from "./cache-control.js";
import type { Check, Cursor } from "./cursor.js";
import { anything, listOf, literal, nullable, optional, record, required, string, union } from "./shape.js";

const citation = union(
  new Map<string, Check>(
    [
      "char_location",
      "page_location",
      "content_block_location",
      "web_search_result_location",
      "search_result_location",
    ].map((type) => [type, anything]),
  ),
);

const shape = record({
  type: required(literal("text")),
  text: required(string),
  cache_control: cacheControl,
  citations: optional(nullable(listOf(citation))),
});

export interface TextPlace {
  /** The part of the request that the API names in its text. */
  readonly area: "messages" | "system";
  /** Inside another block, where blank text is accepted (a command's output may be one newline). */
  readonly nested?: boolean;
}

/** A text block with something to read in it. */
export function textBlock(place: TextPlace): Check {
  return (cursor) => {
    shape(cursor);
    const { value } = cursor.at("text");
    if (value === "" && markerTtl(cursor.at("cache_control").value) !== undefined) {
      cursor.refuse({ rule: "marked-empty-text", text: apiTexts.markedEmptyText });
    }
    if (typeof value === "string") checkText(cursor, { ...place, text: value });
  };
}

/** Refuses text that is empty or, outside other blocks, blank. */
export function checkText(cursor: Cursor, given: TextPlace & { readonly text: string }): void {
  if (given.text === "") {
    cursor.refuseBare({ rule: "empty-text", text: `${given.area}: ${apiTexts.emptyText}` });
  } else if (given.nested !== true && given.text.trim() === "") {
    cursor.refuseBare({ rule: "whitespace-text", text: `${given.area}: ${apiTexts.whitespaceText}` });
  }
}
