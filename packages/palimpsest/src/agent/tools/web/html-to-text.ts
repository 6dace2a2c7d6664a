import { decodeEntities } from "./html-entities.js";
import { createTextFlow } from "./text-flow.js";

/** Elements whose content is nothing to read. */
const skipped: ReadonlyMap<string, RegExp> = new Map(
  ["script", "style", "template", "svg", "iframe", "object", "canvas", "math", "select"].map((name) => [
    name,
    new RegExp(`</${name}(?=[\\s/>])`, "gi"),
  ]),
);
const titleEnd = /<\/title(?=[\s/>])/gi;

const paragraphs = new Set(
  "p ul ol dl table blockquote article section main header footer nav aside form figure".split(" "),
);
const lines = new Set(
  "div li tr dt dd option address fieldset details summary figcaption caption center".split(" "),
);

const tagName = /<(\/?)([a-zA-Z][a-zA-Z0-9:-]*)/y;

/**
 * The text of a page as a person would read it: headings, lists, tables by row, links with their addresses. Takes
 * time in proportion to its length, whatever the page. `base` is the address that links start from.
 */
export function htmlToText(html: string, base: string): string {
  const flow = createTextFlow();
  let title = "";
  let listDepth = 0;
  let at = 0;

  /** Lists stay together. */
  const endParagraph = (): void => flow.breakLines(listDepth > 0 ? 1 : 2);
  const open = (name: string, attributes: string): void => {
    if (paragraphs.has(name)) endParagraph();
    if (lines.has(name)) flow.breakLines(1);
    if (name === "ul" || name === "ol") listDepth++;
    else if (name === "li") flow.startLine(`${"  ".repeat(Math.min(Math.max(0, listDepth - 1), 8))}- `);
    else if (name === "td" || name === "th") flow.separate(" | ");
    else if (name === "br") flow.breakLine();
    else if (name === "hr") flow.breakLines(2);
    else if (name === "pre") flow.startVerbatim();
    else if (/^h[1-6]$/.test(name)) {
      flow.breakLines(2);
      flow.startLine(`${"#".repeat(Number(name[1]))} `);
    } else if (name === "a") flow.startLink(linkTarget(attributeIn(attributes, hrefPattern), base));
    else if (name === "img") {
      const alt = attributeIn(attributes, altPattern)?.trim();
      if (alt !== undefined && alt !== "") flow.text(`[image: ${alt}]`);
    }
  };
  const close = (name: string): void => {
    if (name === "a") flow.endLink();
    else if (name === "pre") flow.endVerbatim();
    else if (name === "ul" || name === "ol") listDepth = Math.max(0, listDepth - 1);
    if (name === "li" || /^h[1-6]$/.test(name)) flow.endLine();
    if (paragraphs.has(name) || /^h[1-6]$/.test(name)) endParagraph();
    if (lines.has(name)) flow.breakLines(1);
  };

  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start < 0) {
      flow.text(decodeEntities(html.slice(at)));
      break;
    }
    if (start > at) flow.text(decodeEntities(html.slice(at, start)));
    const next = html.charAt(start + 1);
    if (next === "!" || next === "?") {
      const isComment = html.startsWith("<!--", start);
      const end = html.indexOf(isComment ? "-->" : ">", start + 2);
      if (end < 0) break;
      at = end + (isComment ? 3 : 1);
      continue;
    }
    tagName.lastIndex = start;
    const tag = tagName.exec(html);
    if (tag === null) {
      flow.text("<");
      at = start + 1;
      continue;
    }
    const name = (tag[2] ?? "").toLowerCase();
    const end = tagEnd(html, tagName.lastIndex);
    // What is never closed is not text.
    if (end < 0) break;
    const attributes = html.slice(tagName.lastIndex, end);
    at = end + 1;
    if (tag[1] === "/") {
      close(name);
      continue;
    }
    const closing = name === "title" ? titleEnd : skipped.get(name);
    if (closing === undefined) {
      open(name, attributes);
      continue;
    }
    if (attributes.endsWith("/") && name !== "script" && name !== "title") continue;
    closing.lastIndex = at;
    const closed = closing.exec(html);
    if (closed === null) break;
    if (name === "title" && title === "")
      title = decodeEntities(html.slice(at, closed.index)).replaceAll(/\s+/g, " ").trim();
    at = closed.index;
  }
  const text = flow.end();
  return title === "" || text.startsWith(`# ${title}\n`) ? text : `${title}\n\n${text}`.trim();
}

/** Where the tag's `>` stands, quotes of attributes minded; -1 where it never ends. */
function tagEnd(html: string, from: number): number {
  let isValue = false;
  for (let at = from; at < html.length; at++) {
    const character = html.charAt(at);
    if (character === ">") return at;
    if (isValue && (character === '"' || character === "'")) {
      at = html.indexOf(character, at + 1);
      if (at < 0) return -1;
      isValue = false;
    } else if (character === "=") isValue = true;
    else if (!/\s/.test(character)) isValue = false;
  }
  return -1;
}

const attributePattern = (name: string): RegExp =>
  new RegExp(`(?:^|[\\s"'])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i");
const hrefPattern = attributePattern("href");
const altPattern = attributePattern("alt");

function attributeIn(attributes: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(attributes);
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? undefined : decodeEntities(value);
}

const MAX_LINK = 500;

/** An address that can be fetched; undefined for places on the page itself, scripts and the like. */
function linkTarget(href: string | undefined, base: string): string | undefined {
  if (href === undefined || href.length > MAX_LINK || href.startsWith("#")) return undefined;
  if (!URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
}
