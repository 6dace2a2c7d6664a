import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { liveMessages } from "@palimpsest/core/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRecording } from "../replay/readers/read-recording.js";
import { readRecordedRequests } from "../replay/requests/recorded-requests.js";
import { createTalkLab, say, talk, tool, type TalkLab } from "./testing/talk-lab.js";

let folder = "";
let lab: TalkLab;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-record-"));
  lab = await createTalkLab({ recordFolder: folder });
});
afterEach(async () => {
  await lab.close();
  await rm(folder, { recursive: true, force: true });
});

const filesOf = async (): Promise<readonly string[]> =>
  (await readdir(join(folder, "local"))).map((name) => join(folder, "local", name)).toSorted();

const wordsOf = (messages: readonly unknown[]): readonly string[] =>
  messages.map((message) => {
    const { content } = (message as { message: { content: unknown } }).message;
    const text = typeof content === "string" ? content : (content as { text: string }[])[0]?.text;
    return (text ?? "").slice(0, 14);
  });

describe("a recording", () => {
  it("is a transcript per conversation that every reader reads, with usage, private", async () => {
    const [one, two] = [talk("one"), talk("two")];
    await say(lab, one, "first of one");
    await say(lab, two, "first of two");
    await say(lab, one, "second of one");
    const files = await filesOf();
    expect(files).toHaveLength(2);
    for (const file of files) expect((await stat(file)).mode & 0o077).toBe(0);
    const recordings = await Promise.all(files.map(readRecording));
    const longer = recordings.find(({ messages }) => messages.length === 4);
    expect(longer).toMatchObject({
      format: "claude-code",
      damaged: [],
      counts: { apiResponses: 2, humanTurns: 2 },
    });
    expect(longer?.counts.maxContextTokens).toBeGreaterThan(1000);
    expect(wordsOf(longer?.messages ?? [])).toEqual([
      "first of one f",
      "You said: firs",
      "second of one ",
      "You said: seco",
    ]);
  });

  it("nothing is written twice: not on a retry, not by the next process; a fork is a branch", async () => {
    const one = talk("one");
    await say(lab, one, "first");
    await say(lab, one, "second");
    const [file = ""] = await filesOf();
    const before = await readFile(file, "utf8");
    // The same request again: another answer, the request, and nothing else.
    one.messages.splice(-2);
    await say(lab, one, "second");
    const after = await readFile(file, "utf8");
    expect(after.startsWith(before)).toBe(true);
    const more = after.slice(before.length).trim().split("\n");
    expect(more.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(["assistant", "request"]);
    await lab.close();
    lab = await createTalkLab({ recordFolder: folder });
    await say(lab, one, "third");
    expect(await filesOf()).toEqual([file]);
    const { messages } = await readRecording(file);
    expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
    one.messages.splice(2);
    await say(lab, one, "another second");
    const live = liveMessages((await readRecording(file)).messages);
    expect(wordsOf(live)).toEqual(["first first fi", "You said: firs", "another second", "You said: anot"]);
  });

  it("what looks like a key is taken out, and a line that a crash cut off ends there", async () => {
    const one = talk("keys");
    await say(lab, one, "use sk-ant-api03-abcdefghijklmnop and go on");
    const [file = ""] = await filesOf();
    const text = await readFile(file, "utf8");
    expect(text).toContain("use [redacted] and go on");
    expect(text).not.toContain("abcdefghijklmnop");
    await writeFile(file, text.slice(0, -20));
    await lab.close();
    lab = await createTalkLab({ recordFolder: folder });
    await say(lab, one, "more");
    const { messages, damaged } = await readRecording(file);
    expect(damaged).toHaveLength(1);
    const { requests, rebuild } = await readRecordedRequests(file);
    expect(requests).toHaveLength(1);
    const again = await Promise.all(requests.map(rebuild));
    expect(again).toMatchObject([{ isExact: false, missing: [] }]);
    expect(JSON.stringify(again[0]?.body["messages"])).toContain("use [redacted] and go on");
    expect(wordsOf(messages)).toEqual([
      "use [redacted]",
      "You said: use ",
      "more more more",
      "You said: more",
    ]);
  });

  it("makes every request again, byte for byte, and stores what they share once", async () => {
    const sent: string[] = [];
    const one = talk("bytes");
    for (const text of ["first", "second", "third"]) sent.push(await say(lab, one, text));
    one.tools = [...one.tools, tool("late")];
    sent.push(await say(lab, one, "fourth"));
    const [file = ""] = await filesOf();
    const { requests, parts, rebuild } = await readRecordedRequests(file);
    const again = await Promise.all(requests.map(rebuild));
    expect(again.map(({ text }) => text)).toEqual(sent);
    expect(again.every(({ isExact }) => isExact)).toBe(true);
    expect(requests[3]?.record).toMatchObject({
      status: 200,
      model: "claude-opus-5",
      usage: { output_tokens: expect.any(Number) as unknown },
      response: expect.stringMatching(/^msg_/) as unknown,
    });
    // Of a request the next one has all but what is new, under the same ids.
    const ids = requests.map((entry) => parts(entry).map(({ id }) => id));
    expect(ids[2]?.slice(0, ids[1]?.length)).toEqual(ids[1]);
    const last = requests[3] === undefined ? [] : parts(requests[3]);
    expect(last.filter(({ marker }) => marker !== undefined).map(({ kind, index }) => [kind, index])).toEqual(
      [
        ["system", 1],
        ["message", 6],
      ],
    );
    expect(last.filter(({ kind, uuid }) => kind === "message" && uuid === undefined)).toEqual([]);
    const bytes = (await stat(file)).size;
    expect(bytes).toBeLessThan((sent.at(-1) ?? "").length + 12_000);
  });

  it("files of more than thirty days go; others stay", async () => {
    await say(lab, talk("old"), "old words");
    const [file = ""] = await filesOf();
    const mine = join(folder, "local", "mine.jsonl");
    await writeFile(mine, "mine");
    const long = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    await Promise.all([file, mine].map((path) => utimes(path, long, long)));
    await lab.close();
    lab = await createTalkLab({ recordFolder: folder });
    expect(await filesOf()).toEqual([mine]);
  });

  it("a disk that refuses is on the receipt, and no request fails for it", async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, "a file");
    await say(lab, talk("one"), "words");
    expect(lab.proxy.document()).toMatchObject({ requests: 1, errors: 0, unrecorded: { ENOTDIR: 1 } });
  });
});
