import { findModel } from "@palimpsest/core";
import { requestLineTypes, type RequestRecord } from "../../recording/request-record.js";
import { DEFAULT_REPLAYED_MODEL } from "../../replay/play/playing-conditions.js";
import { asText, isFields, type Fields, type RecordedLine } from "../../replay/readers/recording.js";
import { createRequestIndex, type RequestPart } from "../../replay/requests/request-index.js";
import { commonLength } from "../../simulator/breaks/first-difference.js";
import { settingsOf } from "../../simulator/breaks/prompt-settings.js";
import { blockTokens } from "../../simulator/tokens/block-tokens.js";
import type { TokenCounter } from "../../simulator/tokens/bpe-counter.js";
import type { HeadPart, SentPrompt } from "./advised-request.js";

export interface SentPrompts {
  take(line: RecordedLine): void;
  /** All that were recorded, in the order in which they were answered. */
  readonly sent: readonly { readonly record: RequestRecord; readonly prompt: SentPrompt }[];
  /** Some characters around the first in which two parts differ; null where that is not known any more. */
  exampleOf(sample: { readonly before: string; readonly now: string }): Example | null;
}

interface Example {
  readonly before: string;
  readonly now: string;
}

interface KnownPart {
  readonly name: string;
  readonly tokens: number;
  readonly text: string;
}

/** Texts of tools and system prompts that are remembered at once. */
const MOST_CHARACTERS = 8_000_000;
/** More of a change is not a date or a number, and is not shown. */
const LONGEST_EXAMPLE = 64;

/** Reads the requests that stand in a recording beside its messages: what they begin with, and by ids what they consist of. */
export function createSentPrompts(counter: TokenCounter): SentPrompts {
  const index = createRequestIndex();
  /** Parts since the last request: those of a list stand before it. */
  let pending = new Map<string, unknown>();
  const known = new Map<string, KnownPart>();
  const sent: { record: RequestRecord; prompt: SentPrompt }[] = [];
  let characters = 0;
  let model = findModel(DEFAULT_REPLAYED_MODEL);

  const learn = (id: string): void => {
    const value = pending.get(id);
    if (value === undefined || known.has(id)) return;
    const tokens = model === undefined ? 0 : blockTokens(value, model, counter);
    const whole = isFields(value) && value["type"] === "text" ? asText(value["text"]) : JSON.stringify(value);
    const text = characters + whole.length > MOST_CHARACTERS ? "" : whole;
    characters += text.length;
    known.set(id, { name: isFields(value) ? asText(value["name"]) : "", tokens, text });
  };

  const headOf = (record: RequestRecord, parts: readonly RequestPart[]): readonly HeadPart[] => {
    const pieces = parts.flatMap(({ kind, index: at, id }): readonly HeadPart[] => {
      if (kind === "message") return [];
      const { name = "", tokens = 0 } = known.get(id) ?? {};
      return [{ kind, name: kind === "tool" ? name : String(at), id, tokens }];
    });
    const values = record.fields.flatMap(([name, kind, value]) => (kind === "value" ? [[name, value]] : []));
    const { speed, others } = settingsOf(Object.fromEntries(values) as Fields, record.betas ?? []);
    const settings = Object.entries({ speed, ...others }).map(([name, id]): HeadPart => ({
      kind: "setting",
      name,
      id,
      tokens: 0,
    }));
    return [...pieces, ...settings];
  };

  return {
    sent,
    take(line) {
      index.take(line);
      const { type, id, value, parts } = line.value;
      if (type === requestLineTypes.part && typeof id === "string" && value !== undefined) {
        pending.set(id, value);
      } else if (type === requestLineTypes.list && Array.isArray(parts)) {
        for (const part of parts) if (typeof part === "string") learn(part);
      } else if (type === requestLineTypes.request) {
        pending = new Map();
        const last = index.requests.at(-1);
        if (last === undefined || last.offset !== line.offset) return;
        const { record } = last;
        model = findModel(record.model ?? "") ?? model;
        const prompt: SentPrompt = {
          at: Date.parse(record.timestamp),
          parts: headOf(record, index.parts(record)),
          messages: () => messagesOf(index.parts(record)),
        };
        sent.push({ record, prompt });
      }
    },
    exampleOf({ before, now }) {
      const [old, fresh] = [known.get(before)?.text ?? "", known.get(now)?.text ?? ""];
      return old === "" || fresh === "" ? null : changedMiddle(old, fresh);
    },
  };
}

/** Each message by what it holds. */
function messagesOf(parts: readonly RequestPart[]): readonly string[] {
  const messages: string[] = [];
  for (const { kind, index, role = "", id } of parts) {
    if (kind === "message") messages[index] = `${messages[index] ?? role} ${id}`;
  }
  return messages;
}

const SHOWN_AROUND = 16;

/** What stands between the beginning and the end that both have, with some characters around it; null where it is long. */
function changedMiddle(before: string, now: string): Example | null {
  const start = commonLength(before, now);
  const most = Math.min(before.length, now.length) - start;
  let end = 0;
  while (end < most && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  if (before.length - start - end > LONGEST_EXAMPLE || now.length - start - end > LONGEST_EXAMPLE)
    return null;
  const from = Math.max(0, start - SHOWN_AROUND);
  const shown = (text: string): string => text.slice(from, text.length - Math.max(0, end - SHOWN_AROUND));
  return { before: shown(before), now: shown(now) };
}
