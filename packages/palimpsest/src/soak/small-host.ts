import {
  createConversation,
  createUserMessage,
  type Conversation,
  type ConversationOptions,
  type EngineStep,
  type Held,
  type Message,
  type ModelResponse,
  type PreparedRequest,
  type ToolUseBlock,
  type UserBlock,
} from "@palimpsest/core";
import { branches } from "@palimpsest/core/branches";
import { compaction } from "@palimpsest/core/compaction";
import { cachedClearing, endOf, takeTurn } from "@palimpsest/core/engine";
import { keepNotes } from "@palimpsest/core/notes";
import { totals } from "@palimpsest/core/totals";
import { findProblems } from "@palimpsest/core/validity";
import type { EmbeddedProvider } from "../providers/embedded.js";

/** All that a host can hand in. */
export const handedIn = { compaction, notes: keepNotes(), branches: branches(), cachedClearing, totals };

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
  const { provider } = options;
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
  return Object.assign(driveConversation(conversation, options), { ids: () => ids });
}

/** The same for a conversation that is there. */
export function driveConversation(
  conversation: Conversation,
  { provider, runTool, turnMs = 2000 }: Pick<AgentOptions, "provider" | "runTool" | "turnMs">,
) {
  const steps: EngineStep[] = [];
  const agent = {
    conversation,
    steps,
    turns: 0,
    say: (text: string | readonly UserBlock[]) =>
      conversation.append(createUserMessage(conversation.origin(), { content: text })),
    /** One request with its answer; undefined where the conversation is held. */
    async turn(): Promise<Held | { readonly kind: "response"; readonly response: ModelResponse }> {
      let attempts = 0;
      const turn = takeTurn(
        {
          async prepare() {
            if ((attempts += 1) > 4) throw new Error("the same request was tried four times");
            provider.simulator.advance(turnMs);
            const prepared = await conversation.prepare();
            if (prepared.kind === "request") ensureValid(provider, prepared);
            return prepared;
          },
          observe: (prepared, outcome) => conversation.observe(prepared, outcome),
          charge: (...calls) => conversation.charge(...calls),
        },
        { provider },
      );
      const end = await endOf(turn);
      steps.push(...end.steps);
      if (end.kind === "held") return end;
      if (end.kind === "failed") throw new Error(end.message);
      const { response, calls } = end;
      agent.turns += 1;
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
      return { kind: "response", response };
    },
  };
  return agent;
}

function ensureValid(provider: EmbeddedProvider, { built: { request, betas } }: PreparedRequest): void {
  const { cacheEdits } = provider.capabilities(request.model);
  const problems = findProblems(request, { betas, cacheEdits });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
}
