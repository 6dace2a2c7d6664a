import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  recordScript,
  type RecordingScript,
} from "../../packages/palimpsest/src/inspector/testing/scripted-recording.js";
import { prose } from "../../packages/palimpsest/src/simulator/testing/client.js";
import { runHere } from "./run-here.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

let home = "";
let project = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "palimpsest-advise-"));
  project = join(home, ".claude", "projects", "mine");
  mkdirSync(project, { recursive: true });
  recordScript(join(project, "dear.jsonl"), { ...script, lifetime: "1h" });
  recordScript(join(project, "recorded.jsonl"), { ...script, lifetime: "1h", withRequests: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const script: RecordingScript = {
  turns: Array.from({ length: 8 }, (_, at) => ({
    asked: `Question ${at}: ${prose("a question", 300)}`,
    said: "Yes.",
  })),
  tools: () => [
    { name: "Read", description: prose("reads"), input_schema: { type: "object" } },
    { name: "mcp__tickets__list", description: prose("tickets"), input_schema: { type: "object" } },
  ],
  system: () => prose("system", 2000),
};

const env = () => ({ HOME: home, PATH: process.env["PATH"] });

describe("palimpsest advise", () => {
  it("finds the conversations of this machine by itself", async () => {
    const { code, stdout, stderr } = await runHere(["advise"], env());
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^2 conversations, \$\d/);
    expect(stdout).toContain("\n1. Let cache entries live five minutes instead of an hour.\n   $");
    expect(stdout).toContain("\n2. Disconnect the MCP server tickets.\n");
    expect(stdout).toContain("System prompt and tools are recorded for 8 of 16 requests");
  });

  it("says the same as JSON, of files that are named", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      main,
      "advise",
      "--json",
      join(project, "dear.jsonl"),
    ]);
    const { advice, note, dollars, conversations } = JSON.parse(stdout) as Record<string, unknown>;
    expect(advice).toEqual([
      {
        what: "Let cache entries live five minutes instead of an hour.",
        why: expect.stringMatching(/^\d requests paid/),
        dollars: expect.any(Number),
        share: expect.any(Number),
      },
    ]);
    expect(note).toContain("System prompt and tools are not recorded");
    expect({ conversations, isPriced: Number(dollars) > 0 }).toEqual({ conversations: 1, isPriced: true });
  });

  it("names what is not a recording in a sentence, and goes on", async () => {
    writeFileSync(join(home, "notes.txt"), "hello");
    const names = [join(home, "notes.txt"), join(home, "absent"), join(project, "dear.jsonl")];
    const { code, stdout, stderr } = await runHere(["advise", ...names], env());
    expect(code).toBe(1);
    expect(stdout).toContain("1 conversation,");
    expect(stderr.trim().split("\n")).toHaveLength(2);
    expect(stderr).toContain("absent does not exist");
  });

  it("says so where there is nothing on this machine", async () => {
    const empty = { ...env(), HOME: join(home, "nobody") };
    const { code, stdout } = await runHere(["advise"], empty);
    expect(code).toBe(0);
    expect(stdout).toContain("There is no conversation of a known agent on this machine.");
  });
});
