import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { assistant, cannedPlayer, createClient, marked, prose, text, user } from "../testing/client.js";
import type { Sent } from "../testing/client.js";
import type { Player } from "../player.js";
import { createBreakFinder, type CacheBreak } from "./break-finder.js";

const tool = (name: string, more: object = {}) => ({
  name,
  description: prose(`tool ${name}`, 700),
  input_schema: { type: "object", properties: { path: { type: "string" } } },
  ...more,
});

const first = {
  model: "claude-opus-5",
  max_tokens: 1000,
  tools: [tool("Read"), tool("Bash")],
  system: [text(prose("system"), marked)],
  messages: [user(text(prose("question"), marked))],
};

/** A client and a finder that is told of all it sends. */
function watched(player?: Player) {
  const client = createClient(player === undefined ? {} : { player });
  const finder = createBreakFinder();
  return {
    ...client,
    finder,
    send: (body: object, sent: Sent = {}): CacheBreak | undefined => {
      const call = {
        endpoint: "messages" as const,
        body,
        workspace: sent.workspace ?? "key-1",
        betas: sent.betas ?? [],
        apiVersion: "2026-10-21",
      };
      return finder.see({ call, outcome: client.call(body, sent) });
    },
  };
}

/** The question, the answer to it, and what is said next. */
const next = (change: object = {}) => ({
  ...first,
  messages: [user(text(prose("question"))), assistant(text("ok")), user(text(prose("second", 100), marked))],
  ...change,
});

/** What a change to the second request of a conversation is found to be. */
function brokenBy(change: object, sent?: Sent): CacheBreak | undefined {
  const { send } = watched();
  expect(send(first)).toBeUndefined();
  return send(next(change), sent);
}

describe("a conversation that goes on", () => {
  it("does not break, also where markers move", () => {
    const { send, finder } = watched();
    send(first);
    send(next());
    send(
      next({
        messages: [
          ...next().messages.slice(0, 2),
          user(text(prose("second", 100))),
          assistant(text("ok")),
          user(text("third", marked)),
        ],
      }),
    );
    expect(finder.breaks).toEqual([]);
  });

  it("names byte and owner of a change in the system prompt", () => {
    const dated = (day: string) => `${"ä".repeat(10)} Today is ${day}. ${prose("system")}`;
    const { send } = watched();
    send({ ...first, system: dated("2026-11-15"), cache_control: { type: "ephemeral" } });
    const found = send(
      next({ system: dated("2026-11-16"), messages: next().messages, cache_control: { type: "ephemeral" } }),
    );
    expect(found).toMatchObject({
      request: 2,
      since: 1,
      model: "claude-opus-5",
      reason: "system-changed",
      difference: {
        kind: "system",
        what: "changed",
        path: "system.0",
        owner: "system block 0",
        byte: Buffer.byteLength(`${"ä".repeat(10)} Today is 2026-11-1`),
      },
    });
    expect(found?.difference?.before).toContain("2026-11-15");
    expect(found?.difference?.now).toContain("2026-11-16");
    expect(found?.tokens).toBeGreaterThan(1000);
  });

  it.each([
    [
      "a tool that changes",
      { tools: [tool("Read"), tool("Bash", { description: "another" })] },
      { reason: "tools-changed", difference: { path: "tools.1", owner: 'tool "Bash"', what: "changed" } },
    ],
    [
      "a tool that is added",
      { tools: [tool("Read"), tool("Bash"), tool("Grep")] },
      {
        reason: "tools-changed",
        difference: { path: "tools.2", owner: 'tool "Grep"', what: "added", byte: 0 },
      },
    ],
    [
      "a tool that is gone",
      { tools: [tool("Read")] },
      { reason: "tools-changed", difference: { path: "tools.1", owner: 'tool "Bash"', what: "removed" } },
    ],
    [
      "tools in another order",
      { tools: [tool("Bash"), tool("Read")] },
      { reason: "tools-changed", difference: { path: "tools.0", what: "changed" } },
    ],
    [
      "a system block that is added",
      { system: [...first.system, text("more")] },
      { reason: "system-changed", difference: { path: "system.1", what: "added" } },
    ],
    [
      "another model",
      { model: "claude-sonnet-5" },
      {
        reason: "model-changed",
        difference: { path: "model", byte: null, before: "claude-opus-5", now: "claude-sonnet-5" },
      },
    ],
    [
      "a forced tool",
      { tool_choice: { type: "any" } },
      { reason: "settings-changed", difference: { path: "tool_choice", owner: "the setting tool_choice" } },
    ],
    [
      "an effort",
      { output_config: { effort: "low" } },
      { reason: "settings-changed", difference: { path: "effort" } },
    ],
    [
      "an earlier message that is edited",
      {
        messages: [user(text(`${prose("question")}!`)), assistant(text("ok")), user(text("second", marked))],
      },
      {
        reason: "messages-changed",
        difference: {
          path: "messages.0.content.0",
          owner: "message 0 (user), block 0 (text)",
          byte: Buffer.byteLength(prose("question")),
        },
      },
    ],
    [
      "no marker any more",
      {
        system: [text(prose("system"))],
        messages: next().messages.map(({ role, content }) => ({
          role,
          content: content.map((block) => ({ ...block, cache_control: undefined })),
        })),
      },
      { reason: "no-marker", difference: null },
    ],
  ])("%s is a break, and named", (_, change, expected) => {
    expect(brokenBy(change)).toMatchObject({ request: 2, since: 1, ...expected });
  });

  it("another set of beta headers is a break", () => {
    expect(brokenBy({}, { betas: ["interleaved-thinking-2025-05-14"] })).toMatchObject({
      reason: "settings-changed",
      difference: { path: "anthropic-beta" },
    });
  });

  it("what is over is a break without a byte", () => {
    const { send, simulator } = watched();
    send(first);
    simulator.advance(301_000);
    expect(send(next())).toMatchObject({ reason: "expired", difference: null });
  });

  it("more than 20 blocks after the last marker are a break without a byte", () => {
    const { send } = watched();
    send(first);
    const parts = Array.from({ length: 25 }, (_, at) => text(`part ${at}`, at === 24 ? marked : {}));
    const found = send(
      next({
        system: [text(prose("system"))],
        messages: [user(text(prose("question"))), assistant(text("ok")), user(...parts)],
      }),
    );
    expect(found).toMatchObject({ reason: "outside-lookback", difference: null });
  });

  it("a conversation is known by its calls, also among others with the same words", () => {
    const call = (id: string) => ({
      content: [{ type: "tool_use" as const, id, name: "Read", input: { path: id } }],
    });
    const { send, finder } = watched(cannedPlayer(call("toolu_a"), call("toolu_b")));
    const start = (name: string) => ({ ...first, messages: [user(text(prose(name), marked))] });
    send(start("one"));
    send(start("two"));
    const goOn = (name: string, id: string) => ({
      ...first,
      messages: [
        user(text(prose(name))),
        assistant({ type: "tool_use", id, name: "Read", input: { path: id } }),
        user({ type: "tool_result", tool_use_id: id, content: "a file", ...marked }),
      ],
    });
    send(goOn("one", "toolu_a"));
    expect(finder.breaks).toEqual([]);
    send(goOn("three", "toolu_b"));
    expect(finder.breaks).toMatchObject([
      { request: 4, since: 2, difference: { path: "messages.0.content.0", byte: 1 } },
    ]);
  });
});

