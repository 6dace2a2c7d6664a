/** Error texts of the Messages API: documented, or seen in its responses. */

const idList = (ids: readonly string[]): string => ids.join(", ");

export const apiTexts = {
  maxTokensOverCap: (asked: number, model: { readonly name: string; readonly cap: number }): string =>
    `${asked} > ${model.cap}, which is the maximum allowed number of output tokens for ${model.name}`,
  noMessages: "at least one message is required",
  emptyText: "text content blocks must be non-empty",
  whitespaceText: "text content blocks must contain non-whitespace text",
  markedEmptyText: "cache_control cannot be set for empty text blocks",
  emptyMessage: "all messages must have non-empty content except for the optional final assistant message",
  firstRole: 'messages: first message must use the "user" role',
  systemRole:
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  prefill:
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  prefillTrailingWhitespace: "messages: final assistant content cannot end with trailing whitespace",
  toolResultMissing: (ids: readonly string[]): string =>
    `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${idList(ids)}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  toolResultOrphan: (id: string): string =>
    `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  toolResultDuplicate: (id: string): string =>
    `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
  toolUseIdDuplicate: "`tool_use` ids must be unique",
  serverResultOrphan: (id: string, type: string): string =>
    `unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each \`${type}\` block must have a corresponding \`${type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use"}\` block before it.`,
  errorResultNotText: 'all content must be type "text" if "is_error" is true',
  invalidSignature: "Invalid `signature` in `thinking` block",
  tooManyMarkers: (found: number): string =>
    `A maximum of 4 blocks with cache_control may be provided. Found ${found}.`,
  markerTtlOrder:
    "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  duplicateToolName: "Tool names must be unique.",
  toolChoiceWithoutTools: "tool_choice may only be specified while providing tools.",
  toolChoiceUnknownTool: (name: string): string => `Tool '${name}' not found in provided tools`,
  forcedToolUnsupported: 'type "tool" and "any" are not supported for this model.',
  forcedToolWithThinking: "Thinking may not be enabled when tool_choice forces tool use.",
  thinkingEnabledUnsupported:
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  thinkingAdaptiveUnsupported: "adaptive thinking is not supported on this model",
  thinkingBudgetOverMaxTokens:
    "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
  thinkingBlockMissing: (found: string): string =>
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
  thinkingBlockLast: "The final block in an assistant message cannot be `thinking`.",
  clearThinkingWithoutThinking:
    "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive",
  invalidBase64: "invalid base64 data",
  emptyImage: "image cannot be empty",
  emptyPdf: "PDF cannot be empty",
  unreadableImage: "Could not process image",
  imageTypeMismatch: (declared: string, found: string): string =>
    `The image was specified using the ${declared} media type, but the image appears to be a ${found} image`,
  invalidPdf: "The PDF specified was not valid.",
  imageTooLarge: (bytes: number, limit: number): string =>
    `image exceeds ${limit / 1_048_576} MB maximum: ${bytes} bytes > ${limit} bytes`,
  imageDimensions: (pixels: number): string =>
    `At least one of the image dimensions exceed max allowed size: ${pixels} pixels`,
  imageDimensionsMany: (pixels: number): string =>
    `At least one of the image dimensions exceed max allowed size for many-image requests: ${pixels} pixels`,
  tooManyImages: (found: { readonly images: number; readonly documents: number }, limit: number): string =>
    `too many images and documents: ${found.images} + ${found.documents} > ${limit}`,
  blockInWrongRole: (type: string, role: string): string =>
    `\`${type}\` blocks can only be in \`${role}\` messages`,
  serverResultMissing: (call: {
    readonly id: string;
    readonly name: string;
    readonly result: string;
  }): string =>
    `\`${call.name}\` tool use with id \`${call.id}\` was found without a corresponding \`${call.result}\` block`,
  toolReferenceUnknown: (name: string): string => `Tool reference '${name}' not found in available tools`,
} as const;
