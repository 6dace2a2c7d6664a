import { asText, isFields, type Fields } from "../../messages/fields.js";
import type { SdkGenerated, SdkPart } from "./sdk-types.js";

/** Parts that come in one piece. */
const whole: ReadonlySet<string> = new Set(["tool-call", "tool-result", "file", "reasoning-file", "custom"]);

/** Puts a streamed answer together while it passes. */
export interface StreamCollector {
  note(chunk: unknown): void;
  /** The whole answer; undefined for a stream that broke off. */
  result(): SdkGenerated | undefined;
}

export function createStreamCollector(): StreamCollector {
  const content: SdkPart[] = [];
  /** Where in the content an open text or reasoning stands. */
  const open = new Map<string, number>();
  let end: Fields | undefined;
  let response: Fields = {};
  const start = (type: string, chunk: Fields): void => {
    open.set(`${type} ${asText(chunk["id"])}`, content.length);
    content.push(withMetadata({ type, text: "" }, chunk));
  };
  const extend = (type: string, chunk: Fields): void => {
    const at = open.get(`${type} ${asText(chunk["id"])}`);
    const part = at === undefined ? undefined : content[at];
    if (at === undefined || part === undefined) return;
    const text = asText(part["text"]) + asText(chunk["delta"]);
    content[at] = withMetadata({ ...part, text }, chunk);
  };
  return {
    note(chunk) {
      if (!isFields(chunk)) return;
      const type = asText(chunk["type"]);
      const [, kind, what] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? [];
      if (kind !== undefined) {
        if (what === "start") start(kind, chunk);
        else extend(kind, chunk);
      } else if (whole.has(type)) {
        content.push({ ...chunk, type });
      } else if (type === "response-metadata") response = chunk;
      else if (type === "finish") end = chunk;
    },
    result: () =>
      end === undefined
        ? undefined
        : { content, finishReason: end["finishReason"], usage: end["usage"], response },
  };
}

/** Reads a stream to its end. Rejects with what the stream says went wrong. */
export async function collectStream(stream: object): Promise<SdkGenerated> {
  const collector = createStreamCollector();
  const reader = (stream as { getReader(): Reader }).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (isFields(value) && value["type"] === "error") throw value["error"];
    collector.note(value);
  }
  const result = collector.result();
  if (result === undefined) throw new Error("the stream broke off");
  return result;
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
}

/** Metadata comes in pieces too: the signature of thinking at its end. */
function withMetadata(part: SdkPart, { providerMetadata }: Fields): SdkPart {
  if (!isFields(providerMetadata)) return part;
  const before = isFields(part["providerMetadata"]) ? part["providerMetadata"] : {};
  const merged = Object.entries(providerMetadata).map(([name, value]) => {
    const known = before[name];
    return [name, isFields(known) && isFields(value) ? { ...known, ...value } : value] as const;
  });
  return { ...part, providerMetadata: { ...before, ...Object.fromEntries(merged) } };
}
