import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinHookSettings, readHookSettings } from "./hook-settings.js";

const command = (text: string) => ({ type: "command", command: text });

describe("settings in good order", () => {
  it("are read as they stand", () => {
    const { hooks, problems, isDisabled } = readHookSettings({
      model: "claude-opus-5",
      hooks: {
        PreCompact: [{ matcher: "auto", hooks: [{ ...command("a"), timeout: 5 }] }],
        PreToolUse: [
          {
            matcher: "Edit|Write",
            hooks: [
              { type: "command", command: "node", args: ["x.mjs"], if: "Edit(*.ts)", statusMessage: "…" },
              { ...command("b"), async: true, shell: "bash", once: true },
            ],
          },
        ],
        Stop: [{ hooks: [] }],
      },
    });
    expect(problems).toEqual([]);
    expect(isDisabled).toBe(false);
    expect(Object.keys(hooks)).toEqual(["PreCompact", "PreToolUse"]);
    expect(hooks.PreCompact?.[0]?.hooks).toEqual([
      { where: "hooks.PreCompact[0].hooks[0]", command: "a", timeoutMs: 5000, isAsync: false },
    ]);
    expect(hooks.PreToolUse?.[0]?.hooks).toEqual([
      {
        where: "hooks.PreToolUse[0].hooks[0]",
        command: "node",
        args: ["x.mjs"],
        condition: "Edit(*.ts)",
        timeoutMs: 60_000,
        isAsync: false,
      },
      { where: "hooks.PreToolUse[0].hooks[1]", command: "b", timeoutMs: 60_000, isAsync: true },
    ]);
  });

  it("may hold no hooks, or turn all of them off", () => {
    const nothing = { hooks: {}, problems: [], isDisabled: false };
    expect(readHookSettings(undefined)).toEqual(nothing);
    expect(readHookSettings({})).toEqual(nothing);
    expect(readHookSettings({ disableAllHooks: true, hooks: { Stop: [{ hooks: [command("a")] }] } })).toEqual(
      {
        ...nothing,
        isDisabled: true,
      },
    );
  });

  it("of several files all count, in their order", () => {
    const read = (file: string) =>
      readHookSettings({ hooks: { Stop: [{ hooks: [command(file)] }] } }, { file });
    const joined = joinHookSettings([read("user.json").hooks, {}, read("project.json").hooks]);
    expect(joined.Stop?.flatMap(({ hooks }) => hooks.map(({ where }) => where))).toEqual([
      "user.json: hooks.Stop[0].hooks[0]",
      "project.json: hooks.Stop[0].hooks[0]",
    ]);
    expect(Object.keys(joined)).toEqual(["Stop"]);
  });
});

describe("settings that are wrong", () => {
  const rows: readonly (readonly [settings: unknown, key: string, kind: string, allowed: RegExp])[] = [
    ["text", "settings", "invalid", /object/],
    [null, "settings", "invalid", /object/],
    [{ hooks: [] }, "hooks", "invalid", /object/],
    [{ hooks: { PreTooluse: [] } }, "hooks.PreTooluse", "invalid", /PreToolUse/],
    [{ hooks: { __proto__: 1, constructor: [] } }, "hooks.constructor", "invalid", /PreToolUse/],
    [{ hooks: { Notification: [] } }, "hooks.Notification", "unsupported", /SessionStart/],
    [{ hooks: { Stop: {} } }, "hooks.Stop", "invalid", /list/],
    [{ hooks: { Stop: ["a"] } }, "hooks.Stop[0]", "invalid", /`hooks`/],
    [{ hooks: { Stop: [{ matcher: 7, hooks: [] }] } }, "hooks.Stop[0].matcher", "invalid", /regular/],
    [{ hooks: { Stop: [{ matcher: "(", hooks: [] }] } }, "hooks.Stop[0].matcher", "invalid", /regular/],
    [{ hooks: { Stop: [{}] } }, "hooks.Stop[0].hooks", "invalid", /list/],
    [{ hooks: { Stop: [{ hooks: ["a"] }] } }, "hooks.Stop[0].hooks[0]", "invalid", /command/],
    [{ hooks: { Stop: [{ hooks: [{}] }] } }, "hooks.Stop[0].hooks[0].type", "invalid", /command/],
    [
      { hooks: { Stop: [{ hooks: [{ type: "prompt", prompt: "?" }] }] } },
      "hooks.Stop[0].hooks[0]",
      "unsupported",
      /command/,
    ],
    [
      { hooks: { Stop: [{ hooks: [{ ...command("a"), shell: "powershell" }] }] } },
      "hooks.Stop[0].hooks[0]",
      "unsupported",
      /command/,
    ],
    [{ hooks: { Stop: [{ hooks: [command(" ")] }] } }, "hooks.Stop[0].hooks[0].command", "invalid", /text/],
    [{ hooks: { Stop: [{ hooks: [command("\0")] }] } }, "hooks.Stop[0].hooks[0].command", "invalid", /text/],
    [
      { hooks: { Stop: [{ hooks: [{ ...command("a"), args: "b" }] }] } },
      "hooks.Stop[0].hooks[0].args",
      "invalid",
      /list of texts/,
    ],
    [
      { hooks: { Stop: [{ hooks: [{ ...command("a"), if: ["Bash"] }] }] } },
      "hooks.Stop[0].hooks[0].if",
      "invalid",
      /rule/,
    ],
  ];

  it.each(rows)("%j: %s", (settings, key, kind, allowed) => {
    const read = readHookSettings(settings);
    expect(read.hooks).toEqual({});
    expect(read.problems).toHaveLength(1);
    expect(read.problems[0]).toMatchObject({ key, kind });
    expect(read.problems[0]?.allowed).toMatch(allowed);
  });

  it("leave the others in force, and a bad timeout leaves the hook", () => {
    const { hooks, problems } = readHookSettings(
      {
        hooks: {
          Stop: [
            { matcher: "[", hooks: [command("lost")] },
            { hooks: [{ type: "http", url: "x" }, { ...command("kept"), timeout: "5" }, command("")] },
          ],
        },
      },
      { file: "settings.json" },
    );
    expect(hooks.Stop?.map((group) => group.hooks.map((hook) => [hook.command, hook.timeoutMs]))).toEqual([
      [["kept", 60_000]],
    ]);
    expect(problems.map(({ key }) => key)).toEqual([
      "settings.json: hooks.Stop[0].matcher",
      "settings.json: hooks.Stop[1].hooks[0]",
      "settings.json: hooks.Stop[1].hooks[1].timeout",
      "settings.json: hooks.Stop[1].hooks[2].command",
    ]);
    for (const timeout of [0, -1, Infinity, NaN, null, true]) {
      const read = readHookSettings({ hooks: { Stop: [{ hooks: [{ ...command("a"), timeout }] }] } });
      expect(read.problems).toHaveLength(1);
      expect(read.hooks.Stop).toHaveLength(1);
    }
  });

  it("never throw, whatever they are, and are never repeated in problems", () => {
    const key = fc.constantFrom(
      "hooks",
      "Stop",
      "PreToolUse",
      "matcher",
      "type",
      "command",
      "args",
      "timeout",
    );
    const leaf = fc.constantFrom(null, 1, "command", "sk-secret", "(", true, "*");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: "medium" }, leaf, fc.array(tie("tree")), fc.dictionary(key, tie("tree"))),
    }));
    fc.assert(
      fc.property(tree, (settings) => {
        const { problems } = readHookSettings({ hooks: { Stop: settings, PreToolUse: [settings] } });
        expect(JSON.stringify(problems)).not.toContain("sk-secret");
      }),
    );
  });
});
