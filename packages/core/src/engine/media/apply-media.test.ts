import { describe, expect, it } from "vitest";
import { decodeLine, encodeLine } from "../../messages/transcript/line.js";
import type { ToolResultContent } from "../../messages/content.js";
import type { Message, SystemMessage } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { createEventEmitter } from "../events/emitter.js";
import type { EngineEvents } from "../events/engine-events.js";
import { createHeuristicEstimator } from "../measure/heuristic-estimator.js";
import { applyMedia, applyMediaBoundaries } from "./apply-media.js";
import { decideMedia } from "./decide-media.js";
import { createMediaBoundary, isMediaBoundary } from "../boundaries/media-boundary.js";
import { createMediaSample, optionsOf } from "./testing/conversation.js";
import { linked, mixedDocument, pdf, picture } from "./testing/pictures.js";

const text = { type: "text", text: "look" } as const;
const image = { type: "text", text: "[image]" };

function planned(messages: readonly Message[], model = "claude-opus-5", mediaImages = 1) {
  const plan = decideMedia(messages, optionsOf(model, { mediaImages }));
  if (plan === undefined) throw new Error("nothing to replace");
  return plan;
}

it("replaces in place, and touches nothing else", () => {
  const sample = createMediaSample();
  const [call, results] = sample.round({ calls: [{ result: [text, picture(10), pdf(8)] }] });
  const said = sample.says(text, picture(10), text);
  const queued = sample.queued(picture(10), text);
  const last = sample.says(linked);
  if (call === undefined || results === undefined) throw new Error("no round");
  const stored = [sample.user("go"), call, results, said, queued, last];
  const { messages, boundary } = applyMedia(stored, planned(stored), { origin: sample.origin() });
  expect(messages).toHaveLength(7);
  expect([messages[0], messages[1], messages[5], messages[6]]).toEqual([stored[0], call, last, boundary]);
  expect(messages[0]).toBe(stored[0]);
  expect(messages[2]).toEqual({
    ...results,
    message: {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [text, image, { type: "text", text: "[document]" }],
        },
      ],
    },
  });
  expect(messages[3]).toMatchObject({ uuid: said.uuid, message: { content: [text, image, text] } });
  expect(messages[4]).toMatchObject({ attachment: { type: "queued_command", prompt: [image, text] } });
  expect(boundary.mediaMetadata).toEqual({
    replaced: [
      { uuid: results.uuid, path: [0, 1] },
      { uuid: results.uuid, path: [0, 2] },
      { uuid: said.uuid, path: [1] },
      { uuid: queued.uuid, path: [0] },
    ],
  });
});

it("a resumed conversation is the live one, also through the transcript", () => {
  const sample = createMediaSample();
  const document = mixedDocument("words", picture(9000), picture(10));
  const stored = [sample.says(text, document, picture(9, 9000)), ...sample.round({}), sample.says(linked)];
  const { messages, boundary } = applyMedia(stored, planned(stored), { origin: sample.origin() });
  const read = [...stored, boundary].map((message) => decodeLine(encodeLine(message)));
  const again = applyMediaBoundaries(read.flatMap((line) => (line.kind === "message" ? [line.message] : [])));
  expect(again).toEqual(messages);
  expect(applyMediaBoundaries(again)).toBe(again);
  expect(JSON.stringify(again)).toContain("[image left out: 9×9000 px, the limit is 8000]");
});

it("tells once for each reason, and what it freed", () => {
  const sample = createMediaSample();
  const events = createEventEmitter();
  const told: EngineEvents["media_replaced"][] = [];
  events.on("media_replaced", (event) => told.push(event));
  const stored = [sample.says(picture(10), picture(9000, 1, 64), pdf(8)), ...sample.round({})];
  const estimator = createHeuristicEstimator();
  const { boundary, notice, messages } = applyMedia(stored, planned(stored), {
    origin: sample.origin(),
    events,
    estimator,
  });
  expect(told).toEqual([
    { count: 1, bytes: 32, reason: "count" },
    { count: 1, bytes: 64, reason: "refused" },
  ]);
  const size = (list: readonly Message[]) =>
    list.reduce((sum, message) => sum + estimator.message(message), 0);
  expect(boundary.mediaMetadata).toMatchObject({ tokensBefore: size(stored), tokensAfter: size(messages) });
  expect(notice).toEqual({ deletedTokens: size(stored) - size(messages), keepsPrefix: false });
  expect(notice.deletedTokens).toBeGreaterThan(3900);
});

