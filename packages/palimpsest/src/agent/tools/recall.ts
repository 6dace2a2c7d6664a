import {
  DEFAULT_CONTEXT,
  DEFAULT_RESULTS,
  MAX_CONTEXT,
  MAX_RESULTS,
  RECALL_TOOL,
} from "../recall/wording.js";
import type { AgentTool } from "../base/tool.js";

export interface RecallToolOptions {
  /** The transcript of this session: the only file that is ever read. */
  readonly transcriptPath: string;
  /** Searches what subagents said in that file, instead of the conversation itself. */
  readonly isSidechain?: boolean;
}

const definition = {
  name: RECALL_TOOL,
  description: [
    "Finds again what is no longer in your context: messages and results of this session that were summarised or cleared. Use it before you run a tool a second time.",
    "Give exactly one of query (messages that hold all its words, with an id to read more), tool_use_id (the result of that call) and message.",
  ].join("\n"),
  input_schema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        description:
          'Words that must all occur in one message, in any case and order. "In quotation marks": an exact phrase. No patterns.',
      },
      tool_use_id: { type: "string", description: "The id of a call, to read its result." },
      message: { type: "string", description: "The id of a message, as a search gave it." },
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: MAX_RESULTS,
        description: `With query: messages to show. Default ${DEFAULT_RESULTS}.`,
      },
      context_lines: {
        type: "integer",
        minimum: 0,
        maximum: MAX_CONTEXT,
        description: `With query: lines around each match. Default ${DEFAULT_CONTEXT}.`,
      },
      offset: {
        type: "integer",
        minimum: 1,
        description: "With an id: the first line, from 1.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        description: "With an id: how many lines.",
      },
    },
    additionalProperties: false,
  },
} as const;

/** Searches and reads the session's own transcript, from its end to its start, without keeping any of it. */
export function createRecallTool({ transcriptPath, isSidechain = false }: RecallToolOptions): AgentTool {
  return {
    definition,
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input, { signal }) {
      // Loaded when it is first used: most sessions never do.
      const { answerRecall } = await import("../recall/answer.js");
      return answerRecall(input, { transcriptPath, isSidechain, signal });
    },
  };
}
