/** The extensions by which a name is taken for a file's. */
const EXTENSIONS = new Set(
  (
    "ts tsx mts cts js jsx mjs cjs json jsonl jsonc json5 md mdx txt rst adoc py pyi ipynb rb go rs java kt kts scala " +
    "swift c h cc cpp cxx hh hpp m mm cs fs vb php pl pm lua r jl ex exs erl hs clj cljs dart zig nim sol sql " +
    "sh bash zsh fish ps1 bat cmd yml yaml toml ini cfg conf env lock xml html htm css scss sass less vue svelte " +
    "astro proto graphql gql tf hcl gradle properties csv tsv log diff patch svg png jpg jpeg gif webp ico pdf " +
    "docx xlsx pptx zip gz tgz tar wasm snap tmpl tpl hbs ejs mod sum"
  ).split(" "),
);
/** Directories with which the path of a real file system begins. */
const ROOTS = /^\/(?:home|Users|usr|etc|var|tmp|opt|root|mnt|private|Volumes|srv)\//;
const DRIVE = /^[A-Za-z]:[/\\]/;
/** Products that are called like files. */
const PRODUCTS = /^(?:node|next|vue|nuxt|react|three|d3|express|ember|angular|bun|deno)\.(?:js|ts|py)$/i;
/** Files that hosts show the model outside the messages. */
const INSTRUCTIONS = /^(?:CLAUDE|AGENTS|GEMINI)(?:\.local)?\.md$/;
const HOST = /^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}$/i;
/** What stands between blanks and quotation marks, if it has a slash or a dot in it, as every path does: most words have none. */
const PIECE =
  /(?<![^\s"'`()<>[\]{},;|*=…\u2018\u2019\u201c\u201d])[^\s"'`()<>[\]{},;|*=…\u2018\u2019\u201c\u201d./\\]*[./\\][^\s"'`()<>[\]{},;|*=…\u2018\u2019\u201c\u201d]*/g;
/** Patterns, templates and calls: what stands beside these is a part of something that is no path. */
const BEFORE = /[*}>)…$]/;
const AFTER = /[*{<([…$]/;
const PLACE = /(?::\d+(?:[-:]\d+)*|#L?\d+(?:-L?\d+)?)$/;
/** Other than letters of any language, digits and what paths are made of. */
const ODD = /[^\p{L}\p{M}\p{N}._/\\~+:-]/u;
const MAX_LENGTH = 400;

/** A file that a text names, with the last part of its path. */
export interface NamedPath {
  readonly path: string;
  readonly name: string;
}

/**
 * The file paths in a text, each once, in order. Careful rather than complete: addresses on the web, routes,
 * versions, media types, patterns and calls of functions are left out.
 */
export function pathsNamedIn(text: string): readonly NamedPath[] {
  const found = new Map<string, NamedPath>();
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (piece.length < 3 || piece.length > MAX_LENGTH) continue;
    const path = piece
      .replace(/^[@:]+/, "")
      .replace(/(?<![.:!?])[.:!?]+$/, "")
      .replace(PLACE, "");
    if (found.has(path)) continue;
    if (BEFORE.test(text[index - 1] ?? "") || AFTER.test(text[index + piece.length] ?? "")) continue;
    const name = fileName(path);
    if (name !== undefined) found.set(path, { path, name });
  }
  return [...found.values()];
}

/** The last part of what is a path; undefined for everything else. */
function fileName(path: string): string | undefined {
  if (path.includes("://") || ODD.test(path)) return undefined;
  const parts = path.split(/[/\\]/);
  const name = parts.at(-1) ?? "";
  if (name.length < 3) return undefined;
  const isRooted = /^(?:\.{1,2}|~)?[/\\]/.test(path) || DRIVE.test(path);
  if (!isRooted && parts.length > 1 && HOST.test(parts[0] ?? "")) return undefined;
  const extension = /[^.]\.([A-Za-z]\w{0,9})$/.exec(name)?.[1]?.toLowerCase();
  if (extension !== undefined && EXTENSIONS.has(extension)) {
    return INSTRUCTIONS.test(name) || (parts.length === 1 && PRODUCTS.test(name)) ? undefined : name;
  }
  const isPlace = /^(?:\.{1,2}|~)[/\\]./.test(path) || ROOTS.test(path) || DRIVE.test(path);
  return isPlace ? name : undefined;
}
