import type { ModelRequest } from "@palimpsest/core";

/** Whether the model may call a tool of this name. */
export const offers = (request: ModelRequest, name: string): boolean =>
  request.tool_choice?.["type"] !== "none" && (request.tools ?? []).some((tool) => tool.name === name);
