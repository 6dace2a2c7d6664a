import { readdir } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keys } from "./screen-terminal.js";
import { startPty } from "./pty-terminal.js";
import { makeFolders, runCommand, startCommand, type Folders } from "./agent-command.js";

interface DemoDocument {
  readonly isAllKept: boolean;
  readonly seconds: number;
  readonly isRepository: boolean;
  readonly cacheHit: number;
  readonly cost: Readonly<Record<"palimpsest" | "withoutCaching" | "summariseAll", number>>;
  readonly userWords: Readonly<Record<"palimpsest" | "summariseAll", number>>;
  readonly steps: readonly {
    readonly tier: string;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
  }[];
  readonly checks: readonly { readonly name: string; readonly holds: boolean; readonly detail: string }[];
}

let folders: Folders;
beforeEach(async () => {
  folders = await makeFolders("demo-test");
});
afterEach(() => folders.remove());

/** The demo in a folder for temporary files of its own, with a key that it must not need. */
const demo = (...args: readonly string[]) => runCommand(folders, ["demo", ...args], { TMPDIR: folders.root });

async function figures(...args: readonly string[]): Promise<{ code: number | null; document: DemoDocument }> {
  const { code, stdout, stderr } = await demo("--json", ...args);
  expect(stderr).toBe("");
  expect(await temporaryFolders()).toEqual([]);
  return { code, document: JSON.parse(stdout) as DemoDocument };
}

const temporaryFolders = async (): Promise<readonly string[]> =>
  (await readdir(folders.root)).filter((name) => name.startsWith("palimpsest-demo-"));

const lostIn = ({ checks }: DemoDocument): readonly string[] =>
  checks.filter(({ holds }) => !holds).map(({ name }) => name);

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe("palimpsest demo", () => {
  it("compacts several times by several tiers, and forgets nothing", async () => {
    const { code, document } = await figures();
    expect(lostIn(document)).toEqual([]);
    expect(code).toBe(0);
    expect(document.isAllKept).toBe(true);
    expect(document.isRepository).toBe(true);
    const tiers = document.steps.map(({ tier }) => tier);
    expect(tiers.filter((tier) => tier === "full").length).toBeGreaterThanOrEqual(2);
    expect(tiers).toContain("time-based");
    for (const { tokensBefore, tokensAfter } of document.steps)
      expect(tokensAfter).toBeLessThan(tokensBefore);
    expect(document.userWords.palimpsest).toBe(1);
    expect(document.userWords.summariseAll).toBeLessThan(1);
    expect(document.cacheHit).toBeGreaterThan(0.85);
    expect(document.cost.palimpsest).toBeLessThan(document.cost.summariseAll);
    expect(document.cost.palimpsest).toBeLessThan(document.cost.withoutCaching / 3);
    expect(document.seconds).toBeGreaterThan(0);
  });

  it("ends in good order when it is interrupted", async () => {
    const { child, ended } = startCommand(folders, ["demo"], { TMPDIR: folders.root });
    await new Promise<void>((resolve) => {
      child.stdout?.on("data", (text: string) => {
        if (text.includes("Read ")) resolve();
      });
    });
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain("interrupted");
    // Piped, so no colours and nothing that is written over.
    expect(stdout).not.toMatch(CONTROL);
    expect(await temporaryFolders()).toEqual([]);
  });

  it("plays on the agent's screen in a terminal, of 40 columns too, and gives it back", async () => {
    const screen = startPty(folders, { args: ["demo"], columns: 40, env: { TMPDIR: folders.root } });
    await screen.until("I look around before I plan.");
    await screen.untilScreen(/\d+K\/\d+K \d+% left/);
    await screen.say("hello");
    await screen.until("The demo plays by itself");
    for (const line of screen.all().split("\n")) expect(line.length).toBeLessThanOrEqual(40);
    screen.type(keys.controlC);
    expect(await screen.ended).toMatchObject({ exitCode: 130 });
    expect(screen.raw()).toMatch(/\u001b\[\?2004l[^]*\u001b\[\?25h/);
    expect(screen.all()).toContain("palimpsest: interrupted");
    expect(await temporaryFolders()).toEqual([]);
  });

  it("refuses parts that do not exist", async () => {
    const { code, stderr } = await demo("--without", "memory");
    expect(code).toBe(2);
    expect(stderr).toContain("restoration, verification, work-record, early");
  });
});
