import { expect, it } from "vitest";
import type { UserBlock } from "../../../messages/content.js";
import type { CompactBoundary, Message } from "../../../messages/message.js";
import { conversationBuilder } from "../../../testing/conversation-builder.js";
import { humanTextsOf } from "./human-texts.js";

const textsOf = (content: string | readonly UserBlock[]): readonly string[] =>
  humanTextsOf([conversationBuilder().user(content)]).map(({ text }) => text);

it("are what people typed, in order, and nothing else", () => {
  const to = conversationBuilder();
  const first = to.user("  first request\n");
  const live = [
    first,
    to.assistant("an answer"),
    to.user([{ type: "tool_result", tool_use_id: "t", content: "a result" }]),
    { ...to.user("a note of the program"), isMeta: true },
    to.user("<system-reminder>no</system-reminder>"),
    to.user("second"),
  ];
  expect(humanTextsOf(live)).toEqual([
    { uuid: first.uuid, text: "first request" },
    { uuid: live.at(-1)?.uuid, text: "second" },
  ]);
});

it("say where a picture or a document was, and leave out what programs put beside them", () => {
  expect(
    textsOf([
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "text", text: "look at this" },
      { type: "document", source: { type: "file", file_id: "f" } },
      { type: "text", text: "<system-reminder>not typed</system-reminder>" },
      { type: "container_upload", file_id: "f" },
      { type: "tool_result", tool_use_id: "t", content: "a result" },
    ]),
  ).toEqual(["[image]\nlook at this\n[document]\n[attachment]"]);
});

it("are found after a reminder in the same text, and in what was sent while the model worked", () => {
  const reminder = "<system-reminder>\nA task began.\n</system-reminder>";
  expect(textsOf(`${reminder}\n\nmake a guide of it`)).toEqual(["make a guide of it"]);
  expect(textsOf([{ type: "text", text: `${reminder}${reminder} go on` }])).toEqual(["go on"]);
  const to = conversationBuilder();
  const queued = (fields: object): Message => {
    const message = to.attachment("queued_command");
    return { ...message, attachment: { ...message.attachment, ...fields } };
  };
  const live = [
    queued({ prompt: "wait a moment", commandMode: "prompt" }),
    queued({ prompt: [{ type: "text", text: "look" }, { type: "image" }] }),
    queued({ prompt: "<task-notification>done", commandMode: "task-notification" }),
    queued({ prompt: "<task-notification>done" }),
    queued({ prompt: "ls", commandMode: "bash" }),
    queued({ prompt: "not typed", isMeta: true }),
    queued({}),
  ];
  expect(humanTextsOf(live)).toEqual([
    { uuid: live[0]?.uuid, text: "wait a moment" },
    { uuid: live[1]?.uuid, text: "look\n[image]" },
  ]);
});

it("have slash commands as they were entered", () => {
  const wrapper = "<command-message>review</command-message>\n<command-name>/review</command-name>";
  expect(textsOf(wrapper)).toEqual(["/review"]);
  expect(textsOf(`${wrapper}\n<command-args>ultra --fast</command-args>`)).toEqual(["/review ultra --fast"]);
  expect(textsOf(`${wrapper}\n<command-args></command-args>\nand more`)).toEqual(["/review\nand more"]);
});

it("begin with those that the boundary carries, each message once", () => {
  const to = conversationBuilder();
  const [boundary, summary] = to.compaction();
  const kept = to.user("kept");
  const humanMessages: unknown = [
    { uuid: "a", text: "the first" },
    { uuid: "a", text: "the first again" },
    null,
    7,
    { uuid: 3, text: "no id" },
    { uuid: "b" },
    { uuid: "c", text: "  " },
    { uuid: kept.uuid, text: "kept" },
  ];
  const carrying = {
    ...boundary,
    compactMetadata: { ...boundary.compactMetadata, humanMessages },
  } as CompactBoundary;
  expect(humanTextsOf([carrying, summary, kept, to.user("new")]).map(({ text }) => text)).toEqual([
    "the first",
    "kept",
    "new",
  ]);
  for (const odd of [undefined, null, "text", { humanMessages: "text" }, { humanMessages: { length: 3 } }]) {
    const broken = { ...boundary, compactMetadata: odd } as unknown as CompactBoundary;
    expect(humanTextsOf([broken, summary])).toEqual([]);
  }
});
