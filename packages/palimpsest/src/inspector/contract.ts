/**
 * What the server of the inspector tells its page, as JSON. Every string of a conversation in it is hostile text: it is shown by text
 * nodes alone. Tokens and dollars come from `usage` where a field does not say `estimated`.
 *
 * All paths need `Authorization: Bearer TOKEN`; ids in paths are opaque. What fails answers with an `ApiFailure` and a status.
 */

export type PartKind = "system" | "tools" | "people" | "assistant" | "results" | "attachments" | "unknown";

export interface ApiFailure {
  readonly error: { readonly code: string; readonly message: string };
}

export interface TokenSums {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

/** `GET /api/conversations`: newest first. */
export interface ConversationList {
  readonly conversations: readonly ListedConversation[];
}

export interface ListedConversation {
  readonly id: string;
  readonly title: string;
  /** The agent that it was held with: `palimpsest`, `claude-code`, `codex`, `pi`, `gemini`, `opencode`, `gateway` … */
  readonly agent: string;
  /** Where it lies, for people: the home folder is `~`. Empty for one that is only in a running program. */
  readonly place: string;
  readonly updatedAt: string;
  readonly bytes: number;
  readonly state: "indexed" | "indexing" | "not-indexed" | "failed";
  /** Why it could not be read, in one sentence; where `state` is `failed`. */
  readonly failure?: string;
  /** Known once it is indexed. */
  readonly figures?: ConversationFigures;
  /** Requests are still being made, as far as the server knows. */
  readonly live: boolean;
}

export interface ConversationFigures {
  readonly requests: number;
  readonly messages: number;
  readonly compactions: number;
  readonly clearings: number;
  readonly breaks: number;
  /** Of the newest request of the main lane, input side and output. */
  readonly tokens: number;
  readonly largestTokens: number;
  readonly usage: TokenSums;
  /** Dollars; null where a model of it has no known prices. */
  readonly cost: number | null;
}

/** `GET /api/conversations/ID` */
export interface ConversationOverview extends ListedConversation {
  /** Grows with each change, so that a page knows what it has. */
  readonly version: number;
  readonly models: readonly {
    readonly model: string;
    readonly requests: number;
    readonly usage: TokenSums;
    readonly cost: number | null;
  }[];
  readonly lanes: readonly Lane[];
  readonly window: number | null;
  /** Lines of the timeline, such as where compaction begins. */
  readonly thresholds: readonly { readonly name: string; readonly tokens: number }[];
  readonly compactions: readonly CompactionMark[];
  readonly largest: readonly LargeItem[];
  readonly duplicateReads: readonly {
    readonly what: string;
    readonly times: number;
    readonly tokens: number;
  }[];
  /** What is in the newest request; they sum to `figures.tokens` less the output. */
  readonly parts: readonly {
    readonly kind: PartKind;
    readonly tokens: number;
    readonly estimated: boolean;
  }[];
  /** Divided by estimated sizes, as those by tool. */
  readonly costByKind: readonly { readonly kind: PartKind; readonly cost: number }[];
  readonly costByTool: readonly {
    readonly tool: string;
    readonly calls: number;
    readonly tokens: number;
    readonly cost: number;
  }[];
  /** Dollars that the cache saved against paying each input token in full; null without prices. */
  readonly cacheSaved: number | null;
  /** What the recording cannot tell, each with its size where that is known. */
  readonly unknown: readonly {
    readonly what: string;
    readonly tokens: number | null;
    readonly why: string;
  }[];
  readonly canUndo: boolean;
}

export interface Lane {
  readonly id: string;
  /** `main`, or what the subagent is called. */
  readonly name: string;
  readonly requests: number;
  readonly cost: number | null;
}

/** One of the largest blocks of the newest request. */
export interface LargeItem {
  /** For `GET …/blocks/ID`. */
  readonly block: string;
  readonly kind: PartKind;
  /** In a few words: the tool and what it was called with, or the first words. */
  readonly what: string;
  readonly tokens: number;
  readonly estimated: boolean;
  /** The first request that it was part of. */
  readonly request: number;
}

/**
 * `GET /api/conversations/ID/timeline?from=REQUEST&to=REQUEST&points=N[&lane=LANE]`: at most `points` columns (default 1,200). Where there
 * are more requests than points, a column stands for several: sizes are those of the largest request in it, costs and breaks are sums.
 */
export interface Timeline {
  readonly version: number;
  readonly total: number;
  readonly from: number;
  readonly to: number;
  /** Columns, all of the same length. `request` is the number of the request that a click opens, counted from 0. */
  readonly request: readonly number[];
  readonly requests: readonly number[];
  /** Milliseconds since 1970; null where a recording has no times. */
  readonly time: readonly (number | null)[];
  readonly kinds: Readonly<Record<PartKind, readonly number[]>>;
  readonly read: readonly number[];
  readonly written: readonly number[];
  readonly uncached: readonly number[];
  readonly output: readonly number[];
  readonly cost: readonly (number | null)[];
  /** Index into `lanes` of the overview. */
  readonly lane: readonly number[];
  readonly marks: readonly TimelineMark[];
  /** Whole sizes are as `usage` says; how they divide into kinds is estimated. */
  readonly kindsEstimated: boolean;
}

export interface TimelineMark {
  readonly request: number;
  readonly kind: "compaction" | "clearing" | "break" | "failure";
  /** One line for a tooltip. */
  readonly label: string;
  readonly dollars?: number;
  /** For compactions: the id of its view. */
  readonly compaction?: string;
}

/** `GET /api/conversations/ID/requests?from=N&count=M`: the list beside the timeline; `count` is at most 500. */
export interface RequestList {
  readonly total: number;
  readonly from: number;
  readonly requests: readonly RequestRow[];
}

export interface RequestRow {
  readonly number: number;
  readonly at: string | null;
  readonly model: string;
  readonly lane: string;
  /** What the answer did, in a few words: tools that were called, or its first words. */
  readonly label: string;
  readonly usage: TokenSums;
  /** False where `usage.output` is a placeholder, or no usage was recorded. */
  readonly isOutputKnown: boolean;
  readonly cost: number | null;
  readonly breakReason?: string;
  readonly compaction?: string;
}

/** `GET /api/conversations/ID/requests/N?from=BLOCK&count=M`: `count` is at most 500 blocks. */
export interface RequestView extends RequestRow {
  /** `recorded`: the body as it was sent; `rebuilt`: from the transcript, so that system prompt and tools may be unknown. */
  readonly source: "recorded" | "rebuilt";
  readonly parts: readonly {
    readonly kind: PartKind;
    readonly tokens: number;
    readonly estimated: boolean;
  }[];
  readonly blockCount: number;
  readonly from: number;
  readonly blocks: readonly BlockRow[];
  /** Against the request before it in the same lane; absent for the first. */
  readonly difference?: RequestDifference;
  /** The first block of the messages, for the button that goes there; -1 where there is none. */
  readonly firstNewBlock: number;
  readonly answer: readonly BlockRow[];
}

/** `GET /api/conversations/ID/requests/N/place?block=BLOCK`: where a block of an item or of a hit stands in that request. */
export interface BlockPlace {
  /** Among the blocks of the request; null where it is not one of them, such as in its answer. */
  readonly index: number | null;
}

export interface BlockRow {
  /** For `GET …/blocks/ID`. */
  readonly id: string;
  readonly index: number;
  readonly kind: PartKind;
  readonly role: "system" | "tools" | "user" | "assistant";
  /** `text`, `tool_use`, `tool_result`, `thinking`, `image`, `document`, `tool` … */
  readonly type: string;
  /** Of a tool, a call or a result: its tool. */
  readonly name?: string;
  readonly tokens: number;
  readonly estimated: boolean;
  readonly characters: number;
  /** The lifetime of a marker at its end. */
  readonly marker?: "5m" | "1h";
  /** What the cache did with it, by the tokens that `usage` tells and the places of blocks. */
  readonly cache: "read" | "written" | "uncached" | "missed" | "unknown";
  /** For one line: the first characters, at most 300. `…` ends what was cut. */
  readonly preview: string;
  readonly isNew: boolean;
  /** The number of its message in the request, from 0. */
  readonly message?: number;
}

export interface RequestDifference {
  readonly against: number;
  /** `appended`: nothing before the new messages changed. */
  readonly what: "appended" | "changed" | "unknown";
  readonly firstByte: number | null;
  /** Such as `tool mcp__search__find`, `system block 3`, `message 41`. */
  readonly owner: string | null;
  readonly block: number | null;
  readonly reason: string | null;
  readonly lostTokens: number;
  readonly dollars: number | null;
  /** Some characters of both from the first that differs, for a small two-line view. */
  readonly before: string;
  readonly after: string;
}

/** `GET /api/conversations/ID/blocks/BLOCK?offset=N&count=M`: characters; `count` is at most 64,000. */
export interface BlockText {
  readonly characters: number;
  readonly offset: number;
  readonly text: string;
}

export interface CompactionMark {
  readonly id: string;
  readonly request: number;
  readonly at: string | null;
  readonly trigger: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number | null;
}

/** `GET /api/conversations/ID/compactions/C` */
export interface CompactionView extends CompactionMark {
  readonly cost: number | null;
  readonly writer: string;
  readonly summary: string;
  /** What verification found and mended. */
  readonly findings: readonly string[];
  readonly before: readonly CompactionItem[];
  readonly after: readonly CompactionItem[];
  readonly canUndo: boolean;
}

/** What was used after a compaction and was no longer in the context: found out by replaying the conversation. */
export interface NeededLater {
  /** Null where that was not worked out. */
  readonly items:
    | readonly { readonly request: number; readonly what: string; readonly seen: string }[]
    | null;
}

export interface CompactionItem {
  readonly block: string;
  readonly kind: PartKind;
  /** By estimate. */
  readonly tokens: number;
  readonly preview: string;
  readonly fate: "kept" | "summarised" | "restored" | "dropped" | "summary";
}

/** `GET /api/conversations/ID/clock`: for the cache clock of a conversation that goes on. */
export interface CacheClock {
  readonly warmUntil: string | null;
  readonly lifetime: "5m" | "1h" | null;
  /** Dollars of sending the same again. */
  readonly nextWarm: number | null;
  readonly nextCold: number | null;
  readonly compactNow: number | null;
  readonly compactLater: number | null;
}

/** `GET /api/conversations/ID/search?q=WORDS&cursor=C`: some hits at a time, also in what was compacted away. */
export interface SearchHits {
  readonly hits: readonly {
    readonly block: string;
    readonly request: number | null;
    readonly at: string | null;
    readonly kind: PartKind;
    /** Text around the hit, at most 300 characters; the hit is `text.slice(start, end)`. */
    readonly text: string;
    readonly start: number;
    readonly end: number;
    /** No longer in the newest request. */
    readonly compactedAway: boolean;
  }[];
  readonly cursor: string | null;
  /** Of the bytes, looked through so far. */
  readonly share: number;
}

/** `GET /api/conversations/ID/advice`, and `GET /api/advice` over all that is indexed. */
export interface AdviceList {
  readonly advice: readonly Advice[];
  /** Why there is none, or what could not be judged, in one sentence. */
  readonly note: string | null;
}

export interface Advice {
  readonly what: string;
  readonly why: string;
  readonly dollars: number;
  /** Of the cost of the conversations that it was computed on. */
  readonly share: number;
}

/** `POST /api/conversations/ID/what-if` with this; answers 202 with a `WhatIf`; `DELETE /api/what-if/JOB` calls it off. */
export interface WhatIfRequest {
  readonly policy: string;
  readonly window?: number;
  readonly lifetime?: "5m" | "1h";
}

/** `GET /api/what-if/JOB`; every change is also an event. */
export interface WhatIf {
  readonly job: string;
  readonly conversation: string;
  readonly policy: string;
  readonly state: "running" | "done" | "cancelled" | "failed";
  /** 0 to 1. */
  readonly progress: number;
  readonly failure?: string;
  readonly result?: {
    readonly cost: number;
    readonly fullCost: number | null;
    readonly recordedCost: number | null;
    readonly compactions: number;
    readonly blindEdits: number;
    readonly edits: number;
    readonly recall: number | null;
    /** Tokens in each request, for the second line in the timeline: at most 1,200 columns, beside the request's number. */
    readonly line: { readonly request: readonly number[]; readonly tokens: readonly number[] };
  };
}

/** `GET /api/policies`: what a what-if may ask for. */
export interface PolicyList {
  readonly policies: readonly { readonly name: string; readonly title: string }[];
}

/** `POST /api/conversations/ID/undo` answers with this. */
export interface UndoResult {
  readonly undone: boolean;
  readonly message: string;
}

/**
 * `GET /api/events`: `text/event-stream` with ids; `Last-Event-ID` goes on after that one. At most ten a second. `event:` is `type`, `data:`
 * is the rest as JSON.
 */
export type InspectorEvent =
  | { readonly type: "conversations" }
  | { readonly type: "conversation"; readonly id: string; readonly version: number }
  | { readonly type: "indexing"; readonly id: string; readonly bytesRead: number; readonly bytes: number }
  | { readonly type: "what-if"; readonly job: WhatIf }
  /** Events were dropped: ask for everything again. */
  | { readonly type: "reset" };
