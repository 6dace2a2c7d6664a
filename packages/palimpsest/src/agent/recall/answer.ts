import { RECALL_LIMITS } from "@palimpsest/core/engine";
import { countField, textField } from "../base/input-fields.js";
import type { ToolInput, ToolOutput } from "../base/tool.js";
import { queryTerms } from "./query-terms.js";
import { searchTranscript } from "./search-transcript.js";
import { showMessage, showResult, type ShownEntry } from "./show-entry.js";
import { showHits } from "./show-hits.js";
import { withTranscript, type TranscriptFile } from "./transcript-file.js";

const MAX_ID = 200;

export interface AnswerOptions {
  readonly transcriptPath: string;
  readonly isSidechain: boolean;
  readonly signal: AbortSignal;
}

/** Carries out one call of the tool. Rejects where the transcript cannot be read, and with the signal's reason. */
export function answerRecall(input: ToolInput, options: AnswerOptions): Promise<ToolOutput> {
  const { transcriptPath, ...others } = options;
  return answerFrom(input, { ...others, open: (use) => withTranscript(transcriptPath, use) });
}

/** Opens the transcript for as long as `use` takes. Undefined where there is none yet. */
export type OpenTranscript = <T>(use: (file: TranscriptFile) => Promise<T>) => Promise<T | undefined>;

/** The same, wherever the transcript is. */
export async function answerFrom(
  input: ToolInput,
  { open, isSidechain, signal }: Omit<AnswerOptions, "transcriptPath"> & { readonly open: OpenTranscript },
): Promise<ToolOutput> {
  const ask = asked(input);
  if (typeof ask === "string") return { content: ask, isError: true };
  const answer = await open((file) => ask({ file, signal, isSidechain }));
  return answer ?? { content: "Nothing of this session is stored yet.", isError: true };
}

interface Search {
  readonly file: TranscriptFile;
  readonly signal: AbortSignal;
  readonly isSidechain: boolean;
}

/** What to do with the transcript, or why nothing can be done. */
function asked(input: ToolInput): string | ((search: Search) => Promise<ToolOutput>) {
  const [query, toolUseId, message] = ["query", "tool_use_id", "message"].map((name) =>
    textField(input, name)?.trim(),
  );
  const given = [query, toolUseId, message].filter((text) => text !== undefined && text !== "");
  if (given.length !== 1) return "Give exactly one of query, tool_use_id and message.";
  const id = toolUseId !== undefined && toolUseId !== "" ? toolUseId : message;
  if (id !== undefined && id !== "") {
    if (id.length > MAX_ID) return "That is not an id. Search with a query instead.";
    const page = {
      offset: countField(input, "offset", 1) ?? 1,
      limit: countField(input, "limit", 1) ?? Infinity,
    };
    const show = id === toolUseId ? showResult : showMessage;
    return async ({ file, signal }) => output(await show({ file, signal, id, ...page }));
  }
  const sought = queryTerms(query ?? "");
  if (sought === undefined)
    return "The query has no word to look for. Give at least one with a letter or a digit.";
  const maxResults = Math.min(
    RECALL_LIMITS.maxResults,
    countField(input, "max_results", 1) ?? RECALL_LIMITS.defaultResults,
  );
  const contextLines = Math.min(
    RECALL_LIMITS.maxContextLines,
    countField(input, "context_lines") ?? RECALL_LIMITS.defaultContextLines,
  );
  return async ({ file, signal, isSidechain }) => {
    const result = await searchTranscript(file, { sought, maxResults, contextLines, isSidechain, signal });
    if (result.hits.length > 0) return { content: await showHits(result, { file, signal }) };
    const words = sought.terms.length > 1 ? "all of these words" : "that";
    return { content: `Nothing in the transcript holds ${words}. Try fewer words, or other ones.` };
  };
}

const output = ({ text, isError }: ShownEntry): ToolOutput =>
  isError ? { content: text, isError } : { content: text };
