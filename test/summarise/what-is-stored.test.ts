import { describe, expect, it } from "vitest";
import { createUserMessage, type Message, type UserBlock } from "@palimpsest/core";
import { createMemoryTodos } from "../../packages/core/src/engine/restore/ports/todo-source.js";
import { restoreState } from "../../packages/core/src/engine/restore/restore-state.js";
import { hooksWith } from "./failures/abort-rows.js";
import { createHost, expectCompacted } from "./host.js";

type Host = ReturnType<typeof createHost>;

async function hostAt(turns: number): Promise<Host> {
  const host = createHost();
  await host.turns(turns);
  return host;
}

const todosOf =
  ({ estimator, settings, clock }: Host) =>
  () =>
    restoreState({
      ports: { todos: createMemoryTodos([{ content: "tidy", status: "pending" }]) },
      readState: { reads: [] },
      estimator,
      settings,
      clock,
    });

const kindOf = (message: Message): string => {
  if (message.type === "system") return message.subtype;
  if (message.type === "attachment") return message.attachment.type;
  return message.type === "user" && message.isCompactSummary === true ? "summary" : message.type;
};

describe("what a compaction leaves", () => {
  it("stands in one order: boundary, summary, what is kept, what comes back, what hooks said", async () => {
    const host = await hostAt(14);
    const hooks = hooksWith({
      sessionStart: () => Promise.resolve({ contexts: ["started"] }),
      postCompact: () => Promise.resolve({ contexts: ["over"] }),
    });
    const scope = { kind: "full", keepRecentTokens: 2000 } as const;
    const compacted = expectCompacted(await host.compact({ scope }, { hooks, restore: todosOf(host) }));
    const kinds = compacted.live.map(kindOf).filter((kind, at, all) => kind !== all[at - 1]);
    expect(compacted.kept.length).toBeGreaterThan(1);
    expect(kinds.slice(0, 2)).toEqual(["compact_boundary", "summary"]);
    expect(compacted.live.slice(2, 2 + compacted.kept.length)).toEqual(compacted.kept);
    expect(kinds.slice(-2)).toEqual(["todo", "hook_additional_context"]);
    expect(compacted.live).toHaveLength(2 + compacted.kept.length + 3);
    // Kept messages stand in the transcript already; all else is appended to it.
    expect(compacted.stored).toEqual(compacted.live.filter((message) => !compacted.kept.includes(message)));
  });

  it("is told of in the boundary: why, how much, what was asked for, which tools were found, what stayed", async () => {
    const host = await hostAt(3);
    const found = { type: "tool_reference", tool_name: "mcp__db__query" };
    const searched = {
      type: "tool_result",
      tool_use_id: "toolu_none",
      content: [found],
    } as unknown as UserBlock;
    host.take(createUserMessage(host.origin(), { content: [searched] }));
    await host.turns(10);
    const input = host.input({
      trigger: "manual",
      instructions: "Mind the tests.",
      scope: { kind: "full", keepRecentTokens: 2000 },
    });
    const compacted = expectCompacted(await host.compact(input));
    const { boundary, kept, live, tokensBefore, tokensAfter } = compacted;
    expect(boundary).toMatchObject({
      type: "system",
      subtype: "compact_boundary",
      parentUuid: null,
      logicalParentUuid: host.live.at(-1)?.uuid,
      compactMetadata: {
        trigger: "manual",
        preTokens: tokensBefore,
        postTokens: tokensAfter,
        messagesSummarized: host.live.length - kept.length,
        userContext: "Mind the tests.",
        writer: compacted.writer,
        preCompactDiscoveredTools: ["mcp__db__query"],
        preservedSegment: {
          headUuid: kept[0]?.uuid,
          tailUuid: kept.at(-1)?.uuid,
          anchorUuid: compacted.summaryMessages[0]?.uuid,
        },
      },
    });
    // A second one still knows the tools, although the message that showed them is gone.
    host.swap(compacted);
    expect(JSON.stringify(live)).not.toContain('"type":"tool_reference"');
    await host.turns(8);
    const second = expectCompacted(await host.compact());
    expect(second.boundary.compactMetadata?.["preCompactDiscoveredTools"]).toEqual(["mcp__db__query"]);
  });

  it("comes back as one value: its parts, the sizes before and after, every call with its usage, a line for the person", async () => {
    const host = await hostAt(14);
    const compacted = expectCompacted(await host.compact());
    expect(compacted).toMatchObject({
      kind: "compacted",
      trigger: "auto",
      variant: "full",
      writer: "fork",
      summaryMessages: [{ isCompactSummary: true, isVisibleInTranscriptOnly: true }],
      attachments: [],
      hookResults: [],
      calls: [{ source: "compact", usage: { output_tokens: expect.any(Number) } }],
      messageForPerson: expect.stringMatching(/^Conversation compacted · \d+K → \d+K$/),
    });
    expect(compacted.tokensAfter).toBeLessThan(compacted.tokensBefore);
    expect(host.live.includes(compacted.boundary)).toBe(false);
  });
});

describe("the hooks of a compaction", () => {
  it("are told why, with which instructions and in which session; then of the start; then what came of it", async () => {
    const host = await hostAt(14);
    const told: unknown[] = [];
    const hear = (input: unknown) => {
      told.push(input);
      return Promise.resolve({});
    };
    const hooks = { preCompact: hear, sessionStart: hear, postCompact: hear };
    const input = { trigger: "manual", instructions: "Mind the tests." } as const;
    const { summary, tokensBefore, tokensAfter } = expectCompacted(await host.compact(input, { hooks }));
    expect(told).toEqual([
      {
        trigger: "manual",
        customInstructions: "Mind the tests.",
        sessionId: "s",
        transcriptPath: "/data/transcript.jsonl",
      },
      { source: "compact", sessionId: "s" },
      { trigger: "manual", summary, tokensBefore, tokensAfter },
    ]);
  });
});

describe("a summary that is asked for apart", () => {
  it("has a short system prompt, no thinking, no marker, and the length that the setting gives", async () => {
    const host = createHost({ isThinking: true, maxTokens: 3000, settings: { compactFork: false } });
    await host.turns(14);
    const { writer } = expectCompacted(await host.compact());
    const request = host.requests.at(-1)?.request;
    expect(writer).toBe("streaming");
    expect(request?.max_tokens).toBe(20_000);
    expect(request?.thinking).toEqual({ type: "disabled" });
    expect(JSON.stringify(request?.system).length).toBeLessThan(300);
    expect(JSON.stringify(request)).not.toMatch(/"cache_control"|"thinking":"/);
  });
});
