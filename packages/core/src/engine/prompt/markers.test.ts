import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentBlock, RequestMessage } from "../../messages/content.js";
import { messagesApiCapabilities as capabilities } from "../ports/capabilities.js";
import { placeMarkers, type BlockPosition, type MarkedParts, type UnmarkedParts } from "./markers.js";

const text = (value: string): ContentBlock => ({ type: "text", text: value });
const user = (...content: ContentBlock[]) => ({ role: "user", content }) as RequestMessage;
const assistant = (...content: ContentBlock[]) => ({ role: "assistant", content }) as RequestMessage;
const thinking: ContentBlock = { type: "thinking", thinking: "hm", signature: "s" };
const tools = [{ name: "Bash" }, { name: "Read" }];
const system = {
  blocks: [
    { type: "text", text: "static" },
    { type: "text", text: "dynamic" },
  ],
  staticEnd: 0,
  end: 1,
} as const;
const options = { capabilities, ttl: "5m" } as const;

const markedBlocks = ({ messages }: MarkedParts): readonly BlockPosition[] =>
  messages.flatMap(({ content }, message) =>
    content.flatMap((block, at) => ("cache_control" in block ? [{ message, block: at }] : [])),
  );
const place = (messages: readonly RequestMessage[], more: object = {}): MarkedParts =>
  placeMarkers({ tools, system, messages } satisfies UnmarkedParts, { ...options, ...more });

describe("markers", () => {
  it("stand on static and dynamic system prompt, the last tool and the last block", () => {
    const messages = [user(text("a")), assistant(text("b")), user(text("c"), text("d"))];
    const marked = place(messages);
    expect(marked.markers).toBe(4);
    expect(marked.tools.map((tool) => "cache_control" in tool)).toEqual([false, true]);
    expect(marked.system.map((block) => "cache_control" in block)).toEqual([true, true]);
    expect(markedBlocks(marked)).toEqual([{ message: 2, block: 1 }]);
    expect(marked.messages[0]).toBe(messages[0]);
    expect(marked.messageMarker).toEqual({ message: 2, block: 1 });
  });

  it("never stand on thinking, on empty text, or on a deferred tool", () => {
    const last = assistant(text("b"), { type: "tool_use", id: "t", name: "Bash", input: {} }, thinking);
    expect(markedBlocks(place([user(text("a")), last, user(text("  "))]))).toEqual([
      { message: 1, block: 1 },
    ]);
    expect(markedBlocks(place([assistant(thinking)]))).toEqual([]);
    const deferred = placeMarkers(
      { tools: [...tools, { name: "mcp__x", defer_loading: true }], system, messages: [] },
      options,
    );
    expect(deferred.tools.map((tool) => "cache_control" in tool)).toEqual([false, true, false]);
  });

  it.each([
    [18, 1, true],
    [19, 2, false],
    [60, 2, false],
  ])("a turn of %i blocks has %i in the messages", (blocks, inMessages, hasToolMarker) => {
    const turn = Array.from({ length: blocks }, (_, index) => text(`new ${index}`));
    const marked = place([user(text("a"), text("b")), assistant(...turn)], {
      lastWrite: { message: 0, block: 1 },
    });
    expect(markedBlocks(marked)).toHaveLength(inMessages);
    expect("cache_control" in (marked.tools[1] ?? {})).toBe(hasToolMarker);
    expect(marked.markers).toBe(4);
  });

  it("a fork that must not write marks what was written last, or nothing", () => {
    const messages = [user(text("a")), assistant(text("b")), user(text("own"))];
    const lastWrite = { message: 1, block: 0 };
    expect(markedBlocks(place(messages, { skipCacheWrite: true, lastWrite }))).toEqual([lastWrite]);
    expect(markedBlocks(place(messages, { skipCacheWrite: true }))).toEqual([]);
    const own = place(messages, { lastWrite, ttl: "1h", ownTtl: "5m" });
    expect(own.messages[2]?.content[0]).toEqual({ ...text("own"), cache_control: { type: "ephemeral" } });
    expect(own.system[1]?.cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
  });

  it("are left out where caching is off or not by markers; the scope only where there is one", () => {
    const off = { ...capabilities, caching: "none" as const };
    expect(place([user(text("a"))], { capabilities: off }).markers).toBe(0);
    const scoped = { capabilities: { ...capabilities, cacheScopes: true }, isStaticShared: true };
    expect(place([], scoped).system[0]?.cache_control).toEqual({ type: "ephemeral", scope: "global" });
    expect(place([], { isStaticShared: true }).system[0]?.cache_control).toEqual({ type: "ephemeral" });
  });

  it("tools and blocks that are marked again are the same objects again", () => {
    const [first, second] = [place([]), place([])];
    expect(first.tools[1]).toBe(second.tools[1]);
    expect(first.system[0]).toBe(second.system[0]);
  });
});

const anyBlock = fc.oneof(
  fc.string().map(text),
  fc.constant(thinking),
  fc.string().map((id): ContentBlock => ({ type: "tool_use", id, name: "Bash", input: {} })),
);
const anyMessage = fc
  .tuple(fc.constantFrom(user, assistant), fc.array(anyBlock, { maxLength: 30 }))
  .map(([make, blocks]) => make(...blocks));
const anyPosition = fc.record({ message: fc.nat(8), block: fc.nat(30) });
const anySystem = fc.constantFrom(
  system,
  { blocks: [] },
  { blocks: [{ type: "text" as const, text: "mine" }], end: 0 },
  { blocks: [{ type: "text" as const, text: "static" }], staticEnd: 0, end: 0 },
);

it("whatever the request: at most four, none where the API refuses one, lifetimes never longer again, nothing else touched", () => {
  fc.assert(
    fc.property(
      fc.array(anyMessage, { maxLength: 8 }),
      anySystem,
      fc.option(anyPosition, { nil: undefined }),
      fc.record({
        skipCacheWrite: fc.boolean(),
        ttl: fc.constantFrom("5m" as const, "1h" as const),
        ownTtl: fc.constantFrom("5m" as const, "1h" as const),
        maxMarkers: fc.integer({ min: 1, max: 4 }),
      }),
      (messages, system, lastWrite, { skipCacheWrite, ttl, ownTtl, maxMarkers }) => {
        const parts = { tools, system, messages };
        const marked = placeMarkers(parts, {
          capabilities: { ...capabilities, maxMarkers },
          ttl,
          ownTtl,
          lastWrite,
          skipCacheWrite,
        });
        const all = [
          ...marked.tools,
          ...marked.system,
          ...marked.messages.flatMap(({ content }) => [...content]),
        ].filter((block) => "cache_control" in block);
        expect(all.length).toBe(marked.markers);
        expect(all.length).toBeLessThanOrEqual(maxMarkers);
        const lifetimes = all.map(
          (block) => (block as { cache_control?: { ttl?: string } }).cache_control?.ttl ?? "5m",
        );
        expect(lifetimes.lastIndexOf("1h")).toBeLessThan(
          lifetimes.includes("5m") ? lifetimes.indexOf("5m") : 99,
        );
        for (const block of all) {
          const { type } = block as ContentBlock;
          expect(type).not.toBe("thinking");
          if (type === "text") expect((block as { text: string }).text.trim()).not.toBe("");
        }
        const bare = JSON.parse(
          JSON.stringify(marked, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
        ) as MarkedParts;
        expect(bare.messages).toEqual(JSON.parse(JSON.stringify(messages)));
        const touched = marked.messages.filter((message, index) => message !== messages[index]);
        expect(touched.length).toBeLessThanOrEqual(2);
      },
    ),
    { numRuns: 2000 },
  );
});
