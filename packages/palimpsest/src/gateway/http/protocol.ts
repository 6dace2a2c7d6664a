export type Protocol = "anthropic" | "openai";
