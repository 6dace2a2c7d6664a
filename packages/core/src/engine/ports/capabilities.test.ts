import { describe, expect, it } from "vitest";
import { createConversation } from "../conversation/conversation.js";
import { capabilitiesOfModel, cloudCapabilities, messagesApiCapabilities } from "./capabilities.js";

describe("what may be asked for, by the name of a model", () => {
  it.each(["claude-opus-5", "claude-haiku-4-5-20251001", "anthropic/claude-sonnet-5"])(
    "%s: all that the API has",
    (name) => {
      expect(capabilitiesOfModel(name)).toEqual(messagesApiCapabilities);
    },
  );

  it.each([
    "anthropic.claude-opus-4-5-20251101-v1:0",
    "us.anthropic.claude-opus-5",
    "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-sonnet-5-v1:0",
    "claude-sonnet-4-5@20250929",
    "claude-opus-5@default",
  ])("%s: what Bedrock and Vertex have", (name) => {
    expect(capabilitiesOfModel(name)).toEqual(cloudCapabilities);
    expect(cloudCapabilities).toMatchObject({
      caching: "markers",
      ttls: ["5m"],
      contextEdits: false,
      compactionBlocks: false,
      cacheDiagnostics: false,
    });
  });

  it.each(["gpt-5", "", "gemini-3-pro", "claude-"])("%j: markers, as nobody knows the model", (name) => {
    expect(capabilitiesOfModel(name)).toMatchObject({
      caching: "markers",
      contextEdits: false,
      compactionBlocks: false,
      cacheDiagnostics: false,
    });
  });
});

it.each([
  ["gpt-5", false],
  ["us.anthropic.claude-opus-5", false],
  ["claude-opus-5@20260801", false],
  ["claude-opus-5", true],
])(
  "a loop of one's own that says nothing of its server: %s is asked for diagnostics: %s",
  async (model, isAsked) => {
    const conversation = createConversation({ model, maxTokens: 100, compaction: "none" });
    await conversation.append({ role: "user", content: "hello" });
    const prepared = await conversation.prepare();
    expect(prepared.kind).toBe("request");
    const request = prepared.kind === "request" ? prepared.call.request : {};
    expect("diagnostics" in request).toBe(isAsked);
  },
);
