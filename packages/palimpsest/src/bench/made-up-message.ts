import type { AssistantBlock, AssistantMessage, Usage, UserBlock, UserMessage } from "@palimpsest/core";

export const MODEL = "claude-opus-5";

/** About what tools print: a line of 56 characters. */
export const OUTPUT_LINE = "a line of some tool's output, about as long as they are\n";

interface Place {
  readonly uuid: string;
  readonly parentUuid?: string;
}

const base = ({ uuid, parentUuid }: Place) => ({
  uuid,
  parentUuid: parentUuid ?? null,
  sessionId: "bench",
  timestamp: "2026-11-15T10:00:00.000Z",
});

export const userMessage = (place: Place, content: string | readonly UserBlock[]): UserMessage => ({
  ...base(place),
  type: "user",
  message: { role: "user", content },
});

interface Response {
  readonly id: string;
  readonly content: readonly AssistantBlock[];
  readonly usage?: Usage;
  readonly stop_reason?: string;
}

export const assistantMessage = (place: Place, response: Response): AssistantMessage => ({
  ...base(place),
  type: "assistant",
  message: { role: "assistant", model: MODEL, ...response },
});

/** A call of a tool that reads a file. */
export const readCall = (id: string, path: string): AssistantBlock => ({
  type: "tool_use",
  id,
  name: "Read",
  input: { file_path: path },
});

export const toolResult = (id: string, content: string): UserBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});

/** Tools as an agent offers them, about 1 KB each. */
export const offeredTools = Array.from({ length: 30 }, (_, index) => ({
  definition: {
    name: `Tool${index}`,
    description: "does something useful. ".repeat(40),
    input_schema: { type: "object" },
  },
}));
