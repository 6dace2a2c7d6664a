import type { ScriptedTurn } from "@palimpsest/core/testing";

/**
 * Two ways to speak the protocol. `openai`: numbered calls in pieces, usage in a chunk of its own, `[DONE]`.
 * `terse`: whole calls with neither numbers nor ids, usage with the last chunk, and then just the end.
 */
export type ChatDialect = "openai" | "terse";

export interface ChunkOptions {
  readonly dialect: ChatDialect;
  /** Of the request: part of the response's id. */
  readonly number: number;
  readonly promptCharacters: number;
}

const PIECE = 40;

/** A turn as server-sent events; the first one holds no content. */
export function chatChunks(turn: ScriptedTurn, options: ChunkOptions): readonly string[] {
  const { dialect, number } = options;
  const { text = "", calls = [] } = turn;
  const head = { id: `chatcmpl-${number}`, object: "chat.completion.chunk", created: 0, model: "chat-model" };
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason }], ...more }, dialect);
  const usage = usageOf(turn, options);
  const callDeltas = calls.flatMap((call, index) =>
    dialect === "openai" ? numberedCall(call, { number, index }) : [{ ...functionOf(call) }],
  );
  const finish = calls.length > 0 && dialect === "openai" ? "tool_calls" : "stop";
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(text).map((content) => chunk({ content })),
    ...callDeltas.map((call) => chunk({ tool_calls: [call] })),
    ...(dialect === "openai"
      ? [chunk({}, finish), event({ ...head, choices: [], usage }, dialect), "data: [DONE]\n\n"]
      : [chunk({}, finish, { usage })]),
  ];
}

type ScriptedCall = NonNullable<ScriptedTurn["calls"]>[number];

function numberedCall(
  call: ScriptedCall,
  { number, index }: { readonly number: number; readonly index: number },
): readonly object[] {
  const { name } = call;
  return [
    { index, id: `call_${number}_${index}`, type: "function", function: { name, arguments: "" } },
    ...pieces(JSON.stringify(call.input)).map((json) => ({ index, function: { arguments: json } })),
  ];
}

const functionOf = ({ name, input }: ScriptedCall): object => ({
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

function usageOf({ text = "", calls = [] }: ScriptedTurn, { promptCharacters }: ChunkOptions): object {
  const prompt = Math.ceil(promptCharacters / 4);
  const completion = Math.ceil((text.length + JSON.stringify(calls).length) / 4);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: Math.floor(prompt / 2) },
  };
}

const event = (value: object, dialect: ChatDialect): string =>
  dialect === "openai"
    ? `data: ${JSON.stringify(value)}\n\n`
    : `: comment\r\ndata:${JSON.stringify(value)}\r\n\r\n`;

function pieces(text: string): readonly string[] {
  const count = Math.ceil(text.length / PIECE);
  return Array.from({ length: count }, (_, index) => text.slice(index * PIECE, (index + 1) * PIECE));
}