describe("thinking that is bound to what stands before it", () => {
  const conversation = () => {
    const sample = createMediaSample();
    const calls = [{ result: [picture(10)] as readonly ToolResultContent[] }];
    return [
      sample.user("go"),
      ...sample.round({ thinking: "first", calls }),
      ...sample.round({ thinking: "second", calls }),
      ...sample.round({ thinking: "third", calls: [{ result: "ok" }] }),
    ];
  };
  const applied = (stored: readonly Message[], model: string) => {
    const origin = { ...createMediaSample().origin(), ids: { next: () => "boundary" } };
    return applyMedia(stored, planned(stored, model), { origin });
  };

  it("goes behind the first change, and a message of nothing else with it", () => {
    const stored = conversation();
    const { messages, boundary } = applied(stored, "claude-opus-5-5");
    expect(boundary.mediaMetadata.thinkingRemovedAfter).toBe(stored[1]?.uuid);
    expect(JSON.stringify(messages).match(/first|second|third/g)).toEqual(["first"]);
    expect(applyMediaBoundaries([...stored, boundary])).toEqual(messages);
    const later = createMediaSample().round({ thinking: "fourth", calls: [{ result: "ok" }] });
    expect(JSON.stringify(applyMediaBoundaries([...stored, boundary, ...later]))).toContain("fourth");
  });

  it("stays with models that do not bind it", () => {
    const { messages, boundary } = applied(conversation(), "claude-opus-5");
    expect(boundary.mediaMetadata.thinkingRemovedAfter).toBeUndefined();
    expect(JSON.stringify(messages).match(/first|second|third/g)).toHaveLength(3);
  });

  it("a result that was recorded late stands behind its call all the same", () => {
    const sample = createMediaSample();
    const open = sample.round({ thinking: "first", calls: [{ result: null }] });
    const next = sample.round({ thinking: "second", calls: [{ result: "ok" }] });
    const late = sample.says({ type: "tool_result", tool_use_id: "toolu_1", content: [picture(9000)] });
    const stored = [sample.user("go"), ...open, ...next, late];
    const { messages } = applied(stored, "claude-opus-5-5");
    const request = JSON.stringify(normalise(messages).messages);
    expect(request.indexOf("left out")).toBeLessThan(request.indexOf("toolu_2"));
    expect(request.match(/"thinking":"\w+"/g)).toEqual(['"thinking":"first"']);
  });
});

describe("metadata may be anything", () => {
  const sample = createMediaSample();
  const stored = [sample.says(text, picture(10), linked), ...sample.round({ thinking: "hm", calls: [{}] })];
  const [said] = stored;
  const boundaryOf = (mediaMetadata: unknown): Message =>
    ({ ...createMediaBoundary(sample.origin(), { replaced: [] }), mediaMetadata }) as SystemMessage;
  const uuid = said?.uuid ?? "";

  it.each([
    undefined,
    null,
    [],
    "text",
    {},
    { replaced: null },
    { replaced: {} },
    { replaced: [null] },
    { replaced: [{ uuid }] },
    { replaced: [{ uuid, path: [] }] },
    { replaced: [{ uuid, path: "1" }] },
    { replaced: [{ uuid, path: [-1] }] },
    { replaced: [{ uuid, path: [1.5] }] },
    { replaced: [{ uuid, path: [1, 0, 0, 0] }] },
    { replaced: [{ uuid, path: [1], text: 5 }] },
    { replaced: [{ uuid, path: [1], text: " " }] },
    { replaced: [{ uuid: 7, path: [1] }] },
    { replaced: [{ uuid, path: [1] }], thinkingRemovedAfter: 5 },
    { replaced: [{ uuid, path: [1] }], tokensBefore: "many" },
  ])("%j is passed over", (metadata) => {
    const messages = [...stored, boundaryOf(metadata)];
    expect(messages.some(isMediaBoundary)).toBe(false);
    expect(applyMediaBoundaries(messages)).toBe(messages);
  });

  it.each([
    { uuid, path: [0] },
    { uuid, path: [9] },
    { uuid, path: [1, 0] },
    { uuid: "nobody", path: [1] },
    { uuid: "__proto__", path: [1] },
    { uuid: stored.at(-1)?.uuid ?? "", path: [0] },
    { uuid: stored.at(-1)?.uuid ?? "", path: [0, 0, 0] },
    { uuid: stored.at(-2)?.uuid ?? "", path: [0] },
  ])("a place that holds no picture is left alone: %j", (place) => {
    const messages = [...stored, boundaryOf({ replaced: [place] })];
    expect(messages.some(isMediaBoundary)).toBe(true);
    expect(applyMediaBoundaries(messages)).toBe(messages);
  });

  it("what was said of a place first holds", () => {
    const first = boundaryOf({ replaced: [1, 2].map((at) => ({ uuid, path: [at], text: `first ${at}` })) });
    const second = boundaryOf({ replaced: [{ uuid, path: [1], text: "second" }] });
    const applied = JSON.stringify(applyMediaBoundaries([...stored, first, second]).slice(0, 1));
    expect(applied.match(/first \d|second/g)).toEqual(["first 1", "first 2"]);
  });

  it("says nothing of messages behind it", () => {
    const messages = [boundaryOf({ replaced: [{ uuid, path: [1] }] }), ...stored];
    expect(applyMediaBoundaries(messages)).toBe(messages);
  });

  it("documents within documents without end", () => {
    let nested: unknown = picture(10);
    for (let depth = 0; depth < 50_000; depth += 1) {
      nested = { type: "document", source: { type: "content", content: [nested] } };
    }
    const deep = sample.says(nested as never, picture(10));
    const boundary = boundaryOf({ replaced: [{ uuid: deep.uuid, path: [1] }] });
    const [changed] = applyMediaBoundaries([deep, boundary]);
    expect(changed).toMatchObject({ message: { content: [{ type: "document" }, image] } });
    expect(decideMedia([deep], optionsOf("claude-opus-5"))).toBeUndefined();
  });
});
