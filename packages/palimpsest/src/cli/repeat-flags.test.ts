import { describe, expect, it } from "vitest";
import { repeatFlags } from "./repeat-flags.js";

const words = (text: string): readonly string[] => text.split(" ");

describe("repeatFlags", () => {
  it.each([
    ["-p x --allowedTools A B C --json", "-p x --allowedTools A --allowedTools B --allowedTools C --json"],
    ["x -p --add-dir a b", "x -p --add-dir a --add-dir b"],
    ["--print=x --mcp-config a b", "--print=x --mcp-config a --mcp-config b"],
    // The last may be the prompt.
    ["-p --allowedTools A x", "-p --allowedTools A x"],
    ["-p x --allowedTools A", "-p x --allowedTools A"],
    ["-p x --model A B", "-p x --model A B"],
    ["-p x --allowedTools A -- B", "-p x --allowedTools A -- B"],
  ])("%s", (given, expected) => {
    expect(repeatFlags(words(given))).toEqual(words(expected));
  });
});
