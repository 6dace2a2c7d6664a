import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAssistantMessage, createUserMessage } from "@palimpsest/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replayFiles } from "../replay/replay-files.js";
import { receiptLines } from "./receipt/receipt-text.js";
import { createTalkLab, say, talk, type TalkLab } from "./testing/talk-lab.js";
import { playHere, whatIf } from "./watch/what-if.js";
import { createWhatIfContents } from "./watch/what-if-contents.js";

let folder = "";
let lab: TalkLab;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-what-if-"));
  lab = await createTalkLab({ recordFolder: folder });
});
afterEach(async () => {
  await lab.close();
  await rm(folder, { recursive: true, force: true });
});

type Document = ReturnType<TalkLab["proxy"]["document"]>;

/** By asking the gateway, as anybody would. */
async function asked(): Promise<Document> {
  const response = await fetch(`http://127.0.0.1:${lab.proxy.port}/__gateway/what-if`);
  return (await response.json()) as Document;
}

const whatIfLine = (document: Document): string | undefined =>
  receiptLines(document).find((line) => line.startsWith("what if"));

describe("what other policies would have cost", () => {
  it("is what replay says of a recording of the same run, with what was billed beside it", async () => {
    const [one, two] = [talk("one"), talk("two")];
    for (const text of ["first", "second", "third", "fourth"]) {
      await say(lab, one, text, 3000);
      lab.simulator.advance(20_000);
    }
    await say(lab, two, "alone");
    expect(lab.proxy.document()).toMatchObject({ whatIf: {}, whatIfOf: null });
    expect(whatIfLine(lab.proxy.document())).toBeUndefined();
    const { whatIf: policies, whatIfOf, cost } = await asked();

    const local = join(folder, "local");
    const files = (await readdir(local)).map((name) => join(local, name));
    const { total } = await replayFiles(files, { policies: "palimpsest,classic", env: {}, workers: 1 });
    expect(total.files).toBe(2);
    expect(Object.keys(policies)).toEqual(["palimpsest", "classic"]);
    for (const [name, dollars] of Object.entries(policies)) {
      expect(dollars).toBeGreaterThan(0);
      expect(dollars).toBeCloseTo(total.policies[name]?.fullCost ?? 0, 10);
    }
    expect(whatIfOf).toEqual(expect.objectContaining({ conversations: 2, requests: 5, leftOut: {} }));
    expect(whatIfOf?.cost).toBeCloseTo(cost, 10);
    expect(Math.abs((whatIfOf?.simulated ?? 0) / cost - 1)).toBeLessThan(0.05);
    // From then on it is on every receipt.
    expect(lab.proxy.document()).toMatchObject({ whatIf: policies, whatIfOf });
    expect(whatIfLine(lab.proxy.document())).toMatch(
      /^what if: palimpsest \$[\d.]+, classic \$[\d.]+, for 5 requests that cost \$[\d.]+ \(\$[\d.]+ as the replay counts\)$/,
    );
  });

  it("leaves out what began before the gateway, and counts of the others only what was asked through it", async () => {
    const before = talk("before");
    before.messages.push({ role: "user", content: "long ago" }, { role: "assistant", content: "yes" });
    await say(lab, before, "and now");
    const cut = talk("cut");
    await say(lab, cut, "first");
    // An answer that was given up: the client has what had come of it, and nobody knows what it was.
    cut.messages.push({ role: "user", content: "second" }, { role: "assistant", content: "half an answ" });
    await say(lab, cut, "third");
    const document = await asked();
    expect(document.whatIfOf).toMatchObject({
      conversations: 1,
      requests: 2,
      leftOut: { "began before the gateway": 1 },
    });
    expect(whatIfLine(document)).toMatch(/; conversations left out: began before the gateway 1$/);
  });

  it("says so where there was no time, and finds it out when asked again", async () => {
    await say(lab, talk("one"), "hello");
    const figures = await lab.proxy.whatIf(0);
    expect(figures?.figures).toMatchObject({
      conversations: 0,
      requests: 0,
      leftOut: { "not replayed: no time was left": 1 },
    });
    expect(whatIfLine(lab.proxy.document())).toMatch(/^what if: nothing to play; conversations left out: /);
    expect((await asked()).whatIfOf).toMatchObject({ conversations: 1, requests: 1 });
  });
});

describe("contents for it", () => {
  const origin = (uuid: string) => ({
    clock: { now: () => 0 },
    ids: { next: () => uuid },
    sessionId: "s",
    parentUuid: null,
  });
  /** What cannot be compressed. */
  const noise = (): string => randomBytes(300_000).toString("base64");

  it("are bounded; the conversation that was longest not heard of goes whole, stays out, and is counted", async () => {
    let contents = createWhatIfContents();
    const add = (place: string, uuid: string): void =>
      contents.file(place, "s", () => {})?.message(createUserMessage(origin(uuid), { content: noise() }));
    add("a", "a1");
    contents = createWhatIfContents((contents.transcripts()[0]?.pieces[0]?.length ?? 0) * 6.5);
    const sizes = (): readonly number[] => contents.transcripts().map(({ pieces }) => pieces.length);
    for (const name of ["a", "b", "c", "d"]) add(name, `${name}1`);
    expect(sizes()).toEqual([1, 1, 1, 1]);
    add("a", "a2");
    // Six do not fit: the second conversation goes, for the first was heard of since.
    for (const number of [3, 4]) add("a", `a${number}`);
    expect(sizes()).toEqual([4, 1, 1]);
    expect(contents.leftOut()).toEqual({ "not kept: more than 2 MB of contents": 1 });
    expect(contents.file("b", "s", () => {})).toBeUndefined();
  });

  it("of many small conversations those stay that fit, what they take beside their words included", () => {
    const contents = createWhatIfContents(1_000_000);
    for (let at = 0; at < 1000; at += 1) {
      const file = contents.file(`place ${at}`, "s", () => {});
      file?.message(createUserMessage(origin(`uuid-${at}`), { content: `hello ${at}` }));
    }
    const kept = contents.transcripts();
    expect(kept.length).toBeGreaterThan(200);
    expect(kept.length).toBeLessThan(1_000_000 / 2400);
    expect(kept[0]?.rest).toContain("hello 999");
    expect(contents.leftOut()).toEqual({ "not kept: more than 1 MB of contents": 1000 - kept.length });
  });

  it("whatever an answer holds, what cannot be played is left out and the others are not", async () => {
    const contents = createWhatIfContents();
    const answer = (place: string, content: unknown): void => {
      const file = contents.file(place, "s", () => {});
      file?.message(createUserMessage(origin(`${place}-1`), { content: "hello" }));
      file?.message(
        createAssistantMessage(origin(`${place}-2`), {
          id: `msg_${place}`,
          model: "claude-opus-5",
          content: content as never,
          usage: { input_tokens: 1000, output_tokens: 10 },
        }),
      );
    };
    answer("good", [{ type: "text", text: "yes" }]);
    answer("odd", [{ type: "tool_use", id: 7, name: null, input: "no" }, null, 3]);
    answer("empty", []);
    const figures = await whatIf(contents, { start: playHere });
    const left = Object.values(figures.leftOut).reduce((sum, times) => sum + times, 0);
    expect(figures.conversations + left).toBe(3);
    expect(figures.conversations).toBeGreaterThan(0);
    expect(Number.isFinite(figures.policies["palimpsest"])).toBe(true);
  });
});
