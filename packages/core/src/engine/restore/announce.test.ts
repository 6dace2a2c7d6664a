import { describe, expect, it } from "vitest";
import type { Attachment, Message } from "../../messages/message.js";
import { announce } from "./announce.js";
import type { Announcements } from "./ports/announcement-source.js";

const message = (attachment: unknown): Message => ({ type: "attachment", attachment }) as Message;
const named = (...names: readonly string[]) => names.map((name) => ({ name, description: `${name}!` }));
const delta = (current: Announcements, ...history: readonly unknown[]): readonly Attachment[] =>
  announce(current, history.map(message)).map(({ attachment }) => attachment);

describe("announcements", () => {
  const current: Announcements = {
    deferredTools: [{ name: "Cron", description: "" }, ...named("Web")],
    agents: named("explore"),
    mcpInstructions: [{ name: "docs", description: "Ask first." }],
  };

  it("against an empty history are everything", () => {
    expect(announce(current, [])).toEqual([
      {
        channel: "deferred-tools",
        attachment: {
          type: "deferred_tools_delta",
          addedNames: ["Cron", "Web"],
          addedLines: ["Cron", "Web: Web!"],
          removedNames: [],
          isInitial: true,
        },
      },
      {
        channel: "agent-listing",
        attachment: {
          type: "agent_listing_delta",
          addedTypes: ["explore"],
          addedLines: ["- explore: explore!"],
          removedTypes: [],
          isInitial: true,
        },
      },
      {
        channel: "mcp-instructions",
        attachment: {
          type: "mcp_instructions_delta",
          addedNames: ["docs"],
          addedBlocks: ["## docs\nAsk first."],
          removedNames: [],
          isInitial: true,
        },
      },
    ]);
  });

  it("once told are not told again", () => {
    expect(delta(current, ...delta(current))).toEqual([]);
  });

  it("are the difference to what the history says, later ones over earlier ones", () => {
    const history = [
      { type: "deferred_tools_delta", addedNames: ["Cron", "Old"], removedNames: [] },
      { type: "deferred_tools_delta", addedNames: [], removedNames: ["Cron"] },
    ];
    expect(delta({ deferredTools: named("Cron", "Web") }, ...history)).toMatchObject([
      { addedNames: ["Cron", "Web"], removedNames: ["Old"], isInitial: false },
    ]);
  });

  it("tell other instructions and descriptions again, where the old ones are known", () => {
    const changed = { mcpInstructions: [{ name: "docs", description: "Never ask." }] };
    expect(delta(changed, ...delta(current))).toMatchObject([{ addedBlocks: ["## docs\nNever ask."] }]);
    expect(delta(changed, { type: "mcp_instructions_delta", addedNames: ["docs"] })).toEqual([]);
    expect(delta({ deferredTools: [{ name: "Web", description: "new" }] }, ...delta(current))).toMatchObject([
      { addedNames: [], removedNames: ["Cron"] },
    ]);
  });

  it("a list that the host does not give is neither announced nor withdrawn", () => {
    expect(delta({}, ...delta(current))).toEqual([]);
    expect(delta({ agents: [] }, ...delta(current))).toMatchObject([{ removedTypes: ["explore"] }]);
    expect(delta({ agents: [], deferredTools: [], mcpInstructions: [] })).toEqual([]);
  });

  it.each<unknown>([
    null,
    "text",
    { type: "deferred_tools_delta" },
    { type: "deferred_tools_delta", addedNames: "Cron", removedNames: { 0: "Web" } },
    { type: "deferred_tools_delta", addedNames: [3, null, {}], addedLines: 3 },
    { type: "file", addedNames: ["Cron"] },
  ])("damaged history announces nothing: %j", (damaged) => {
    expect(delta({ deferredTools: named("__proto__", "Cron") }, damaged)).toMatchObject([
      { addedNames: ["__proto__", "Cron"] },
    ]);
  });
});
