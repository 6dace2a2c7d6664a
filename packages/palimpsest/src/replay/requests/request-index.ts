import { asFieldsList, isFields, type Fields, type RecordedLine } from "../readers/recording.js";
import { markedLast, textBlock } from "../../recording/request-parts.js";
import { requestLineTypes, type RequestRecord } from "../../recording/request-record.js";

/** Where a part's value stands: the line, and the way within it. */
interface PartPlace {
  readonly offset: number;
  /** Within the line; a part that stands for a value of a message has a longer one. */
  readonly way: readonly (number | string)[];
}

interface MessageNode {
  readonly after: string | null;
  readonly role?: unknown;
  readonly text?: string;
  readonly blocks?: readonly string[];
  readonly whole?: string;
}

/** A request as it stands in a recording: what is said of it, and where its record is. */
export interface RequestEntry {
  readonly line: number;
  readonly offset: number;
  readonly record: RequestRecord;
}

/** A part of a request, in the order of the prompt cache: tools, system, messages. */
export interface RequestPart {
  readonly kind: "tool" | "system" | "message";
  /** Of the tool, the system block or the message, from 0. */
  readonly index: number;
  /** Of a message's block, from 0. Absent where it is the message's only text, or the message whole. */
  readonly block?: number;
  /** Of a message. */
  readonly role?: string;
  /** Of what it is: the same in every request that has it. */
  readonly id: string;
  /** The marker that it bears. */
  readonly marker?: unknown;
  /** Of a message of the transcript that holds it, where one does. */
  readonly uuid?: string;
}

/**
 * What a recording knows of its requests, made from its lines in their order. It holds ids and places, no contents: memory follows
 * the number of messages.
 */
export interface RequestIndex {
  take(line: RecordedLine): void;
  /** In the order in which they came to their end. */
  readonly requests: readonly RequestEntry[];
  /** What a request consists of. */
  parts(record: RequestRecord): readonly RequestPart[];
  /** Where the lines stand that a request's body is made of. */
  offsets(record: RequestRecord): readonly number[];
  /** The body as it was sent, given the lines at those places. What is lost is a text that says so, and its id in `missing`. */
  rebuild(record: RequestRecord, lineAt: (offset: number) => Fields | undefined): RebuiltRequest;
}

export interface RebuiltRequest {
  readonly body: Fields;
  /** The body as JSON: that what was sent, byte for byte, where `isExact`. */
  readonly text: string;
  readonly isExact: boolean;
  readonly missing: readonly string[];
}

