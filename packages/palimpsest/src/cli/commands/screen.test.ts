import { describe, expect, it } from "vitest";
import { isPrompt, wantsScreen } from "./screen.js";

const commands = new Set(["analyze", "demo", "replay", "sessions", "simulate"]);

describe("the agent in the terminal is asked for by", () => {
  it.each<[readonly string[], boolean]>([
    [[], true],
    [["--continue"], true],
    [["why does the build fail?"], true],
    [["why does the build fail?", "--model", "opus"], true],
    [["--model", "opus", "why?"], true],
    [["hello"], true],
    [["修复构建"], true],
    [["replay"], false],
    [["--debug", "replay"], false],
    // Slips, which are nothing to pay a model for.
    [["analyse"], false],
    [["Replay"], false],
    [["session"], false],
    [[""], false],
    [["  "], false],
    [["help"], false],
    [["--help"], false],
  ])("%j: %s", (args, isWanted) => {
    expect(wantsScreen(args, commands)).toBe(isWanted);
  });

  it("a prompt of several words, whatever they are", () => {
    expect(isPrompt("replay it", commands)).toBe(true);
    expect(isPrompt("analyse", commands)).toBe(false);
  });
});
