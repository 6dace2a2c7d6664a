import {
  createAssistantMessage,
  createCompactBoundary,
  createSystemMessage,
  createUserMessage,
  type MessageOrigin,
} from "../construct.js";
import type { UserBlock } from "../content.js";
import { asFields, asText, isFields, type Fields } from "../fields.js";
import { SYNTHETIC_MODEL, type Message, type Usage } from "../message.js";
import { ImportError, numbered, type ImportedMessages } from "./imported.js";
import { countOf, saidBlock, stepsOf, stopReasonOf, usageOf, type OpenCodeStep } from "./opencode-parts.js";

/** A session as `opencode export` writes it, or the list of its messages, each with its parts. */
export type OpenCodeExport =
  | { readonly info?: unknown; readonly messages: readonly unknown[] }
  | readonly unknown[];

/** Whether this is a message of OpenCode: what is known of it, and its parts. */
export const isOpenCodeMessage = (value: unknown): boolean =>
  isFields(value) &&
  isFields(value["info"]) &&
  typeof value["info"]["role"] === "string" &&
  Array.isArray(value["parts"]);

/**
 * A session of OpenCode as messages of ours: each step of the model one answer, with the results of its calls after it;
 * compactions and cleared results as boundaries where they happened; recorded times and usage. What was reverted is
 * left out. Throws `ImportError` where an element is not a message.
 */
export function messagesFromOpenCode(given: OpenCodeExport, origin?: MessageOrigin): ImportedMessages {
  const document = given as unknown;
  const list: unknown = Array.isArray(document) ? document : asFields(document)["messages"];
  if (!Array.isArray(list)) throw new ImportError("an export of OpenCode must have a list of messages");
  const { revert } = Array.isArray(document) ? {} : asFields(asFields(document)["info"]);
  const entries = withoutReverted(Array.from(list, readEntry), asFields(revert));
  const session = new Session(origin ?? numbered(), newestTimes(entries));
  for (const entry of entries) session.take(entry);
  return session.end();
}

/** At each message, the newest time that was known by then. */
function newestTimes(entries: readonly Entry[]): readonly number[] {
  let newest = 0;
  return entries.map(({ at }) => (newest = Math.max(newest, at)));
}

interface Entry {
  readonly info: Fields;
  readonly parts: readonly unknown[];
  readonly at: number;
}

function readEntry(given: unknown, index: number): Entry {
  const { info, parts } = asFields(given);
  const { role, time } = asFields(info);
  if (role !== "user" && role !== "assistant")
    throw new ImportError(`message ${index} must have an info with the role user or assistant, and parts`);
  return {
    info: asFields(info),
    parts: Array.isArray(parts) ? parts : [],
    at: countOf(asFields(time)["created"]),
  };
}

/** What a person has taken back is no part of the conversation any more. */
function withoutReverted(entries: readonly Entry[], { messageID, partID }: Fields): readonly Entry[] {
  const at = typeof messageID === "string" ? entries.findIndex(({ info }) => info["id"] === messageID) : -1;
  const cut = entries[at];
  if (cut === undefined) return entries;
  const part = cut.parts.findIndex((one) => partID !== undefined && asFields(one)["id"] === partID);
  const kept = part > 0 ? [{ ...cut, parts: cut.parts.slice(0, part) }] : [];
  return [...entries.slice(0, at), ...kept];
}

interface Clearing {
  readonly id: string;
  readonly at: number;
  readonly characters: number;
}

/** OpenCode's own measure of what a clearing frees. */
const CHARACTERS_PER_TOKEN = 4;
const LAST_TIME = 8.64e15;

class Session {
  readonly #origin: MessageOrigin;
  readonly #messages: Message[] = [];
  readonly #system = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #times: readonly number[];
  /** Of the message that is taken now. */
  #place = -1;
  #parent: string | null;
  /** Results that had been cleared when a message came, by its place. */
  readonly #clearings = new Map<number, Clearing[]>();
  /** A compaction was asked for; its summary comes next. */
  #compaction: Fields | undefined;
  /** The first message that was made of each message of the session, by its id. */
  readonly #made = new Map<string, string>();
  #lastUsage: Usage | undefined;

