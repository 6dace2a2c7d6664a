import type { AgentTool, ToolInput } from "../base/tool.js";

export interface UserQuestion {
  readonly question: string;
  /** A word or two that stand for it. */
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** What a person answered to one question: labels of options, or words of their own. */
type UserAnswer = readonly string[];

export interface AskUserOptions {
  /**
   * Puts the questions to the person; the answers come in the order of the questions. Undefined when they were not
   * answered. Without it nobody is there.
   */
  readonly ask?: (
    questions: readonly UserQuestion[],
    signal: AbortSignal,
  ) => Promise<readonly UserAnswer[] | undefined>;
}

const NOBODY =
  "Nobody is there to answer. Decide by yourself: take the option that is safest and easiest to undo, go on, and say in your final answer what you decided and why.";
const DECLINED =
  "The person did not answer the questions. Do not ask them again; go on with what you know, or wait for what they say.";

/** Asks the person when a decision is theirs. */
export function createAskUserTool({ ask }: AskUserOptions = {}): AgentTool {
  return {
    definition: {
      name: "AskUser",
      description: `Asks the person one to four questions, each with two to four options; they can always answer in their own words.
- Ask when a decision is theirs to make and you cannot find the answer in the files or the conversation.
- Put the option that you would choose first.
- Do not ask whether to go on, or whether a plan is good: for plans there is ExitPlanMode.`,
      input_schema: {
        type: "object",
        properties: {
          questions: {
            type: "array",
            minItems: 1,
            maxItems: 4,
            items: {
              type: "object",
              properties: {
                question: { type: "string", description: "The whole question." },
                header: { type: "string", description: "A word or two that stand for it." },
                options: {
                  type: "array",
                  minItems: 2,
                  maxItems: 4,
                  items: {
                    type: "object",
                    properties: {
                      label: { type: "string", description: "The answer, in one to five words." },
                      description: { type: "string", description: "What it would mean." },
                    },
                    required: ["label"],
                    additionalProperties: false,
                  },
                },
                multiSelect: {
                  type: "boolean",
                  description: "Several options can be chosen. Default false.",
                },
              },
              required: ["question", "options"],
              additionalProperties: false,
            },
          },
        },
        required: ["questions"],
        additionalProperties: false,
      },
    },
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input, { signal }) {
      if (ask === undefined) return { content: NOBODY };
      const questions = questionsIn(input);
      const answers = await ask(questions, signal);
      if (answers === undefined) return { content: DECLINED };
      const lines = questions.map(({ question }, index) => {
        const answer = answers[index] ?? [];
        return `${question}\n→ ${answer.length === 0 ? "(no answer)" : answer.join(", ")}`;
      });
      return { content: `The person answered:\n\n${lines.join("\n\n")}` };
    },
  };
}

/** The schema was checked before. */
const questionsIn = (input: ToolInput): readonly UserQuestion[] =>
  input["questions"] as readonly UserQuestion[];
