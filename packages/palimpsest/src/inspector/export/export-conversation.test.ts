import { describe, expect, it } from "vitest";
import { redactSecrets } from "../../agent/base/redact-secrets.js";
import { exportConversation, type ExportOptions } from "./export-conversation.js";

const BASE = "/api/conversations/c1";

const row = (id: string, preview: string, characters = preview.length) => ({
  id,
  preview,
  characters,
  isNew: id.startsWith("new"),
});

/** A server with so many requests; each shows three blocks, of which one is new and long. */
function serverWith(requests: number, changes: Readonly<Record<string, unknown>> = {}) {
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    [BASE]: {
      id: "c1",
      title: "A conversation",
      live: true,
      canUndo: true,
      lanes: [{ id: "main" }, { id: "a/b" }],
      compactions: [{ id: "k 1" }],
      largest: [{ block: "big" }],
    },
    [`${BASE}/timeline?points=1200`]: { total: requests, marks: [{ request: 1, kind: "break" }] },
    [`${BASE}/timeline?points=1200&lane=main`]: { total: requests, marks: [] },
    [`${BASE}/timeline?points=1200&lane=a%2Fb`]: { total: 1, marks: [] },
    [`${BASE}/advice`]: { advice: [], note: null },
    [`${BASE}/compactions/k%201`]: { id: "k 1", after: [{ block: "summary" }] },
    [`${BASE}/compactions/k%201/needed-later`]: { items: [] },
    ...changes,
  };
  const ask: ExportOptions["ask"] = async (path) => {
    asked.push(path);
    if (path in answers) return answers[path];
    const [, number] = /\/requests\/(\d+)\?/.exec(path) ?? [];
    if (number !== undefined) {
      const shown = [
        row("system", "You are an agent."),
        row(`old ${number}`, "Hello", 4000),
        row(`new ${number}`, "abc", 5000),
      ];
      return { blockCount: 3, blocks: shown, answer: [row(`answer ${number}`, "Yes.")] };
    }
    if (path.includes("/requests?")) return { total: requests, requests: [] };
    return path.includes("/blocks/") ? { characters: 5000, offset: 0, text: "t".repeat(5000) } : undefined;
  };
  return { ask, asked };
}

const options = { redact: (text: string) => redactSecrets(text, { MY_API_KEY: "correct-horse" }), now: 0 };

describe("an export", () => {
  it("has an answer to everything that a page asks for, and says nothing of what is left out", async () => {
    const { ask } = serverWith(250);
    const exported = await exportConversation("c1", { ...options, ask });
    const paths = Object.keys(exported?.data.answers ?? {});
    expect(paths).toEqual(
      expect.arrayContaining([
        "/api/conversations",
        BASE,
        `${BASE}/timeline?points=1200`,
        `${BASE}/timeline?points=1200&lane=a%2Fb`,
        `${BASE}/advice`,
        `${BASE}/compactions/k%201`,
        `${BASE}/compactions/k%201/needed-later`,
        `${BASE}/requests?from=0&count=200`,
        `${BASE}/requests?from=200&count=200`,
        `${BASE}/requests/0?from=0&count=200`,
        `${BASE}/requests/249?from=0&count=200`,
        `${BASE}/blocks/new%207?offset=0&count=8000`,
        `${BASE}/blocks/old%20249?offset=0&count=8000`,
        `${BASE}/blocks/big?offset=0&count=8000`,
        `${BASE}/blocks/summary?offset=0&count=8000`,
      ]),
    );
    expect(paths.some((path) => /\/blocks\/(?:answer|old%207)/.test(path))).toBe(false);
    expect(exported?.data.leftOut).toBeNull();
    expect(exported?.data.generatedAt).toBe("1970-01-01T00:00:00.000Z");
  });

  it("of a live conversation is not live, and takes nothing back", async () => {
    const { ask } = serverWith(2);
    const exported = await exportConversation("c1", { ...options, ask });
    const answers: Readonly<Record<string, unknown>> = exported?.data.answers ?? {};
    expect(answers[BASE]).toMatchObject({ live: false, canUndo: false });
    expect(answers["/api/conversations"]).toMatchObject({ conversations: [{ id: "c1", live: false }] });
  });

  it("that gets too large keeps the newest, the first and those with marks, and says what it left out", async () => {
    const { ask } = serverWith(400);
    const exported = await exportConversation("c1", { ...options, ask, mostCharacters: 60_000 });
    const { answers = {}, leftOut } = exported?.data ?? {};
    for (const number of [399, 0, 1])
      expect(answers).toHaveProperty([`${BASE}/requests/${number}?from=0&count=200`]);
    expect(answers).not.toHaveProperty([`${BASE}/requests/200?from=0&count=200`]);
    expect(leftOut).toMatch(
      /^Left out .*: \d+ of 400 requests block by block, and \d+ of \d+ longer texts\.$/,
    );
    expect(JSON.stringify(answers).length).toBeLessThan(75_000);
  });

  it("holds no keys, whole or in part, wherever they stand", async () => {
    const key = "sk-ant-api03-0123456789abcdefABCDEF";
    const { ask } = serverWith(1, {
      [`${BASE}/requests/0?from=0&count=200`]: {
        blockCount: 1,
        blocks: [row("one", `the key ${key} of correct-horse`, 900)],
        answer: [],
        difference: { owner: "system block 0", before: "9abcdefABCDEF4 and", after: "2026-11-18 and" },
      },
      [`${BASE}/blocks/one?offset=0&count=8000`]: { text: `"Authorization: Bearer ${key}"` },
      [`${BASE}/advice`]: { advice: [{ what: key, why: "because" }], note: null },
    });
    const text = JSON.stringify(await exportConversation("c1", { ...options, ask }));
    for (const secret of [key, "0123456789", "correct-horse", "9abcdefABCDEF4"])
      expect(text).not.toContain(secret);
    expect(text).toContain("2026-11-18 and");
  });

  it("of a conversation that is not there is none", async () => {
    expect(await exportConversation("c2", { ...options, ask: async () => undefined })).toBeUndefined();
  });
});
