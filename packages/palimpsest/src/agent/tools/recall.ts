import {
  DEFAULT_CONTEXT,
  DEFAULT_RESULTS,
  MAX_CONTEXT,
  MAX_RESULTS,
  RECALL_TOOL,
} from "../recall/wording.js";
import type { AgentTool } from "./tool.js";

export interface RecallToolOptions {
  /** The transcript of this session: the only file that is ever read. */
  readonly transcriptPath: string;
  /** Searches what subagents said in that file, instead of the conversation itself. */
  readonly isSidechain?: boolean;
}

const definition = {
  name: RECALL_TOOL,
  description: [
    "Finds again what is no longer in your context: earlier messages and tool results of this session, also those that were summarised or cleared. They are all kept in its transcript.",
    "Use it before you run a tool a second time or ask the person again. Give exactly one of query, tool_use_id and message.",
    "query finds messages that hold all its words, with the lines around them and an id to read more. tool_use_id shows the whole result of that call, message the whole message.",
  ].join("\n"),
  input_schema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        description:
          'Words that must all occur in one message, in any case and order; parts of words match too. "In quotation marks": an exact phrase. No patterns: every character is meant as it is.',
      },
      tool_use_id: { type: "string", description: "The id of a call, to read its result." },
      message: { type: "string", description: "The id of a message, as a search gave it." },
      max_results: {
        type: "integer",
        minimum: 1,
        maximum: MAX_RESULTS,
        description: `With query: how many messages to show. ${DEFAULT_RESULTS} if left out.`,
      },
      context_lines: {
        type: "integer",
        minimum: 0,
        maximum: MAX_CONTEXT,
        description: `With query: lines to show before and after each match. ${DEFAULT_CONTEXT} if left out.`,
      },
      offset: {
        type: "integer",
        minimum: 1,
        description: "With tool_use_id or message: the first line to show, counted from 1.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        description: "With tool_use_id or message: how many lines to show. As many as fit if left out.",
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
