import { mkdtempSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../../agent/session/testing/workplace.js";
import type { SentRequest } from "../../agent/session/sent-requests.js";
import { analyzeRecording } from "../../replay/analyze-recording.js";
import { readRecording } from "../../replay/readers/read-recording.js";
import type { Player } from "../../simulator/player.js";
import { createInspectorApp } from "../api/app.js";
import { createEventLog } from "../api/event-log.js";
import type {
  BlockText,
  ConversationOverview,
  RequestList,
  RequestView,
  SearchHits,
  Timeline,
} from "../contract.js";
import { gatewayPlace } from "./conversation-places.js";
import { findConversations, findNamed } from "./find-conversations.js";
import { createLibrary } from "./library.js";
import { createLiveRequests } from "./live-conversation.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

const use = (name: string, input: Readonly<Record<string, unknown>>) => ({
  type: "tool_use" as const,
  name,
  input,
});

/** The main agent asks two subagents at once; each reads a file and answers. */
const player: Player = {
  answer({ request }, memory) {
    const isSub = JSON.stringify(request.system).includes("You are a subagent");
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    const asks = [
      use("Agent", { description: "look", prompt: "Look into a.txt.", subagent_type: "explore" }),
    ];
    const calls = isSub
      ? [use("Read", { file_path: "a.txt" })]
      : [...asks, use("Agent", { description: "look", prompt: "Look into it again." })];
    const text = isSub ? "It is a walrus." : "Thanks.";
    return { answer: { content: turn === 0 ? calls : [{ type: "text", text }] }, memory };
  },
};

async function openedLibrary(
  find: Parameters<typeof createLibrary>[0]["find"],
  sent: readonly SentRequest[] = [],
) {
  const events = createEventLog();
  const requests = createLiveRequests();
  for (const request of sent) requests.add(request);
  const found = await find();
  const library = createLibrary({
    find,
    indexFolder: mkdtempSync(join(tmpdir(), "inspector-lanes-")),
    events,
    now: Date.now,
    live: () => [
      {
        file: found[0]?.file ?? "",
        requests,
        thresholds: () => [],
        undo: async () => ({ undone: false, message: "" }),
      },
    ],
  });
  const app = createInspectorApp({ conversations: library, events, token: "t" });
  const listed = await library.list();
  const get = async <Answer>(path: string): Promise<Answer> => {
    const response = await app(
      new Request(`http://localhost/api/conversations/${listed[0]?.id}${path}`, {
        headers: { authorization: "Bearer t" },
      }),
    );
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as Answer;
  };
  return { listed, get };
}

it("subagents of our agent are lanes of its conversation: their requests with their words, each counted once", async () => {
  await place.write("a.txt", "The animal is a walrus with brass-coloured tusks.");
  const sent: SentRequest[] = [];
  const recordFolder = join(place.data, "recorded");
  await mkdir(recordFolder, { recursive: true });
  const session = await place.open(player, { onSent: (one) => sent.push(one), recordFolder });
  await session.say("Which animal is it?");
  await session.close();
  const billed = analyzeRecording(await readRecording(session.transcriptPath)).cost;
  expect(billed.dollars).toBeGreaterThan(0);

  const { listed, get } = await openedLibrary(
    async () => (await findNamed([session.transcriptPath])).found,
    sent,
  );
  expect(listed).toHaveLength(1);
  const overview = await get<ConversationOverview>("");
  expect(overview.lanes.map(({ name, requests }) => [name.replace(/[\da-f]{8}$/, "…"), requests])).toEqual([
    ["main", 2],
    [expect.stringMatching(/^(?:explore|general) agent-…$/), 2],
    [expect.stringMatching(/^(?:explore|general) agent-…$/), 2],
  ]);
  expect(overview.figures?.cost).toBeCloseTo(billed.dollars ?? 0, 10);
  expect(overview.figures?.requests).toBe(6);
  const sums = (await get<Timeline>("/timeline")).cost.map((cost) => cost ?? 0);
  expect(sums.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(billed.dollars ?? 0, 10);
  const { requests } = await get<RequestList>("/requests?count=20");
  const ofAgents = requests.filter(({ lane }) => lane !== "main");
  for (const { number } of ofAgents) {
    const view = await get<RequestView>(`/requests/${number}`);
    // As it went out: the program that sent it remembers it.
    expect(view.source).toBe("recorded");
    expect(view.blocks.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["system", "tools", "people"]),
    );
  }
  const { hits, cursor } = await get<SearchHits>("/search?q=brass-coloured");
  // In the files of the subagents, which are looked through after the conversation's own.
  const found = [...hits];
  for (let next = cursor; next !== null;) {
    const more = await get<SearchHits>(`/search?q=brass-coloured&cursor=${next}`);
    found.push(...more.hits);
    next = more.cursor;
  }
  expect(found.map(({ kind }) => kind)).toEqual(["results", "results"]);
  const lanes = new Set(found.map(({ request }) => requests.find(({ number }) => number === request)?.lane));
  expect(lanes.size).toBe(2);
  expect((await get<BlockText>(`/blocks/${found[1]?.block}`)).text).toContain("brass-coloured tusks");

  const rebuilt = await openedLibrary(async () => (await findNamed([session.transcriptPath])).found);
  const view = await rebuilt.get<RequestView>(`/requests/${ofAgents.at(-1)?.number}`);
  expect(view.source).toBe("rebuilt");
  expect(view.blocks.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["people", "assistant", "results"]),
  );

  const recorded = await openedLibrary(() => findConversations([gatewayPlace(recordFolder)]));
  expect(recorded.listed).toHaveLength(1);
  const again = await recorded.get<ConversationOverview>("");
  expect(again.lanes.map(({ requests: count }) => count)).toEqual([2, 2, 2]);
  expect(again.figures?.cost).toBeCloseTo(billed.dollars ?? 0, 10);
  for (const { number } of ofAgents) {
    expect((await recorded.get<RequestView>(`/requests/${number}`)).source).toBe("recorded");
  }
});