  constructor(origin: MessageOrigin, times: readonly number[]) {
    this.#origin = origin;
    this.#times = times;
    this.#parent = origin.parentUuid;
  }

  take(entry: Entry): void {
    this.#clear((this.#place += 1));
    const from = this.#messages.length;
    if (entry.info["role"] === "user") this.#takeUser(entry);
    else this.#takeAssistant(entry);
    const first = this.#messages[from];
    const id = asText(entry.info["id"]);
    if (first !== undefined && id !== "") this.#made.set(id, first.uuid);
  }

  end(): ImportedMessages {
    this.#clear(this.#times.length);
    return { messages: this.#messages, system: [...this.#system].join("\n\n") };
  }

  #takeUser({ info, parts, at }: Entry): void {
    const system = asText(info["system"]).trim();
    if (system !== "") this.#system.add(system);
    const all = parts.filter(isFields);
    this.#compaction = all.find(({ type }) => type === "compaction");
    let run: UserBlock[] = [];
    let isMeta = false;
    const close = (): void => {
      const content = run;
      if (content.length > 0) this.#add(at, (from) => createUserMessage(from, { content, isMeta }));
      run = [];
    };
    for (const part of all) {
      const block = saidBlock(part);
      if (block === undefined) continue;
      const isOfProgram = part["synthetic"] === true || part["type"] === "subtask";
      if (isOfProgram !== isMeta) close();
      isMeta = isOfProgram;
      run.push(block as UserBlock);
    }
    close();
  }

  #takeAssistant({ info, parts, at }: Entry): void {
    const steps = stepsOf(parts, (given) => this.#uniqueId(given, "call"));
    const completed = countOf(asFields(info["time"])["completed"]) || at;
    const asked = this.#compaction;
    this.#compaction = undefined;
    const { error } = info;
    const isFailed =
      isFields(error) && !(error["name"] === "MessageAbortedError" && steps.some(saysSomething));
    if (isFailed) this.#fail(error, completed);
    else if (info["summary"] === true) this.#compact({ info, parts, at: completed }, { asked, steps });
    else {
      const [only] = steps;
      if (only !== undefined && steps.length === 1) only.usage ??= usageOf(info["tokens"]);
      for (const step of steps) this.#answer(step, info, step === steps.at(-1) ? completed : step.at || at);
    }
  }

