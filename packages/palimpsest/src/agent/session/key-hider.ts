import type { Message, ModelOutput, ModelProvider, TranscriptWriter } from "@palimpsest/core";
import type { FileAccess } from "@palimpsest/core/restore";
import { SECRET_MARK, withoutSecrets } from "../../providers/secrets.js";
import { createTextKeyFilter } from "../base/key-filter.js";
import type { AgentTool, ToolOutput } from "../base/tool.js";

/** Takes the keys of a session out of all that its agents are shown, say and store. */
export interface KeyHider {
  readonly keys: readonly string[];
  readonly text: (text: string) => string;
  /** A JSON value with every text in it looked through; the same object where there is no key in it. */
  readonly value: <Value>(value: Value) => Value;
}

/** No value of ours is as deep: what is, is not looked through, and not shown either. */
const DEEPEST = 500;

export function createKeyHider(keys: readonly string[]): KeyHider {
  const text = withoutSecrets(keys);
  const inside = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > DEEPEST) return SECRET_MARK;
    if (Array.isArray(value)) {
      const items = value.map((item) => inside(item, depth + 1));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    let isChanged = false;
    const fields = Object.entries(value).map(([name, field]) => {
      const hidden = [text(name), inside(field, depth + 1)] as const;
      isChanged ||= hidden[0] !== name || hidden[1] !== field;
      return hidden;
    });
    return isChanged ? Object.fromEntries(fields) : value;
  };
  return {
    keys,
    text,
    value: <Value>(value: Value): Value => (keys.length === 0 ? value : (inside(value, 0) as Value)),
  };
}

/** A tool whose results hold no key. What a tool keeps in files of its own it hides itself. */
export const hidingTool = (tool: AgentTool, hider: KeyHider): AgentTool => ({
  ...tool,
  definition: hider.value(tool.definition),
  async run(input, context): Promise<ToolOutput> {
    try {
      return hider.value(await tool.run(input, context));
    } catch (error) {
      throw error instanceof Error ? new Error(hider.text(error.message), { cause: error }) : error;
    }
  },
});

/** Files as they are shown. Whoever writes them has to know that a mark may stand for a key. */
export const hidingFiles = (files: FileAccess, hider: KeyHider): FileAccess => ({
  ...files,
  read: async (path, options) => hider.value(await files.read(path, options)),
});

/** What is stored; the last of several fences. */
export const hidingWriter = (writer: TranscriptWriter, hider: KeyHider): TranscriptWriter => ({
  append: (messages) => writer.append(messages.map((message): Message => hider.value(message))),
  close: () => writer.close(),
});

/** A server is sent the key with every call, and may repeat it: in words, in pieces, in the inputs of calls. */
export const hidingProvider = (provider: ModelProvider, hider: KeyHider): ModelProvider =>
  hider.keys.length === 0
    ? provider
    : {
        ...provider,
        capabilities: (model) => provider.capabilities(model),
        stream: (call, options) => hideStream(provider.stream(call, options), hider),
      };

async function* hideStream(
  outputs: AsyncIterable<ModelOutput>,
  hider: KeyHider,
): AsyncGenerator<ModelOutput> {
  let filter = createTextKeyFilter(hider.keys);
  let last: Piece | undefined;
  for await (const output of outputs) {
    if (isPiece(output)) {
      last = output;
      const text = filter.add(textOf(output));
      if (text !== "") yield withText(output, text);
      continue;
    }
    const rest = filter.end();
    if (last !== undefined && rest !== "") yield withText(last, rest);
    last = undefined;
    filter = createTextKeyFilter(hider.keys);
    yield hider.value(output);
  }
}

type Piece = Extract<ModelOutput, { readonly kind: "text" | "thinking" | "tool-input" }>;

const isPiece = (output: ModelOutput): output is Piece =>
  output.kind === "text" || output.kind === "thinking" || output.kind === "tool-input";

function textOf(piece: Piece): string {
  if (piece.kind === "text") return piece.text;
  return piece.kind === "thinking" ? piece.thinking : piece.json;
}

function withText(piece: Piece, text: string): Piece {
  if (piece.kind === "text") return { ...piece, text };
  return piece.kind === "thinking" ? { ...piece, thinking: text } : { ...piece, json: text };
}
