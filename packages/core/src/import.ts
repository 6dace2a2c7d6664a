export { messagesFromAiSdk, type AiSdkMessage } from "./messages/import/from-ai-sdk.js";
export { messagesFromAnthropic } from "./messages/import/from-anthropic.js";
export { messagesFromLangChain, type LangChainListMessage } from "./messages/import/from-langchain.js";
export {
  messagesFromList,
  shapeOfList,
  type ListDocument,
  type ListShape,
} from "./messages/import/from-list.js";
export { messagesFromOpenAiChat, type OpenAiChatMessage } from "./messages/import/from-openai-chat.js";
export { messagesFromOpenCode, type OpenCodeExport } from "./messages/import/from-opencode.js";
export { ImportError, type ImportedMessages } from "./messages/import/imported.js";
