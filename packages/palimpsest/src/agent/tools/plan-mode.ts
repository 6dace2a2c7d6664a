import { readFile } from "node:fs/promises";
import type { PlanSource } from "@palimpsest/core/restore";
import { replaceFile } from "../../stores/replace-file.js";
import type { AgentTool, ToolContext, ToolOutput } from "../base/tool.js";

export interface PlanModeOptions {
  /** Where the plan is kept: a file in the session's own folder. */
  readonly path: string;
  /** How the session was started; `plan` starts in plan mode. */
  readonly mode: string;
}

/** Whether the agent may only plan for now, and its plan. Permissions ask `isPlanMode`, for subagents too. */
export interface PlanMode extends PlanSource {
  readonly path: string;
  readonly isPlanMode: () => boolean;
  /** Whether whoever drives the session wants a plan, and nothing else. */
  readonly wantsPlanAlone: () => boolean;
  readonly set: (isPlanMode: boolean) => void;
  /** The person turns it on or off: as if the session had been started so. */
  readonly choose: (isPlanMode: boolean) => void;
  /** Replaces the plan; rejects where the disk does. */
  readonly write: (plan: string) => Promise<void>;
}

/** The plan belongs to the main thread; subagents have none. */
export function createPlanMode({ path, mode }: PlanModeOptions): PlanMode {
  let wantsPlanAlone = mode === "plan";
  let isPlanMode = wantsPlanAlone;
  return {
    path,
    isPlanMode: () => isPlanMode,
    wantsPlanAlone: () => wantsPlanAlone,
    set(next) {
      isPlanMode = next;
    },
    choose(next) {
      wantsPlanAlone = next;
      isPlanMode = next;
    },
    write: (plan) => replaceFile(path, plan),
    async plan(agentId) {
      if (agentId !== undefined) return undefined;
      const content = await readFile(path, "utf8").catch(() => undefined);
      if (content === undefined && !isPlanMode) return undefined;
      return {
        path,
        content,
        isPlanMode,
        ...(wantsPlanAlone && isPlanMode ? { isSessionMode: true } : {}),
      };
    },
  };
}

/** How the result of an approved plan begins. */
export const PLAN_APPROVED = "The plan is approved and plan mode is off";

const noInput = { type: "object", properties: {}, additionalProperties: false } as const;

/** The agent decides to look before it changes anything. */
export function createEnterPlanModeTool({ planMode }: { readonly planMode: PlanMode }): AgentTool {
  return {
    definition: {
      name: "EnterPlanMode",
      description:
        "Starts plan mode: until ExitPlanMode you can read and search, and change nothing. Use it before larger work: new features, several possible ways, changes in many files. Not for small fixes or questions.",
      input_schema: noInput,
    },
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(_input, context) {
      if (isSubagent(context)) return failure("Only the main conversation has a plan mode.");
      if (planMode.isPlanMode()) return { content: "Plan mode is on already." };
      planMode.set(true);
      return {
        content:
          "Plan mode is on. Read what you need, work out how to do it, ask where a decision is the person's, and hand in the plan with ExitPlanMode. Change nothing until then.",
      };
    },
  };
}

/** What a person says to a plan. */
type PlanVerdict =
  | { readonly kind: "approved"; /** The plan as the person changed it. */ readonly plan?: string }
  | { readonly kind: "rejected"; readonly feedback?: string };

export interface ExitPlanModeOptions {
  readonly planMode: PlanMode;
  /** Shows the plan to the person. Without it nobody is there. */
  readonly approve?: (plan: string, signal: AbortSignal, toolUseId: string) => Promise<PlanVerdict>;
}

/**
 * The agent hands in its plan. Where nobody is there to approve it, work begins; a session that was started in plan
 * mode ends its turn with the plan as the result instead.
 */
export function createExitPlanModeTool({ planMode, approve }: ExitPlanModeOptions): AgentTool {
  const begin = async (plan: string): Promise<string> => {
    const isKept = await keep(planMode, plan);
    planMode.set(false);
    const where = isKept ? ` It is kept in ${planMode.path}.` : "";
    return `${PLAN_APPROVED}: begin.${where}`;
  };
  return {
    definition: {
      name: "ExitPlanMode",
      description:
        "Hands in your plan and asks for leave to carry it out. Only in plan mode, and only for work that changes something; questions are answered without it. Settle what is open with AskUser first.",
      input_schema: {
        type: "object",
        properties: {
          plan: {
            type: "string",
            minLength: 1,
            description:
              "The whole plan in Markdown: what changes in which files, in which order, and how it is checked.",
          },
        },
        required: ["plan"],
        additionalProperties: false,
      },
    },
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input, context) {
      const plan = String(input["plan"]);
      if (isSubagent(context))
        return failure("Only the main conversation has a plan. Give yours as your answer.");
      if (!planMode.isPlanMode())
        return failure("Plan mode is not on. If the plan was approved before, carry it out.");
      if (plan.trim() === "") return failure("The plan is empty.");
      if (approve !== undefined) {
        const verdict = await approve(plan, context.signal, context.toolUseId);
        if (verdict.kind === "approved") {
          const changed = verdict.plan;
          if (changed === undefined || changed === plan) return { content: await begin(plan) };
          return {
            content: `${await begin(changed)} The person changed it; this is the plan now:\n\n${changed}`,
          };
        }
        await keep(planMode, plan);
        const said = verdict.feedback?.trim() ?? "";
        const feedback = said === "" ? "" : ` They say:\n\n${said}`;
        return failure(`The person did not approve the plan. Plan mode stays on.${feedback}`);
      }
      if (!planMode.wantsPlanAlone()) return { content: await begin(plan) };
      await keep(planMode, plan);
      return { content: plan, endsTurn: true };
    },
  };
}

/** A plan that cannot be kept is still a plan. */
const keep = (planMode: PlanMode, plan: string): Promise<boolean> =>
  planMode.write(plan).then(
    () => true,
    () => false,
  );

const isSubagent = ({ agentId }: ToolContext): boolean => agentId !== undefined;

const failure = (content: string): ToolOutput => ({ content, isError: true });
