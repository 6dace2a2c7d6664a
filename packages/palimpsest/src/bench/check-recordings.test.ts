import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRecordings } from "./check-recordings.js";

let directory = "";
const at = (name: string): string => join(directory, name);

const line = (type: "user" | "assistant", number: number): string =>
  `${JSON.stringify({
    type,
    uuid: `u${number}`,
    parentUuid: number === 0 ? null : `u${number - 1}`,
    sessionId: "s",
    timestamp: "2026-11-15T10:00:00.000Z",
    message:
      type === "user"
        ? { role: "user", content: "hello" }
        : { id: "m", role: "assistant", model: "claude-opus-5", content: [{ type: "text", text: "hi" }] },
  })}\n`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "palimpsest-check-recordings-"));
  await mkdir(at("empty"));
  await writeFile(at("good.jsonl"), line("user", 0) + line("assistant", 1));
  await writeFile(at("damaged.jsonl"), `${line("user", 0)}{"type":\n${line("assistant", 1)}`);
  await writeFile(at("other.jsonl"), "nothing of the kind\n");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("checkRecordings", () => {
  it("says which can be read, and of which lines are damaged", async () => {
    expect(await checkRecordings([at("good.jsonl"), at("damaged.jsonl")])).toEqual({
      files: [at("good.jsonl"), at("damaged.jsonl")],
      failed: [],
      damaged: [{ file: at("damaged.jsonl"), lines: 1 }],
    });
    expect(await checkRecordings([])).toEqual({ files: [], failed: [], damaged: [] });
  });

  it("says what is no recording", async () => {
    const { files, failed } = await checkRecordings([
      at("empty"),
      at("nothing.jsonl"),
      at("other.jsonl"),
      at("good.jsonl"),
    ]);
    expect(files).toEqual([at("good.jsonl")]);
    expect(failed.map(({ file }) => file)).toEqual([at("empty"), at("nothing.jsonl"), at("other.jsonl")]);
    expect(failed[1]?.error).toBe("does not exist");
  });
});
