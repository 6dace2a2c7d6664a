import { errorText } from "../../messages/error-text.js";
import type { ModelResponse } from "../../messages/call/response.js";
import type { BilledCall } from "../../messages/billed-calls.js";
import type { QuerySource } from "../../messages/call/query-source.js";
import type { RequestMessage, ToolUseBlock, UserBlock } from "../../messages/content.js";
import type { Estimator } from "../ports/estimator.js";
import { billCall, sourceBeside } from "../money/bill-call.js";
import type { ModelProvider } from "../ports/model-provider.js";
import type { NotesStore } from "../ports/notes-store.js";
import { buildFork } from "../prompt/fork.js";
import { forkMaxTokens } from "../prompt/fork-max-tokens.js";
import type { BuiltRequest, CacheSafeParams } from "../prompt/request-builder.js";
import type { Settings } from "../settings/settings.js";
import { askModel, type AskOptions } from "../summarise/write/ask-model.js";
import { extractionPrompt } from "./extraction-prompt.js";
import { applyNotesEdit, type NotesEditTool } from "./notes-edit.js";
import { excessOf } from "./notes-budget.js";
import { mendNotes, notesTemplate } from "./template.js";

export interface Extraction {
  readonly provider: ModelProvider;
  /** Whose conversation it is. */
  readonly source: QuerySource;
  readonly params: CacheSafeParams;
  /** The conversation as it is to be noted: whole rounds. */
  readonly messages: readonly RequestMessage[];
  readonly store: NotesStore;
  readonly tool: NotesEditTool;
  readonly estimator: Estimator;
  readonly settings: Settings;
  readonly now: () => number;
  /** What the window leaves beside the conversation; undefined where nobody knows. */
  readonly room?: number | undefined;
  readonly signal?: AbortSignal;
  /** Told what is sent, before it is. */
  /** Told what is sent, before it is; what it gives is told of the answer. */
  readonly onRequest?: (built: BuiltRequest) => ((response: ModelResponse) => void) | void;
  readonly onRetry?: AskOptions["onRetry"];
}

export type ExtractionOutcome =
  | {
      readonly kind: "updated";
      readonly edits: number;
      readonly refused: number;
      readonly calls: readonly BilledCall[];
    }
  /** The model had nothing to add, or everything it tried was refused. The notes are what they were. */
  | { readonly kind: "unchanged"; readonly refused: number; readonly calls: readonly BilledCall[] }
  | { readonly kind: "failed"; readonly message: string; readonly calls: readonly BilledCall[] };

/**
 * Brings the notes up to date through a fork on the conversation's cache that may only edit the one file. Edits
 * are made on a copy and written at once, at the end: a crash in between leaves the old notes. Never throws.
 */
export async function extractNotes(extraction: Extraction): Promise<ExtractionOutcome> {
  const calls: BilledCall[] = [];
  try {
    return await extract(extraction, calls);
  } catch (error) {
    return { kind: "failed", message: errorText(error), calls };
  }
}

async function extract(extraction: Extraction, billed: BilledCall[]): Promise<ExtractionOutcome> {
  const { provider, params, messages, store, tool, estimator, settings, now, signal, onRequest } = extraction;
  const before = mendNotes((await store.read()) ?? notesTemplate);
  const prompt = extractionPrompt({
    path: store.path,
    notes: before,
    toolName: tool.name,
    excess: excessOf(before, estimator, settings),
    sectionTokens: settings.notesSectionTokens,
    totalTokens: settings.notesTokens,
  });
  const { room } = extraction;
  const asked = { type: "text" as const, text: prompt };
  const maxTokens = forkMaxTokens(params.parameters, {
    outputTokens: settings.compactOutputTokens,
    room: room === undefined ? undefined : room - estimator.block(asked),
  });
  const own: RequestMessage[] = [{ role: "user", content: [asked] }];
  let notes = before;
  let [edits, refused] = [0, 0];
  for (let round = 0; round < settings.notesRounds; round += 1) {
    const built = buildFork(params, {
      source: "session_memory",
      prefix: messages,
      messages: Array.from(own),
      now: now(),
      maxTokens,
      answer: "calls",
    });
    const tell = onRequest?.(built);
    const answer = await askModel(
      provider,
      { request: built.request, betas: built.betas },
      { signal, onRetry: extraction.onRetry },
    );
    const source = sourceBeside(extraction.source, "session_memory");
    billed.push(...answer.sent.map((one) => billCall(one, { source, estimator })));
    if (answer.kind === "failure") {
      if (edits > 0) break;
      return { kind: "failed", message: answer.failure.message, calls: billed };
    }
    tell?.(answer.response);
    const { content } = answer.response;
    const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
    if (calls.length === 0) break;
    const results: UserBlock[] = [];
    for (const call of calls) {
      const outcome = applyNotesEdit(notes, call, { path: store.path, tool });
      if (outcome.kind === "edited") {
        notes = outcome.notes;
        edits += 1;
        results.push({ type: "tool_result", tool_use_id: call.id, content: "Edited." });
      } else {
        refused += 1;
        results.push({ type: "tool_result", tool_use_id: call.id, content: outcome.message, is_error: true });
      }
    }
    // All went well: there is nothing to tell the model any more.
    if (results.every((result) => !("is_error" in result))) break;
    own.push({ role: "assistant", content }, { role: "user", content: results });
  }
  if (notes === before) return { kind: "unchanged", refused, calls: billed };
  await store.write(notes);
  return { kind: "updated", edits, refused, calls: billed };
}