  #answer(step: OpenCodeStep, info: Fields, at: number): void {
    const { blocks: content, results, reasoning, usage } = step;
    this.#lastUsage = usage ?? this.#lastUsage;
    if (content.length === 0) return;
    const id = this.#uniqueId(asText(info["id"]), "response");
    const stopReason = stopReasonOf(step.reason || asText(info["finish"]), step);
    this.#add(at, (from) => ({
      ...createAssistantMessage(from, {
        id,
        model: modelOf(info),
        content,
        stopReason,
        ...(usage === undefined ? {} : { usage }),
      }),
      ...(reasoning.length === 0 ? {} : { reasoning }),
    }));
    if (results.length === 0) return;
    const last = results.reduce((newest, result) => Math.max(newest, result.at), at);
    const blocks = results.map(({ block }) => block);
    this.#add(last, (from) => createUserMessage(from, { content: blocks }));
    for (const { block, clearedAt } of results) {
      const characters = typeof block.content === "string" ? block.content.length : 0;
      if (clearedAt > 0) this.#schedule({ id: block.tool_use_id, at: clearedAt, characters });
    }
  }

  /** A request that failed: the program wrote down why. */
  #fail(error: Fields, at: number): void {
    const text = asText(asFields(error["data"])["message"]) || asText(error["name"]) || "no answer";
    const id = this.#uniqueId("", "failed");
    this.#add(at, (from) =>
      createAssistantMessage(from, {
        id,
        model: SYNTHETIC_MODEL,
        content: [{ type: "text", text }],
        isApiErrorMessage: true,
      }),
    );
  }

  /** What stood before is replaced by a summary, and by what the session kept after it. */
  #compact(
    { info, at }: Entry,
    { asked, steps }: { readonly asked: Fields | undefined; readonly steps: readonly OpenCodeStep[] },
  ): void {
    const texts = steps.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])),
    );
    const headUuid = this.#made.get(asText(asked?.["tail_start_id"]));
    const tailUuid = this.#parent;
    const summaryUuid = this.#origin.ids.next();
    const usage = steps.at(-1)?.usage ?? usageOf(info["tokens"]);
    this.#add(at, (from) =>
      createCompactBoundary(from, {
        trigger: asked?.["auto"] === false ? "manual" : "auto",
        preTokens: sumOf(this.#lastUsage),
        ...(usage === undefined
          ? {}
          : { summaryCalls: [{ model: modelOf(info), usage, source: "compact" }] }),
        ...(headUuid === undefined || tailUuid === null
          ? {}
          : { preservedSegment: { headUuid, tailUuid, anchorUuid: summaryUuid } }),
      }),
    );
    this.#add(at, (from) =>
      createUserMessage(
        { ...from, ids: { next: () => summaryUuid } },
        { content: texts.join("\n\n"), isCompactSummary: true, isVisibleInTranscriptOnly: true },
      ),
    );
  }

  /** A clearing stands before the first message that is newer than it. */
  #schedule(clearing: Clearing): void {
    let [from, to] = [this.#place + 1, this.#times.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if ((this.#times[middle] ?? 0) > clearing.at) to = middle;
      else from = middle + 1;
    }
    const known = this.#clearings.get(from);
    if (known === undefined) this.#clearings.set(from, [clearing]);
    else known.push(clearing);
  }

  #clear(place: number): void {
    const due = this.#clearings.get(place);
    if (due === undefined) return;
    const newest = due.reduce((time, { at }) => Math.max(time, at), 0);
    const characters = due.reduce((sum, clearing) => sum + clearing.characters, 0);
    const boundary = { subtype: "microcompact_boundary", content: "Old tool results cleared", level: "info" };
    this.#add(newest, (from) => ({
      ...createSystemMessage(from, boundary),
      microcompactMetadata: {
        variant: "size-based",
        trigger: "auto",
        toolUseIds: due.map(({ id }) => id),
        tokensBefore: Math.ceil(characters / CHARACTERS_PER_TOKEN),
        tokensAfter: 0,
      },
    }));
  }

  #uniqueId(given: string, kind: string): string {
    const isNew = given !== "" && !this.#ids.has(given);
    const id = isNew ? given : `${kind}_${this.#ids.size + 1}`;
    this.#ids.add(id);
    return id;
  }

  #add(at: number, create: (origin: MessageOrigin) => Message): void {
    const { clock } = this.#origin;
    const time = at > 0 && at < LAST_TIME ? { now: () => at } : clock;
    const message = create({ ...this.#origin, clock: time, parentUuid: this.#parent });
    this.#messages.push(message);
    this.#parent = message.uuid;
  }
}

/** What was cut off right away says nothing. */
const saysSomething = ({ blocks }: OpenCodeStep): boolean =>
  blocks.some(({ type }) => type === "text" || type === "tool_use");

const modelOf = ({ modelID, model }: Fields): string =>
  asText(modelID) || asText(asFields(model)["modelID"]) || "unknown";

const sumOf = (usage: Usage | undefined): number =>
  (usage?.input_tokens ?? 0) +
  (usage?.cache_read_input_tokens ?? 0) +
  (usage?.cache_creation_input_tokens ?? 0) +
  (usage?.output_tokens ?? 0);
