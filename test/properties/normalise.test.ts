import fc from "fast-check";
import { expect, it } from "vitest";
import { normalise, type Message, type RequestMessage } from "@palimpsest/core";
import { createNormaliser, reachesModel } from "@palimpsest/core/engine";
import { findProblems, type Problem } from "@palimpsest/core/validity";
import { originOf } from "../../packages/core/src/messages/list-origin.js";
import { brokenMessages } from "./broken-messages.js";
import { checkProperty } from "../../packages/palimpsest/src/testing/check-property.js";
import { wholeRounds } from "./whole-rounds.js";

const tools = [
  { name: "Read", input_schema: { type: "object", properties: { path: { type: "string" } } } },
  { name: "Bash", input_schema: { type: "object", properties: {}, additionalProperties: false } },
];

/** A request as messages of a conversation again. */
const asConversation = (messages: readonly RequestMessage[]): readonly Message[] =>
  messages.map(
    (message, index) =>
      ({
        type: message.role,
        uuid: `n${index}`,
        parentUuid: null,
        timestamp: "2026-11-15T10:00:00.000Z",
        sessionId: "s",
        message: { id: `msg_n${index}`, model: "claude-opus-5", ...message },
      }) as unknown as Message,
  );

/** How many images a request holds, and how large each may be among many, is for the budgets to see to. */
const isNotOfTheList = ({ rule }: Problem): boolean =>
  rule !== "too-many-images" && rule !== "image-dimensions-many";

it("N1: whatever the list, the request is one that the API accepts", () => {
  const models = fc.constantFrom(
    "claude-opus-5",
    "claude-opus-4-5",
    "claude-sonnet-5-5",
    "claude-haiku-4-5",
    "gpt-5.5",
  );
  checkProperty("N1", fc.tuple(brokenMessages, models, fc.boolean()), ([messages, model, withTools]) => {
    const normalised = normalise(messages, withTools ? { tools } : {});
    if (messages.some(reachesModel)) {
      const request = {
        model,
        max_tokens: 1024,
        messages: normalised.messages,
        ...(withTools ? { tools } : {}),
      };
      expect(findProblems(request).filter(isNotOfTheList)).toEqual([]);
      // What is sent is JSON: the judge sees it as the API would.
      expect(findProblems(JSON.parse(JSON.stringify(request))).filter(isNotOfTheList)).toEqual([]);
    } else {
      expect(normalised.messages).toEqual([]);
    }
  });
});

it("N2: normalising what was normalised changes nothing, and mends nothing", () => {
  checkProperty("N2", fc.tuple(brokenMessages, fc.boolean()), ([messages, withTools]) => {
    const options = withTools ? { tools } : {};
    const once = normalise(messages, options);
    const twice = normalise(asConversation(once.messages), options);
    expect(twice.messages).toEqual(once.messages);
    expect(twice.repairs).toEqual([]);
  });
});

/** The user message that closes a list which ends with an answer; it is not one of the list's own. */
const [, , closing] = normalise(
  asConversation([
    { role: "user", content: [{ type: "text", text: "question" }] },
    { role: "assistant", content: [{ type: "text", text: "answer" }] },
  ]),
).messages;

it("N3: appending whole rounds gives back the same objects before the last user message", () => {
  checkProperty("N3", fc.tuple(brokenMessages, wholeRounds), ([start, rounds]) => {
    const normaliser = createNormaliser();
    let old = normaliser.append(start).messages;
    for (const round of rounds) {
      const next = normaliser.append(round).messages;
      const lastUser = old.findLastIndex((message) => message.role === "user" && message !== closing);
      for (let index = 0; index < lastUser; index += 1) expect(next[index] === old[index]).toBe(true);
      old = next;
    }
  });
});

it("in pieces of any size, the result is that of the whole list", () => {
  checkProperty(
    "incremental",
    fc.tuple(brokenMessages, fc.array(fc.nat({ max: 4 }))),
    ([messages, sizes]) => {
      const normaliser = createNormaliser();
      let at = 0;
      let last = normaliser.append([]);
      for (const size of [...sizes, messages.length]) {
        last = normaliser.append(messages.slice(at, at + size));
        at += size;
      }
      expect(last).toEqual(normalise(messages));
    },
  );
});

it("a conversation in good order needs no repair and loses nothing", () => {
  checkProperty("good order", wholeRounds, (rounds) => {
    const start = {
      ...asConversation([{ role: "user", content: [{ type: "text", text: "begin" }] }])[0],
    } as Message;
    const messages = [start, ...rounds.flat()];
    const { messages: request, repairs } = normalise(messages);
    const reused = repairs.filter((repair) => repair.kind !== "renamed_id");
    expect(reused).toEqual([]);
    const blocks = request.flatMap((message) => message.content as readonly { type: string }[]);
    const sent = (type: string): number => blocks.filter((block) => block.type === type).length;
    const stored = (type: string): number =>
      messages
        .flatMap((message) =>
          message.type === "user" || message.type === "assistant" ? [message.message.content] : [],
        )
        .flatMap((content) => (typeof content === "string" ? [] : (content as readonly { type: string }[])))
        .filter((block) => block.type === type).length;
    for (const type of ["tool_use", "tool_result", "thinking"]) expect(sent(type)).toBe(stored(type));
  });
});

it("the caller's messages are never changed", () => {
  checkProperty("untouched", brokenMessages, (messages) => {
    const before = structuredClone(messages);
    normalise(messages);
    expect(messages).toEqual(before);
  });
});

it("lists of one maker are alike as far as they are settled, however broken the conversation", () => {
  checkProperty(
    "settled",
    fc.tuple(brokenMessages, brokenMessages, fc.nat({ max: 4 })),
    ([first, more, size]) => {
      const normaliser = createNormaliser();
      const messages = [...first, ...more];
      let old = normaliser.append([]).messages;
      for (let at = 0; at < messages.length; at += size + 1) {
        const next = normaliser.append(messages.slice(at, at + size + 1)).messages;
        const [before, now] = [originOf(old), originOf(next)];
        if (before === undefined || now === undefined) throw new Error("a list of nobody");
        if (before.maker === now.maker) {
          const settled = Math.min(before.settled, now.settled);
          for (let index = 0; index < settled; index += 1) expect(next[index] === old[index]).toBe(true);
        }
        old = next;
      }
    },
  );
});
