import { describe, expect, it } from "vitest";
import type { ImageBlock, ToolResultContent, UserBlock } from "../../messages/content.js";
import type { Message } from "../../messages/message.js";
import { normalise } from "../../messages/normalise/normaliser.js";
import { findProblems } from "../../messages/validity/find-problems.js";
import type { Settings } from "../settings/settings.js";
import { applyMedia } from "./apply-media.js";
import { decideMedia } from "./decide-media.js";
import { createMediaIndex } from "./media-index.js";
import { createMediaSample, optionsOf } from "./testing/conversation.js";
import { linked, mixedDocument, pdf, picture, plainDocument, uploaded } from "./testing/pictures.js";

const MEGABYTE = 1_048_576;
const HAIKU = "claude-haiku-4-5";
const OPUS = "claude-opus-5";

/** Each picture in a round of its own, all answered to. */
function rounds(pictures: readonly ToolResultContent[]): readonly Message[] {
  const sample = createMediaSample();
  const made = pictures.map((block) => sample.round({ calls: [{ name: "Bash", result: [block] }] }));
  return [sample.user("go"), ...made.flat(), ...sample.round({ text: "done", says: "thanks" })];
}

/** All of them said at once, not answered to yet. */
const saidAtOnce = (...blocks: readonly UserBlock[]): readonly Message[] => [
  { ...createMediaSample().says(...blocks, { type: "text", text: "what is this?" }), uuid: "said" },
];

const many = <T>(count: number, item: T): readonly T[] => Array.from({ length: count }, () => item);

function decided(messages: readonly Message[], model = OPUS, settings: Partial<Settings> = {}) {
  const plan = decideMedia(messages, optionsOf(model, settings));
  const replaced = plan?.replaced ?? [];
  const origin = createMediaSample().origin();
  const after = plan === undefined ? messages : applyMedia(messages, plan, { origin }).messages;
  const problems = findProblems({ model, max_tokens: 100, messages: normalise(after).messages });
  return {
    plan,
    count: replaced.length,
    reasons: [...new Set(replaced.map(({ reason }) => reason))],
    texts: [...new Set(replaced.map(({ text }) => text))],
    places: replaced.map(({ path }) => path.join(".")),
    problems,
  };
}

describe("number", () => {
  it("200 images of one pixel: fine for a model that takes 600, half of the limit for one that takes 100", () => {
    const images = rounds(many(200, picture(1)));
    expect(decided(images)).toMatchObject({ plan: undefined, problems: [] });
    expect(decided(images, HAIKU)).toMatchObject({ count: 150, reasons: ["count"], problems: [] });
  });

  it("a model that nobody knows takes the least", () => {
    expect(decideMedia(rounds(many(101, picture(1))), optionsOf("nobody"))?.replaced).toHaveLength(51);
  });

  it("the oldest go, and it is many turns until the next time", () => {
    const { plan } = decided(rounds(many(101, linked)), HAIKU);
    expect(plan?.replaced).toHaveLength(51);
    expect(plan?.replaced.map(({ toolUseId }) => toolUseId)).toEqual(
      Array.from({ length: 51 }, (_, index) => `toolu_${index + 1}`),
    );
  });

  it("what the model has not seen yet goes only as far as it must", () => {
    expect(decided(saidAtOnce(...many(120, picture(1))), HAIKU)).toMatchObject({
      count: 20,
      places: Array.from({ length: 20 }, (_, index) => String(index)),
      problems: [],
    });
    const messages = [...rounds(many(30, picture(1))), ...saidAtOnce(...many(90, picture(1)))];
    expect(decided(messages, HAIKU)).toMatchObject({ count: 30, problems: [] });
  });

  it("documents count too, and those whose data is elsewhere", () => {
    const messages = rounds([pdf(8), plainDocument("words"), linked, uploaded, picture(1)]);
    expect(decided(messages, OPUS, { mediaImages: 4 })).toMatchObject({
      count: 3,
      texts: ["[document]", "[image]"],
      problems: [],
    });
  });

  it("a setting may ask for less than the model takes, never for more, and for none at all", () => {
    const messages = rounds(many(101, picture(1)));
    expect(decided(messages, HAIKU, { mediaImages: 500 }).count).toBe(51);
    expect(decided(messages, HAIKU, { mediaImages: 10, mediaKeepShare: 1 }).count).toBe(91);
    expect(decided(messages, HAIKU, { mediaImages: 0 }).count).toBe(101);
    expect(decided(messages, HAIKU, { mediaImages: 1 }).count).toBe(100);
  });
});

