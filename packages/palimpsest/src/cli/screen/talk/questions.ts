import type { PermissionQuestion, PermissionVerdict } from "../../../agent/loop/agent.js";
import type { SourcedRule } from "../../../agent/permissions/rule.js";
import type { Session } from "../../../agent/session/session.js";
import type { SessionOptions } from "../../../agent/session/session-options.js";
import { blockLines } from "../lines/block-lines.js";
import type { Look } from "../lines/look.js";
import { markdownLines } from "../lines/markdown-lines.js";
import { aboutCall, changeOf } from "../state/call-words.js";
import { shownLine, shownText } from "../text/shown-text.js";
import { cutLine, wrapLines } from "../text/width.js";
import type { Question, Surface } from "../surface/surface.js";
import type { Choice, Chosen } from "../views/choice-view.js";

export interface QuestionParts {
  readonly surface: () => Surface;
  readonly session: () => Session | undefined;
  /** Keeps a rule in the person's own settings; gives the file. */
  readonly keepRule: (rule: string) => Promise<string>;
  readonly settingsFile: string;
}

type Asked = Required<Pick<SessionOptions, "ask" | "askUser" | "approvePlan">>;

/** Puts what the agent asks before the person, one question at a time. */
export function createQuestions(parts: QuestionParts): Asked {
  const rules: SourcedRule[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const run = last.then(task);
    last = run.catch(() => {});
    return run;
  };
  /** What a person takes to answer is no time of the agent's. */
  const put = async (question: Question, signal: AbortSignal | undefined): Promise<Chosen | undefined> => {
    const surface = parts.surface();
    const at = Date.now();
    const chosen = await surface.ask(question, signal);
    surface.dispatch({ kind: "waited", milliseconds: Date.now() - at });
    return chosen;
  };
  const isAllowedNow = ({ tool, input }: PermissionQuestion): boolean =>
    rules.length > 0 && parts.session()?.judgeWith(rules)(tool, input).behavior === "allow";
  const allow = { behavior: "allow", reason: "The person allowed it." } as const;

  return {
    ask: (question, signal) =>
      inTurn(async (): Promise<PermissionVerdict> => {
        if (isAllowedNow(question)) return allow;
        const surface = parts.surface();
        surface.ring(`${question.tool.definition.name} needs a permission`);
        const rule = ruleIn(question);
        const chosen = await put(
          { about: aboutPermission(question), choices: permissionChoices(rule, parts.settingsFile) },
          signal,
        );
        switch (chosen?.values[0]) {
          case "once":
            return allow;
          case "session":
            if (rule !== undefined) rules.push({ rule, source: "this session" });
            return allow;
          case "always": {
            if (rule === undefined) return allow;
            rules.push({ rule, source: "this session" });
            const file = await parts.keepRule(rule).catch((error: unknown) => error as Error);
            const text =
              file instanceof Error
                ? `The rule could not be kept: ${file.message}. It holds in this session.`
                : `The rule ${rule} stands in ${file} now.`;
            surface.dispatch({ kind: "notice", text, tone: file instanceof Error ? "warn" : "plain" });
            return allow;
          }
          case "why": {
            const words = chosen?.words?.trim() ?? "";
            return {
              behavior: "deny",
              reason: `The person did not allow this call.${words === "" ? "" : ` They say: ${words}`}`,
            };
          }
          default:
            return { behavior: "deny", reason: "The person did not allow this call.", endsTurn: true };
        }
      }),
    askUser: (questions, signal) =>
      inTurn(async () => {
        const surface = parts.surface();
        surface.ring("The agent has a question");
        const answers: (readonly string[])[] = [];
        for (const { question, header, options, multiSelect = false } of questions) {
          const chosen = await put(
            {
              about: ({ width, theme }) => [
                ...(header === undefined ? [] : [theme.dim(shownLine(header))]),
                ...wrapLines(shownText(question), width).map((line) => theme.bold(line)),
              ],
              choices: [
                ...options.map(({ label, description }, index): Choice => ({
                  value: `option ${index}`,
                  label,
                  ...(description === undefined ? {} : { description }),
                })),
                { value: "own", label: "in my own words", words: question },
              ],
              isMultiple: multiSelect,
            },
            signal,
          );
          if (chosen === undefined) return undefined;
          if (chosen.words !== undefined) answers.push([chosen.words]);
          else
            answers.push(
              chosen.values.flatMap((value) => options[Number(value.slice("option ".length))]?.label ?? []),
            );
        }
        return answers;
      }),
    approvePlan: (plan, signal) =>
      inTurn(async () => {
        const surface = parts.surface();
        surface.ring("A plan waits for approval");
        const chosen = await put(
          {
            about: (look) => [
              look.theme.bold("The agent hands in its plan."),
              ...markdownLines(shownText(plan), look),
            ],
            choices: [
              { value: "yes", label: "yes, begin", description: "each edit is asked for" },
              {
                value: "edits",
                label: "yes, and accept edits",
                description: "edits inside the folder are not asked for",
              },
              { value: "change", label: "yes, with changes of mine", words: "What is to be different?" },
              { value: "no", label: "no, and why", words: "What is to be different?" },
            ],
          },
          signal,
        );
        // It was seen with the question, and stands in the scrollback once.
        surface.dispatch({
          kind: "output",
          text: `The plan:\n\n${plan}`,
          detail: { title: "the plan", text: plan },
          isMarkdown: true,
        });
        const session = parts.session();
        switch (chosen?.values[0]) {
          case "edits":
            session?.setPermissionMode("acceptEdits");
            return { kind: "approved" };
          case "yes":
            return { kind: "approved" };
          case "change":
            return { kind: "approved", plan: `${plan}\n\nThe person adds: ${chosen?.words ?? ""}` };
          default:
            return { kind: "rejected", ...(chosen?.words === undefined ? {} : { feedback: chosen.words }) };
        }
      }),
  };
}

