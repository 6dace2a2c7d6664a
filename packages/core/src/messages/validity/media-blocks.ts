import { apiTexts } from "./api-texts.js";
import { isBase64 } from "../base64.js";
import { cacheControl } from "./cache-control.js";
import type { Check, Cursor } from "./cursor.js";
import { imageSize } from "../image-size.js";
import { ownWordings } from "./own-wordings.js";
import {
  boolean,
  listOf,
  literal,
  nullable,
  optional,
  record,
  required,
  string,
  stringOr,
  text,
  union,
  variant,
} from "./shape.js";
import { textBlock } from "./text-block.js";

/** Images, documents and search results: the blocks that carry material to read. */

const IMAGE_LIMIT = 10 * 1_048_576;
const DOCUMENT_LIMIT = 32 * 1_048_576;

const url: Check = (cursor) => {
  if (typeof cursor.value !== "string") string(cursor);
  else if (!/^https?:\/\//i.test(cursor.value)) {
    cursor.refuse({ rule: "invalid-url", text: ownWordings.invalidUrl });
  }
};

/** Refuses data that is not base64 or is empty; whether it can be read further. */
function checkData(
  cursor: Cursor,
  kind: "image" | "document",
): cursor is Cursor & { readonly value: string } {
  if (typeof cursor.value !== "string") string(cursor);
  else if (cursor.value === "") cursor.refuse({ rule: "empty-data", text: ownWordings.emptyData(kind) });
  else if (!isBase64(cursor.value))
    cursor.refuse({ rule: "invalid-base64", text: ownWordings.invalidBase64 });
  else return true;
  return false;
}

const imageData: Check = (cursor) => {
  checkData(cursor, "image");
};

const documentData: Check = (cursor) => {
  if (!checkData(cursor, "document")) return;
  const bytes = cursor.value.length;
  if (bytes > DOCUMENT_LIMIT) {
    cursor.refuse({ rule: "document-too-large", text: ownWordings.documentTooLarge(bytes, DOCUMENT_LIMIT) });
  }
};

const urlSource = variant("url", { url: required(url) });
const fileSource = variant("file", { file_id: required(text({ min: 1 })) });

const imageShape = record({
  type: required(literal("image")),
  source: required(
    union(
      new Map([
        variant("base64", {
          media_type: required(literal("image/jpeg", "image/png", "image/gif", "image/webp")),
          data: required(imageData),
        }),
        urlSource,
        fileSource,
      ]),
    ),
  ),
  cache_control: cacheControl,
  transformations: optional(nullable(record({ oversized_image: optional(literal("downsize", "error")) }))),
});

export const imageBlock: Check = (cursor) => {
  imageShape(cursor);
  const source = cursor.at("source").tagged("base64");
  const { path, label, value } = source.at("data");
  const isInline = source.at("type").value === "base64" && typeof value === "string";
  cursor.notes.images.push({ path, label, size: isInline ? imageSize(value) : undefined });
  if (isInline && value.length > IMAGE_LIMIT) {
    source.refuse({ rule: "image-too-large", text: apiTexts.imageTooLarge(value.length, IMAGE_LIMIT) });
  }
};

const citationsSetting = record({ enabled: optional(boolean) });

const documentShape = record({
  type: required(literal("document")),
  source: required(
    union(
      new Map([
        variant("base64", { media_type: required(literal("application/pdf")), data: required(documentData) }),
        variant("text", { media_type: required(literal("text/plain")), data: required(string) }),
        variant("content", {
          content: required(
            stringOr(
              listOf(
                union(
                  new Map<string, Check>([
                    ["text", textBlock({ area: "messages", nested: true })],
                    ["image", imageBlock],
                  ]),
                ),
              ),
            ),
          ),
        }),
        urlSource,
        fileSource,
      ]),
    ),
  ),
  cache_control: cacheControl,
  citations: optional(nullable(citationsSetting)),
  context: optional(nullable(string)),
  title: optional(nullable(string)),
});

export const documentBlock: Check = (cursor) => {
  documentShape(cursor);
  cursor.notes.documents.push(cursor.path);
};

export const searchResultBlock: Check = record({
  type: required(literal("search_result")),
  content: required(
    listOf(union(new Map([["text", textBlock({ area: "messages", nested: true })]])), { min: 1 }),
  ),
  source: required(string),
  title: required(string),
  cache_control: cacheControl,
  citations: optional(citationsSetting),
});
