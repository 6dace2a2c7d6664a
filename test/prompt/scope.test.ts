import { describe, expect, it } from "vitest";
import { messagesApiCapabilities } from "../../packages/core/src/engine/ports/capabilities.js";
import { createRequestBuilder } from "../../packages/core/src/engine/prompt/request-builder.js";
import { createSystemLayouter } from "../../packages/core/src/engine/prompt/system-blocks.js";
import { createToolList } from "../../packages/core/src/engine/prompt/tool-list.js";

/** The markers on the static and on the dynamic system prompt. */
function markersWith(tools: readonly string[], cacheScopes: boolean): readonly unknown[] {
  const { request } = createRequestBuilder().build({
    source: "sdk",
    parameters: { model: "claude-opus-5", max_tokens: 100 },
    system: createSystemLayouter().layOut({
      sections: [
        { name: "rules", text: "rules", part: "static" },
        { name: "environment", text: "linux", part: "dynamic" },
      ],
    }),
    tools: createToolList().list(tools.map((name) => ({ definition: { name } }))),
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    capabilities: { ...messagesApiCapabilities, cacheScopes },
    ttl: "5m",
  });
  return Array.isArray(request.system) ? request.system.map((block) => block.cache_control) : [];
}

describe("the scope of a marker", () => {
  const plain = { type: "ephemeral" };

  it("is wider for the static prompt alone, where the provider knows scopes and no server adds tools", () => {
    expect(markersWith(["Read"], true)).toEqual([{ type: "ephemeral", scope: "global" }, plain]);
    expect(markersWith(["Read", "mcp__db__query"], true)).toEqual([plain, plain]);
    expect(markersWith(["Read"], false)).toEqual([plain, plain]);
  });
});
