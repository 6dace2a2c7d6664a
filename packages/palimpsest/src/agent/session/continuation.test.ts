import { defaultSettings, type Message } from "@palimpsest/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { defaultPromptSettings } from "../settings/prompt-settings.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

const LONG = Array.from({ length: 2500 }, (_, at) => `Thought ${at} about the work.`).join("\n");
const ASKING = "where you are unsure, ask first";
const GOING_ON = "ask nothing first";
const ALONE = "in a loop that is already running";

const summaryIn = (live: readonly Message[]): string =>
  JSON.stringify(live.filter((message) => message.type === "user" && message.isCompactSummary === true));

const compactedByHand = async (isAutonomous: boolean): Promise<string> => {
  const settings = { ...defaultPromptSettings, autonomous: isAutonomous };
  const opened = await place.open([LONG, "a", "b", "c"], {
    settings: { ...emptySettings(), prompt: settings },
  });
  for (const words of ["One.", "Two.", "Three.", "Four."]) await opened.say(words);
  expect(await opened.conversation.compact()).toMatchObject({ kind: "compacted" });
  const summary = summaryIn(opened.conversation.live);
  await opened.close();
  return summary;
};

const emptySettings = () => ({
  engine: defaultSettings,
  hooks: {},
  permissions: { allow: [], ask: [], deny: [], additionalDirectories: [] },
  env: {},
  files: [],
  warnings: [],
});

it("after a compaction by hand the model may ask, and is not told to go on without", async () => {
  const summary = await compactedByHand(false);
  expect(summary).toContain(ASKING);
  expect(summary).not.toContain(GOING_ON);
  expect(summary).not.toContain(ALONE);
});

it("where the settings say that nobody is there, it goes on by itself after that too", async () => {
  const summary = await compactedByHand(true);
  expect(summary).toContain(GOING_ON);
  expect(summary).toContain(ALONE);
  expect(summary).not.toContain(ASKING);
});

it("a compaction that came by itself has it go on without asking", async () => {
  const session = await place.open([LONG, LONG, LONG, "d", "e"], { engine: { window: 60_000 } });
  for (const words of ["One.", "Two.", "Three.", "Four."]) await session.say(words);
  const summary = summaryIn(session.conversation.live);
  expect(summary).toContain(GOING_ON);
  expect(summary).not.toContain(ASKING);
  expect(summary).not.toContain(ALONE);
  await session.close();
});
