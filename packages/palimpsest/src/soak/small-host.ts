import {
  createConversation,
  createUserMessage,
  type Conversation,
  type ConversationOptions,
  type EngineStep,
  type Held,
  type Message,
  type ModelResponse,
  type ToolUseBlock,
  type UserBlock,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { keepNotes } from "@palimpsest/core/notes";
import { findProblems } from "@palimpsest/core/validity";
import type { EmbeddedProvider } from "../providers/embedded.js";

/** All that a host can hand in. */
export const handedIn = { compaction, notes: keepNotes() };

/** What a tool answers. */
type RunTool = (call: ToolUseBlock) => string | UserBlock | Promise<string | UserBlock>;

export interface AgentOptions {
  readonly provider: EmbeddedProvider;
  readonly runTool: RunTool;
  readonly conversation: Omit<
    ConversationOptions,
    "clock" | "ids" | "sessionId" | "provider" | "compaction"
  > &
    Partial<Pick<ConversationOptions, "compaction">>;
  /** Milliseconds of simulated time that a turn takes. */
  readonly turnMs?: number;
  readonly messages?: readonly Message[];
  readonly firstId?: number;
}

/** The smallest host there is: prepare, send, observe, run the tools, append. */
export function createAgent(options: AgentOptions) {
  const { provider, runTool, turnMs = 2000 } = options;
  let ids = options.firstId ?? 0;
  const conversation: Conversation = createConversation(
    {
      ...handedIn,
      provider,
      sessionId: "s",
      clock: { now: () => provider.simulator.now() },
      ids: { next: () => `u${(ids += 1)}` },
      ...options.conversation,
    },
    options.messages,
  );
  const steps: EngineStep[] = [];
  const agent = {
    conversation,
    steps,
    turns: 0,
    ids: () => ids,
    say: (text: string | readonly UserBlock[]) =>
      conversation.append(createUserMessage(conversation.origin(), { content: text })),
    /** One request with its answer; undefined where the conversation is held. */
    async turn(): Promise<Held | { readonly kind: "response"; readonly response: ModelResponse }> {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        provider.simulator.advance(turnMs);
        const prepared = await conversation.prepare();
        steps.push(...prepared.steps);
        if (prepared.kind === "held") return prepared;
        const { request, betas } = prepared.built;
        const problems = findProblems(request, {
          betas,
          cacheEdits: provider.capabilities(request.model).cacheEdits,
        });
        if (problems.length > 0) throw new Error(JSON.stringify(problems));
        let outcome: Parameters<Conversation["observe"]>[1] | undefined;
        for await (const output of provider.stream(prepared.call)) {
          if (output.kind === "message") outcome = { kind: "response", response: output.message };
          if (output.kind === "error") outcome = { kind: "failure", failure: output.failure };
        }
        if (outcome === undefined) throw new Error("no answer");
        const observed = await conversation.observe(prepared, outcome);
        if (observed.kind === "retry") {
          steps.push(observed.step);
          continue;
        }
        if (observed.kind === "failed") throw new Error(observed.message);
        agent.turns += 1;
        if (outcome.kind !== "response") throw new Error("unreachable");
        const calls = outcome.response.content.filter(
          (block): block is ToolUseBlock => block.type === "tool_use",
        );
        if (calls.length > 0) {
          const results = await Promise.all(
            calls.map(async (call): Promise<UserBlock> => {
              const answer = await runTool(call);
              return typeof answer === "string"
                ? { type: "tool_result", tool_use_id: call.id, content: answer }
                : answer;
            }),
          );
          await conversation.append(createUserMessage(conversation.origin(), { content: results }));
        }
        return outcome;
      }
      throw new Error("the same request was tried four times");
    },
  };
  return agent;
}
