import { mkdir, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand, startCommand } from "./agent-command.js";
import type { Answer, HostileServer } from "./hostile-server.js";
import { createStage } from "./hostile-stage.js";

const setUp = createStage("shell");

const calls = (commands: readonly string[]): Answer =>
  commands.map((command) => ({ tool: "Bash", input: { command } }));

/** What the model was told of each call. */
function results(api: HostileServer): readonly { readonly isError: boolean; readonly text: string }[] {
  const { messages } = JSON.parse(api.bodies.at(-1) ?? "{}") as {
    messages: readonly { readonly content: string | readonly Record<string, unknown>[] }[];
  };
  return messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_result")
    .map(({ content, is_error }) => ({ isError: is_error === true, text: JSON.stringify(content) }));
}

describe("commands of a model, in the default mode of the built command", () => {
  it("a rule for echo runs nothing else, and no cd leads to a file outside", async () => {
    const attacks = [
      'echo "$\\\n(touch PWN)"',
      "echo $\\\n(touch PWN)",
      "echo $\\\n'\\x41' > PWN",
      "echo a # \\\ntouch PWN",
      "echo a >\\\n PWN",
      'echo "`\\\ntouch PWN`"',
      "printf -v 'a[$(touch PWN)]' x",
      "cd a; false && cd b; cat link",
      "cd a\ncat link",
      "true || cd a && cat link",
      "cd a;".repeat(2500),
      "cd a && ".repeat(1200),
    ];
    const fine = [
      "echo fine-1 \\\n more",
      "cd a && ls; echo fine-2",
      "ls | head -3 2>&1 >/dev/null; echo fine-3",
    ];
    const { at, api } = await setUp([calls(attacks), calls(fine), [{ text: "done" }]]);
    await mkdir(join(at.work, "a", "b"), { recursive: true });
    await writeFile(join(at.root, "secret.txt"), "the-secret");
    await symlink(join(at.root, "secret.txt"), join(at.work, "a", "link"));
    await writeFile(join(at.work, "link"), "harmless");
    await writeFile(join(at.work, "a", "b", "link"), "harmless");
    const rules = ["--allowed-tools", "Bash(echo:*),Bash(printf:*)"];
    const { code } = await runCommand(at, ["-p", "go", "--base-url", api.url, ...rules]);
    expect(code).toBe(0);
    expect(existsSync(join(at.work, "PWN"))).toBe(false);
    const told = results(api);
    expect(told).toHaveLength(attacks.length + fine.length);
    expect(told.slice(0, attacks.length).filter(({ isError }) => !isError)).toEqual([]);
    expect(told.slice(attacks.length).map(({ text }) => /fine-\d/.exec(text)?.[0])).toEqual([
      "fine-1",
      "fine-2",
      "fine-3",
    ]);
    expect(api.bodies.join("\n")).not.toContain("the-secret");
  });

  it("a rule that forbids touch holds however it is written, also where everything else may run", async () => {
    const attacks = [
      "t\\\nouch PWN",
      "$'\\x74ouch' PWN",
      "touch$IFS'PWN'",
      "if touch PWN; then :; fi",
      "! touch PWN",
      "coproc touch PWN",
      "flock lock touch PWN",
      "script -qc 'touch PWN' /dev/null",
      `env ${"A=1 ".repeat(40)}touch PWN`,
      "bash <<EOF\ntouch PWN\nEOF",
      "echo touch PWN | sh",
      `${"true; ".repeat(3000)}touch PWN`,
    ];
    const { at, api } = await setUp([
      calls(attacks),
      calls(["echo still-runs > it-ran"]),
      [{ text: "done" }],
    ]);
    const rules = ["--disallowed-tools", "Bash(touch:*)", "--permission-mode", "bypassPermissions"];
    const { code } = await runCommand(at, ["-p", "go", "--base-url", api.url, ...rules]);
    expect(code).toBe(0);
    expect(existsSync(join(at.work, "PWN"))).toBe(false);
    expect(existsSync(join(at.work, "it-ran"))).toBe(true);
    expect(results(api).filter(({ text }) => text.includes("forbids this"))).toHaveLength(attacks.length);
  });

  it("a signal ends the program after whatever it had to judge", async () => {
    let tellAsked = (): void => {};
    const asked = new Promise<void>((resolve) => (tellAsked = resolve));
    const hostile = ["cd a;", "cd a && ", "sudo ", "$(", "cat a/../a; ", "env A=1 "].map((piece) =>
      piece.repeat(Math.floor(100_000 / piece.length)),
    );
    const { at, api } = await setUp([
      calls(hostile),
      // Never answered: the program waits.
      () => tellAsked(),
    ]);
    await mkdir(join(at.work, "a"));
    const rules = ["--disallowed-tools", "Bash(rm:*),Read(.env)", "--allowed-tools", "Bash(echo:*)"];
    const { child, ended } = startCommand(at, ["-p", "go", "--base-url", api.url, ...rules]);
    await Promise.race([asked, ended]);
    child.kill("SIGINT");
    expect((await ended).code).not.toBe(0);
    expect(api.bodies).toHaveLength(2);
  });
});
