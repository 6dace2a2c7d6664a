import { nearNames } from "../base/near-names.js";
import type { Subagents } from "./subagents.js";
import type { AgentTool, ToolInput } from "../base/tool.js";

const GENERAL = "general";

const typeName = (input: ToolInput): string =>
  typeof input["subagent_type"] === "string" && input["subagent_type"] !== ""
    ? input["subagent_type"]
    : GENERAL;

/** Gives a task to another agent with a context of its own. */
export function createAgentTool({ subagents }: { readonly subagents: Subagents }): AgentTool {
  return {
    definition: {
      name: "Agent",
      description: `Gives a task to a subagent. It has a context of its own, so that what it reads does not fill yours; you get its last words.
- For searching through much, research, and independent tasks at once. Not for a single search.
- It knows nothing of this conversation: say what to do, what is known, and what to answer with.
- With run_in_background you go on at once; AgentOutput gets its result later.`,
      input_schema: {
        type: "object",
        properties: {
          description: { type: "string", minLength: 1, description: "The task in three to five words." },
          prompt: { type: "string", minLength: 1, description: "The whole task." },
          subagent_type: {
            type: "string",
            description: `Which kind, as they were announced. ${GENERAL} if left out.`,
          },
          run_in_background: { type: "boolean", description: "Do not wait for it." },
        },
        required: ["description", "prompt"],
        additionalProperties: false,
      },
    },
    isReadOnly: () => true,
    // Its own calls are judged one by one.
    subject: () => ({ kind: "none" }),
    async run(input, { signal, agentId }) {
      if (agentId !== undefined)
        return { content: "A subagent cannot start further ones: do it yourself.", isError: true };
      const wanted = typeName(input);
      const types = subagents.types();
      const type = types.find(({ name }) => name === wanted);
      if (type === undefined) {
        const near = nearNames(
          wanted,
          types.map(({ name }) => name),
        );
        return {
          content: `There is no kind of subagent ${JSON.stringify(wanted.slice(0, 80))}. There are: ${(near.length > 0 ? near : types.map(({ name }) => name)).join(", ")}.`,
          isError: true,
        };
      }
      const request = {
        type,
        description: String(input["description"]),
        prompt: String(input["prompt"]),
        signal,
      };
      if (input["run_in_background"] === true) {
        const id = subagents.startInBackground(request);
        return { content: `It works in the background as ${id}. AgentOutput with this id gets its result.` };
      }
      const { text, isError } = await subagents.run(request);
      return { content: text, isError };
    },
  };
}

const DEFAULT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 600_000;

/** What became of a subagent in the background. */
export function createAgentOutputTool({ subagents }: { readonly subagents: Subagents }): AgentTool {
  return {
    definition: {
      name: "AgentOutput",
      description: "Gets the result of a subagent that works in the background, or how far it is.",
      input_schema: {
        type: "object",
        properties: {
          id: { type: "string", minLength: 1, description: "As Agent gave it." },
          block: { type: "boolean", description: "Wait until it is done. True if left out." },
          timeout: {
            type: "integer",
            minimum: 0,
            maximum: MAX_WAIT_MS,
            description: `How long to wait, in milliseconds. ${DEFAULT_WAIT_MS} if left out.`,
          },
        },
        required: ["id"],
        additionalProperties: false,
      },
    },
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input, { signal }) {
      const { block, timeout } = input;
      const waitMs = block === false ? 0 : typeof timeout === "number" ? timeout : DEFAULT_WAIT_MS;
      const found = await subagents.fetch(String(input["id"]), { waitMs, signal });
      if (found === undefined) return { content: "There is no subagent with this id.", isError: true };
      if (found.status !== "running") return { content: found.text, isError: found.status !== "completed" };
      return {
        content: `It is still running${found.text === "" ? "" : ` (${found.text})`}. Ask again later.`,
      };
    },
  };
}
