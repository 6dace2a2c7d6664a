import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRule } from "./compile-rule.js";
import { toolProblem } from "./known-tools.js";
import { parseRule, PermissionRuleError, splitRules } from "./rule.js";

const compile = (rule: string, isStrict: boolean) =>
  compileRule(rule, { workingDirectory: "/work", home: "/home/me", isStrict });

describe("a rule with a typing mistake", () => {
  it.each([
    "Bash(npm",
    "Bash(npm test:*",
    "Bash()",
    "Bash( )",
    "Bash(npm))",
    "Bash((npm)",
    "Bash(rm:*) Read(.env)",
    "Bash(rm:*)Read(.env)",
    "Bash(rm:*);Read(.env)",
    "Bash[npm]",
    "Bash（npm）",
    "Bash npm",
    "Bash:npm",
    "(npm)",
    "Read(.env",
    "Read .env",
    "B*",
    "",
  ])("%j is not a rule, in no list", (text) => {
    expect(parseRule(text)).toBeUndefined();
    for (const isStrict of [true, false]) expect(() => compile(text, isStrict)).toThrow(PermissionRuleError);
  });

  it("is not made another rule by the commas of a list", () => {
    expect(splitRules("Bash(npm")).toEqual(["Bash(npm"]);
    expect(splitRules("Bash(npm,Edit")).toEqual(["Bash(npm,Edit"]);
    expect(splitRules("Read, Bash(a, b),,Edit(/x) ,")).toEqual(["Read", "Bash(a, b)", "Edit(/x)"]);
    expect(splitRules('Bash(echo ")"),Edit')).toEqual(['Bash(echo ")")', "Edit"]);
  });

  it.each(['Bash(echo ")")', "Bash(f(x) (y))", "Bash(echo don't (x))", 'Bash(echo \'(\' "\\")")'])(
    "brackets that a command needs are none: %j",
    (text) => {
      expect(parseRule(text)).toEqual({ toolName: "Bash", content: text.slice(5, -1) });
    },
  );

  it.each([
    ["bash(rm:*)", "did you mean Bash"],
    ["Bsh", "did you mean Bash"],
    ["Raed(.env)", "did you mean Read"],
    ["Edit2", "did you mean Edit"],
    ["Everything", "does not exist"],
    ["mcp__", "does not exist"],
    ["Mcp__server", "does not exist"],
    ["TodoWrite(x)", "write TodoWrite alone"],
    ["mcp__server__tool(x)", "write mcp__server__tool alone"],
    ["*(x)", "write * alone"],
    ["WebFetch(example.com)", "WebFetch(domain:example.com)"],
  ])("%j would forbid nothing, and is refused where it is to forbid", (text, hint) => {
    expect(() => compile(text, true)).toThrow(hint);
    expect(() => compile(text, false)).not.toThrow();
  });

  it("names that other programs know are known", () => {
    for (const name of `MultiEdit NotebookEdit NotebookRead LS WebSearch Task SlashCommand TodoWrite KillShell
      AskUserQuestion TaskOutput ListMcpResourcesTool mcp__server mcp__server__tool mcp__a__read_* Agent(explore)
      Skill(pdf) NotebookEdit(/x/**) PowerShell(rm:*) WebFetch(domain:example.com) *`.split(/\s+/)) {
      const parsed = parseRule(name);
      expect(parsed === undefined ? name : toolProblem(parsed)).toBeUndefined();
    }
  });

  it("a tool's other name is the tool", () => {
    const call = (toolName: string, input = {}) => ({ toolName, kind: "none" as const, input, paths: [] });
    expect(compile("KillShell", true).isAbout(call("KillBash"))).toBe(true);
    expect(compile("AskUserQuestion", true).isAbout(call("AskUser"))).toBe(true);
    const rule = compile("SlashCommand(/deploy:*)", true);
    expect(rule.isAbout(call("Skill"))).toBe(true);
    expect(rule.matchesName?.(call("Skill", { skill: "deploy" }))).toBe(true);
  });
});

const piece = fc.constantFrom(
  "Bash",
  "Read",
  "(",
  ")",
  ",",
  " ",
  "*",
  "npm",
  ":*",
  "'",
  '"',
  "\\",
  "/x/**",
  "mcp__a",
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
  fc.string({ maxLength: 20, unit: "binary" }),
);

describe("any text", () => {
  it("is a rule that says all of it, or none", () => {
    fc.assert(
      fc.property(text, (given) => {
        const rule = parseRule(given);
        if (rule === undefined) return;
        const { toolName, content } = rule;
        const trimmed = given.trim();
        const inside = trimmed.slice(toolName.length + 1, -1).trim();
        if (content !== undefined) expect(inside).toBe(content);
        // Everything of a tool is meant only where nothing else was written.
        else expect(trimmed === toolName || inside === "*").toBe(true);
      }),
      { numRuns: 10_000 },
    );
  });

  it("loses nothing but blanks when it is taken for a list", () => {
    const bare = (list: string): string => list.replaceAll(/[\s,]/g, "");
    fc.assert(
      fc.property(text, (given) => {
        expect(bare(splitRules(given).join(","))).toBe(bare(given));
      }),
      { numRuns: 10_000 },
    );
  });

  it("that begins as a rule with brackets is no rule before its end", () => {
    fc.assert(
      fc.property(text, (given) => {
        const whole = `Bash(${given.replaceAll(/['"\\]/g, "q")}x)`;
        fc.pre(parseRule(whole) !== undefined);
        for (let end = "Bash(".length; end < whole.length; end += 1) {
          expect(parseRule(whole.slice(0, end))).toBeUndefined();
        }
      }),
      { numRuns: 5000 },
    );
  });

  it("of good rules is split into these", () => {
    const word = fc.stringMatching(/^[a-z ,:*/.-]{0,8}$/);
    const rule = fc
      .tuple(fc.constantFrom("Bash", "Edit", "Read"), fc.option(fc.tuple(word, word)))
      .map(([tool, inside]) => (inside === null ? tool : `${tool}(x${inside[0]}(${inside[1]}))`));
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), (rules) => {
        expect(splitRules(rules.join(","))).toEqual(rules);
        for (const one of rules) expect(parseRule(one)).toBeDefined();
      }),
      { numRuns: 5000 },
    );
  });
});
