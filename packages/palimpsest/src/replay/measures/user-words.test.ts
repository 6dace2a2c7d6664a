import {
  createAttachmentMessage,
  createUserMessage,
  type Message,
  type RequestMessage,
  type UserBlock,
} from "@palimpsest/core";
import { expect, it } from "vitest";
import { createUserWordsJudge, createUserWordsReader } from "./user-words.js";

const origin = { clock: { now: () => 0 }, ids: { next: () => "u" }, sessionId: "s", parentUuid: null };
const said = (content: string | readonly UserBlock[]): Message => createUserMessage(origin, { content });
const text = (value: string): { readonly type: "text"; readonly text: string } => ({
  type: "text",
  text: value,
});
const shown = (...texts: readonly string[]): readonly RequestMessage[] =>
  texts.map((value) => ({ role: "user", content: [text(value)] }));

function judging(...contents: readonly (string | readonly UserBlock[])[]) {
  const judge = createUserWordsJudge();
  judge.note(contents.map(said));
  const reader = createUserWordsReader(judge);
  return { judge, present: (...texts: readonly string[]) => reader.present(shown(...texts)) };
}

it("counts what people said, not what programs did", () => {
  const { judge } = judging(
    "fix it",
    "<system-reminder>no</system-reminder>",
    [{ type: "tool_result", tool_use_id: "t", content: "result" }],
    [{ type: "image", source: { type: "url", url: "https://a.b/c" } }],
    " ",
  );
  judge.note([
    { ...said("a summary"), isCompactSummary: true } as Message,
    { ...said("meta"), isMeta: true },
  ]);
  expect(judge.count).toBe(1);
});

it("finds them word for word, also inside a longer text", () => {
  const { present } = judging("  fix the parser\nplease ", "and add a test");
  expect(present("fix the parser\nplease", "and add a test")).toBe(2);
  expect(present('Summary: they said "fix the parser\nplease".')).toBe(1);
  expect(present("Fix the parser\nplease", "add a test")).toBe(0);
});

it("does not mind white space: a quotation may be indented or wrapped", () => {
  const { present } = judging("fix\tthe parser\n\n  please", "yes", " \u00a0no way\n");
  expect(present("> fix the\n    parser please")).toBe(1);
  expect(present("fix theparser please")).toBe(0);
  expect(present("eyes\n", "no\r\nway")).toBe(2);
});

it("takes a slash command as it was entered", () => {
  const { judge, present } = judging(
    "<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>the  parser\n  of tables</command-args>",
    "<command-message>clear</command-message><command-name>/tidy-up</command-name>",
    [
      text(
        "<command-message>x</command-message> <command-name>/x</command-name><command-args></command-args>now go",
      ),
    ],
  );
  expect(judge.said).toEqual([["/review", "the parser of tables"], ["/tidy-up"], ["/x", "now go"]]);
  expect(present("/review the parser of tables", "/tidy-up", "/x: now go")).toBe(3);
  expect(present("review the parser of tables", "/tidy-up", "/x")).toBe(1);
  expect(present("/review the parser")).toBe(0);
});

it("wants every text of a message, but not a reminder beside it", () => {
  const { judge, present } = judging([
    text("first text"),
    text("<system-reminder>noise</system-reminder>"),
    text("second text"),
  ]);
  expect(judge.count).toBe(1);
  expect(present("first text", "and the second text")).toBe(1);
  expect(present("first text")).toBe(0);
});

it("wants beginning and end of what is longer than the cap", () => {
  const whole = Array.from({ length: 2000 }, (_, at) => `word${at}`).join(" ");
  const { present } = judging(whole);
  expect(present(`${whole.slice(0, 1000)} … ${whole.slice(-500)}`)).toBe(1);
  expect(present(whole.slice(0, 1000))).toBe(0);
  expect(present(`${whole.slice(0, 900)} … ${whole.slice(-500)}`)).toBe(0);
  expect(present(whole)).toBe(1);
  const short = judging("x".repeat(6000));
  expect(short.present(`${"x".repeat(1000)} ${"x".repeat(500)}`)).toBe(0);
});

