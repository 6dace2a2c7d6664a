/** The tool by which a model finds again what left its context. */
export const RECALL_TOOL = "Recall";

/** How much one search shows. */
export const RECALL_LIMITS = {
  defaultResults: 5,
  maxResults: 20,
  defaultContextLines: 2,
  maxContextLines: 20,
} as const;

/**
 * The definition, for requests. Who declares it answers its calls from the transcript, and hands `recallHint` and `droppedHint`
 * to the conversation, so that the model is told of it where something is missing.
 */
export const recallTool = {
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
        maximum: RECALL_LIMITS.maxResults,
        description: `With query: messages to show. Default ${RECALL_LIMITS.defaultResults}.`,
      },
      context_lines: {
        type: "integer",
        minimum: 0,
        maximum: RECALL_LIMITS.maxContextLines,
        description: `With query: lines around each match. Default ${RECALL_LIMITS.defaultContextLines}.`,
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
