import { join } from "node:path";
import { markdownBelow } from "../base/markdown-below.js";

const MAX_RULES = 200;
const MAX_DEPTH = 4;

/** The Markdown files below the `rules` folder of a `.claude` folder, in the order of their names. Never rejects. */
export async function ruleFilesIn(folder: string): Promise<readonly string[]> {
  return (await markdownBelow(join(folder, "rules"), MAX_DEPTH)).slice(0, MAX_RULES);
}