export function createRequestIndex(): RequestIndex {
  const uuids = new Map<string, number>();
  const parts = new Map<string, PartPlace>();
  const partUuids = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  const nodes = new Map<string, MessageNode>();
  const requests: RequestEntry[] = [];

  const chainOf = (last: unknown): readonly MessageNode[] => {
    const chain: MessageNode[] = [];
    const seen = new Set<unknown>();
    for (let id = last; typeof id === "string" && !seen.has(id);) {
      seen.add(id);
      const node = nodes.get(id);
      if (node === undefined) break;
      chain.push(node);
      id = node.after;
    }
    return chain.toReversed();
  };

  const idsOf = ({ text, whole, blocks }: MessageNode): readonly string[] =>
    blocks ?? [text ?? whole].filter((id) => id !== undefined);

  const fieldIds = (record: RequestRecord): readonly string[] =>
    record.fields.flatMap(([, kind, value]) => {
      if (kind === "part") return [value];
      if (kind === "list") return lists.get(value) ?? [];
      return kind === "messages" ? chainOf(value).flatMap(idsOf) : [];
    });

  return {
    requests,
    take({ line, offset, value }) {
      const { type, uuid, id } = value;
      if (typeof uuid === "string" && isFields(value["message"])) uuids.set(uuid, offset);
      if (typeof id !== "string") return;
      if (type === requestLineTypes.part) {
        const { of } = value;
        if (!Array.isArray(of)) return void parts.set(id, { offset, way: ["value"] });
        const [named, block] = of as readonly unknown[];
        const at = typeof named === "string" ? uuids.get(named) : undefined;
        if (typeof named !== "string" || at === undefined) return;
        parts.set(id, {
          offset: at,
          way: ["message", "content", ...(typeof block === "number" ? [block] : [])],
        });
        partUuids.set(id, named);
      } else if (type === requestLineTypes.list) lists.set(id, textsIn(value["parts"]));
      else if (type === requestLineTypes.message) nodes.set(id, nodeOf(value));
      else if (type === requestLineTypes.request) {
        const record = requestRecordOf(value);
        if (record !== undefined) requests.push({ line, offset, record });
      }
    },
    parts(record) {
      const markers = new Map(record.markers.map(({ at, control }) => [at.join(" "), control]));
      const found = (part: RequestPart, place: string): RequestPart => {
        const uuid = partUuids.get(part.id);
        return {
          ...part,
          ...(markers.has(place) ? { marker: markers.get(place) } : {}),
          ...(uuid === undefined ? {} : { uuid }),
        };
      };
      const field = (wanted: string): unknown => record.fields.find(([name]) => name === wanted)?.[2];
      const listed = (name: "system" | "tools", kind: "system" | "tool"): readonly RequestPart[] => {
        const given = record.fields.find(([field]) => field === name);
        const ids = given?.[1] === "list" ? lists.get(given[2]) : given?.[1] === "part" ? [given[2]] : [];
        return (ids ?? []).map((id, index) => found({ kind, index, id }, `${name} ${index}`));
      };
      const messages = chainOf(field("messages")).flatMap((node, index) =>
        idsOf(node).map((id, block) =>
          found(
            {
              kind: "message",
              index,
              ...(node.blocks === undefined ? {} : { block }),
              ...(typeof node.role === "string" ? { role: node.role } : {}),
              id,
            },
            `messages ${index} ${block}`,
          ),
        ),
      );
      return [...listed("tools", "tool"), ...listed("system", "system"), ...messages];
    },
    offsets: (record) => [...new Set(fieldIds(record).flatMap((id) => parts.get(id)?.offset ?? []))],
    rebuild(record, lineAt) {
      const missing: string[] = [];
      const markers = new Map(record.markers.map(({ at, control }) => [at.join(" "), control]));
      const valueOf = (id: string): unknown => {
        const place = parts.get(id);
        const value = place === undefined ? undefined : valueIn(lineAt(place.offset), place.way);
        if (value !== undefined) return value;
        missing.push(id);
        return LOST;
      };
      const marked = (id: string, place: string): unknown => {
        const value = valueOf(id);
        return markers.has(place) && isFields(value)
          ? { ...value, cache_control: markers.get(place) }
          : value;
      };
      const messageOf = (node: MessageNode, index: number): unknown => {
        if (node.whole !== undefined) return valueOf(node.whole);
        if (node.text !== undefined) {
          const block = valueOf(node.text);
          return { role: node.role, content: isFields(block) ? block["text"] : block };
        }
        const content = (node.blocks ?? []).map((id, at) => marked(id, `messages ${index} ${at}`));
        return { role: node.role, content };
      };
      const chained = (last: string | null): readonly unknown[] => {
        const chain = chainOf(last);
        if (last !== null && (chain.length === 0 || chain[0]?.after !== null)) missing.push(last);
        return chain.map(messageOf);
      };
      const fields = record.fields.map(([name, kind, value]): [string, unknown] => {
        if (kind === "value") return [name, value];
        if (kind === "part") return [name, valueOf(value)];
        if (kind === "messages") return [name, chained(value)];
        const ids = lists.get(value);
        if (ids === undefined) missing.push(value);
        return [name, (ids ?? []).map((id, at) => marked(id, `${name} ${at}`))];
      });
      const body = Object.fromEntries(fields);
      const isExact = record.exact && record.redacted !== true && missing.length === 0;
      return { body, text: JSON.stringify(body), isExact, missing };
    },
  };
}

const LOST = "[lost: the recording is damaged here]";

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function nodeOf({ after, role, text, whole, blocks }: Fields): MessageNode {
  return {
    after: textOf(after) ?? null,
    role,
    ...(typeof text === "string" ? { text } : {}),
    ...(typeof whole === "string" ? { whole } : {}),
    ...(Array.isArray(blocks) ? { blocks: textsIn(blocks) } : {}),
  };
}

const kinds: ReadonlySet<unknown> = new Set(["value", "part", "list", "messages"]);

/** A line as a request's record; undefined where what it needs is not in it. */
function requestRecordOf(value: Fields): RequestRecord | undefined {
  const { fields, markers, timestamp } = value;
  if (!Array.isArray(fields) || typeof timestamp !== "string") return undefined;
  const isWhole = fields.every(
    (field: unknown) =>
      Array.isArray(field) &&
      typeof field[0] === "string" &&
      kinds.has(field[1]) &&
      (field[1] === "value" || typeof field[2] === "string" || field[2] === null),
  );
  if (!isWhole) return undefined;
  const places = asFieldsList(markers).filter(({ at }) => Array.isArray(at));
  return { ...value, markers: places } as unknown as RequestRecord;
}

function valueIn(line: Fields | undefined, way: readonly (number | string)[]): unknown {
  let at: unknown = line;
  for (const step of way) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[step];
  }
  if (way[0] !== "message") return at;
  // A line of the transcript shows the marker that its message bore first.
  return typeof at === "string" ? textBlock(at) : (markedLast(at)?.bare ?? at);
}
