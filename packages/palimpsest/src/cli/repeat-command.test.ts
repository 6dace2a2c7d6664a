import { describe, expect, it } from "vitest";
import { repeatCommand } from "./repeat-command.js";

const args = ["soak", "--runs", "it's mine.mjs", "--only", "a", "--seed", "7"];
const quoted = `--runs 'it'\\''s mine.mjs' --only a --seed 7`;

describe("repeatCommand", () => {
  it.each([
    ["palimpsest on the path", {}, "/usr/local/bin/palimpsest", `palimpsest soak ${quoted}`],
    ["npx", { npm_command: "exec" }, "/a/node_modules/.bin/palimpsest", `npx palimpsest soak ${quoted}`],
    ["a script of that name", { npm_lifecycle_event: "soak" }, "/a/bin.mjs", `npm run soak -- ${quoted}`],
    ["another script", { npm_lifecycle_event: "test" }, "/a/bin.mjs", `node /a/bin.mjs soak ${quoted}`],
    ["node", {}, "/a b/bin.mjs", `node '/a b/bin.mjs' soak ${quoted}`],
  ])("started by %s", (_, env, program, line) => {
    expect(repeatCommand(env, args, program)).toBe(line);
  });
});
