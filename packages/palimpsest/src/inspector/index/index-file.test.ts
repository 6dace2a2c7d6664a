import { appendFileSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recordScript } from "../testing/scripted-recording.js";
import { openIndex, readSummary } from "./index-file.js";

const home = (): string => mkdtempSync(join(tmpdir(), "inspector-index-"));

const script = (turns: number) => ({
  turns: Array.from({ length: turns }, (_, at) => ({
    ...(at === 0 ? { asked: "Mend the parser, bitte: Größe" } : {}),
    calls: [{ name: "Read", input: { file_path: `/src/${at}.ts` }, result: `${at} `.repeat(400) }],
  })),
  tools: () => [{ name: "Read", description: "Reads a file", input_schema: { type: "object" } }],
  system: () => "You are an agent. ".repeat(300),
  withRequests: true,
});

it("a file that has grown gives the index that reading all of it gives, however it was cut", async () => {
  const folder = home();
  const whole = join(folder, "whole.jsonl");
  recordScript(whole, script(6));
  const bytes = readFileSync(whole);
  const fresh = await openIndex(whole, { folder: join(folder, "fresh") });
  const grown = join(folder, "grown.jsonl");
  const pieces = [0.3, 0.31, 0.62, 1].map((share) => Math.floor(bytes.length * share));
  let known: Awaited<ReturnType<typeof openIndex>> | undefined;
  for (const [at, end] of pieces.entries()) {
    appendFileSync(grown, bytes.subarray(pieces[at - 1] ?? 0, end));
    // Once from what is at hand, once from what was kept.
    known = await openIndex(grown, { folder: join(folder, "kept"), known: at % 2 === 0 ? known : undefined });
  }
  expect(known?.messages).toEqual(fresh.messages);
  expect(known?.figures).toEqual(fresh.figures);
  expect(known?.parts).toEqual(fresh.parts);
  expect(known?.scanned.heads).toEqual(fresh.scanned.heads);
  expect(known?.scanned.next).toEqual(fresh.scanned.next);
});

it("what was written anew is read anew; an index that is damaged is made again; only its owner can read it", async () => {
  const folder = home();
  const path = join(folder, "talk.jsonl");
  const kept = join(folder, "kept");
  recordScript(path, script(3));
  const first = await openIndex(path, { folder: kept });
  expect(await readSummary(kept, path)).toMatchObject({
    title: "Mend the parser, bitte: Größe",
    figures: first.figures,
  });
  const text = readFileSync(path, "utf8");
  writeFileSync(path, `${text.replaceAll("Mend the", "Read the")}${text.split("\n").at(-2)}\n`);
  expect(await readSummary(kept, path)).toBeUndefined();
  expect((await openIndex(path, { folder: kept })).title).toBe("Read the parser, bitte: Größe");
  const [name = ""] = readdirSync(kept);
  expect(readdirSync(kept)).toHaveLength(1);
  expect(statSync(join(kept, name)).mode & 0o777).toBe(0o600);
  for (const damage of ["", "{}\n", readFileSync(join(kept, name), "utf8").slice(0, -40), "[1,2]\n{"]) {
    writeFileSync(join(kept, name), damage);
    expect((await openIndex(path, { folder: kept })).messages).toHaveLength(6);
  }
});

it("an index that cannot be kept is no failure", async () => {
  const folder = home();
  const path = join(folder, "talk.jsonl");
  recordScript(path, script(2));
  writeFileSync(join(folder, "no-folder"), "");
  expect((await openIndex(path, { folder: join(folder, "no-folder") })).figures.requests).toBe(2);
});
