const AROUND = 3;
const MAX_LINES = 40;
const MAX_LINE = 500;

/** The lines from one place of a text to another with a few around them, numbered as the read tool does. */
export function numberedExcerpt(text: string, { start, end }: { start: number; end: number }): string {
  let first = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < start; at = text.indexOf("\n", at + 1)) first += 1;
  let from = start;
  for (let back = 0; back <= AROUND && from >= 0; back += 1) {
    from = from === 0 ? -1 : text.lastIndexOf("\n", from - 1);
    if (from >= 0 && back < AROUND) first -= 1;
  }
  let to = end;
  for (let ahead = 0; ahead <= AROUND && to >= 0; ahead += 1)
    to = text.indexOf("\n", ahead === 0 ? to : to + 1);
  const lines = text.slice(from + 1, to < 0 ? text.length : to).split("\n");
  if (to < 0 && lines.length > 1 && lines.at(-1) === "") lines.pop();
  const shown = lines.slice(0, MAX_LINES).map((line, index) => {
    const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
    return `${first + index}\t${plain.length > MAX_LINE ? `${plain.slice(0, MAX_LINE)}…` : plain}`;
  });
  return [...shown, ...(lines.length > MAX_LINES ? ["…"] : [])].join("\n");
}
