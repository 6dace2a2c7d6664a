import type { Fields } from "../../replay/readers/recording.js";
import type { ListedConversation, UndoResult } from "../contract.js";
import type { ConversationIndex } from "../index/conversation-index.js";
import type { MessageReader } from "../index/message-reader.js";

/** A conversation whose figures are known. */
export interface OpenConversation {
  readonly listed: ListedConversation;
  /** Grows with each change. */
  readonly version: number;
  readonly index: ConversationIndex;
  readonly reader: MessageReader;
  /** The file that it is read from; subagents may have files of their own. */
  readonly path: string;
  /** All of its files in the order in which places number them: `path` first. */
  readonly files: readonly ConversationFile[];
  readonly canUndo: boolean;
  /** Sizes at which something happens, where its agent tells them. */
  readonly thresholds: readonly { readonly name: string; readonly tokens: number }[];
  /** A request's body by the id of its answer, where the program that sent it remembers it. */
  readonly remembered?: (response: string) => RememberedBody | undefined;
}

interface ConversationFile {
  readonly path: string;
  /** Bytes of it that are indexed. */
  readonly size: number;
  /** All lines of it make its messages together. */
  readonly isWhole: boolean;
}

/** A body that a running program has sent. */
export interface RememberedBody {
  readonly body: Fields;
  readonly betas: readonly string[];
}

/** What the API shows: where conversations come from is nothing that it knows. */
export interface Conversations {
  list(): Promise<readonly ListedConversation[]>;
  /** Once its figures are known. Undefined where nothing has this id; throws `RecordingError` for what cannot be read. */
  open(id: string): Promise<OpenConversation | undefined>;
  /** Of all of them, the newest first. */
  files(): Promise<readonly string[]>;
  /** Takes the last compaction back, where the conversation goes on and is ours. Undefined where nothing has this id. */
  undo(id: string): Promise<UndoResult | undefined>;
}
