import { describe, expect, it } from "vitest";
import { createUserMessage, type RequestMessage } from "@palimpsest/core";
import { messagesApiCapabilities } from "../../packages/core/src/engine/ports/capabilities.js";
import { CONTEXT_MANAGEMENT_BETA } from "../../packages/core/src/engine/clear/context-management.js";
import type { BreakReason } from "../../packages/core/src/engine/events/break-reason.js";
import type { AnswerBlock, MissReason } from "../../packages/palimpsest/src/simulator/index.js";
import { prose } from "../../packages/palimpsest/src/simulator/testing/client.js";
import { createSession, MAIN, mcpTool, type Change, type SessionOptions } from "./session.js";

type Session = ReturnType<typeof createSession>;

interface Row {
  readonly name: string;
  /** What is done between the fifth turn and the sixth. */
  readonly provoke: (session: Session) => Change | void;
  /** What the watch must say, first reason; undefined for no break. */
  readonly found: Partial<BreakReason> | undefined;
  /** What the simulator says of the marker in the messages. */
  readonly verdict: MissReason;
  /** Whether the provider's own word says the same; undefined where it has none, or there is no break. */
  readonly agrees: true | undefined;
  readonly session?: SessionOptions;
  /** What every request of the session has. */
  readonly always?: Change;
}

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const edited = (messages: readonly RequestMessage[], at: number): readonly RequestMessage[] =>
  messages.map((message, index) =>
    index === at && message.role === "user"
      ? {
          ...message,
          content: message.content.map((block) =>
            block.type === "tool_result" ? { ...block, content: "[cleared]" } : block,
          ),
        }
      : message,
  );

const manyCalls = (turn: number): readonly AnswerBlock[] =>
  Array.from({ length: turn === 4 ? 15 : 1 }, (_, index) => ({
    type: "tool_use",
    name: "Read",
    input: { file_path: `/${turn}-${index}` },
  }));

