import type { AgentTool, ToolOutput } from "../base/tool.js";
import type { ListedTool } from "./listed-tool.js";
import { plainText } from "../base/plain-text.js";
import type { CallEnding, ServerSession } from "./server-session.js";
import { readResult, type ResultOptions } from "./tool-result.js";

/** Who answers the calls, and how results are kept short. */
export interface McpToolOptions extends Omit<ResultOptions, "name"> {
  readonly session: Pick<ServerSession, "call" | "state">;
}

/** A server's tool as a tool of the agent. Its calls wait for a server that is away; they never reject. */
export function createMcpTool(listed: ListedTool, options: McpToolOptions): AgentTool {
  const { definition, remoteName, isReadOnly } = listed;
  const resultOptions = { ...options, name: definition.name };
  return {
    definition,
    isMcp: true,
    isReadOnly: () => isReadOnly,
    subject: () => ({ kind: "other" }),
    async run(input, { signal }) {
      const ending = await options.session.call({
        tool: remoteName,
        input,
        signal,
        isRepeatable: isReadOnly,
      });
      if (ending.kind === "answer") return await readResult(ending.result, resultOptions);
      const text = plainText(describeEnding(ending, options.session.state().name));
      return failed(await options.spill.fit(options.hide(text), { name: definition.name }));
    },
  };
}

const failed = (content: string): ToolOutput => ({ content, isError: true });

function describeEnding(ending: Exclude<CallEnding, { kind: "answer" }>, name: string): string {
  const server = `The MCP server "${name}"`;
  if (ending.kind === "aborted") return "The call was cancelled.";
  if (ending.kind === "away") {
    const why = ending.reason === "" ? "" : ` Reason: ${ending.reason}`;
    return `${server} is not connected and did not come back in time, so the call was not made.${why} Go on without it, or try again later.`;
  }
  const { kind, what } = ending.failure;
  switch (kind) {
    case "answered":
      return `${server} answered with an error: ${what}`;
    case "timed-out":
      return `${server} did not answer in time; the call was cancelled. It may have taken effect all the same.`;
    case "broken":
      return `${server} went away during the call (${what}). Nobody knows whether the call took effect: check before you repeat it. The server is being connected again.`;
    default:
      return `${server} could not take the call: ${what}. It was not made.`;
  }
}
