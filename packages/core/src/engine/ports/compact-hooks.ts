/**
 * What a host wants to say or do around a compaction. Each may reject: the compaction goes on without it. The signal is
 * that of the compaction: nobody waits for an answer once it is aborted.
 */
export interface CompactHooks {
  /** Once for each compaction, whoever writes the summary in the end. */
  preCompact(input: PreCompactInput, signal?: AbortSignal): Promise<PreCompactOutput>;
  sessionStart(
    input: { readonly source: "compact"; readonly sessionId: string },
    signal?: AbortSignal,
  ): Promise<HookContext>;
  postCompact(input: PostCompactInput, signal?: AbortSignal): Promise<HookContext>;
}

export interface PreCompactInput {
  readonly trigger: "manual" | "auto";
  readonly customInstructions: string | undefined;
  readonly sessionId: string;
  readonly transcriptPath: string | undefined;
}

export interface PreCompactOutput {
  /** More instructions for the summary. */
  readonly instructions?: string;
  /** For the person. */
  readonly message?: string;
  /** Nothing is compacted, for this reason. */
  readonly block?: string;
}

export interface PostCompactInput {
  readonly trigger: "manual" | "auto";
  readonly summary: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface HookContext {
  /** For the model, as attachments after the summary. */
  readonly contexts?: readonly string[];
  /** For the person. */
  readonly message?: string;
}
