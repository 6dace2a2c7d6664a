import { apiTexts } from "./api-texts.js";
import type { RequestRule } from "./judged-request.js";
import { declaredTools } from "./tool-definitions.js";

/** References name a declared tool, where all tools are declared in `tools`. */
export const toolReferenceRule: RequestRule = ({ request, messages }) => {
  if (!Array.isArray(request["tools"])) return [];
  const tools = declaredTools(request["tools"]);
  if (tools.hasUnnamed || messages.some(({ facts }) => facts.changesTools)) return [];
  const names = new Set(tools.list);
  return messages.flatMap(({ index, facts }) =>
    facts.notes.toolReferences
      .filter((reference) => !names.has(reference.name))
      .map(({ path, name }) => ({
        path: `messages.${index}.${path}`,
        rule: "tool-reference-unknown" as const,
        message: apiTexts.toolReferenceUnknown(name),
      })),
  );
};
