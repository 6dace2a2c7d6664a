import { describe, expect, it } from "vitest";
import type { Message } from "../../messages/message.js";
import { conversationBuilder } from "../../testing/conversation-builder.js";
import { sequentialIds } from "../../testing/sequential-ids.js";
import { simulatedClock } from "../../testing/simulated-clock.js";
import { createNotesRecord, isNotesRecord, lastNotesRecord } from "./notes-record.js";

const origin = () => ({
  clock: simulatedClock(0),
  ids: sequentialIds("r"),
  sessionId: "s",
  parentUuid: null,
});
const record = (coveredUuid: string, tokens = 10): Message =>
  createNotesRecord(origin(), { coveredUuid, tokens });

describe("how far the notes reach, in the transcript", () => {
  it("the newest record counts, also after it was written and read", () => {
    const builder = conversationBuilder();
    const user = (text: string): Message => builder.user(text);
    const live = [user("a"), record("u1"), user("b"), record("u2", 20), user("c")];
    expect(lastNotesRecord(JSON.parse(JSON.stringify(live)) as Message[])).toEqual({
      coveredUuid: "u2",
      tokens: 20,
    });
    expect(lastNotesRecord([user("a")])).toBeUndefined();
    expect(lastNotesRecord([])).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    "u1",
    [],
    {},
    { coveredUuid: 1, tokens: 1 },
    { coveredUuid: "u1" },
    { coveredUuid: "u1", tokens: "many" },
    { coveredUuid: "u1", tokens: null },
    { coveredUuid: "u1", tokens: Number.NaN },
    { coveredUuid: "u1", tokens: Number.POSITIVE_INFINITY },
    { coveredUuid: "u1", tokens: -5 },
  ])("hostile metadata is passed over: %j", (notesMetadata) => {
    const hostile = { ...record("u1"), notesMetadata } as unknown as Message;
    expect(isNotesRecord(hostile)).toBe(false);
    expect(lastNotesRecord([record("before"), hostile])?.coveredUuid).toBe("before");
  });

  it("is a system message of its own kind, and nothing else is one", () => {
    const builder = conversationBuilder();
    const metadata = { notesMetadata: { coveredUuid: "u1", tokens: 1 } };
    expect(isNotesRecord({ ...builder.system("informational"), ...metadata })).toBe(false);
    expect(isNotesRecord({ ...builder.user("x"), subtype: "session_memory", ...metadata } as Message)).toBe(
      false,
    );
  });
});
