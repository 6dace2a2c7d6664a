/**
 * Short telling phrases of the requests for a summary that published agents send. `sure`: nobody says this
 * otherwise; the others count together with what the request looks like.
 */
export interface SummaryPhrase {
  readonly agents: string;
  readonly pattern: RegExp;
  readonly sure: boolean;
}

/** Looked for in the instruction: what stands in the last user message. */
export const instructionPhrases: readonly SummaryPhrase[] = [
  { agents: "claude-code, roo", pattern: /\bcreate a detailed summary of (?:the|this|our)\b/i, sure: false },
  { agents: "claude-code", pattern: /\bdetailed summary of the recent portion\b/i, sure: false },
  { agents: "codex, pi", pattern: /\bcontext checkpoint (?:compaction|summary)\b/i, sure: true },
  { agents: "codex", pattern: /\bhandoff summary for another\b/i, sure: true },
  {
    agents: "qwen-code, gemini-cli",
    pattern: /\b(?:generate|produce|create|update|evaluate)\b[^.\n]{0,40}<state_snapshot>/i,
    sure: true,
  },
  { agents: "opencode", pattern: /\bprompt for continuing our conversation\b/i, sure: true },
  { agents: "opencode", pattern: /\b(?:create a new|update the) anchored summary\b/i, sure: true },
  { agents: "pi", pattern: /\bmessages above are a conversation to summari[sz]e\b/i, sure: true },
  { agents: "pi", pattern: /\bincorporate into the existing summary\b/i, sure: false },
  {
    agents: "crush, langgraph",
    pattern: /\b(?:create|provide|write)\b[^.\n]{0,30}\bsummary of (?:our|the) conversation above\b/i,
    sure: false,
  },
  { agents: "langgraph", pattern: /\bextend the summary by taking into account\b/i, sure: false },
  { agents: "langchain", pattern: /\bcontext extraction assistant\b/i, sure: true },
  { agents: "langchain", pattern: /\bextract the highest quality\b/i, sure: false },
  { agents: "anthropic-sdk", pattern: /\bwrite a continuation summary\b/i, sure: false },
  { agents: "aider", pattern: /\bsummari[sz]e\W+this partial conversation\b/i, sure: false },
  { agents: "cline", pattern: /\bconversation is rapidly running out of context\b/i, sure: false },
];

/** Looked for in the head of the system prompt. */
export const systemPhrases: readonly SummaryPhrase[] = [
  { agents: "claude-code, opencode", pattern: /\btasked with summari[sz]ing conversations\b/i, sure: false },
  { agents: "opencode, pi", pattern: /\bcontext summari[sz]ation assistant\b/i, sure: false },
  { agents: "qwen-code, gemini-cli", pattern: /\bsummari[sz]es internal chat history\b/i, sure: false },
  { agents: "gemini-cli", pattern: /\bdistilling chat history\b/i, sure: false },
  { agents: "mastra", pattern: /\bmemory consciousness of an AI\b/i, sure: true },
  { agents: "langchain", pattern: /\bcontext extraction assistant\b/i, sure: false },
  { agents: "crush", pattern: /\bsummari[sz]ing a conversation to preserve context\b/i, sure: false },
];
