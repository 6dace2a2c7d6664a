import { isFields, type Fields } from "../fields.js";
import {
  dropField,
  fieldsOf,
  isFilled,
  isText,
  keepFields,
  replaceField,
  wellFormed,
  type CleanContext,
  type Cleaner,
} from "./block-fields.js";
import { readMediaSource, type MediaKind } from "./media-source.js";
import { leftOutText } from "./wording.js";

/** Pictures and documents. One that no request may hold becomes a text that says what was there. */

const IMAGE = fieldsOf("source", "transformations");
const DOCUMENT = fieldsOf("source", "title", "context", "citations");
const TEXT_SOURCE = fieldsOf("media_type", "data");
const CONTENT_SOURCE = fieldsOf("content");
const OVERSIZED: ReadonlySet<unknown> = new Set(["downsize", "error", undefined]);

/** Cleans a list of blocks; null for what is not a list. */
export type CleanList = (list: unknown, context: CleanContext) => readonly Fields[] | null;

function leaveOut(
  block: Fields,
  {
    why,
    context,
    isTooLarge = false,
  }: { readonly why: string; readonly context: CleanContext; readonly isTooLarge?: boolean },
): Fields {
  context.report(isTooLarge ? "oversized_media" : "unreadable_media");
  const source = isTooLarge ? undefined : block["source"];
  return { type: "text", text: leftOutText(block["type"] as MediaKind, { why, source }) };
}

const cleanTransformations = (block: Fields): Fields => {
  const { transformations } = block;
  return isFields(transformations) && OVERSIZED.has(transformations["oversized_image"])
    ? replaceField(block, "transformations", keepFields(transformations, new Set(["oversized_image"])))
    : dropField(block, "transformations");
};

/** `places` says as what it may stand where it does: data that is a PDF makes a document of an image, and so on. */
const cleanSourced =
  (places: readonly MediaKind[]): Cleaner =>
  (block, context) => {
    const type = block["type"] as MediaKind;
    const reading = readMediaSource(block["source"], type);
    if ("why" in reading) return leaveOut(block, { ...reading, context });
    const { kind, source, isMended } = reading;
    if (!places.includes(kind)) return leaveOut(block, { why: "its data is a PDF", context });
    if (isMended || kind !== type) context.report("mended_media");
    if (kind !== type) return { type: kind, source };
    const bare = type === "image" ? cleanTransformations(block) : block;
    const allowed = type === "image" ? IMAGE : DOCUMENT;
    return wellFormed(keepFields(replaceField(bare, "source", source), allowed), context);
  };

const cleanEither = cleanSourced(["image", "document"]);

export const cleanImage: Cleaner = cleanEither;

/** Inside a document, where no other document may stand. */
export const cleanImageInDocument: Cleaner = cleanSourced(["image"]);

export const cleanCitationsConfig = (block: Fields): Fields =>
  isFields(block["citations"]) && typeof block["citations"]["enabled"] === "boolean"
    ? replaceField(block, "citations", keepFields(block["citations"], new Set(["enabled"])))
    : dropField(block, "citations");

const isBlank = (value: unknown): boolean => !isFilled(value) || value.trim() === "";

export const cleanDocument =
  (cleanContent: CleanList): Cleaner =>
  (block, context) => {
    let bare = cleanCitationsConfig(block);
    for (const key of ["title", "context"]) if (!isFilled(bare[key])) bare = dropField(bare, key);
    const source = isFields(bare["source"]) ? bare["source"] : {};
    const clean =
      source["type"] === "text"
        ? cleanTextSource
        : source["type"] === "content"
          ? cleanContentSource(cleanContent)
          : undefined;
    if (clean === undefined) return cleanEither(bare, context);
    const sent = clean(source, context);
    if (sent === null) return leaveOut(block, { why: "it holds no text", context });
    return wellFormed(keepFields(replaceField(bare, "source", sent), DOCUMENT), context);
  };

const cleanTextSource: Cleaner = (source, context) => {
  if (isBlank(source["data"])) return null;
  if (source["media_type"] !== "text/plain") context.report("mended_media");
  return keepFields(replaceField(source, "media_type", "text/plain"), TEXT_SOURCE);
};

const cleanContentSource =
  (cleanContent: CleanList): Cleaner =>
  (source, context) => {
    const given = source["content"];
    const content = isText(given) ? given.trim() && given : cleanContent(given, context);
    if (content === null || content.length === 0) return null;
    return keepFields(replaceField(source, "content", content), CONTENT_SOURCE);
  };
