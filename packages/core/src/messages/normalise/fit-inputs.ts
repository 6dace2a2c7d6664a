import type { ToolDefinition } from "../call/request.js";
import type { AssistantBlock } from "../content.js";
import { repairToolInput } from "./repair-tool-input.js";

/** An answer's calls with inputs that fit their tools, as far as that needs no guess. Those that fit stay the same objects. */
export const fitInputs = (
  content: readonly AssistantBlock[],
  tools: readonly ToolDefinition[] = [],
): readonly AssistantBlock[] =>
  content.map((block) => {
    if (block.type !== "tool_use") return block;
    const schema = tools.find(({ name }) => name === block.name)?.input_schema;
    const input = repairToolInput(block.input, schema);
    return input === block.input ? block : { ...block, input };
  });
