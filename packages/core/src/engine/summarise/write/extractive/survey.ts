import type { ToolResultBlock } from "../../../../messages/content.js";
import { asText, blocksIn, isFields, type Fields } from "../../../../messages/fields.js";
import type { AttachmentMessage, Message, UserMessage } from "../../../../messages/message.js";
import { isHumanMessage, isSyntheticError } from "../../../../messages/predicates.js";
import type { CompactableTools } from "../../../tools/compactable-tools.js";
import { fileReadsOf } from "../../../tools/file-reads.js";
import { typedText } from "../../people/typed-text.js";
import { changedFiles, resultText, type Call } from "./call.js";
import { failureOf } from "./failure.js";
import { CALL_LISTS, NOTICE_LISTS, TodoTracker, type Todo } from "./todos.js";

/** What happened, in order. */
export type Entry =
  | { readonly kind: "human"; readonly text: string }
  | { readonly kind: "said"; readonly text: string; readonly isFinal: boolean }
  | { readonly kind: "call"; readonly call: Call };

/** A file that calls read or changed. */
export interface TouchedFile {
  readonly path: string;
  reads: number;
  changes: number;
  failedChanges: number;
  isNew: boolean;
  /** Place of the newest call about it. */
  last: number;
  lastChange?: Call;
  lastRead?: Call;
}

/** A plan that the agent works by. */
export interface Plan {
  readonly path: string;
  readonly content: string;
}

/** What the messages show, in one pass over them. */
export interface Survey {
  readonly entries: readonly Entry[];
  /** By path, as it was first written. */
  readonly files: ReadonlyMap<string, TouchedFile>;
  readonly changedOutside: readonly string[];
  /** Still open. */
  readonly todos: readonly Todo[];
  readonly plan: Plan | undefined;
  /** The text of summaries that stand among the messages. */
  readonly earlier: string;
}

export function surveyOf(live: readonly Message[], tools: CompactableTools): Survey {
  const surveyor = new Surveyor(tools);
  for (const message of live) surveyor.take(message);
  return surveyor.finish();
}

class Surveyor {
  readonly #tools: CompactableTools;
  readonly #entries: Entry[] = [];
  readonly #calls = new Map<string, Call>();
  readonly #outside = new Set<string>();
  readonly #todos = new TodoTracker();
  readonly #earlier: string[] = [];
  #plan: Plan | undefined;
  /** The newest words of the model, as long as nothing follows them. */
  #lastSaid: string | undefined;

  constructor(tools: CompactableTools) {
    this.#tools = tools;
  }

  take(message: Message): void {
    if (message.type === "user") this.#user(message);
    else if (message.type === "attachment") this.#attachment(message);
    else if (message.type === "assistant" && !isSyntheticError(message)) {
      for (const block of blocksIn(message.message?.content)) this.#block(block);
    }
  }

  finish(): Survey {
    this.#flushSaid(true);
    return {
      entries: this.#entries,
      files: touchedFiles(this.#entries),
      changedOutside: [...this.#outside],
      todos: this.#todos.open(),
      plan: this.#plan,
      earlier: this.#earlier.join("\n\n"),
    };
  }

  #user(message: UserMessage): void {
    const content: unknown = message.message?.content;
    if (message.isCompactSummary === true) {
      this.#earlier.push(
        typeof content === "string"
          ? content
          : blocksIn(content)
              .map((block) => asText(block["text"]))
              .join("\n"),
      );
      return;
    }
    for (const block of blocksIn(content)) {
      if (block["type"] === "tool_result") this.#result(block as unknown as ToolResultBlock);
    }
    const text = isHumanMessage(message) ? typedText(message) : "";
    if (text === "") return;
    this.#flushSaid(true);
    this.#entries.push({ kind: "human", text });
  }

  #block(block: Fields): void {
    if (block["type"] === "text" && asText(block["text"]).trim() !== "") {
      this.#flushSaid(false);
      this.#lastSaid = asText(block["text"]).trim();
    }
    if (block["type"] === "compaction") this.#earlier.push(asText(block["content"]));
    if (block["type"] !== "tool_use") return;
    this.#flushSaid(false);
    const name = asText(block["name"]);
    const kind = this.#tools.kindOf(name);
    const input = isFields(block["input"]) ? block["input"] : {};
    const changes = changedFiles(name, kind, input);
    const reads = kind === "file-read" ? fileReadsOf(input).map(({ path }) => path) : [];
    const call: Call = { name, kind, input, changes, reads };
    this.#entries.push({ kind: "call", call });
    this.#calls.set(asText(block["id"]), call);
    if (kind !== undefined) return;
    this.#todos.replace(input, CALL_LISTS);
    if (/^taskupdate$/i.test(plain(name))) this.#todos.update(input);
    if (typeof input["plan"] === "string") {
      this.#plan = { path: asText(input["planFilePath"]), content: input["plan"] };
    }
  }

  #result(block: ToolResultBlock): void {
    const call = this.#calls.get(block.tool_use_id);
    if (call === undefined) return;
    call.result = block;
    const text = resultText(block);
    const failure = failureOf(block, { kind: call.kind, text });
    if (failure !== undefined) call.failure = failure;
    if (call.kind === undefined && /^taskcreate$/i.test(plain(call.name)))
      this.#todos.create(call.input, text);
  }

  #attachment({ attachment }: AttachmentMessage): void {
    if (!isFields(attachment)) return;
    switch (attachment.type) {
      case "todo":
      case "todo_reminder":
      case "task_reminder":
        this.#todos.replace(attachment, NOTICE_LISTS);
        break;
      case "edited_text_file": {
        const path = asText(attachment["filename"]) || asText(attachment["path"]);
        if (path !== "") this.#outside.add(path);
        break;
      }
      case "plan_file_reference":
        this.#plan = {
          path: asText(attachment["planFilePath"]) || asText(attachment["path"]),
          content: asText(attachment["planContent"]) || asText(attachment["content"]),
        };
        break;
      default:
        break;
    }
  }

  #flushSaid(isFinal: boolean): void {
    if (this.#lastSaid === undefined) return;
    this.#entries.push({ kind: "said", text: this.#lastSaid, isFinal });
    this.#lastSaid = undefined;
  }
}

const plain = (name: string): string => name.replaceAll(/[_.-]/g, "");

function touchedFiles(entries: readonly Entry[]): ReadonlyMap<string, TouchedFile> {
  const files = new Map<string, TouchedFile>();
  for (const [order, entry] of entries.entries()) {
    if (entry.kind !== "call") continue;
    const { call } = entry;
    const touch = (path: string): TouchedFile => {
      const fresh = { path, reads: 0, changes: 0, failedChanges: 0, isNew: false, last: order };
      const file: TouchedFile = files.get(path) ?? fresh;
      files.set(path, file);
      file.last = order;
      return file;
    };
    for (const path of call.changes) {
      const file = touch(path);
      file.changes += 1;
      if (call.failure !== undefined) file.failedChanges += 1;
      else file.lastChange = call;
      file.isNew ||= call.kind === "file-write" && file.reads === 0 && file.changes === 1;
    }
    for (const path of call.reads) {
      const file = touch(path);
      file.reads += 1;
      if (call.failure === undefined) file.lastRead = call;
    }
  }
  return files;
}