describe("a conversation that begins", () => {
  it("is not a break, whatever its first message", () => {
    const { send, finder } = watched();
    send(first);
    send({ ...first, messages: [user(text(prose("another question"), marked))] });
    expect(finder.breaks).toEqual([]);
  });

  it("breaks where only a date in its head is another one", () => {
    const dated = (day: number) => ({
      ...first,
      system: [text(`${prose("system")} Today is November ${day}, 2026.`, marked)],
      messages: [user(text(`question ${day}`))],
    });
    const { send, finder } = watched();
    send(dated(15));
    send(dated(16));
    send(dated(15));
    expect(finder.breaks).toMatchObject([
      { request: 2, since: 1, reason: "system-changed", difference: { path: "system.0" } },
    ]);
  });

  it("of another agent is not a break, nor one with another key", () => {
    const { send, finder } = watched();
    send(first);
    send({ ...first, system: [text(`${prose("system")} You plan.`, marked)] });
    send({ ...first, system: [text(`${prose("system")} 1`, marked)] }, { workspace: "key-2" });
    expect(finder.breaks).toEqual([]);
  });
});

it("a prompt that is too short to be cached cannot break", () => {
  const { send } = watched();
  const short = { ...first, tools: [], system: "Today is Monday", messages: [user(text("hi", marked))] };
  send(short);
  const found = send({
    ...short,
    system: "Today is Tuesday",
    messages: [user(text("hi")), assistant(text("ok")), user(text("and?", marked))],
  });
  expect(found).toBeUndefined();
});

it("wherever a cached text is edited, that byte is named; wherever one is appended, none is", () => {
  const place = fc.constantFrom("system", "message" as const);
  fc.assert(
    fc.property(place, fc.nat(200), fc.string({ minLength: 1, maxLength: 8 }), (where, at, inserted) => {
      const original = prose("text", 700);
      const edited = original.slice(0, at) + inserted + original.slice(at);
      const bytes = Buffer.from(original);
      const expected = Buffer.from(edited).findIndex((byte, index) => byte !== bytes[index]);
      const body = (value: string, more: readonly object[]) => ({
        ...first,
        system: [text(where === "system" ? value : prose("system"), marked)],
        messages: [user(text(where === "system" ? prose("question") : value, marked)), ...more],
      });
      const { send, finder } = watched();
      send(body(original, []));
      send(body(original, [assistant(text("ok")), user(text(`and ${inserted}`, marked))]));
      expect(finder.breaks).toEqual([]);
      send(
        body(edited, [
          assistant(text("ok")),
          user(text(`and ${inserted}`)),
          assistant(text("ok")),
          user(text("and", marked)),
        ]),
      );
      expect(finder.breaks).toMatchObject([
        {
          request: 3,
          difference: { path: where === "system" ? "system.0" : "messages.0.content.0", byte: expected },
        },
      ]);
    }),
    { numRuns: 200 },
  );
});

it("of more requests than are kept the newest are still gone on with, and the oldest are forgotten", () => {
  const counting: Player = {
    answer: ({ sequence }, memory) => ({
      answer: { content: [{ type: "text", text: `answer ${sequence}` }] },
      memory,
    }),
  };
  const { send, finder } = watched(counting);
  const asked = (at: number, more: readonly object[] = []) => ({
    model: "claude-opus-5",
    max_tokens: 100,
    messages: [user(text(`${at} ${prose("question", 600)}`, marked)), ...more],
  });
  for (let at = 0; at < 1030; at += 1) send(asked(at));
  const edited = (at: number) => asked(at + 5000, [assistant(text(`answer ${at}`)), user(text("and?"))]);
  send(edited(0));
  expect(finder.breaks).toEqual([]);
  send(edited(1029));
  expect(finder.breaks).toMatchObject([{ request: 1032, since: 1030, difference: { byte: 0 } }]);
});
