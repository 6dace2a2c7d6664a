import { Markdown, setCapabilities, type MarkdownTheme } from "@earendil-works/pi-tui";
import type { Theme } from "../theme.js";

/** What is written is letters and styles: no links, no pictures. */
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

const themes = new WeakMap<Theme, MarkdownTheme>();

const markdownTheme = (theme: Theme): MarkdownTheme => {
  const known = themes.get(theme);
  if (known !== undefined) return known;
  const made: MarkdownTheme = {
    heading: (text) => theme.bold(theme.accent(text)),
    link: theme.underline,
    linkUrl: theme.dim,
    code: theme.code,
    codeBlock: theme.code,
    codeBlockBorder: theme.dim,
    quote: theme.italic,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.strikethrough,
    underline: theme.underline,
  };
  themes.set(theme, made);
  return made;
};

/** A text in markdown as lines; it has to be harmless already. */
export function markdownLines(
  text: string,
  { width, theme }: { readonly width: number; readonly theme: Theme },
): readonly string[] {
  const made = new Markdown(text, 0, 0, markdownTheme(theme), undefined, {
    preserveOrderedListMarkers: true,
    preserveBackslashEscapes: true,
    renderLatex: false,
  });
  const lines = made.render(Math.max(4, width)).map((line) => line.trimEnd());
  while (lines.length > 0 && lines[0] === "") lines.shift();
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines;
}
