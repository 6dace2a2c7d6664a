import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiFailure } from "../../../messages/call/failure.js";
import type { ModelResponse } from "../../../messages/call/response.js";
import { judgeAnswer, judgeFailure } from "./judge-answer.js";

const answer = (content: readonly object[], stopReason = "end_turn"): ModelResponse =>
  ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-5",
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }) as unknown as ModelResponse;
const text = (value: string) => ({ type: "text", text: value });

describe("an answer to the request for a summary", () => {
  it.each([
    ["no_summary", [], "end_turn"],
    ["no_summary", [text("  ")], "end_turn"],
    ["no_summary", [text("I cannot do that.")], "refusal"],
    [
      "tool_call",
      [text("<summary>x</summary>"), { type: "tool_use", id: "t", name: "Read", input: {} }],
      "tool_use",
    ],
    ["cut_off", [text("<summary>\nx")], "max_tokens"],
    ["cut_off", [text("<summary>x</summary>")], "model_context_window_exceeded"],
    ["unclosed_tags", [text("<summary>\nx")], "end_turn"],
    ["api_error", [text("API Error: 529 overloaded")], "end_turn"],
    ["api_error", [text('{"type":"error","error":{"type":"api_error"}}')], "end_turn"],
    ["prompt_too_long", [text("Prompt is too long")], "end_turn"],
  ])("%s", (reason, content, stopReason) => {
    expect(judgeAnswer(answer(content, stopReason))).toMatchObject({ kind: "rejected", reason });
  });

  it("with a summary in it is taken", () => {
    const content = [
      { type: "thinking", thinking: "", signature: "s" },
      text("<summary>\nAPI Error 529 was fixed.\n</summary>"),
    ];
    expect(judgeAnswer(answer(content))).toEqual({ kind: "written", summary: "API Error 529 was fixed." });
  });
});

describe("an answer without any of the nine sections", () => {
  const judge = (value: string) => judgeAnswer(answer([text(value)]));

  it("is no summary where it is any object or list in JSON, plain or in a fence", () => {
    const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(value, fc.boolean(), (json, isFenced) => {
        const said = JSON.stringify(json, null, 2);
        const judged = judge(isFenced ? `\`\`\`json\n${said}\n\`\`\`` : said);
        expect(judged).toMatchObject({ kind: "rejected" });
      }),
    );
  });

  it.each([
    '{"ok":true}',
    '```json\n{"ok": true}\n```',
    '[{"answer": "done"}]',
    `{"verdict": ${JSON.stringify("many words about what was done so far ".repeat(40))}}`,
    '<summary>\n{"ok":true}\n</summary>',
    "null",
    "I'm ready to go on. What would you like me to do next?",
    "Ich kann dabei leider nicht helfen.",
    "承知しました。次は何をしましょうか。",
    "Понял, продолжаю работу над парсером.",
    "<summary>\nok\n</summary>",
    "<summary>\n...\n</summary>",
  ])("%j is no summary", (value) => {
    expect(judge(value)).toMatchObject({ kind: "rejected", reason: "no_summary" });
  });

  it.each([
    "<summary>\nDer Parser wurde repariert; als Nächstes folgt der Lexer.\n</summary>",
    "<summary>\n1. 主要请求：修复解析器。2. 当前工作：正在读取 /work/file-3.ts。\n</summary>",
    "<summary>\n1. Основной запрос: починить парсер.\n</summary>",
    "<summary>\nपार्सर की मरम्मत हो गई है, अब परीक्षण बाकी हैं।\n</summary>",
    '<summary>\n{"request": "mend the parser"} and more than that\n</summary>',
    // Without tags it has to say more.
    "Der Benutzer wollte, dass alle Dateien des Projekts gelesen und Fehler behoben werden. Gelesen wurden die " +
      "Dateien eins bis dreizehn; in zweien davon fehlten Prüfungen, die ergänzt wurden. Offen ist noch der Rest " +
      "des Ordners, und die Datei mit den Geheimnissen darf niemand anfassen.",
    "ユーザーはプロジェクトの全ファイルを読み、壊れている箇所を直すよう求めた。これまでに十三個のファイルを読み、" +
      "二つの不具合を修正した。残りのファイルはまだ読んでいない。秘密のファイルには決して触れてはならない。",
    "طلب المستخدم قراءة جميع ملفات المشروع وإصلاح ما هو معطل فيها. تمت قراءة ثلاثة عشر ملفا حتى الآن، وأصلح " +
      "خطآن في المحلل، وبقيت ملفات أخرى لم تقرأ بعد. لا يجوز لمس الملف السري في أي حال من الأحوال مهما حدث.",
    // One section is enough, however short.
    "8. Current work:\nReading.",
  ])("%j is one", (value) => {
    expect(judge(value)).toMatchObject({ kind: "written" });
  });
});

describe("a call that failed", () => {
  const failure = (kind: ApiFailure["kind"], more: object = {}) =>
    judgeFailure({ kind, message: "because", retryable: false, ...more });
  it("is told apart by what can be done about it", () => {
    expect(failure("aborted")).toMatchObject({ reason: "aborted" });
    expect(failure("overloaded")).toMatchObject({ reason: "api_error", detail: "because" });
    expect(failure("context-overflow", { actualTokens: 210, maximumTokens: 200 })).toMatchObject({
      reason: "prompt_too_long",
      tooLong: { actualTokens: 210, maximumTokens: 200 },
    });
    expect(failure("request-too-large")).toMatchObject({ reason: "prompt_too_long", tooLong: {} });
  });
});
