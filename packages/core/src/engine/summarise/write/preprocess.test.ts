import { describe, expect, it } from "vitest";
import { createAttachmentMessage, createUserMessage } from "../../../messages/construct.js";
import type { Attachment, Message } from "../../../messages/message.js";
import { createSample } from "../../tools/testing/sample.js";
import { preprocess } from "./preprocess.js";

const sample = createSample();
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } } as const;
const paper = { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } } as const;
const attached = (attachment: Attachment): Message => createAttachmentMessage(sample.origin(), attachment);

describe("messages for a summary that is asked for apart", () => {
  it("have words in place of pictures and documents, also inside results", () => {
    const message = createUserMessage(sample.origin(), {
      content: [
        { type: "text", text: "Look." },
        image,
        paper,
        { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "seen" }, image] },
      ],
    });
    const [shown] = preprocess([message]);
    expect(shown).toMatchObject({
      message: {
        content: [
          { type: "text", text: "Look." },
          { type: "text", text: "[image]" },
          { type: "text", text: "[document]" },
          { tool_use_id: "t", content: [{ text: "seen" }, { type: "text", text: "[image]" }] },
        ],
      },
    });
    expect(JSON.stringify(message)).toContain("AA==");
  });

  it("lack what comes back by itself after a compaction, and nothing else", () => {
    const comesBack = [
      "invoked_skills",
      "skill_listing",
      "deferred_tools_delta",
      "agent_listing_delta",
      "mcp_instructions_delta",
    ].map((type) => attached({ type }));
    const stays = [attached({ type: "todo" }), attached({ type: "file", path: "/a", content: "a" })];
    const said = sample.user("Go on.");
    const left = preprocess([said, ...comesBack, ...stays]);
    expect(left).toHaveLength(3);
    // What needs no change is the same object.
    for (const [index, message] of [said, ...stays].entries()) expect(left[index]).toBe(message);
  });
});
