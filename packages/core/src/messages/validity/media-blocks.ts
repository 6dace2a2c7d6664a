import { apiTexts } from "./api-texts.js";
import { cacheControl } from "./cache-control.js";
import type { Check, Cursor } from "./cursor.js";
import { isBase64, isPdf, judgeImage } from "./media-data.js";
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
  text,
  union,
  variant,
} from "./shape.js";
import { textBlock } from "./text-block.js";

/** Images, documents and search results: the blocks that carry material to read. */

const IMAGE_LIMIT = 10 * 1_048_576;
const DOCUMENT_LIMIT = 32 * 1_048_576;

/** A host, perhaps with a name before it and a port after it, then anything without white space. */
const AFTER_SCHEME =
  /^(?:[^\s/?#@]*@)?(?:\[[\da-fA-F:.]+\]|[^\s/?#@:[\]<>"^`{|}\\]+)(?::\d{1,5})?(?:[/?#]\S*)?$/;

const url: Check = (cursor) => {
  if (typeof cursor.value !== "string") string(cursor);
  else if (!/^https?:\/\//i.test(cursor.value)) {
    cursor.refuse({ rule: "invalid-url", text: ownWordings.invalidUrl });
  } else if (!AFTER_SCHEME.test(cursor.value.replace(/^[^/]*\/\//, ""))) {
    cursor.refuse({ rule: "invalid-url", text: ownWordings.malformedUrl });
  }
};

/** The data of a source that holds some; undefined where it is refused already. */
function readableData(source: Cursor, empty: string): string | undefined {
  const { value } = source.at("data");
  if (source.at("type").value !== "base64" || typeof value !== "string") return undefined;
  if (value === "") source.refuse({ rule: "empty-data", text: empty });
  else if (!isBase64(value)) source.refuse({ rule: "invalid-base64", text: apiTexts.invalidBase64 });
  else return value;
  return undefined;
}

const urlSource = variant("url", { url: required(url) });
const fileSource = variant("file", { file_id: required(text({ min: 1 })) });

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

const imageShape = record({
  type: required(literal("image")),
  source: required(
    union(
      new Map([
        variant("base64", {
          media_type: required(literal(...imageTypes)),
          data: required(string),
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
  const data = readableData(source, apiTexts.emptyImage);
  const image = data === undefined ? undefined : judgeImage(data);
  const { path, label } = source.at("data");
  cursor.notes.images.push({ path, label, size: image?.pixels });
  if (data === undefined) return;
  if (data.length > IMAGE_LIMIT) {
    source.refuse({ rule: "image-too-large", text: apiTexts.imageTooLarge(data.length, IMAGE_LIMIT) });
  }
  const declared = source.at("media_type").value;
  if (image?.pixels === undefined) {
    source.refuseBare({ rule: "unreadable-image", text: apiTexts.unreadableImage });
  } else if (imageTypes.some((type) => type === declared) && declared !== image.mediaType) {
    const text = apiTexts.imageTypeMismatch(String(declared), image.mediaType);
    source.refuse({ rule: "image-type-mismatch", text });
  }
};

const filled: Check = (cursor) => {
  string(cursor);
  if (cursor.value === "") cursor.refuse({ rule: "empty-data", text: ownWordings.emptyDocument });
};

const filledOr =
  (check: Check): Check =>
  (cursor) =>
    (typeof cursor.value === "string" ? filled : check)(cursor);

const citationsSetting = record({ enabled: optional(boolean) });

const documentShape = record({
  type: required(literal("document")),
  source: required(
    union(
      new Map([
        variant("base64", { media_type: required(literal("application/pdf")), data: required(string) }),
        variant("text", { media_type: required(literal("text/plain")), data: required(filled) }),
        variant("content", {
          content: required(
            filledOr(
              listOf(
                union(
                  new Map<string, Check>([
                    ["text", textBlock({ area: "messages", nested: true })],
                    ["image", imageBlock],
                  ]),
                ),
                { min: 1 },
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
  refuseUnreadablePdf(cursor);
};

function refuseUnreadablePdf(cursor: Cursor): void {
  const source = cursor.at("source").tagged("base64");
  const data = readableData(source, apiTexts.emptyPdf);
  if (data === undefined) return;
  const { path, label } = source.at("data");
  if (data.length > DOCUMENT_LIMIT) {
    const text = ownWordings.documentTooLarge(data.length, DOCUMENT_LIMIT);
    source.at("data").refuse({ rule: "document-too-large", text });
  }
  if (!isPdf(data)) {
    // Here the API calls the block by what it should hold.
    const named = label.replace(/document(?=\.source\.base64\.data$)/, "pdf");
    cursor.notes.findings.push({ path, label: named, rule: "invalid-pdf", text: apiTexts.invalidPdf });
  }
}

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
