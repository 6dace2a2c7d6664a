import type { UserBlock } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { withSummaries, createEchoPlayer } from "../../packages/palimpsest/src/simulator/index.js";
import { createAgent, createEmbeddedProvider } from "./agent.js";
import { output } from "./world.js";

const LIMIT = 300_000;
/** The start of a GIF of one pixel. */
const header = Buffer.from("GIF89a\u0001\0\u0001\0\0\0\0").toString("base64").slice(0, 16);

/** A picture of so many bytes: its size is all that counts here. */
const picture = (bytes: number): UserBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/gif", data: header + "A".repeat(bytes - header.length) },
});

/** An API after something that takes fewer bytes than it says. */
const start = () => {
  const provider = createEmbeddedProvider({
    player: withSummaries(createEchoPlayer()),
    clock: "manual",
    wrap: (app) => async (request) => {
      const body = await request.clone().text();
      if (body.length <= LIMIT) return app(request);
      const error = { type: "request_too_large", message: "Request exceeds the maximum size" };
      return Response.json({ type: "error", error, request_id: "req_1" }, { status: 413 });
    },
  });
  return createAgent({
    provider,
    runTool: () => "",
    conversation: { model: "claude-opus-5", maxTokens: 1000, settings: { window: 200_000 } },
  });
};

describe("a request with too many bytes", () => {
  it("loses its older pictures first, and goes on", async () => {
    const agent = start();
    for (let turn = 0; turn < 12; turn += 1) {
      await agent.say([{ type: "text", text: `Picture ${turn}` }, picture(60_000)]);
      expect(await agent.turn()).toMatchObject({ kind: "response" });
    }
    const sent = agent.conversation.requestMessages();
    expect(JSON.stringify(sent).length).toBeLessThanOrEqual(LIMIT);
    // The newest is there, and what people said beside those that are gone.
    expect(JSON.stringify(sent.at(-3))).toContain(header);
    for (let turn = 0; turn < 12; turn += 1) expect(JSON.stringify(sent)).toContain(`Picture ${turn}`);
    expect(new Set(agent.steps.map(({ tier }) => tier))).toEqual(new Set(["media"]));
  });

  it("one that nothing can carry becomes a sentence, and one without pictures is compacted", async () => {
    const agent = start();
    await agent.say([{ type: "text", text: "Look at this." }, picture(400_000)]);
    expect(await agent.turn()).toMatchObject({ kind: "response" });
    expect(JSON.stringify(agent.conversation.requestMessages())).toContain("image left out");
    const words = start();
    for (let turn = 0; turn < 6; turn += 1) {
      await words.say(output(turn, 58_000));
      expect(await words.turn()).toMatchObject({ kind: "response" });
    }
    expect(words.steps.map(({ tier }) => tier)).toContain("full");
  });
});
