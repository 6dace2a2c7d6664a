import { htmlToText } from "./html-to-text.js";

/** How far into a page its own word on its encoding is looked for. */
const SNIFFED_BYTES = 2048;

/** The text of what a server sent: HTML made readable, other text as it is. Undefined for what is not text. */
export function pageText(page: {
  readonly url: URL;
  readonly contentType: string;
  readonly body: Buffer;
}): string | undefined {
  const { url, body } = page;
  const type = page.contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const start = body.toString("latin1", 0, SNIFFED_BYTES);
  const isHtml =
    /^(?:text\/html|application\/xhtml\+xml)$/.test(type) ||
    (type === "" && /^\s*<(?:!doctype|html)/i.test(start));
  if (!isHtml && !isTextual(type) && !(type === "" && !start.includes("\0"))) return undefined;
  const charset =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(page.contentType)?.[1] ??
    (isHtml ? /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(start)?.[1] : undefined);
  const text = decode(body, charset);
  return isHtml ? htmlToText(text, url.href) : text;
}

const isTextual = (type: string): boolean =>
  type.startsWith("text/") ||
  /^application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|(?:x-)?(?:javascript|ndjson|sh|yaml|toml)|ecmascript|graphql|sql)$/.test(
    type,
  );

function decode(body: Buffer, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
