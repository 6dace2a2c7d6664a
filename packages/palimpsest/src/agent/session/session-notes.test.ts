import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call } from "../loop/testing/loop-agent.js";
import { sessionFolder } from "./session-folder.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

const LONG = Array.from({ length: 1500 }, (_, at) => `Thought ${at} about the plan.`).join("\n");

it("notes are a private file in the session's own folder, and only where they are turned on", async () => {
  await place.write("long.txt", LONG);
  const steps = [{ calls: [call("Read", { file_path: "long.txt" })] }, "Read.", "Again."];
  const fileOf = async (id: string, notes: boolean): Promise<string> => {
    const engine = { notes, notesFirstTokens: 1000, notesToolCallsBetweenUpdates: 0 };
    const session = await place.open(steps, { id, engine });
    await session.say("Read it.");
    await session.say("And?");
    await session.close();
    return join(sessionFolder(place.data, id), "session-memory", "summary.md");
  };
  const kept = await fileOf("with", true);
  expect(await readFile(kept, "utf8")).toContain("# Worklog");
  expect((await stat(kept)).mode & 0o077).toBe(0);
  await expect(stat(await fileOf("without", false))).rejects.toThrow("ENOENT");
});
