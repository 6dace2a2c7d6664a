import { stat } from "node:fs/promises";
import { RecordingError } from "../../replay/readers/recording-error.js";
import { createSharedCounter } from "../../simulator/tokens/shared-counter.js";
import type { Advice, AdviceList } from "../contract.js";
import { describeFinding } from "./describe-finding.js";
import type { Finding } from "./finding.js";
import { mergeFindings } from "./merge-findings.js";
import { readConversation, type AdvisedConversation } from "./read-conversation.js";
import { findUnusedServers } from "./unused-servers.js";

/** Of the cost: what saves less is not worth a line. */
const LEAST_SHARE = 0.01;
const LEAST_DOLLARS = 0.001;
const MOST_ADVICE = 3;

export interface AdviceReport extends AdviceList {
  /** What the share of each is of: dollars of all conversations that were read. */
  readonly dollars: number;
  readonly conversations: number;
  /** Files that are not recordings, or cannot be read. */
  readonly failed: readonly { readonly file: string; readonly error: string }[];
}

export interface AdviceProgress {
  /** From 0. */
  readonly file: number;
  readonly files: number;
  readonly bytesRead: number;
  readonly bytes: number;
}

/**
 * What people could change on their agents, priced on their own requests: at most three changes, the dearest first. A file
 * that is not a recording is left out, and told of. `signal` ends it between two pieces of a file.
 */
export async function adviseOn(
  files: readonly string[],
  options: { readonly onProgress?: (progress: AdviceProgress) => void; readonly signal?: AbortSignal } = {},
): Promise<AdviceReport> {
  const { onProgress, signal } = options;
  const counter = createSharedCounter();
  const read: AdvisedConversation[] = [];
  const failed: { file: string; error: string }[] = [];
  for (const [index, file] of files.entries()) {
    const bytes = (await stat(file).catch(() => undefined))?.size ?? 0;
    const onBytes = (bytesRead: number): void => {
      signal?.throwIfAborted();
      onProgress?.({ file: index, files: files.length, bytesRead, bytes });
    };
    onBytes(0);
    try {
      read.push(await readConversation(file, { counter, onBytes }));
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      failed.push({ file, error: error.message });
    }
  }
  return { ...adviceFor(read), conversations: read.length, failed };
}

function adviceFor(read: readonly AdvisedConversation[]): AdviceList & { readonly dollars: number } {
  const dollars = read.reduce((sum, one) => sum + one.dollars, 0);
  const agents = [...new Set(read.map(({ agent }) => agent))];
  const advice = agents.flatMap((agent) =>
    findingsOf(read.filter((one) => one.agent === agent)).map((finding): Advice => {
      const { what, why } = describeFinding(finding.facts);
      return {
        what: agents.length === 1 ? what : `${agent}: ${what}`,
        why,
        dollars: finding.dollars,
        share: dollars === 0 ? 0 : finding.dollars / dollars,
      };
    }),
  );
  const worth = advice
    .filter((one) => one.dollars >= LEAST_DOLLARS && one.share >= LEAST_SHARE)
    .toSorted((one, other) => other.dollars - one.dollars)
    .slice(0, MOST_ADVICE);
  return { advice: worth, note: noteOf(read, worth.length), dollars };
}

const findingsOf = (conversations: readonly AdvisedConversation[]): readonly Finding[] => [
  ...mergeFindings(conversations.flatMap(({ findings }) => findings)),
  ...findUnusedServers(conversations.map(({ servers }) => servers)),
];

/** What could not be judged, and that there is nothing to change where that is so. */
function noteOf(read: readonly AdvisedConversation[], found: number): string | null {
  const sum = (of: (one: AdvisedConversation) => number): number =>
    read.reduce((total, one) => total + of(one), 0);
  const [requests, priced, withPrompt] = [
    sum((one) => one.requests),
    sum((one) => one.priced),
    sum((one) => one.withPrompt),
  ];
  if (read.length === 0) return "There is no recording to judge.";
  if (requests === 0) return "No response reports its usage, so nothing can be priced.";
  if (priced === 0) return "No prices are known for the models of these requests.";
  const notes = [
    found === 0 && "Nothing was found that is worth changing.",
    priced < requests &&
      `${requests - priced} of ${requests} requests went to models without known prices and are left out.`,
    withPrompt === 0 &&
      "System prompt and tools are not recorded: MCP servers that are never called, and what changes before the messages, could not be judged.",
    withPrompt > 0 &&
      withPrompt < requests &&
      `System prompt and tools are recorded for ${withPrompt} of ${requests} requests: the others could not be judged for MCP servers and for what changes before the messages.`,
  ].filter((note) => note !== false);
  return notes.length === 0 ? null : notes.join(" ");
}
