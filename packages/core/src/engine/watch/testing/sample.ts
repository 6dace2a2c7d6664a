import type { ModelRequest, ToolDefinition } from "../../../messages/call/request.js";
import type { ResponseUsage } from "../../../messages/call/response.js";
import type { RequestMessage } from "../../../messages/content.js";
import type { CacheBreak } from "../../events/cache-break.js";
import { createCacheWatch, type CacheWatchOptions } from "../cache-watch.js";
import type { WatchedAnswer, WatchedCall } from "../watched-call.js";

export const marker = { type: "ephemeral" } as const;
export const hourMarker = { type: "ephemeral", ttl: "1h" } as const;

export const tool = (name: string, description = `does ${name}`): ToolDefinition => ({
  name,
  description,
  input_schema: { type: "object" },
});

export const user = (text: string): RequestMessage => ({ role: "user", content: [{ type: "text", text }] });

export const assistant = (text: string): RequestMessage => ({
  role: "assistant",
  content: [{ type: "text", text }],
});

/** `count` messages, question and answer in turn, each the same object whenever it is asked for. */
export const conversation = (count: number): readonly RequestMessage[] => all.slice(0, count);
const all = Array.from({ length: 200 }, (_, index) =>
  index % 2 === 0 ? user(`question ${index}`) : assistant(`answer ${index}`),
);

/** The list with a marker on its last block, all before it the same objects. */
export function marked(
  messages: readonly RequestMessage[],
  cacheControl: object = marker,
): readonly RequestMessage[] {
  return messages.map((message, index) =>
    index < messages.length - 1
      ? message
      : ({
          ...message,
          content: message.content.map((block, at) =>
            at < message.content.length - 1 ? block : { ...block, cache_control: cacheControl },
          ),
        } as RequestMessage),
  );
}

export const request = (messages: number | readonly RequestMessage[], change: object = {}): ModelRequest => ({
  model: "claude-opus-5",
  max_tokens: 8000,
  tools: [tool("Read"), { ...tool("Edit"), cache_control: marker }],
  system: [
    { type: "text", text: "You are an agent." },
    { type: "text", text: "Today is Monday.", cache_control: marker },
  ],
  messages: marked(typeof messages === "number" ? conversation(messages) : messages),
  ...change,
});

export const usage = (read: number, written: number, change: object = {}): ResponseUsage => ({
  input_tokens: 10,
  output_tokens: 100,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
  ...change,
});

/** A watch that is told of calls one after another, ten seconds apart. */
export function watching(options: CacheWatchOptions = {}) {
  const watch = createCacheWatch(options);
  let now = 1_000_000;
  return {
    watch,
    wait(milliseconds: number) {
      now += milliseconds;
    },
    before(sent: ModelRequest, call: Partial<WatchedCall> = {}) {
      now += 10_000;
      return watch.before({ source: "repl_main_thread", request: sent, at: now, ...call });
    },
    after(figures: ResponseUsage, answer: Partial<WatchedAnswer> = {}) {
      return watch.after({ source: "repl_main_thread", usage: figures, at: now + 1000, ...answer });
    },
    /** A call and its answer. */
    call(
      sent: ModelRequest,
      figures: ResponseUsage,
      parts: { readonly call?: Partial<WatchedCall>; readonly answer?: Partial<WatchedAnswer> } = {},
    ) {
      const source = parts.call?.source;
      this.before(sent, parts.call);
      return this.after(figures, { ...(source === undefined ? {} : { source }), ...parts.answer });
    },
  };
}

/** One answered request of three messages that left 50,000 tokens, then one of five that reads `read`. */
export function second(
  change: object,
  options: { first?: object; read?: number; before?: Partial<WatchedCall>; now?: Partial<WatchedCall> } = {},
): CacheBreak | undefined {
  const { first = {}, read = 1000, before = {}, now = {} } = options;
  const watched = watching();
  watched.call(request(3, first), usage(0, 50_000), { call: before });
  return watched.call(request(5, change), usage(read, 52_000 - read), { call: now });
}
