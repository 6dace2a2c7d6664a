import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { aiSdk7, withoutAiSdk7 } from "./ai-sdk-7.js";
import { someOf } from "../../packages/palimpsest/src/testing/share.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const contract = join(root, "test/process/adapter-contract/run.mjs");
const run = promisify(execFile);

interface Case {
  readonly name: string;
  readonly error?: string;
}

/** What came of every case. */
async function casesOf(
  framework: string,
  { node = process.execPath, env = {} }: { node?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<readonly Case[]> {
  const { PALIMPSEST_AI_SDK_7: _folder, ...own } = process.env;
  const { stdout } = await run(node, [contract, framework, ...(kinds.length > 1 ? [] : kinds)], {
    cwd: root,
    env: { ...own, ...env },
  });
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Case);
}

/** Answers that come in pieces, and those that come at once. */
const kinds = someOf(["streamed", "whole"], 1);
/** Loops of tools, structured answers, calling off twice, the system in the middle; and one that is always streamed. */
const SHARED = 5 * kinds.length + 1;
const OWN_OF_AI_SDK = 3;

describe("what holds for every adapter, in a process of its own with what is published", () => {
  it.each([
    ["ai-sdk", SHARED + OWN_OF_AI_SDK],
    ["langchain", SHARED],
    ["anthropic-runner", SHARED],
    ["anthropic-messages", SHARED],
  ])("%s", async (framework, count) => {
    const cases = await casesOf(framework);
    expect(cases.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(cases).toHaveLength(count);
  });
});

describe.skipIf(aiSdk7 === undefined)(`version 7 of the AI SDK, on a newer Node${withoutAiSdk7}`, () => {
  const { folder, node } = aiSdk7 ?? { folder: "", node: "" };

  it("does all that version 6 does", async () => {
    const { stdout } = await run(node, ["--version"]);
    expect(Number(/^v(\d+)/.exec(stdout)?.[1])).toBeGreaterThanOrEqual(22);
    const cases = await casesOf("ai-sdk", { node, env: { PALIMPSEST_AI_SDK_7: folder } });
    expect(cases.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(cases).toHaveLength(SHARED + OWN_OF_AI_SDK);
  });

  it("has types that the adapter fits: its example compiles with them", async () => {
    const work = mkdtempSync(join(tmpdir(), "palimpsest-ai-sdk-7-"));
    try {
      const types = (name: string) => [join(folder, `node_modules/${name}/dist/index.d.ts`)];
      writeFileSync(
        join(work, "tsconfig.json"),
        JSON.stringify({
          extends: join(root, "examples/tsconfig.json"),
          compilerOptions: {
            exactOptionalPropertyTypes: true,
            noEmit: true,
            rootDir: root,
            typeRoots: [join(root, "node_modules/@types")],
            paths: { ai: types("ai"), "@ai-sdk/anthropic": types("@ai-sdk/anthropic") },
          },
          include: [join(root, "examples/ai-sdk.ts")],
        }),
      );
      const compiler = join(root, "node_modules/typescript/bin/tsc");
      const { stdout } = await run(process.execPath, [compiler, "-p", work, "--listFiles"], {
        maxBuffer: 10_000_000,
      }).catch((error: unknown) => error as { stdout: string });
      const lines = stdout.split("\n");
      expect(lines.filter((line) => line.includes("error TS"))).toEqual([]);
      // They were those of version 7.
      expect(lines.filter((line) => line.endsWith("/node_modules/ai/dist/index.d.ts"))).toEqual(types("ai"));
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
});
