import type { ModelCall, RequestMessage } from "@palimpsest/core";

/**
 * Requests whose cache is lost where a recording shows that it was: something new is put into the prompt at that
 * place, and stays there.
 */
export class LossyRequests {
  #losses = 0;
  #inTools = "";
  #beforeSystem = "";
  #afterSystem = "";
  /** By the place of the user message that it is put in. */
  readonly #inMessages = new Map<number, string>();

  /** Nothing is found any more. */
  loseAll(): void {
    this.#inTools = this.#next();
  }

  /** The tools are found and nothing after them. */
  loseSystem(): void {
    this.#beforeSystem = this.#next();
  }

  /** Tools and system prompt are found and nothing after them. */
  loseMessages(): void {
    this.#afterSystem = this.#next();
  }

  /** The messages before this place are found, and nothing from it on. */
  loseFrom(place: number): void {
    this.#inMessages.set(place, this.#next());
  }

  /** The list was replaced: what was put into its messages went with them. */
  forgetMessages(): void {
    this.#inMessages.clear();
  }

  /**
   * The call with all that was put in. `foundUpTo`: a marker stands at that message too, so that it is found; else
   * one stands on the tools.
   */
  apply(call: ModelCall, foundUpTo?: number): ModelCall {
    const { request } = call;
    const [head, ...more] = Array.isArray(request.system) ? request.system : [];
    const marker = head?.cache_control;
    if (head === undefined || marker === undefined) return call;
    const system = [
      { ...head, text: this.#beforeSystem + head.text },
      ...more,
      ...(this.#afterSystem === "" ? [] : [{ type: "text" as const, text: this.#afterSystem }]),
    ];
    const messages = request.messages.map((message, place) => {
      const salt = this.#inMessages.get(place);
      const salted = salt === undefined ? message : withText(message, salt);
      return place === foundUpTo ? marked(salted, marker) : salted;
    });
    const tools = request.tools?.map((tool, place, all) => ({
      ...tool,
      ...(place === 0 ? { description: `${this.#inTools}${tool.description ?? ""}` } : {}),
      ...(place === all.length - 1 && foundUpTo === undefined ? { cache_control: marker } : {}),
    }));
    return { ...call, request: { ...request, ...(tools && { tools }), system, messages } };
  }

  #next(): string {
    this.#losses += 1;
    return `[${this.#losses}] `;
  }
}

/** As the first text after results, so that a marker at the end stays there. */
function withText(message: RequestMessage, text: string): RequestMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  const at = message.content.findLastIndex(({ type }) => type === "tool_result") + 1;
  const blocks = [
    ...message.content.slice(0, at),
    { type: "text" as const, text },
    ...message.content.slice(at),
  ];
  const last = message.content.at(-1);
  if (at < message.content.length || last?.cache_control === undefined)
    return { ...message, content: blocks };
  const { cache_control: marker, ...bare } = last;
  return {
    ...message,
    content: [...blocks.slice(0, -2), bare, { type: "text", text, cache_control: marker }],
  };
}

function marked(message: RequestMessage, marker: object): RequestMessage {
  const last = typeof message.content === "string" ? undefined : message.content.at(-1);
  if (last === undefined) return message;
  const content = [...message.content.slice(0, -1), { ...last, cache_control: marker }];
  return { ...message, content } as RequestMessage;
}
