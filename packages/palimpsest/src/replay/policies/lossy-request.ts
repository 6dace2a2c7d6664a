import type { ModelCall, RequestMessage } from "@palimpsest/core";
import { sendable } from "@palimpsest/core/protocols";

/**
 * Requests whose cache is lost where a recording shows that it was: something new is put into the prompt at that
 * place, and stays there.
 */
export class LossyRequests {
  #losses = 0;
  #inTools = "";
  #beforeSystem = "";
  #afterSystem = "";
  /** By the place of the user message that it is put after. */
  readonly #inMessages = new Map<number, string>();
  /** The messages that a request has ended with since what stands before them was last lost. */
  #written: readonly number[] = [];

  /** Places up to which something can be found, in their order. */
  get written(): readonly number[] {
    return this.#written;
  }

  /** Nothing is found any more. */
  loseAll(): void {
    this.#inTools = this.#next();
    this.#written = [];
  }

  /** The tools are found and nothing after them. */
  loseSystem(): void {
    this.#beforeSystem = this.#next();
    this.#written = [];
  }

  /** Tools and system prompt are found and nothing after them. */
  loseMessages(): void {
    this.#afterSystem = this.#next();
    this.#written = [];
  }

  /** What was written up to this place is found, and nothing after it. */
  loseAfter(place: number): void {
    this.#inMessages.set(place, this.#next());
    this.#written = this.#written.filter((written) => written <= place);
  }

  /** The list was replaced: what was put into its messages went with them. */
  forgetMessages(): void {
    this.#inMessages.clear();
    this.#written = [];
  }

  /**
   * The call with all that was put in. `foundUpTo`: a marker stands at that message too, so that it is found; else
   * one stands on the tools.
   */
  apply(call: ModelCall, foundUpTo?: number): ModelCall {
    const { request } = call;
    const [head, ...more] = Array.isArray(request.system) ? request.system : [];
    const marker = head?.cache_control;
    if (head === undefined || !marker) return call;
    const system = [
      { ...head, text: this.#beforeSystem + head.text },
      ...more,
      ...(this.#afterSystem === "" ? [] : [{ type: "text" as const, text: this.#afterSystem }]),
    ];
    const messages = request.messages.map((message, place) => {
      const found = place === foundUpTo ? marked(message, marker) : message;
      const salt = this.#inMessages.get(place);
      return salt === undefined ? found : withText(found, salt);
    });
    this.#written = [...new Set([...this.#written, messages.length - 1])];
    const tools = request.tools?.map((tool, place, all) => ({
      ...tool,
      ...(place === 0 ? { description: `${this.#inTools}${tool.description ?? ""}` } : {}),
      ...(place === all.length - 1 && foundUpTo === undefined ? { cache_control: marker } : {}),
    }));
    return { ...call, request: sendable({ ...request, ...(tools && { tools }), system, messages }) };
  }

  #next(): string {
    this.#losses += 1;
    return `[${this.#losses}] `;
  }
}

/** At the end, after what was written. */
function withText(message: RequestMessage, text: string): RequestMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  return { ...message, content: [...message.content, { type: "text", text }] };
}

function marked(message: RequestMessage, marker: object): RequestMessage {
  const last = typeof message.content === "string" ? undefined : message.content.at(-1);
  if (last === undefined) return message;
  const content = [...message.content.slice(0, -1), { ...last, cache_control: marker }];
  return { ...message, content } as RequestMessage;
}
