import type * as AnthropicSdk from "@anthropic-ai/sdk";
import { isAbsent } from "./optional-package.js";

/** The official SDK: the one that is installed, else the copy that the command is built with. */
export async function loadAnthropicSdk(): Promise<typeof AnthropicSdk> {
  try {
    return await import("@anthropic-ai/sdk");
  } catch (error) {
    if (!isAbsent(error, "@anthropic-ai/sdk")) throw error;
    return (await import(
      new URL("../bundled/anthropic-sdk.js", import.meta.url).href
    )) as typeof AnthropicSdk;
  }
}