describe("bytes", () => {
  it("beyond 24 MB the oldest go until half of that is left", () => {
    const images = rounds(many(5, picture(100, 100, 5 * MEGABYTE)));
    expect(decided(images)).toMatchObject({ count: 3, reasons: ["bytes"], texts: ["[image]"], problems: [] });
    expect(decided(images.slice(3)).plan).toBeUndefined();
  });

  it("what has no bytes in the request stays", () => {
    const messages = rounds([linked, uploaded, pdf(80), picture(1, 1, 80), linked, picture(1, 1, 80)]);
    const { plan } = decided(messages, OPUS, { mediaBytes: 200 });
    expect(plan?.replaced.map(({ toolUseId }) => toolUseId)).toEqual(["toolu_3", "toolu_4"]);
  });

  it("the newest stays although it is beyond the watermark", () => {
    const messages = rounds([picture(1, 1, 100), picture(1, 1, 160)]);
    expect(decided(messages, OPUS, { mediaBytes: 200 })).toMatchObject({ count: 1, places: ["0.0"] });
  });

  it("what the model has not seen yet goes only as far as it must", () => {
    const messages = [...rounds([picture(1, 1, 100)]), ...saidAtOnce(...many(3, picture(1, 1, 60)))];
    expect(decided(messages, OPUS, { mediaBytes: 200 })).toMatchObject({ count: 1, places: ["0.0"] });
    expect(decided(messages, OPUS, { mediaBytes: 150 }).places).toEqual(["0.0", "0"]);
  });
});

describe("pixels", () => {
  it("200 images of 3000 pixels: as many as may be large, less the watermark", () => {
    expect(decided(rounds(many(200, picture(3000))))).toMatchObject({
      count: 190,
      reasons: ["pixels"],
      problems: [],
    });
    expect(decided(saidAtOnce(...many(200, picture(3000))))).toMatchObject({ count: 180, problems: [] });
  });

  it("20 large images are fine, and any number of small ones", () => {
    expect(decided(rounds(many(20, picture(3000)))).plan).toBeUndefined();
    expect(decided(rounds(many(300, picture(2000)))).plan).toBeUndefined();
    expect(decided(rounds([...many(20, picture(3000)), linked]))).toMatchObject({ count: 11, problems: [] });
  });

  it("old large ones go alone", () => {
    const small = many(15, picture(10));
    const { plan, problems } = decided(rounds([...small, picture(3000), picture(10, 2001), ...small]));
    expect(plan?.replaced.map(({ toolUseId }) => toolUseId)).toEqual(["toolu_16", "toolu_17"]);
    expect(problems).toEqual([]);
  });

  it("for a new large one the old ones go", () => {
    const { plan, problems } = decided(rounds([...many(40, picture(10)), picture(3000)]));
    expect(plan?.replaced).toHaveLength(31);
    expect(plan?.replaced.at(-1)?.toolUseId).toBe("toolu_31");
    expect(problems).toEqual([]);
  });

  it("a person's large pictures go only as far as they must", () => {
    const messages = [...rounds(many(10, picture(10))), ...saidAtOnce(...many(15, picture(3000)))];
    expect(decided(messages)).toMatchObject({ count: 10, problems: [] });
  });
});

