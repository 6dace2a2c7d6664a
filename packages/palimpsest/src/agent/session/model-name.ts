import { models } from "@palimpsest/core";

/** Short names that people of this ecosystem write into settings and agents' files. */
const lines = ["opus", "sonnet", "haiku"] as const;

/** The newest model of a line for its short name; every other name is a model's own. */
export function modelNamed(name: string): string {
  const wanted = name.trim();
  const line = lines.find((one) => one === wanted.toLowerCase());
  return line === undefined
    ? wanted
    : (models.find(({ id }) => id.startsWith(`claude-${line}-`))?.id ?? wanted);
}
