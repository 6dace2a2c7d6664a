import type { ModelResponse } from "../../messages/call/response.js";
import type { BuiltRequest } from "../prompt/request-builder.js";
import type { Setup } from "./stages.js";

/** Tells the watch of a call on the conversation's cache: it should have read what the last request left. */
export function watchFork(
  { watch, clock, source: of }: Setup,
  { source, request, betas }: BuiltRequest,
): (response: ModelResponse) => void {
  // Its own question comes last.
  const fork = { prefixMessages: request.messages.length - 1, of };
  watch.before({ source, request, betas, at: clock.now(), fork });
  return ({ usage, model }) => watch.after({ source, usage, at: clock.now(), model });
}