describe("what no request may hold", () => {
  it("a picture of 9000 pixels goes, even the newest, and says why", () => {
    expect(decided(saidAtOnce(picture(9000, 200)))).toMatchObject({
      reasons: ["refused"],
      texts: ["[image left out: 9000×200 px, the limit is 8000]"],
      problems: [],
    });
    expect(decided(saidAtOnce(picture(8000, 8000))).plan).toBeUndefined();
  });

  it("a picture of 12 MB", () => {
    expect(decided(rounds([picture(100, 100, 12 * MEGABYTE)]))).toMatchObject({
      texts: ["[image left out: 12 MB, the limit is 10]"],
      problems: [],
    });
    expect(decided(rounds([picture(100, 100, 10 * MEGABYTE)])).plan).toBeUndefined();
    expect(decided(rounds([picture(100, 100, 10 * MEGABYTE + 4)])).texts).toEqual([
      "[image left out: 10.01 MB, the limit is 10]",
    ]);
  });

  it("documents: beyond the budget, which is below the limit", () => {
    expect(decided(rounds([pdf(20 * MEGABYTE)])).plan).toBeUndefined();
    expect(decided(rounds([pdf(33 * MEGABYTE)]))).toMatchObject({
      texts: ["[document left out: 33 MB, the limit is 24]"],
      problems: [],
    });
    expect(decided(rounds([pdf(33 * MEGABYTE)]), OPUS, { mediaBytes: 99 * MEGABYTE }).texts).toEqual([
      "[document left out: 33 MB, the limit is 32]",
    ]);
  });

  it("does not count against the others", () => {
    const large: ImageBlock = picture(1, 1, 300);
    expect(
      decided(rounds([picture(1, 1, 100), large, picture(1, 1, 100)]), OPUS, { mediaBytes: 200 }),
    ).toMatchObject({
      count: 1,
      texts: ["[image left out: 300 bytes, the limit is 200]"],
    });
  });
});

describe("where media stand", () => {
  it("images in documents go by themselves, or with their document", () => {
    const mixed = mixedDocument("words", picture(9000), picture(10), linked);
    expect(decided(rounds([mixed]))).toMatchObject({ places: ["0.0.1"], problems: [] });
    expect(decided(saidAtOnce(mixed))).toMatchObject({ places: ["0.1"], problems: [] });
    const small = mixedDocument("words", picture(10), linked);
    expect(decided(saidAtOnce(small, pdf(8)), OPUS, { mediaImages: 1 })).toMatchObject({
      places: ["0.1", "0.2", "0"],
      problems: [],
    });
  });

  it("pictures that were queued while the model worked", () => {
    const sample = createMediaSample();
    const messages = [sample.user("go"), ...sample.round({}), sample.queued(picture(9000), picture(10))];
    expect(decided(messages)).toMatchObject({ places: ["0"], problems: [] });
  });

  it("what is never sent does not count", () => {
    const sample = createMediaSample();
    const failed = sample.round({ calls: [{ result: [picture(9000)], isError: true }] });
    expect(decided([sample.user("go"), ...failed])).toMatchObject({ plan: undefined, problems: [] });
  });
});

it("asking an index that is within the budgets looks at nothing", () => {
  const index = createMediaIndex();
  index.append(rounds(many(90, picture(1))));
  const watched = { ...index, totals: index.totals, append: () => {}, active: () => expect.unreachable() };
  expect(decideMedia(watched, optionsOf(HAIKU))).toBeUndefined();
});

describe("what normalising mends or leaves out", () => {
  const respelled = (block: ImageBlock): ImageBlock =>
    block.source.type === "base64"
      ? { ...block, source: { ...block.source, data: `data:image/png;base64,${block.source.data}\n` } }
      : block;

  it("counts as what is sent: a picture too large for any request, however its data is spelled", () => {
    const found = decided(saidAtOnce(respelled(picture(9000, 200))));
    expect(found).toMatchObject({ reasons: ["refused"], problems: [] });
    expect(found.texts).toEqual(["[image left out: 9000×200 px, the limit is 8000]"]);
  });

  it("counts as what is sent: a picture too large among many", () => {
    const images = [respelled(picture(3000)), ...many(20, picture(10))];
    expect(decided(rounds(images))).toMatchObject({ count: 1, reasons: ["pixels"], problems: [] });
  });

  it("goes before the first request with it, with the words that normalising has for it", () => {
    const source = { type: "base64" as const, media_type: "image/png", data: "not base64!" };
    const messages = saidAtOnce({ type: "image", source }, picture(10));
    const found = decided(messages);
    expect(found).toMatchObject({ count: 1, reasons: ["refused"], places: ["0"], problems: [] });
    expect(found.texts).toEqual(["[image (image/png) left out: its data is not base64]"]);
    expect(JSON.stringify(normalise(messages).messages)).toContain(found.texts[0]);
  });
});
