import { expect, it } from "vitest";
import { createClearingBoundary } from "../boundaries/clearing-boundary.js";
import { createAssistantMessage } from "../../messages/construct.js";
import { SYNTHETIC_MODEL, type Message } from "../../messages/message.js";
import { createMediaBoundary } from "../boundaries/media-boundary.js";
import { createMediaIndex } from "./media-index.js";
import { createMediaSample } from "./testing/conversation.js";
import { linked, mixedDocument, pdf, picture, plainDocument } from "./testing/pictures.js";

const indexOf = (...messages: readonly Message[]) => {
  const index = createMediaIndex();
  index.append(messages);
  return index;
};

it("counts what is there", () => {
  const sample = createMediaSample();
  const index = indexOf(
    sample.says(picture(10), linked, pdf(80), plainDocument("words")),
    ...sample.round({ calls: [{ result: [picture(2001, 5, 64), picture(1, 9000)] }] }),
    sample.queued(mixedDocument("seven", picture(3000))),
  );
  expect(index.totals).toEqual({
    count: 8,
    images: 5,
    bytes: 32 * 3 + 64 + 80 + 5,
    large: 3,
    refused: 1,
  });
});

it("a clearing in the messages takes the pictures along, one of the provider's does not", () => {
  const sample = createMediaSample();
  const messages = sample.round({ calls: [{ result: [picture(10)] }, { result: [linked] }] });
  const clearing = (variant: "time-based" | "cached") =>
    createClearingBoundary(sample.origin(), {
      variant,
      trigger: "auto",
      toolUseIds: ["toolu_1"],
      tokensBefore: 0,
      tokensAfter: 0,
    });
  expect(indexOf(...messages, clearing("cached")).totals.count).toBe(2);
  expect(indexOf(...messages, clearing("time-based")).totals).toMatchObject({ count: 1, bytes: 0 });
});

it("a document takes its images along", () => {
  const sample = createMediaSample();
  const said = sample.says(mixedDocument("words", picture(10), linked), picture(10));
  const boundary = createMediaBoundary(sample.origin(), { replaced: [{ uuid: said.uuid, path: [0] }] });
  const index = indexOf(said, boundary);
  expect(index.active().map(({ block }) => block.path)).toEqual([[1]]);
  expect(index.totals.count).toBe(1);
});

it("knows what a response has answered to: a later piece of the one that asked has not", () => {
  const sample = createMediaSample();
  const calls = [{ result: [picture(10)] }, { result: [linked] }];
  const index = indexOf(sample.says(linked), ...sample.round({ calls, isSplit: true }));
  const answered = () => index.active().map(({ isAnswered }) => isAnswered);
  expect(answered()).toEqual([true, false, false]);
  const origin = sample.origin();
  const error = { id: "error", model: SYNTHETIC_MODEL, content: [], isApiErrorMessage: true };
  index.append([createAssistantMessage(origin, error)]);
  expect(answered()).toEqual([true, false, false]);
  index.append(sample.round({}));
  expect(answered()).toEqual([true, true, true]);
});
