import type { Estimator } from "@palimpsest/core";
import { requestLineTypes } from "../../recording/request-record.js";
import { asFieldsList, isFields, type Fields, type RecordedLine } from "../../replay/readers/recording.js";

/** A request whose body stands in the recording. */
export interface RecordedHead {
  /** Of its answer. */
  readonly response: string;
  /** Estimated tokens of what stands before its messages. */
  readonly system: number;
  readonly tools: number;
}

/** What the lines of a recording's requests say of their heads; a value that goes on where the file has grown. */
export interface RecordedHeads {
  /** Tokens of system blocks, tools and other values, by their ids. */
  readonly parts: readonly (readonly [id: string, tokens: number])[];
  readonly lists: readonly (readonly [id: string, parts: readonly string[]])[];
  readonly requests: readonly RecordedHead[];
}

const noHeads: RecordedHeads = { parts: [], lists: [], requests: [] };

/** Takes the lines of requests out of a recording, in their order. */
export class HeadCollector {
  readonly #estimator: Pick<Estimator, "block">;
  readonly #parts: Map<string, number>;
  readonly #lists: Map<string, readonly string[]>;
  readonly #requests: RecordedHead[];

  constructor(estimator: Pick<Estimator, "block">, earlier: RecordedHeads = noHeads) {
    this.#estimator = estimator;
    this.#parts = new Map(earlier.parts);
    this.#lists = new Map(earlier.lists);
    this.#requests = [...earlier.requests];
  }

  take({ value }: RecordedLine): void {
    const { type, id } = value;
    if (typeof id !== "string") return;
    if (type === requestLineTypes.part && "value" in value)
      this.#parts.set(id, this.#tokensOf(value["value"]));
    else if (type === requestLineTypes.list && Array.isArray(value["parts"])) {
      this.#lists.set(
        id,
        value["parts"].filter((part) => typeof part === "string"),
      );
    } else if (type === requestLineTypes.request) this.#takeRequest(value);
  }

  result(): RecordedHeads {
    return { parts: [...this.#parts], lists: [...this.#lists], requests: this.#requests };
  }

  #takeRequest({ response, fields }: Fields): void {
    if (typeof response !== "string" || !Array.isArray(fields)) return;
    this.#requests.push({
      response,
      system: this.#sizeOf(fields, "system"),
      tools: this.#sizeOf(fields, "tools"),
    });
  }

  #sizeOf(fields: readonly unknown[], name: string): number {
    const field = fields.find((one): one is readonly unknown[] => Array.isArray(one) && one[0] === name);
    const [, kind, named] = field ?? [];
    if (kind === "value") return this.#tokensOf(named);
    if (typeof named !== "string") return 0;
    const ids = kind === "list" ? (this.#lists.get(named) ?? []) : [named];
    return ids.reduce((sum, id) => sum + (this.#parts.get(id) ?? 0), 0);
  }

  #tokensOf(value: unknown): number {
    if (Array.isArray(value)) return asFieldsList(value).reduce((sum, item) => sum + this.#tokensOf(item), 0);
    const isBlock = typeof value === "string" || (isFields(value) && typeof value["text"] === "string");
    return this.#estimator.block(isBlock ? value : JSON.stringify(value));
  }
}
