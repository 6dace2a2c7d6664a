/** Languages by the names that ripgrep gives them, for searches without it. */
const languages: ReadonlyMap<string, readonly string[]> = new Map([
  ["c", ["c", "h"]],
  ["cpp", ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h"]],
  ["cs", ["cs"]],
  ["css", ["css", "scss"]],
  ["go", ["go"]],
  ["html", ["html", "htm"]],
  ["java", ["java"]],
  ["js", ["js", "jsx", "mjs", "cjs", "vue"]],
  ["json", ["json"]],
  ["kotlin", ["kt", "kts"]],
  ["lua", ["lua"]],
  ["md", ["md", "markdown", "mdx"]],
  ["php", ["php"]],
  ["py", ["py", "pyi"]],
  ["ruby", ["rb", "gemspec"]],
  ["rust", ["rs"]],
  ["sh", ["sh", "bash", "zsh"]],
  ["sql", ["sql"]],
  ["swift", ["swift"]],
  ["toml", ["toml"]],
  ["ts", ["ts", "tsx", "mts", "cts"]],
  ["txt", ["txt"]],
  ["xml", ["xml"]],
  ["yaml", ["yaml", "yml"]],
]);

/** Undefined for a language that is not known. */
export const extensionsOf = (type: string): readonly string[] | undefined => languages.get(type);
