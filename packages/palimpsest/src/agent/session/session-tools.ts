import { findModel, type ModelProvider } from "@palimpsest/core";
import { hidingTool, type KeyHider } from "./key-hider.js";
import { createToolDeferral, type ToolDeferral } from "../mcp/tool-deferral.js";
import type { PathGuard } from "../base/path-guard.js";
import type { AgentType } from "../subagents/agent-types.js";
import type { Subagents } from "../subagents/subagents.js";
import { createAgentOutputTool, createAgentTool } from "../subagents/agent-tools.js";
import { createAskUserTool } from "../tools/ask-user.js";
import type { BackgroundCommands } from "../tools/background-commands.js";
import { createBashOutputTool } from "../tools/bash-output.js";
import { createBashTool } from "../tools/bash.js";
import { createEditTool } from "../tools/edit.js";
import { createGlobTool } from "../tools/glob.js";
import { createGrepTool } from "../tools/grep.js";
import { createKillBashTool } from "../tools/kill-bash.js";
import { createEnterPlanModeTool, createExitPlanModeTool } from "../tools/plan-mode.js";
import { createReadTool } from "../tools/read.js";
import { createRecallTool } from "../tools/recall.js";
import { createSkillTool } from "../tools/skill.js";
import type { Spill } from "../tools/spill.js";
import { createTodoWriteTool } from "../tools/todo-write.js";
import { createToolSearchTool } from "../tools/tool-search.js";
import type { AgentTool } from "../base/tool.js";
import { createWebFetchTool } from "../tools/web-fetch.js";
import { createWriteTool } from "../tools/write.js";
import type { SessionOptions } from "./session-options.js";
import type { SessionState } from "./session-state.js";

export interface SessionToolParts {
  readonly guard: PathGuard;
  readonly state: SessionState;
  readonly spill: Spill;
  readonly background: BackgroundCommands;
  readonly hider: KeyHider;
}

/** The tools of a session's agents. */
export interface SessionTools {
  /** Of the main thread, as the next request lists them. */
  readonly main: (own: { readonly subagents: Subagents; readonly transcriptPath: string }) => ListedTools;
  /** Of a subagent. */
  readonly subagent: (own: {
    readonly type: AgentType;
    readonly model: string;
    readonly transcriptPath: string;
  }) => ListedTools;
}

/** The tools of one agent, and which of them wait to be asked for. */
export interface ListedTools {
  readonly list: () => readonly AgentTool[];
  readonly deferral: ToolDeferral;
}

export function createSessionTools(options: SessionOptions, parts: SessionToolParts): SessionTools {
  const { cwd, settings, mcp, skills, hiddenVariables } = options;
  const { guard, spill, background, state, hider } = parts;
  /** One that is listed again is the same object again. */
  const hiding = new WeakMap<AgentTool, AgentTool>();
  const hidden = (tools: readonly AgentTool[]): readonly AgentTool[] =>
    tools.map((tool) => {
      const known = hiding.get(tool) ?? hidingTool(tool, hider);
      hiding.set(tool, known);
      return known;
    });
  const roots = [cwd, ...settings.permissions.additionalDirectories];

  /** Each agent has a shell of its own: its working directory is nobody else's. */
  const shell = (): AgentTool =>
    createBashTool({
      workingDirectory: cwd,
      roots,
      spill,
      background,
      guard,
      env: { ...settings.env, ...options.env },
      keys: hider.keys,
      ...(hiddenVariables === undefined ? {} : { hiddenVariables }),
    });
  const common: readonly AgentTool[] = [
    createReadTool({ guard }),
    createWriteTool({ guard, hide: hider.text }),
    createEditTool({ guard }),
    createGlobTool({ guard }),
    createGrepTool({ guard }),
    createWebFetchTool({ spill }),
    createSkillTool({
      skills: () => skills.skills,
      filesOf: skills.filesOf,
      invoked: { note: (skill) => state.invoked.note(hider.value(skill)) },
    }),
    createBashOutputTool({ background }),
    createKillBashTool({ background }),
    createTodoWriteTool({ todos: state.todos, save: state.saveTodos }),
  ];

  return {
    main({ subagents, transcriptPath }) {
      const { planMode } = state;
      const isDeferring = canDefer(options.provider, options.model);
      const deferral = createToolDeferral({ isSupported: isDeferring });
      const own: readonly AgentTool[] = [
        ...common,
        shell(),
        createAgentTool({ subagents }),
        createAgentOutputTool({ subagents }),
        createEnterPlanModeTool({ planMode }),
        createExitPlanModeTool({
          planMode,
          ...(options.approvePlan === undefined ? {} : { approve: options.approvePlan }),
        }),
        // Where nobody is there, nobody is asked.
        ...(options.askUser === undefined ? [] : [createAskUserTool({ ask: options.askUser })]),
        createRecallTool({ transcriptPath }),
        ...(mcp !== undefined && isDeferring ? [createToolSearchTool({ deferred: deferral.deferred })] : []),
      ];
      return { deferral, list: () => deferral.apply(hidden([...own, ...(mcp?.tools() ?? [])])) };
    },
    subagent({ type, model, transcriptPath }) {
      const isDeferring = canDefer(options.provider, model);
      const deferral = createToolDeferral({ isSupported: isDeferring });
      const isOffered = ({ definition: { name } }: AgentTool): boolean => type.tools?.includes(name) ?? true;
      const usesServers = type.tools?.some((name) => name.startsWith("mcp__")) ?? true;
      const own = [...common, shell(), createRecallTool({ transcriptPath, isSidechain: true })];
      const search =
        mcp !== undefined && isDeferring && usesServers
          ? [createToolSearchTool({ deferred: deferral.deferred })]
          : [];
      const offered = [...own.filter(isOffered), ...search];
      return {
        deferral,
        list: () => deferral.apply(hidden([...offered, ...(mcp?.tools() ?? []).filter(isOffered)])),
      };
    },
  };
}

/** As requests list them. */
export const offeredTool = ({ definition, isMcp }: AgentTool) => ({
  definition,
  ...(isMcp === true ? { isMcp } : {}),
});

/** Deferred schemas need a provider that knows them. */
const canDefer = (provider: ModelProvider, model: string): boolean =>
  provider.name !== "openai-compatible" && findModel(model) !== undefined;