/** The first rule that would allow the call, where there is one. */
function ruleIn({ judgement }: PermissionQuestion): string | undefined {
  for (const suggestion of judgement.suggestions ?? []) {
    const rule = /^the rule (.+) \(permissions\.allow, or --allowed-tools\)$/.exec(suggestion)?.[1];
    // Of several rules none alone would do.
    if (rule !== undefined && !rule.includes(" with ")) return rule;
  }
  return undefined;
}

const permissionChoices = (rule: string | undefined, file: string): readonly Choice[] => [
  { value: "once", label: "yes, once" },
  ...(rule === undefined
    ? []
    : [
        { value: "session", label: "yes, for this session", description: rule },
        { value: "always", label: "yes, always", description: `writes ${rule} into ${file}` },
      ]),
  { value: "why", label: "no, and why", words: "Why not, or what instead?" },
  { value: "no", label: "no, and stop" },
];

/** What is longer than anybody reads is not wrapped anew with every key. */
const MOST_CHARACTERS = 20_000;
const MOST_LINES = 500;

const shortened = (text: string): string => {
  const more = text.length - MOST_CHARACTERS;
  return more <= 0
    ? shownText(text)
    : `${shownText(text.slice(0, MOST_CHARACTERS))}\n… and ${more.toLocaleString("en-US")} more characters`;
};

const aboutPermission =
  ({ tool, input, judgement, agentId }: PermissionQuestion) =>
  (look: Look): readonly string[] => {
    const { width, theme } = look;
    const { name } = tool.definition;
    const who = agentId === undefined ? "" : ` (subagent ${agentId})`;
    const head = theme.bold(`May it use ${shownLine(name)}?${shownLine(who)}`);
    const command = typeof input["command"] === "string" ? shortened(input["command"]) : undefined;
    const change = changeOf(name, input)?.slice(0, MOST_LINES);
    const body =
      command !== undefined
        ? blockLines({ kind: "code", source: command, isClosed: false }, look)
        : change === undefined
          ? wrapLines(shortened(JSON.stringify(input, undefined, 2)), width)
          : [
              theme.dim(cutLine(aboutCall(input), width)),
              ...change.map(({ text, change: kind }) =>
                cutLine(
                  kind === "added"
                    ? theme.added(`+ ${text}`)
                    : kind === "removed"
                      ? theme.removed(`- ${text}`)
                      : `  ${text}`,
                  width,
                ),
              ),
            ];
    return [
      cutLine(head, width),
      ...body,
      ...wrapLines(shownLine(judgement.reason), width).map((line) => theme.dim(line)),
    ];
  };
