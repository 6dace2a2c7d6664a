import type { CreateTalk } from "./talks/talk.js";

/** Each framework with its adapter, loaded when it is asked for. */
export const talks: Readonly<Record<string, () => Promise<{ readonly talk: CreateTalk }>>> = {
  "the AI SDK": () => import("./talks/ai-sdk.js"),
  LangChain: () => import("./talks/langchain.js"),
  "the official SDK": () => import("./talks/anthropic-sdk.js"),
};

export async function talkWith(name: string): Promise<CreateTalk> {
  const load = talks[name];
  if (load === undefined) throw new Error(`there is no talk with ${name}`);
  return (await load()).talk;
}
