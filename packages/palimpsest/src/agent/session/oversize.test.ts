import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, resultsIn } from "../loop/testing/loop-agent.js";
import { outputFolder, sessionFolder } from "./session-folder.js";
import { createWorkplace, type Workplace } from "./testing/workplace.js";

let place: Workplace;
beforeEach(async () => {
  place = await createWorkplace();
});
afterEach(() => place.remove());

const WINDOW = 80_000;
const SECRET = "the vault opens with 7714-AMBER";

/** Far more than the window holds; what matters stands in its middle. */
const PASTE = Array.from({ length: 20_000 }, (_, at) =>
  at === 11_000 ? `line ${at}: ${SECRET}` : `line ${at}: nothing of note stands in this one`,
).join("\n");

const sent = (value: unknown): string => JSON.stringify(value);

describe("a prompt that no window holds", () => {
  it("reaches the model with its ends, and the rest is found in its file and by Recall", async () => {
    const session = await place.open([{ calls: [call("Recall", { query: "vault opens" })] }, "Found."], {
      id: "long",
      engine: { window: WINDOW },
    });
    const { events, result } = await session.say(PASTE);
    expect(result).toMatchObject({ reason: "done", text: "Found." });
    const file = join(outputFolder(sessionFolder(place.data, "long")), "message.txt");
    const steps = events.flatMap((event) => (event.kind === "step" ? [event.step] : []));
    expect(steps[0]).toMatchObject({ tier: "oversize" });
    expect(steps[0]?.text).toContain(file);
    expect(await readFile(file, "utf8")).toBe(PASTE);
    expect((await stat(file)).mode & 0o077).toBe(0);
    const first = sent(session.requests[0]?.messages);
    expect(first).toContain("line 0: nothing of note");
    expect(first).toContain("line 19999: nothing of note");
    expect(first).not.toContain(SECRET);
    expect(first).toContain(`The whole text is in ${file}. Look there with Grep`);
    expect(first).toMatch(/Recall with message \\"[\w-]+\\" shows it by its lines/);
    expect(sent(resultsIn(session.conversation.live)[0])).toContain(SECRET);
    await session.close();
  });

  it("is read from its file with the tools that the message names", async () => {
    const file = join(outputFolder(sessionFolder(place.data, "long")), "message.txt");
    const session = await place.open(
      [
        { calls: [call("Grep", { pattern: "vault opens", path: file, output_mode: "content" })] },
        { calls: [call("Read", { file_path: file, offset: 11_001, limit: 1 })] },
        "Found.",
      ],
      { id: "long", engine: { window: WINDOW } },
    );
    await session.say(PASTE);
    const results = resultsIn(session.conversation.live);
    expect(results).toHaveLength(2);
    for (const result of results) expect(sent(result)).toContain(SECRET);
    await session.close();
  });

  it("is the same after a resume", async () => {
    const options = { id: "long", engine: { window: WINDOW } };
    const session = await place.open(["Seen."], options);
    await session.say(PASTE);
    const before = session.conversation.requestMessages();
    await session.close();
    const again = await place.open(["Seen."], { ...options, isResumed: true });
    expect(again.conversation.requestMessages()).toEqual(before);
    await again.close();
  });
});
