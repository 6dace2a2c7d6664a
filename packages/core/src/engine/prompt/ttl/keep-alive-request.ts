import type { ModelRequest } from "../../../messages/call/request.js";
import { isFields } from "../../../messages/fields.js";

/**
 * The request that keeps the entry of `request` alive: the same cache key, markers included, so that it reads
 * what that one left and writes nothing; and the least possible answer. Undefined where the least is not little:
 * a thinking budget is part of the key, and the answer has to be allowed more than that.
 */
export function keepAliveRequest(
  request: ModelRequest,
  options: {
    /** Whether it will be streamed, as providers do. Default true. */ readonly isStreamed?: boolean;
  } = {},
): ModelRequest | undefined {
  const { stream: _, ...rest } = request;
  if (isFields(request.thinking) && request.thinking["type"] === "enabled") return undefined;
  const { isStreamed = true } = options;
  return { ...rest, max_tokens: isStreamed || needsAnswer(request) ? 1 : 0 };
}

/** What the API does not combine with no answer at all. */
function needsAnswer({ tool_choice, output_config }: ModelRequest): boolean {
  const choice = tool_choice?.["type"];
  const hasFormat = isFields(output_config) && output_config["format"] !== undefined;
  return choice === "any" || choice === "tool" || hasFormat;
}
