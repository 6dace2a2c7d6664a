import { isHumanMessage, type Message, type Model, type RequestMessage } from "@palimpsest/core";
import { blockTokens } from "../../simulator/tokens/block-tokens.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";

/** What the tokens of a prompt are. `head`: system prompt and tools. */
export type ContextKind =
  | "head"
  | "human"
  | "assistant"
  | "thinking"
  | "calls"
  | "results"
  | "summary"
  | "restored"
  | "other";

/** One of the largest parts of the context at its largest. */
export interface LargeItem {
  readonly kind: ContextKind;
  /** A tool's name with its input, or the beginning of a text: hostile, cut short. */
  readonly label: string;
  readonly tokens: number;
}

/** Says what the tokens of requests are, for charts. */
export interface ContextKinds {
  /** What people and programs said in the recording; other texts are a policy's own. */
  note(incoming: readonly Message[]): void;
  kindsOf(
    messages: readonly RequestMessage[],
    headTokens: number,
  ): Readonly<Partial<Record<ContextKind, number>>>;
  largest(messages: readonly RequestMessage[], most: number): readonly LargeItem[];
}

interface Counted {
  readonly kind: ContextKind;
  readonly tokens: number;
}

const LABEL_CHARACTERS = 120;

export function createContextKinds(model: Model, counter: TokenCounter): ContextKinds {
  const recorded = new Map<string, ContextKind>();
  const known = new WeakMap<object, Counted>();

  const read = (block: { readonly type: string }, role: string): Counted => {
    let counted = known.get(block);
    if (counted === undefined) {
      counted = { kind: kindOf(block, role, recorded), tokens: blockTokens(block, model, counter) };
      known.set(block, counted);
    }
    return counted;
  };
  const blocksOf = ({ content }: RequestMessage): readonly { readonly type: string }[] =>
    typeof content === "string" ? [{ type: "text", text: content } as { type: string }] : content;

  return {
    note(incoming) {
      for (const message of incoming) {
        if (message.type !== "user") continue;
        const kind = isHumanMessage(message) ? "human" : "other";
        const { content } = message.message;
        const texts =
          typeof content === "string"
            ? [content]
            : content.flatMap((block) => (block.type === "text" ? [block.text] : []));
        for (const text of texts) if (!recorded.has(text)) recorded.set(text, kind);
      }
    },
    kindsOf(messages, headTokens) {
      const kinds: Partial<Record<ContextKind, number>> = { head: headTokens };
      for (const message of messages) {
        for (const block of blocksOf(message)) {
          const { kind, tokens } = read(block, message.role);
          kinds[kind] = (kinds[kind] ?? 0) + tokens;
        }
      }
      return kinds;
    },
    largest(messages, most) {
      const calls = new Map<unknown, string>();
      const items: LargeItem[] = [];
      for (const message of messages) {
        for (const block of blocksOf(message)) {
          const label = labelOf(block, calls);
          items.push({ ...read(block, message.role), label });
        }
      }
      return items.toSorted((a, b) => b.tokens - a.tokens).slice(0, most);
    },
  };
}

function kindOf(
  block: { readonly type: string },
  role: string,
  recorded: ReadonlyMap<string, ContextKind>,
): ContextKind {
  const { type } = block;
  if (type === "thinking" || type === "redacted_thinking") return "thinking";
  if (type === "tool_use") return "calls";
  if (type === "tool_result") return "results";
  if (type !== "text") return role === "assistant" ? "assistant" : "other";
  if (role === "assistant") return "assistant";
  const { text } = block as unknown as { text: string };
  const said = recorded.get(text);
  if (said !== undefined) return said;
  return text.startsWith("<system-reminder>") ? "restored" : "summary";
}

function labelOf(block: { readonly type: string }, calls: Map<unknown, string>): string {
  const fields = block as unknown as Readonly<Record<string, unknown>>;
  const cut = (text: string): string => text.slice(0, LABEL_CHARACTERS).replaceAll(/\s+/g, " ");
  switch (block.type) {
    case "tool_use": {
      const label = cut(`${String(fields["name"])} ${JSON.stringify(fields["input"] ?? {})}`);
      calls.set(fields["id"], label);
      return label;
    }
    case "tool_result":
      return calls.get(fields["tool_use_id"]) ?? "result";
    case "text":
      return cut(String(fields["text"]));
    default:
      return block.type;
  }
}
