import { expect, it } from "vitest";
import type { Message, ModelRequest } from "@palimpsest/core";
import { createNormaliser } from "@palimpsest/core/engine";
import { placeCachedEdits } from "../../packages/core/src/engine/clear/cached-edits-request.js";
import { messagesApiCapabilities } from "../../packages/core/src/engine/ports/capabilities.js";
import { createRequestBuilder } from "../../packages/core/src/engine/prompt/request-builder.js";
import { createToolList } from "../../packages/core/src/engine/prompt/tool-list.js";
import { createSystemLayouter } from "../../packages/core/src/engine/prompt/system-blocks.js";
import { checkProperty } from "../../packages/palimpsest/src/testing/check-property.js";
import { wholeRounds } from "../properties/whole-rounds.js";

/** The bytes of a request without its markers and without what is not part of the prompt. */
const bytesOf = ({ diagnostics: _diagnostics, ...request }: ModelRequest): string =>
  JSON.stringify(request, (key, value: unknown) => (key === "cache_control" ? undefined : value));

/** What closes the body after the last block; after it nothing may stand. */
const CLOSING = "]}]}";

const first = {
  uuid: "first",
  parentUuid: null,
  timestamp: "2026-11-15T10:00:00.000Z",
  sessionId: "s",
  type: "user",
  message: { role: "user", content: "begin" },
} as Message;

it.each([
  ["without", messagesApiCapabilities],
  ["with", { ...messagesApiCapabilities, cacheEdits: true }],
])("request n+1 starts with the bytes of request n (%s references)", (_, capabilities) => {
  checkProperty("prefix of bytes", wholeRounds, (rounds) => {
    const normaliser = createNormaliser();
    const builder = createRequestBuilder();
    const list = createToolList();
    const layouter = createSystemLayouter();
    let before = "";
    for (const [index, messages] of [[first], ...rounds].entries()) {
      const isAway = index % 3 === 2;
      const offered = [
        { definition: { name: "Read" } },
        { definition: { name: "mcp__s__q", description: `at ${index}` } },
      ];
      const built = builder.build({
        source: "sdk",
        parameters: {
          model: "claude-opus-5",
          max_tokens: 1000 + index,
          betas: index % 2 ? ["b", "a"] : ["a", "b"],
        },
        system: layouter.layOut({
          sections: [{ name: "rules", text: "rules", part: "static" }],
        }),
        tools: list.list(isAway ? offered.slice(0, 1) : offered.toReversed()),
        messages: normaliser.append(messages).messages,
        capabilities,
        placeEdits: placeCachedEdits,
        ttl: "5m",
      });
      expect(built.markers).toBeLessThanOrEqual(4);
      expect(built.betas).toEqual(["a", "b"]);
      const bytes = bytesOf(built.request).replace(/"max_tokens":\d+/, "");
      expect(bytes.startsWith(before)).toBe(true);
      before = bytes.slice(0, -CLOSING.length);
      builder.answered(built, { messageId: `msg_${index}`, at: index * 1000 });
    }
  });
});
