import { createAssistantMessage, createUserMessage } from "@palimpsest/core";
import { openConversationRecording } from "../../recording/conversation-recording.js";
import type { AnswerBlock } from "../../simulator/player.js";
import { cannedPlayer, createClient } from "../../simulator/testing/client.js";

type Tool = { readonly name: string; readonly description: string; readonly input_schema: object };

/** What comes in, and what the model says to it. */
export interface ScriptedTurn {
  /** Minutes since the turn before; default a half. */
  readonly pause?: number;
  /** What a person says; else the results of the calls before. */
  readonly asked?: string;
  readonly calls?: readonly {
    readonly name: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly result: string;
  }[];
  readonly said?: string;
}

export interface RecordingScript {
  readonly turns: readonly ScriptedTurn[];
  readonly model?: string;
  readonly lifetime?: "5m" | "1h";
  /** The tools at a turn. */
  readonly tools: (turn: number) => readonly Tool[];
  /** The text of the system prompt at a turn, at a time. */
  readonly system: (turn: number, at: number) => string;
  /** What is put before the first message at a turn. */
  readonly reminder?: (turn: number) => string;
  /** Writes the requests too, not only the transcript. */
  readonly withRequests?: boolean;
}

const START = Date.UTC(2026, 10, 15, 10);

/** Plays a script against the simulator and writes what a recorder would have. Gives the simulator's bill in dollars. */
export function recordScript(path: string, script: RecordingScript): number {
  const { turns, tools, system, reminder, model = "claude-opus-4-5", lifetime = "5m" } = script;
  const control = { type: "ephemeral", ...(lifetime === "1h" ? { ttl: "1h" } : {}) };
  const answers = turns.map((turn, at) => ({ content: contentOf(turn, at) }));
  const client = createClient({ player: cannedPlayer(...answers), startTime: START });
  const file = openConversationRecording(path, { sessionId: "scripted", redact: (text) => text });
  const messages: { readonly role: string; readonly content: readonly object[] }[] = [];
  let parentUuid: string | null = null;
  let dollars = 0;
  const origin = (uuid: string) => ({
    clock: { now: () => client.simulator.now() },
    ids: { next: () => uuid },
    sessionId: "scripted",
    parentUuid,
  });
  for (const [at, turn] of turns.entries()) {
    client.simulator.advance((turn.pause ?? 0.5) * 60_000);
    const content = incomingOf(turn, { at, before: turns[at - 1] });
    file.message(createUserMessage(origin(`user-${at}`), { content: content as never }));
    parentUuid = `user-${at}`;
    messages.push({ role: "user", content });
    const body = {
      model,
      max_tokens: 4000,
      tools: tools(at),
      system: [{ type: "text", text: system(at, client.simulator.now()), cache_control: control }],
      messages: messages.map((message, index) => {
        const blocks =
          index === 0 && reminder !== undefined
            ? [{ type: "text", text: reminder(at) }, ...message.content]
            : message.content;
        return index === messages.length - 1
          ? { ...message, content: marked(blocks, control) }
          : { ...message, content: blocks };
      }),
    };
    const sentAt = client.simulator.now();
    const outcome = client.call(body);
    if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
    const { message, verdict } = outcome;
    dollars += verdict.cost;
    const parts = { id: message.id, model, usage: message.usage, stopReason: message.stop_reason };
    file.message(createAssistantMessage(origin(`assistant-${at}`), { ...parts, content: message.content }));
    parentUuid = `assistant-${at}`;
    messages.push({ role: "assistant", content: message.content });
    if (script.withRequests === true) {
      const outcomeOf = {
        milliseconds: 1000,
        status: 200,
        response: message.id,
        model,
        usage: message.usage,
      };
      file.request({ at: sentAt, text: JSON.stringify(body), outcome: outcomeOf });
    }
  }
  return dollars;
}

const marked = (blocks: readonly object[], control: object): readonly object[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, cache_control: control } : block));

const contentOf = ({ calls = [], said }: ScriptedTurn, turn: number): readonly AnswerBlock[] => [
  ...(said === undefined ? [] : [{ type: "text" as const, text: said }]),
  ...calls.map(({ name, input }, at) => ({
    type: "tool_use" as const,
    id: `toolu_${turn}_${at}`,
    name,
    input,
  })),
];

const incomingOf = (
  { asked }: ScriptedTurn,
  { at, before }: { readonly at: number; readonly before: ScriptedTurn | undefined },
): readonly object[] => [
  ...(before?.calls ?? []).map(({ result }, index) => ({
    type: "tool_result",
    tool_use_id: `toolu_${at - 1}_${index}`,
    content: result,
  })),
  ...(asked === undefined ? [] : [{ type: "text", text: asked }]),
];
