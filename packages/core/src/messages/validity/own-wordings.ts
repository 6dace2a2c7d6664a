/**
 * Texts for rules whose wording the reference does not give: written by this project in the style of the API.
 * A client must not rely on them.
 */
export const ownWordings = {
  nestingTooDeep: (levels: number): string =>
    `The request body is not valid JSON: nesting deeper than ${levels} levels`,
  tooManyMessages: (limit: number, found: number): string =>
    `List should have at most ${limit} items after validation, not ${found}`,
  blankStopSequence: "each stop sequence must contain non-whitespace",
  emptyDocument: "document cannot be empty",
  invalidUrl: "URL scheme should be 'http' or 'https'",
  malformedUrl: "Input should be a valid URL",
  citationsOnUserText: "citations are only permitted on `text` blocks in `assistant` messages",
  emptySystemMessage: "system messages must have content or output_config",
  prewarmCombination: (setting: string): string => `0 cannot be combined with ${setting}`,
  thinkingDisabledUnsupported: (alternative: string): string =>
    `"thinking.type.disabled" is not supported for this model. Use "thinking.type.${alternative}" instead.`,
  thinkingDisabledAboveHighEffort:
    '"thinking.type.disabled" is not supported for this model when "output_config.effort" is above "high".',
  thinkingBetweenToolsUnsupported: '"thinking.type.between_tools" is not supported for this model.',
  clearThinkingNotFirst: "`clear_thinking_20251015` must be the first edit",
  systemRoleFirst: 'a "system" message cannot be the first message',
  systemRoleBefore:
    'a "system" message must follow a "user" message, or an "assistant" message that ends with a server tool result',
  systemRoleAfter: 'a "system" message must be the last message or be followed by an "assistant" message',
  automaticMarkerConflict: (ttl: { readonly automatic: string; readonly explicit: string }): string =>
    `the last cacheable block already has a cache_control with ttl='${ttl.explicit}', which conflicts with the top-level ttl='${ttl.automatic}'`,
  documentTooLarge: (bytes: number, limit: number): string =>
    `document exceeds ${limit / 1_048_576} MB maximum: ${bytes} bytes > ${limit} bytes`,
  compactionCombination: (setting: string): string => `\`compaction\` cannot be combined with \`${setting}\``,
  compactionIncompleteTurn: "the conversation ends on an `assistant` turn that is not finished",
  compactionNothingToSummarize: "`messages` holds no `user` or `assistant` content to summarize",
  compactionBlockMisplaced: "a signed `compaction` block must be the first block of the conversation",
  compactionBlockAmbiguous: "`messages` holds more than one signed `compaction` block",
} as const;
