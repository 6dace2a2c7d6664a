import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { applyMedia, applyMediaBoundaries } from "./apply-media.js";
import { decideMedia } from "./decide-media.js";
import { createMediaBoundary } from "../boundaries/media-boundary.js";
import { restateMedia } from "./restate-media.js";
import { createMediaSample, optionsOf } from "./testing/conversation.js";
import { picture } from "./testing/pictures.js";

/** Six rounds with a picture each, then all but the newest replaced, then one round more. */
const replaced = (model = "claude-opus-5-5") => {
  const sample = createMediaSample();
  const rounds = Array.from({ length: 6 }, () =>
    sample.round({ thinking: "hm", calls: [{ result: [picture(10)] }] }),
  );
  const stored = [sample.user("begin"), ...rounds.flat()];
  const plan = decideMedia(stored, optionsOf(model, { mediaImages: 2 }));
  if (plan === undefined) throw new Error("nothing to replace");
  const { messages, boundary } = applyMedia(stored, plan, { origin: sample.origin() });
  const more = sample.round({ thinking: "later" });
  return { sample, live: [...messages, ...more], stored: [...stored, boundary, ...more] };
};

describe("restateMedia", () => {
  it("a kept prefix whose boundary stood behind it is the same again after a resume", () => {
    const { sample, live, stored } = replaced();
    const metadata = restateMedia(live, live.slice(0, 7));
    if (metadata === undefined) throw new Error("nothing to restate");
    expect(metadata.replaced).toHaveLength(3);
    expect(metadata.thinkingRemovedAfter).toBe(stored[1]?.uuid);
    const restated = createMediaBoundary(sample.origin(), metadata);
    const resumed = applyMediaBoundaries([...stored.slice(0, 7), restated]);
    expect(resumed).toEqual([...live.slice(0, 7), restated]);
  });

  it("thinking alone is worth restating", () => {
    const { sample, live, stored } = replaced();
    const kept = live.slice(11, 12);
    const metadata = restateMedia(live, kept);
    expect(metadata).toMatchObject({ replaced: [], thinkingRemovedAfter: stored[1]?.uuid });
    if (metadata === undefined) return;
    const restated = createMediaBoundary(sample.origin(), metadata);
    expect(applyMediaBoundaries([...stored.slice(11, 12), restated])).toEqual([...kept, restated]);
    expect(restateMedia(...firstOf(replaced("claude-opus-5").live))).toBeUndefined();
  });

  it("what was said of a place first holds", () => {
    const { sample, live } = replaced();
    const uuid = live[2]?.uuid ?? "";
    const second = createMediaBoundary(sample.origin(), {
      replaced: [{ uuid, path: [0, 0], text: "second" }],
    });
    const metadata = restateMedia([...live, second], live.slice(0, 3));
    const restated = createMediaBoundary(sample.origin(), metadata ?? { replaced: [] });
    const original = { ...live[2], message: { role: "user", content: [result] } } as Message;
    expect(JSON.stringify(applyMediaBoundaries([original, restated])[0])).toContain('"[image]"');
  });

  it("a kept tail brings its boundary along and needs nothing", () => {
    const { live } = replaced();
    expect(restateMedia(live, live.slice(5))).toBeUndefined();
    expect(restateMedia(live, live.slice(-1))).toBeUndefined();
    expect(restateMedia(live, live.slice(0, 1))).toBeUndefined();
    expect(restateMedia(live, [])).toBeUndefined();
  });
});

const result = { type: "tool_result", tool_use_id: "toolu_1", content: [picture(10)] };
const firstOf = (live: readonly Message[]) => [live, live.slice(11, 12)] as const;
