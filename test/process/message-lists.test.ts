import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function palimpsest(...args: readonly string[]): Promise<Outcome> {
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [main, ...args])) };
  } catch (error) {
    return error as Outcome;
  }
}

const output = (at: number): string => `export const value${at} = ${at};\n`.repeat(200);
const rounds = Array.from({ length: 8 }, (_, at) => ({
  id: `c${at}`,
  path: `src/${at}.ts`,
  text: output(at),
}));

const lists: Readonly<Record<string, readonly unknown[]>> = {
  anthropic: [
    { role: "user", content: "Read all." },
    ...rounds.flatMap(({ id, path, text }) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { file_path: path } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] },
    ]),
    { role: "assistant", content: "Done." },
  ],
  "openai-chat": [
    { role: "developer", content: "Be brief." },
    { role: "user", content: "Read all." },
    ...rounds.flatMap(({ id, path, text }) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id,
            type: "function",
            function: { name: "Read", arguments: JSON.stringify({ file_path: path }) },
          },
        ],
      },
      { role: "tool", tool_call_id: id, content: text },
    ]),
    { role: "assistant", content: "Done." },
  ],
  "ai-sdk": [
    { id: "1", role: "user", parts: [{ type: "text", text: "Read all." }] },
    {
      id: "2",
      role: "assistant",
      parts: [
        ...rounds.flatMap(({ id, path, text }) => [
          { type: "step-start" },
          {
            type: "tool-Read",
            toolCallId: id,
            state: "output-available",
            input: { file_path: path },
            output: text,
          },
        ]),
        { type: "step-start" },
        { type: "text", text: "Done." },
      ],
    },
  ],
  langchain: [
    new SystemMessage("Be brief."),
    new HumanMessage("Read all."),
    ...rounds.flatMap(({ id, path, text }) => [
      new AIMessage({ content: "", tool_calls: [{ id, name: "Read", args: { file_path: path } }] }),
      new ToolMessage({ tool_call_id: id, content: text }),
    ]),
    new AIMessage("Done."),
  ],
};

describe("a list of messages in a file", () => {
  let directory = "";
  const at = (name: string): string => join(directory, name);
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "palimpsest-lists-"));
    for (const [name, list] of Object.entries(lists))
      await writeFile(at(`${name}.json`), JSON.stringify(list, null, 2));
    await writeFile(at("bad.json"), JSON.stringify([{ role: "critic", content: "x" }]));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("is replayed, whatever its shape, as the same conversation", async () => {
    const paths = Object.keys(lists).map((name) => at(`${name}.json`));
    const { code, stdout } = await palimpsest("replay", ...paths, "--policy", "none", "--json");
    expect(code).toBe(0);
    const { files } = JSON.parse(stdout) as { files: readonly { policies: { none: { cost: number } } }[] };
    const [first, ...others] = files.map(({ policies }) => policies.none);
    expect(first).toMatchObject({ turns: 9, invalid: 0 });
    for (const other of others) expect(other).toMatchObject({ turns: 9, invalid: 0, cost: first?.cost });
  });

  it("is analysed", async () => {
    for (const name of Object.keys(lists)) {
      const { code, stdout } = await palimpsest("analyze", at(`${name}.json`));
      expect(code).toBe(0);
      expect(stdout).toMatch(/result Read +[\d,]+ +9\d\.\d% +8×/);
    }
  });

  it("that cannot be read is named with what is wrong", async () => {
    for (const command of ["analyze", "replay"]) {
      const { code, stderr } = await palimpsest(command, at("bad.json"));
      expect(code).toBe(1);
      expect(stderr).toContain(
        'bad.json holds messages that cannot be read: message 0 has the role "critic"',
      );
    }
  });
});
