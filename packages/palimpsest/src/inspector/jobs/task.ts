import type { AdviceList, WhatIf, WhatIfRequest } from "../contract.js";

/** Work that takes long, in plain data: it travels to a thread. */
export type Task =
  | {
      readonly kind: "what-if";
      readonly file: string;
      readonly request: WhatIfRequest;
      /** Settings of the engine that stand in the environment. */
      readonly env: Readonly<Record<string, string | undefined>>;
    }
  | { readonly kind: "advice"; readonly files: readonly string[] }
  | { readonly kind: "needed-later"; readonly file: string };

export type TaskResult<Kind extends Task["kind"]> = {
  readonly "what-if": PlayedWhatIf;
  readonly advice: AdviceList;
  readonly "needed-later": readonly RecordedLoss[];
}[Kind];

type WhatIfFigures = NonNullable<WhatIf["result"]>;

/** A conversation that was played: its requests are named by the answers that were recorded for them. */
export interface PlayedWhatIf extends Omit<WhatIfFigures, "line"> {
  readonly line: { readonly response: readonly string[]; readonly tokens: readonly number[] };
}

/** What a recorded compaction took out, and later requests needed. */
export interface RecordedLoss {
  /** The answer of the first request after the compaction. */
  readonly response: string;
  readonly needed: readonly { readonly response: string; readonly what: string; readonly seen: string }[];
}

/** A task that is being done. */
export interface RunningTask<Kind extends Task["kind"]> {
  /** Rejects with an `Error` whose message is one sentence. */
  readonly result: Promise<TaskResult<Kind>>;
  /** Ends it at once; the result rejects. */
  end(): void;
}

/** `onProgress` is told a share, from 0 to 1. */
export type StartTask = <Kind extends Task["kind"]>(
  task: Extract<Task, { readonly kind: Kind }>,
  onProgress: (share: number) => void,
) => RunningTask<Kind>;
