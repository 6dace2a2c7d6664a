import { findModel, type Message } from "@palimpsest/core";
import {
  decodeLine,
  conversationWindows,
  createNormaliser,
  isTooDeep,
  linkLive,
} from "@palimpsest/core/engine";
import { describe, expect, it } from "vitest";
import { serverLabels } from "../packages/palimpsest/src/agent/mcp/tool-name.js";
import { findImports } from "../packages/palimpsest/src/agent/memory-files/find-imports.js";
import { readFrontMatter } from "../packages/palimpsest/src/agent/base/front-matter.js";
import { quotedWords } from "../packages/palimpsest/src/replay/measures/references.js";
import { createUserWordsJudge } from "../packages/palimpsest/src/replay/measures/user-words.js";
import { summaryForm } from "../packages/palimpsest/src/simulator/players/summary-form.js";
import { ownWords } from "../packages/palimpsest/src/simulator/players/summary-instruction.js";

/** Nothing here looks at a clock: what is not linear in these texts does not come to its end. */
const MANY = 500_000;

const origin = (uuid: string, parentUuid: string | null) => ({
  uuid,
  parentUuid,
  isSidechain: false,
  timestamp: "2026-11-01T00:00:00.000Z",
  sessionId: "s",
});
const user = (uuid: string, parentUuid: string | null, more: object = {}) =>
  ({
    ...origin(uuid, parentUuid),
    type: "user",
    message: { role: "user", content: "x" },
    ...more,
  }) as Message;
const answer = (uuid: string, parentUuid: string | null) =>
  ({
    ...origin(uuid, parentUuid),
    type: "assistant",
    message: { id: `m-${uuid}`, role: "assistant", model: "m", content: [{ type: "text", text: "x" }] },
  }) as unknown as Message;
const boundary = (uuid: string, segment?: readonly [head: string, anchor: string, tail: string]) =>
  ({
    ...origin(uuid, null),
    type: "system",
    subtype: "compact_boundary",
    compactMetadata: {
      trigger: "auto",
      preTokens: 0,
      ...(segment && {
        preservedSegment: { headUuid: segment[0], anchorUuid: segment[1], tailUuid: segment[2] },
      }),
    },
  }) as unknown as Message;

describe("text without end", () => {
  it("in front matter: blanks within a value, and more than anybody writes", async () => {
    const row = `key: a${" ".repeat(7000)}b`;
    for (let count = 0; count < 200; count += 1) {
      const { fields, body } = await readFrontMatter(`---\n${row}\n${row}x\n---\nbody`);
      expect(Object.keys(fields)).toEqual(["key"]);
      expect(body).toBe("body");
    }
    const whole = `---\nkey: a${" ".repeat(60_000)}b\n---\nbody`;
    expect(await readFrontMatter(whole)).toEqual({ fields: {}, body: whole });
  });

  it.each([
    ["names of servers", () => serverLabels([`a${"_".repeat(MANY)}b`])],
    ["imports of memory files", () => findImports(`@a${".".repeat(MANY)}b`)],
    ["quoted words", () => quotedWords(`a${"\t".repeat(MANY)}b`)],
    [
      "words that people typed",
      () =>
        createUserWordsJudge().note([
          {
            ...user("u", null, {
              message: { role: "user", content: "\u001b[".repeat(MANY) },
            }),
          },
        ]),
    ],
    ["the form of a summary", () => summaryForm(`<summary>${"\n".repeat(MANY)}`)],
    ["quotations in a request", () => ownWords("\n".repeat(MANY))],
    [
      "attachments",
      () =>
        createNormaliser().append([
          user("u", null),
          {
            ...origin("a", "u"),
            type: "attachment",
            attachment: {
              type: "task_status",
              taskId: "t",
              description: `a${"\t".repeat(MANY)}b`,
              status: "running",
            },
          },
        ]),
    ],
  ])("%s", (_, work) => {
    expect(work).not.toThrow();
  });
});