const rows: readonly Row[] = [
  {
    name: "model",
    provoke: () => ({ parameters: { model: "claude-opus-4-8" } }),
    found: { kind: "model-changed", from: "claude-opus-5", to: "claude-opus-4-8" },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "fast mode",
    provoke: () => ({ parameters: { extraBody: { speed: "fast" }, betas: ["fast-mode-2026-02-01"] } }),
    found: { kind: "speed-changed" },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "a volatile section",
    provoke: (session) => void (session.state.clock = "evening"),
    found: {
      kind: "system-changed",
      sections: [{ name: "clock", change: "changed", volatileBecause: "the model is told the time of day" }],
    },
    agrees: true,
    verdict: "system-changed",
  },
  {
    name: "a tool is added",
    provoke: (session) => void (session.state.tools = [...session.state.tools, mcpTool("insert")]),
    found: { kind: "tools-changed", added: ["mcp__server__insert"], removed: [], changed: [] },
    agrees: true,
    verdict: "tools-changed",
  },
  {
    name: "a server goes away, its tools removed at once",
    session: { absent: "remove" },
    provoke: (session) => void (session.state.tools = session.state.tools.slice(0, 3)),
    found: { kind: "tools-changed", added: [], removed: ["mcp__server__query"], changed: [] },
    agrees: true,
    verdict: "tools-changed",
  },
  {
    name: "a server goes away, its tools kept",
    provoke: (session) => void (session.state.tools = session.state.tools.slice(0, 3)),
    found: undefined,
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "the schema of a tool",
    provoke: (session) =>
      void (session.state.tools = session.state.tools.map(({ definition }) => ({
        definition:
          definition.name === "Bash"
            ? { ...definition, input_schema: { type: "object", required: [] } }
            : definition,
      }))),
    found: { kind: "tools-changed", added: [], removed: [], changed: ["Bash"] },
    agrees: true,
    verdict: "tools-changed",
  },
  {
    name: "the order of the tools",
    provoke: () => ({
      parts: ({ tools }) => ({ tools: { ...tools, tools: tools.tools.toReversed() } }),
    }),
    found: { kind: "tools-changed", added: [], removed: [], changed: [], reordered: true },
    agrees: true,
    verdict: "tools-changed",
  },
  {
    name: "effort",
    provoke: () => ({ parameters: { effort: "low" } }),
    found: { kind: "effort-changed", from: "high", to: "low" },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "thinking",
    provoke: () => ({ parameters: { thinking: { type: "adaptive" } } }),
    found: { kind: "thinking-changed" },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "betas",
    provoke: () => ({ parameters: { betas: ["some-beta-2026-01-01"] } }),
    found: { kind: "betas-changed", added: ["some-beta-2026-01-01"], removed: [] },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "tool_choice",
    provoke: () => ({ parameters: { tool_choice: { type: "any" } } }),
    found: { kind: "body-changed", fields: ["tool_choice"] },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "context management",
    provoke: () => ({
      parameters: {
        context_management: {
          edits: [{ type: "clear_tool_uses_20250919", trigger: { type: "input_tokens", value: 900_000 } }],
        },
        betas: [CONTEXT_MANAGEMENT_BETA],
      },
    }),
    found: { kind: "betas-changed" },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "the first picture",
    provoke: (session) =>
      session.take(
        createUserMessage(session.origin(), {
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: pixel } }],
        }),
      ),
    found: { kind: "images-changed", present: true },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "the first citation",
    provoke: (session) =>
      session.take(
        createUserMessage(session.origin(), {
          content: [
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "paper" },
              citations: { enabled: true },
            },
          ],
        }),
      ),
    found: { kind: "citations-changed", present: true },
    agrees: true,
    verdict: "settings-changed",
  },
  {
    name: "a person speaks behind results, to a model that drops old thinking",
    session: { model: "claude-sonnet-4-5", isThinking: true },
    always: { parameters: { thinking: { type: "enabled", budget_tokens: 4000 } } },
    provoke: (session) =>
      session.take(createUserMessage(session.origin(), { content: "and now something else" })),
    found: { kind: "thinking-stripped" },
    agrees: true,
    verdict: "messages-changed",
  },
  {
    name: "an earlier message, untold",
    provoke: () => ({ parts: ({ messages }) => ({ messages: edited(messages, 4) }) }),
    found: { kind: "messages-changed", position: 4, of: 9 },
    agrees: true,
    verdict: "messages-changed",
  },
  {
    name: "an earlier message, told as a deletion",
    provoke: (session) => {
      session.watch.notifyDeletion(MAIN, { deletedTokens: 1200, keepsPrefix: false });
      return { parts: ({ messages }) => ({ messages: edited(messages, 4) }) };
    },
    found: undefined,
    agrees: undefined,
    verdict: "messages-changed",
  },
  {
    name: "a compaction",
    provoke: (session) => {
      session.watch.notifyCompaction(MAIN);
      session.builder.keepPrefix(MAIN, 0);
      session.restart(createUserMessage(session.origin(), { content: prose("summary", 600) }));
    },
    found: undefined,
    agrees: undefined,
    verdict: "messages-changed",
  },
  {
    name: "the markers are gone",
    provoke: () => ({ parts: { isCachingOn: false } }),
    found: { kind: "markers-changed", removed: ["tools", "system", "messages"] },
    agrees: undefined,
    verdict: "no-marker",
  },
  {
    name: "another lifetime, which this provider's entries outlive",
    provoke: () => ({ parts: { ttl: "1h" } }),
    found: undefined,
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "six minutes",
    provoke: (session) => session.advance(6 * 60_000),
    found: { kind: "expired", ttl: "5m" },
    agrees: true,
    verdict: "expired",
  },
  {
    name: "six minutes, with entries that live an hour",
    session: { ttl: "1h" },
    provoke: (session) => session.advance(6 * 60_000),
    found: undefined,
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "seventy minutes, with entries that live an hour",
    session: { ttl: "1h" },
    provoke: (session) => session.advance(70 * 60_000),
    found: { kind: "expired", ttl: "1h" },
    agrees: true,
    verdict: "expired",
  },
  {
    name: "server-side edits, with a loss",
    provoke: () => ({ workspace: "key-2", facts: { edits: ["toolu_1"] } }),
    found: { kind: "edits-changed" },
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "another cache: nothing that the request shows",
    provoke: () => ({ workspace: "key-2" }),
    found: { kind: "server-side" },
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "auto mode, with a loss",
    provoke: () => ({ workspace: "key-2", facts: { autoMode: true } }),
    found: { kind: "auto-mode-changed", isOn: true },
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "overage, with a loss",
    provoke: () => ({ workspace: "key-2", facts: { overage: true } }),
    found: { kind: "overage-changed", isOn: true },
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "a fact of the host's own, with a loss",
    provoke: () => ({ workspace: "key-2", facts: { region: "eu" } }),
    found: { kind: "facts-changed", names: ["region"] },
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "the scope strategy, with a loss",
    provoke: () => ({ workspace: "key-2", facts: { scopeStrategy: "global" } }),
    found: { kind: "markers-changed" },
    agrees: undefined,
    verdict: "first-seen",
  },
  {
    name: "thirty blocks behind one marker",
    session: { answers: manyCalls },
    provoke: () => ({ parts: { capabilities: { ...messagesApiCapabilities, lookback: 1000 } } }),
    found: { kind: "outside-lookback", blocks: 30 },
    agrees: true,
    verdict: "outside-lookback",
  },
  {
    name: "nothing at all",
    provoke: () => {},
    found: undefined,
    agrees: undefined,
    verdict: "first-seen",
  },
];

describe("what the watch says of a provoked break, and what the simulator says", () => {
  it.each(rows.map((row) => [row.name, row] as const))("%s", async (_, row) => {
    const session = createSession(row.session);
    for (let count = 0; count < 5; count += 1) {
      expect((await session.turn(row.always)).found).toBeUndefined();
    }
    const change = row.provoke(session) ?? {};
    const { found, outcome } = await session.turn({ ...row.always, ...change });
    expect(outcome.verdict.misses.at(-1)?.reason).toBe(row.verdict);
    if (row.found === undefined) {
      expect(found).toBeUndefined();
    } else {
      expect(found?.reasons[0]).toMatchObject(row.found);
      expect(found?.lostTokens).toBeGreaterThan(2000);
      expect(found?.cost).toBeGreaterThan(0);
      expect(found?.agrees).toBe(row.agrees);
    }
    if (row.name !== "the markers are gone") {
      const after = await session.turn(
        row.name === "another cache: nothing that the request shows" ? change : row.always,
      );
      if (row.found === undefined) expect(after.found).toBeUndefined();
    }
  });
});

it("a fork of our own behind six minutes is an expiry, not markers that changed", async () => {
  const session = createSession();
  for (let count = 0; count < 4; count += 1) await session.turn();
  session.advance(6 * 60_000);
  const at = session.client.simulator.now();
  const messages: readonly RequestMessage[] = [{ role: "user", content: [{ type: "text", text: "What?" }] }];
  const { built, outcome } = session.fork({ messages });
  const { request, betas, fork, source } = built;
  session.watch.before({ source, request, betas, at, ...(fork === undefined ? {} : { fork }) });
  const found = session.watch.after({ source, usage: outcome.message.usage, at });
  expect(found?.reasons).toMatchObject([{ kind: "expired", ttl: "5m" }]);
});
