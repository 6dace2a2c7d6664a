import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PrintFlags } from "../headless/print.js";
import { createPrintCommand, wantsPrint } from "./print.js";

const silent = { stdout: { write: () => {} }, stderr: { write: () => {} }, env: {} };

async function parse(...args: readonly string[]): Promise<PrintFlags> {
  let given: PrintFlags | undefined;
  const command = createPrintCommand(silent, async (flags) => void (given = flags));
  await command.parseAsync([...args], { from: "user" });
  if (given === undefined) throw new Error("nothing was run");
  return given;
}

describe("the flags of -p", () => {
  it("all stand in docs/headless.md", () => {
    const page = readFileSync(new URL("../../../../../docs/headless.md", import.meta.url), "utf8");
    const flags = createPrintCommand(silent, async () => {}).options.map(({ long }) => long ?? "");
    expect(flags.filter((flag) => !new RegExp(`\`(?:-\\w, )?${flag}\\b`).test(page))).toEqual([]);
  });

  it("have two spellings for rules, which are one list", async () => {
    const rules = [
      "--allowedTools",
      "Read,Edit",
      "--allowed-tools",
      "Bash(ls:*)",
      "--disallowedTools",
      "Write",
    ];
    expect(await parse("-p", "x", ...rules)).toMatchObject({
      allowedTools: ["Read", "Edit", "Bash(ls:*)"],
      disallowedTools: ["Write"],
    });
  });

  it("may skip permissions, unless another mode is given", async () => {
    const skip = "--dangerously-skip-permissions";
    expect(await parse("-p", "x", skip)).toMatchObject({ permissionMode: "bypassPermissions" });
    expect(await parse("-p", "x", skip, "--permission-mode", "bypassPermissions")).toBeDefined();
    await expect(parse("-p", "x", skip, "--permission-mode", "plan")).rejects.toThrow("exclude each other");
    await expect(parse("-p", "x", "--embedded", "--base-url", "http://localhost")).rejects.toThrow(
      "cannot be used",
    );
  });

  it("take no sources, some, or all", async () => {
    expect(await parse("-p", "x", "--setting-sources=")).toMatchObject({ settingSources: [] });
    expect(await parse("-p", "x", "--setting-sources", "user,local")).toMatchObject({
      settingSources: ["user", "local"],
    });
    await expect(parse("-p", "x", "--setting-sources", "everybody")).rejects.toThrow("Allowed");
  });
});

describe("wantsPrint", () => {
  const commands = new Set(["replay"]);
  it.each([
    ["-p x", true],
    ["x --print", true],
    ["--print=x", true],
    ["--output-format stream-json --verbose --input-format stream-json", true],
    ["--model x --input-format=stream-json", true],
    ["replay -p", false],
    ["replay x --output-format json", false],
    ["x", false],
    ["-- -p", false],
  ])("%s: %s", (text, isWanted) => {
    expect(wantsPrint(text.split(" "), commands)).toBe(isWanted);
  });
});