describe("a transcript", () => {
  it("with 100,000 lines of one uuid is read", () => {
    const lines = Array.from({ length: 100_000 }, (_, index) =>
      index % 2 === 0 ? user("same", "same") : answer("same", "same"),
    );
    expect(linkLive(lines).messages).toHaveLength(100_000);
  });

  it("with 20,000 segments is read: the last one, and every window", () => {
    const lines = [user("u0", null), answer("a0", "u0")];
    for (let at = 1; at < 20_000; at += 1) {
      lines.push(boundary(`b${at}`, [`u${at - 1}`, `s${at}`, `a${at - 1}`]));
      lines.push(user(`s${at}`, `b${at}`, { isCompactSummary: true }));
      lines.push(user(`u${at}`, `s${at}`), answer(`a${at}`, `u${at}`));
    }
    expect(linkLive(lines).messages.map(({ uuid }) => uuid)).toEqual([
      "b19999",
      "s19999",
      "u19998",
      "a19998",
      "u19999",
      "a19999",
    ]);
    expect(conversationWindows(lines)).toHaveLength(20_000);
  });

  it("with 20,000 segments that are nowhere is read", () => {
    const lines = [user("u0", null), answer("a0", "u0")];
    for (let at = 1; at < 20_000; at += 1) {
      lines.push(boundary(`b${at}`, [`gone${at}`, `s${at}`, `gone${at}`]));
      lines.push(user(`s${at}`, `b${at}`, { isCompactSummary: true }));
    }
    expect(linkLive(lines).messages).toHaveLength(2);
  });

  it("with 8,000 rewinds within one window is read", () => {
    const lines = [user("u0", null), answer("a0", "u0")];
    for (let at = 1; at < 8000; at += 1) lines.push(user(`u${at}`, "a0"), answer(`a${at}`, `u${at}`));
    expect(linkLive(lines).messages).toHaveLength(4);
  });

  it.each([
    [
      "8,000 rewinds over boundaries",
      (at: number) => [
        boundary(`b${at}`),
        user(`s${at}`, `b${at}`, { isCompactSummary: true }),
        user(`u${at}`, `a${at - 1}`),
        answer(`a${at}`, `u${at}`),
      ],
    ],
    [
      "8,000 segments that keep everything",
      (at: number) => [
        boundary(`b${at}`, ["u0", `s${at}`, `a${at - 1}`]),
        user(`s${at}`, `b${at}`, { isCompactSummary: true }),
        user(`u${at}`, `s${at}`),
        answer(`a${at}`, `u${at}`),
      ],
    ],
  ])("with %s is refused in a sentence", (_, more) => {
    const lines = [user("u0", null), answer("a0", "u0")];
    for (let at = 1; at < 8000; at += 1) lines.push(...more(at));
    expect(() => linkLive(lines)).toThrow(
      /^the transcript leads back and forth between more compactions than can be followed$/,
    );
  });

  it("with a long chain of records of calls is read", () => {
    const record = (uuid: string, parentUuid: string): Message => ({
      ...origin(uuid, parentUuid),
      type: "system",
      subtype: "billed_calls",
    });
    const lines = [user("u0", null)];
    for (let at = 1; at < 50_000; at += 1) lines.push(record(`c${at}`, at === 1 ? "u0" : `c${at - 1}`));
    for (let at = 1; at < 50_000; at += 1) lines.push(user(`v${at}`, `c${at}`));
    expect(linkLive(lines).messages.map(({ uuid }) => uuid)).toEqual(["u0", "v49999"]);
  });

  it.each([5000, 50_000])("with values nested %i deep has damaged lines", (depth) => {
    const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const line = JSON.stringify({ ...user("u", null), extra: "@" }).replace('"@"', nested);
    expect(decodeLine(line)).toEqual({ kind: "damaged", reason: "nested too deeply" });
  });

  it("may name anything as its model", () => {
    for (const name of [5, null, {}, [], undefined]) expect(findModel(name as never)).toBeUndefined();
  });
});

it("counts levels", () => {
  const nested = (depth: number): unknown => JSON.parse(`${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`);
  expect([isTooDeep(nested(100)), isTooDeep(nested(101)), isTooDeep(nested(100_000))]).toEqual([
    false,
    true,
    true,
  ]);
});
