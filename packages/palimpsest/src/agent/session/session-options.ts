import type { ConversationOptions, ModelProvider } from "@palimpsest/core";
import type { Telemetry } from "../../telemetry/index.js";
import type { Agent } from "../loop/agent.js";
import type { McpServers } from "../mcp/connect-servers.js";
import type { PermissionMode } from "../permissions/mode.js";
import type { OutputStyle } from "../settings/output-style.js";
import type { AgentSettings } from "../settings/read-settings.js";
import type { SettingsSource } from "../settings/settings-files.js";
import type { LoadedSkills } from "../skills/load-skills.js";
import type { AgentType } from "../subagents/agent-types.js";
import type { AskUserOptions } from "../tools/ask-user.js";
import type { CompactionProgress } from "./compaction-progress.js";
import type { TellEngineEvent } from "./session-events.js";
import type { SentRequest } from "./sent-requests.js";
import type { SummaryReview } from "./reviewed-compaction.js";
import type { ExitPlanModeOptions } from "../tools/plan-mode.js";

export interface GivenPrompt {
  /** In place of all that this program says by itself. */
  readonly system?: string;
  /** Stands at the end. */
  readonly appended?: string;
}

/** What a session is made of. Whoever composes it has read files and flags before. */
export interface SessionOptions {
  readonly cwd: string;
  readonly home: string;
  /** Where transcripts and what belongs to sessions are kept. */
  readonly dataDirectory: string;
  readonly configDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: AgentSettings;
  /** Whose instructions count: memory files and rules. Default: all. */
  readonly sources?: readonly SettingsSource[];
  readonly skills: LoadedSkills;
  readonly agentTypes: readonly AgentType[];
  readonly style: OutputStyle;
  /** What whoever starts the session wants in the main thread's system prompt. Asked for with the first request. */
  readonly givenPrompt?: () => GivenPrompt;
  /** Closed with the session. */
  readonly mcp?: McpServers;
  readonly provider: ModelProvider;
  readonly model: string;
  readonly mode: PermissionMode;
  /** Which conversation: to go on with one it has to be there, and otherwise it must not. */
  readonly id: string;
  readonly isResumed: boolean;
  /** Of a resumed conversation: the message that it is gone back to first. */
  readonly at?: string;
  /** Whose conversation it is to the engine: a person's at a terminal, or a program's. */
  readonly source: "repl_main_thread" | "sdk";
  /** Variables that hold keys: no command sees them, and their values are hidden wherever they turn up. */
  readonly hiddenVariables?: readonly string[];
  /** Further keys that stand in no variable. */
  readonly secrets?: readonly string[];
  readonly ask?: Agent["ask"];
  readonly askUser?: AskUserOptions["ask"];
  /** Shows a plan to the person. */
  readonly approvePlan?: ExitPlanModeOptions["approve"];
  /** Looks at the summary of a compaction that the person asked for before it takes effect; undefined where nobody wants to. */
  readonly reviewSummary?: () => SummaryReview | undefined;
  /** Told of a file, by its real path, before a tool of the agent writes it. What it rejects with is told to the model. */
  readonly beforeEdit?: (path: string) => Promise<void>;
  /** A sentence for the person: of hooks, of their problems, of what the API says of a model. */
  readonly onNotice?: (text: string) => void;
  /** What a compaction of the main thread is at; undefined when it is over. */
  readonly onCompaction?: (progress: CompactionProgress | undefined) => void;
  /** Everything that the engine tells, of subagents too; no key is in it. */
  readonly onEngineEvent?: TellEngineEvent;
  /** Told of each request of the main thread that is answered, those for summaries and notes too. */
  readonly onSent?: (sent: SentRequest) => void;
  /** Where its transcript and its requests are recorded besides, contents and all. */
  readonly recordFolder?: string;
  /** What is known of the account that pays. Default: that it may have cache entries of an hour. */
  readonly account?: ConversationOptions["account"];
  /** Spans and metrics of what it does; keys are not in them. */
  readonly telemetry?: Telemetry;
  /** Ends hooks that belong to no turn. */
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}
