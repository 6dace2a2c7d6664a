const SPELLED: Readonly<Record<string, string>> = {
  "…": "...",
  "—": "--",
  "–": "-",
  "─": "-",
  "│": "|",
  "└": "`",
  "·": "-",
  "•": "*",
  "●": "*",
  "○": "o",
  "→": "->",
  "←": "<-",
  "↑": "^",
  "↓": "v",
  "›": ">",
  "❯": ">",
  "✓": "ok",
  "✗": "x",
  "“": '"',
  "”": '"',
  "„": '"',
  "‘": "'",
  "’": "'",
  "×": "x",
  "≤": "<=",
  "≥": ">=",
  "█": "#",
  "▓": "#",
  "░": ".",
  " ": " ",
};

/** For terminals without UTF-8: what has a plain spelling gets it, every other character is a question mark. */
export const asciiLine = (line: string): string =>
  // oxlint-disable-next-line no-control-regex -- everything but ASCII is what this is about
  line.replaceAll(/[^\u0000-\u007f]/gu, (char) => SPELLED[char] ?? "?");

/** Whether the terminal of such an environment takes UTF-8. Where nothing is said it does, as nearly all do. */
export function takesUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(
    (value) => value !== undefined && value !== "",
  );
  return locale === undefined || /utf-?8/i.test(locale);
}
