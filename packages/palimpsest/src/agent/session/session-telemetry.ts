import type { Conversation, ModelProvider } from "@palimpsest/core";
import type { Telemetry } from "../../telemetry/index.js";
import type { AroundCall } from "../loop/agent.js";

/** What a session measures by: where nobody wants it, everything stays as it is. */
export interface SessionTelemetry {
  readonly provider: (provider: ModelProvider) => ModelProvider;
  readonly conversation: (conversation: Conversation) => Conversation;
  readonly agent: { readonly aroundCall?: AroundCall };
  readonly turn: <T>(run: () => Promise<T>) => Promise<T>;
}

export function sessionTelemetry(telemetry: Telemetry | undefined, id: string): SessionTelemetry {
  if (telemetry === undefined) {
    return {
      provider: (provider) => provider,
      conversation: (conversation) => conversation,
      agent: {},
      turn: (run) => run(),
    };
  }
  return {
    provider: (provider) => telemetry.provider(provider, { conversationId: id }),
    conversation: (conversation) => telemetry.conversation(conversation, { id }),
    agent: {
      aroundCall: (call, run) =>
        telemetry.tool({ name: call.name, id: call.id, hasFailed: ({ isError }) => isError === true }, run),
    },
    turn: (run) => telemetry.turn({ agent: "palimpsest", conversationId: id }, run),
  };
}
