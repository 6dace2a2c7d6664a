import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";

/** Gives every statement of the files in a folder a line of its own: where an error is has to be seen. */
export function breakLines(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    writeFileSync(file, withLines(name, readFileSync(file, "utf8")));
  }
}

function withLines(name, code) {
  const { program, errors } = parseSync(name, code);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  const starts = new Set();
  visit(program, starts);
  const pieces = [];
  let last = 0;
  for (const start of [...starts].toSorted((a, b) => a - b)) {
    if (start === 0 || code[start - 1] === "\n") continue;
    pieces.push(code.slice(last, start));
    last = start;
  }
  return [...pieces, code.slice(last)].join("\n");
}

/** Lists of statements and of members of classes: a line break between two of them means nothing. */
function visit(node, starts) {
  for (const [key, value] of Object.entries(node)) {
    if (Array.isArray(value)) {
      const isList = key === "body" || (key === "consequent" && node.type === "SwitchCase");
      for (const item of value) {
        if (item === null || typeof item !== "object") continue;
        if (isList) starts.add(item.start);
        visit(item, starts);
      }
    } else if (value !== null && typeof value === "object" && "type" in value) visit(value, starts);
  }
}
