import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { brokenRules } from "../data/shell-verdicts/broken-rules.js";
import { shellVerdicts } from "../data/shell-verdicts/index.js";
import type { VerdictGroup } from "../data/shell-verdicts/verdict-row.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";
import { makeFolders } from "./agent-command.js";
import { startHostileServer } from "./hostile-server.js";
import { isWrong, playVerdicts } from "./play-verdicts.js";
import { runAgentHere } from "./run-here.js";

const sessions = new Map<string, readonly VerdictGroup[]>();
for (const group of shellVerdicts) {
  const name = `rules ${group.rules} in the world ${group.world}`;
  sessions.set(name, [...(sessions.get(name) ?? []), group]);
}

describe("commands through the shipped command", () => {
  it("are more than 200 attacks, and ordinary ones besides", () => {
    const count = (isOrdinary: boolean): number =>
      shellVerdicts
        .filter(({ expected }) => (expected === "runs") === isOrdinary)
        .reduce((sum, { calls }) => sum + calls.length, 0);
    expect(count(false)).toBeGreaterThan(400);
    expect(count(true)).toBeGreaterThan(100);
  });

  it.concurrent.each(someOf(Array.from(sessions.keys()), 7))(
    "get the verdict that they must get: %s",
    async (name) => {
      const played = await playVerdicts(sessions.get(name) ?? []);
      expect(played.length).toBeGreaterThan(0);
      const wrong = played.filter(isWrong).map(({ about, call, expected, verdict, harm, told }) => ({
        about,
        call: (typeof call === "string" ? call : JSON.stringify(call)).slice(0, 200),
        expected,
        verdict,
        harm,
        told: told.slice(0, 200),
      }));
      expect(wrong).toEqual([]);
    },
  );

  it.concurrent.each(someOf(brokenRules, 3))(
    "are refused where a rule cannot be meant: $flag $rule",
    async ({ flag, rule }) => {
      const folders = await makeFolders("broken-rule");
      const server = await startHostileServer([
        [{ tool: "Bash", input: { command: "touch PWN" } }],
        [{ text: "done" }],
      ]);
      try {
        // What a rule that forbids would have forbidden is allowed otherwise.
        const open = flag === "--disallowed-tools" ? ["--permission-mode", "bypassPermissions"] : [];
        const args = ["-p", "go", "--base-url", server.url, flag, rule, ...open];
        const { code, stderr } = await runAgentHere(folders, args);
        expect(await readdir(folders.work)).toEqual([]);
        expect([1, 2]).toContain(code);
        expect(stderr.trim().split("\n")).toHaveLength(1);
        expect(stderr).toContain(rule.split(",").at(-1));
      } finally {
        await server.close();
        await folders.remove();
      }
    },
  );
});