it("finds what a person typed after a reminder, or sent while the model worked", () => {
  const judge = createUserWordsJudge();
  const reminder =
    "<system-reminder>\nA task <system-reminder>x</system-reminder> began.\n</system-reminder>";
  judge.note([
    said(`${reminder}\n\nmake a guide of it`),
    said([text(`[Request interrupted by user for tool use]`), text("no, the other one")]),
    said("[Request interrupted by user]stop that"),
    said("<task-notification>\ndone\n</task-notification>\nnot typed"),
    said(`${reminder} <system-reminder>unclosed`),
    said("<local-command-stdout>x</local-command-stdout> not typed"),
    createAttachmentMessage(origin, {
      type: "queued_command",
      prompt: "wait a moment",
      commandMode: "prompt",
    }),
    createAttachmentMessage(origin, { type: "queued_command", prompt: [text("and this")] }),
    createAttachmentMessage(origin, { type: "queued_command", prompt: "ls", commandMode: "bash" }),
    createAttachmentMessage(origin, { type: "queued_command", prompt: "<task-notification>x" }),
    createAttachmentMessage(origin, { type: "file", content: "not typed" }),
  ]);
  expect(judge.said).toEqual([
    ["make a guide of it"],
    ["no, the other one"],
    ["stop that"],
    ["wait a moment"],
    ["and this"],
  ]);
});

it("counts words too, of messages of any length", () => {
  const judge = createUserWordsJudge();
  const long = Array.from({ length: 2000 }, (_, at) => `word${at}`).join(" ");
  judge.note([said(long), said("a few more of them")]);
  const reader = createUserWordsReader(judge);
  expect(judge.words).toBe(2005);
  expect(reader.presentWords(shown(long, "a few more of them"))).toBe(2005);
  expect(reader.presentWords(shown(`> ${long}`))).toBe(2000);
  expect(reader.presentWords(shown("a few more  of\nthem"))).toBe(5);
  const start = long.slice(0, long.length / 2);
  const half = reader.presentWords(shown(start));
  expect(start.split(" ").length - half).toBeGreaterThanOrEqual(0);
  expect(start.split(" ").length - half).toBeLessThan(30);
  const unbroken = createUserWordsJudge();
  unbroken.note([said("x".repeat(1000))]);
  expect(createUserWordsReader(unbroken).presentWords(shown("x".repeat(1000)))).toBe(unbroken.words);
});

it("asks for a whole message as long as the model's own tokens allow", () => {
  const dense = "7 ".repeat(2500).trim();
  const present = (tokensOf: (text: string) => number, shownText: string): number => {
    const judge = createUserWordsJudge(tokensOf);
    judge.note([said(dense)]);
    return createUserWordsReader(judge).present(shown(shownText));
  };
  const ends = `${dense.slice(0, 1000)} … ${dense.slice(-501)}`;
  expect(present(({ length }) => length / 2, ends)).toBe(1);
  expect(present(({ length }) => length / 4, ends)).toBe(0);
  expect(present(({ length }) => length / 4, dense)).toBe(1);
});

it("counts a message while it is there: new, lost, and back again", () => {
  const judge = createUserWordsJudge();
  const reader = createUserWordsReader(judge);
  expect(reader.present([])).toBe(0);
  judge.note([said("one of many words")]);
  expect(reader.present(shown("one of many words"))).toBe(1);
  judge.note([said("two of many words")]);
  expect(reader.present(shown("one of many words", "two of many words"))).toBe(2);
  expect(reader.present(shown("summary"))).toBe(0);
  expect(reader.present(shown("summary", "more"))).toBe(0);
  expect(reader.present(shown("summary", "more", "> two of many words"))).toBe(1);
  expect(reader.present(shown("one of many words", "two of many words"))).toBe(2);
});
