import { PassThrough, Readable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readPiped } from "./read-piped.js";
import { InputError, readPrompts } from "./read-prompts.js";

const never = new AbortController().signal;

async function all(text: string): Promise<readonly unknown[]> {
  const prompts: unknown[] = [];
  for await (const prompt of readPrompts(Readable.from([text]), never)) prompts.push(prompt);
  return prompts;
}

const user = (content: unknown): string =>
  JSON.stringify({ type: "user", message: { role: "user", content } });

describe("readPrompts", () => {
  it("takes a prompt from each line, whatever its end", async () => {
    const blocks = [
      { type: "text", text: "Look." },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } },
    ];
    expect(await all(`${user("one")}\r\n\n${user(blocks)}`)).toEqual([
      { content: "one" },
      { content: blocks },
    ]);
  });

  it.each([
    ["{", "is not JSON"],
    ["[]", 'must have the type "user"'],
    ["null", 'must have the type "user"'],
    ['{"type":"assistant","message":{"content":"x"}}', 'must have the type "user"'],
    ['{"type":"user"}', "has no message.content"],
    ['{"type":"user","message":null}', "has no message.content"],
    [user("  "), "has no message.content"],
    [user([]), "has no message.content"],
    [user([{ type: "tool_result", tool_use_id: "x" }]), "has content other than"],
    [user([{ type: "text" }]), "has content other than"],
    [user([{ type: "image" }]), "has content other than"],
    [user([{ type: "image", source: { type: "base64", data: "" } }]), "has content other than"],
    [user([null]), "has content other than"],
  ])("refuses %s, by its line", async (line, problem) => {
    const failed = all(`${user("fine")}\n${line}\n`);
    await expect(failed).rejects.toThrow(InputError);
    await expect(failed).rejects.toThrow(`line 2 of the input ${problem}`);
  });

  it("pins what says so, and nothing else", async () => {
    const line = (pin: unknown) =>
      JSON.stringify({ type: "user", pin, message: { role: "user", content: "one" } });
    expect(await all(`${line(true)}\n${line(false)}`)).toEqual([
      { content: "one", isPinned: true },
      { content: "one" },
    ]);
    await expect(all(line("yes"))).rejects.toThrow("line 1 of the input has a pin that is not true or false");
  });

  it("ends when it is called off, though the input stays open", async () => {
    const stop = new AbortController();
    const input = new PassThrough();
    input.write(`${user("one")}\n`);
    const prompts = readPrompts(input, stop.signal);
    expect((await prompts.next()).value).toEqual({ content: "one" });
    setTimeout(() => stop.abort(), 10);
    expect((await prompts.next()).done).toBe(true);
  });
});

describe("readPiped", () => {
  afterEach(() => vi.useRealTimers());

  it("takes all of it", async () => {
    const input = Readable.from([Buffer.from(" grüße".slice(0, 4)), Buffer.from("üße\n")]);
    expect(await readPiped(input, { isNeeded: true, signal: never })).toMatchObject({
      hasTimedOut: false,
      isTooLong: false,
    });
    const split = Buffer.from("ü");
    const torn = Readable.from([split.subarray(0, 1), split.subarray(1)]);
    expect((await readPiped(torn, { isNeeded: false, signal: never })).text).toBe("ü");
  });

  it("does not wait for ever for what is not needed, nor when it is called off", async () => {
    vi.useFakeTimers();
    const piped = readPiped(new PassThrough(), { isNeeded: false, signal: never });
    await vi.advanceTimersByTimeAsync(3000);
    expect(await piped).toEqual({ text: "", hasTimedOut: true, isTooLong: false });
    vi.useRealTimers();
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 10);
    expect((await readPiped(new PassThrough(), { isNeeded: true, signal: stop.signal })).text).toBe("");
  });

  it("waits for somebody slow who has begun", async () => {
    vi.useFakeTimers();
    const input = new PassThrough();
    input.write("first ");
    setTimeout(() => input.end("last"), 3500);
    const piped = readPiped(input, { isNeeded: false, signal: never });
    await vi.advanceTimersByTimeAsync(4000);
    expect((await piped).text).toBe("first last");
  });

  it("never reads a terminal", async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    expect(await readPiped(terminal, { isNeeded: true, signal: never })).toEqual({
      text: "",
      hasTimedOut: false,
      isTooLong: false,
    });
  });
});
