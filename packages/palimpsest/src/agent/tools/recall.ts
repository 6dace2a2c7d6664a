import { recallTool } from "@palimpsest/core/engine";
import type { AgentTool } from "../base/tool.js";

export interface RecallToolOptions {
  /** The transcript of this session: the only file that is ever read. */
  readonly transcriptPath: string;
  /** Searches what subagents said in that file, instead of the conversation itself. */
  readonly isSidechain?: boolean;
}

/** Searches and reads the session's own transcript, from its end to its start, without keeping any of it. */
export function createRecallTool({ transcriptPath, isSidechain = false }: RecallToolOptions): AgentTool {
  return {
    definition: recallTool,
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input, { signal }) {
      // Loaded when it is first used: most sessions never do.
      const { answerRecall } = await import("../recall/answer.js");
      return answerRecall(input, { transcriptPath, isSidechain, signal });
    },
  };
}
