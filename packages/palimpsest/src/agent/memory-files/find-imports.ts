/** `@path` at the start of a word. */
const mention = /(?:^|\s)@((?:\\ |[^\s\\`"'<>|*?])+)/g;

/**
 * The files that a text asks to be read with it, as it names them, each once. What stands in fences or between
 * backticks is an example, and so is nothing.
 */
export function findImports(text: string): readonly string[] {
  const found = new Set<string>();
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const [, marks] = /^\s{0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks !== undefined && marks.startsWith(fence) && line.trim() === marks) fence = undefined;
      continue;
    }
    if (marks !== undefined) {
      fence = marks;
      continue;
    }
    if (!line.includes("@")) continue;
    for (const [, path = ""] of withoutCode(line).matchAll(mention)) {
      const name = path.replaceAll("\\ ", " ").replace(/(?<![),.;:!\]])[),.;:!\]]+$/, "");
      if (/^(?:~\/|\.{0,2}\/|[\w.-])/.test(name) && !name.includes("\0")) found.add(name);
    }
  }
  return Array.from(found);
}

const withoutCode = (line: string): string => line.replaceAll(/(`+)[^`]*\1/g, " ");
