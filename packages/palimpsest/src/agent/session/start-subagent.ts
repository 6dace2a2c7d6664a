import {
  createConversation,
  type BilledCall,
  type Conversation,
  type ConversationOptions,
  type EventEmitter,
  type Message,
  type TranscriptWriter,
} from "@palimpsest/core";
import { RECALL_TOOL } from "@palimpsest/core/engine";
import {
  createMemoryBackgroundAgents,
  createMemoryReadState,
  type AnnouncementSource,
  type FileExclusions,
  type NestedMemory,
  restore,
} from "@palimpsest/core/restore";
import { join } from "node:path";
import { createJsonlStore } from "../../stores/jsonl/store.js";
import { hidingWriter, type KeyHider } from "./key-hider.js";
import type { Agent } from "../loop/agent.js";
import type { AgentEvent, AgentResult } from "../base/agent-event.js";
import { query } from "../loop/query.js";
import { createChangedFiles } from "../loop/changed-files.js";
import type { PathGuard } from "../base/path-guard.js";
import type { StartSubagent } from "../subagents/subagents.js";
import type { BackgroundCommands } from "../tools/background-commands.js";
import { backgroundTasks } from "./background-tasks.js";
import { planReminder } from "./plan-reminder.js";
import type { MemoryOwner } from "./session-instructions.js";
import type { SessionRecording } from "./recorded-session.js";
import type { SessionPrompts } from "./session-prompts.js";
import type { SessionState } from "./session-state.js";
import { offeredTool, type ListedTools, type SessionTools } from "./session-tools.js";
import { compactHooks, modelOptions, recallOptions } from "./shared-conversation.js";

export interface SubagentParts {
  /** Where subagents' transcripts go. */
  readonly directory: string;
  /** The main thread's model, for kinds that name none. */
  readonly model: string;
  readonly cwd: string;
  readonly guard: PathGuard;
  readonly state: SessionState;
  readonly tools: SessionTools;
  readonly announcementsOf: (listed: ListedTools) => AnnouncementSource;
  readonly background: Pick<BackgroundCommands, "list">;
  readonly prompts: SessionPrompts;
  readonly hider: KeyHider;
  readonly home: string;
  readonly memoryFor: (owner: MemoryOwner) => NestedMemory;
  readonly exclude: () => FileExclusions;
  readonly shared: Omit<ConversationOptions, "model" | "maxTokens">;
  readonly recording?: SessionRecording;
  /** Told of every call of theirs, those for summaries and notes included. */
  readonly onBilled: (call: BilledCall) => void;
  /** Told of what goes on after one has answered, until it is over. */
  readonly onEnding: (ending: Promise<void>) => void;
  /** A sentence for the person. */
  readonly onNotice: (text: string) => void;
  readonly events: (agentId: string) => EventEmitter;
  /** Stores the pauses that its requests have shown. */
  readonly remember: (ttl: Conversation["ttl"]) => Promise<void>;
  /** The same conversation, measured where somebody wants that. */
  readonly traced: (conversation: Conversation) => Conversation;
  /** What all agents of the session have in common. */
  readonly agent: Pick<
    Agent,
    "provider" | "hooks" | "now" | "judge" | "permissionMode" | "ask" | "hide" | "aroundCall"
  >;
}

/**
 * Starts subagents: each has a conversation, a transcript, a read-state and a shell of its own. Of the session it
 * shares the files, the rules and the hooks.
 */
export function createSubagentStart(parts: SubagentParts): StartSubagent {
  const { directory, guard, state, prompts, recording } = parts;
  return async function* ({ id, type, prompt, signal }) {
    const transcriptPath = join(directory, `${id}.jsonl`);
    const readState = createMemoryReadState();
    const model = type.model ?? parts.model;
    const tools = parts.tools.subagent({ type, model, transcriptPath });
    const announcements = parts.announcementsOf(tools);
    const stored = await createJsonlStore({ directory }).open(id);
    const writer = sidechain(hidingWriter(recording?.writer(stored, id) ?? stored, parts.hider));
    const provider = recording?.provider(parts.agent.provider, id) ?? parts.agent.provider;
    const events = parts.events(id);
    events.on("call_billed", ({ price: _price, ...call }) => parts.onBilled(call));
    const caller = { agentId: id, agentType: type.name, transcriptPath };
    const nestedMemory = parts.memoryFor({ readState, events, caller });
    let begun: Conversation | undefined;
    try {
      const made = createConversation({
        ...parts.shared,
        provider,
        ...(hasTool(tools, RECALL_TOOL) ? recallOptions(parts.shared) : {}),
        ...modelOptions(model),
        ...compactHooks(parts.agent.hooks, { caller, tell: parts.onNotice }),
        source: `agent:${type.name}`,
        agentId: id,
        events,
        writer,
        transcriptPath,
        system: { prompt: prompts.of({ role: type.prompt, hasSkills: hasTool(tools, "Skill") }) },
        tools: () => tools.list().map(offeredTool),
        continuation: "autonomous",
        state: {
          restore,
          readState,
          nestedMemory,
          workingDirectory: parts.cwd,
          resolvePath: guard.absolute,
          exclude: parts.exclude,
          ports: {
            files: guard.files,
            memory: nestedMemory,
            todos: state.todos,
            skills: state.invoked,
            // It starts none itself, and may run commands.
            backgroundAgents: backgroundTasks(createMemoryBackgroundAgents(), parts.background, parts.hider),
            announcements,
          },
        },
      });
      const conversation = parts.traced(made);
      tools.deferral.reset(conversation.live);
      events.on("compact", () => tools.deferral.reset(conversation.live));
      begun = conversation;
      const started = await parts.agent.hooks.run(
        "SubagentStart",
        { agentId: id, agentType: type.name },
        { signal },
      );
      if (started.message !== undefined) parts.onNotice(started.message);
      const contexts = (started.contexts ?? []).map((context) => `${context}\n\n`).join("");
      const agent: Agent = {
        ...parts.agent,
        provider,
        conversation,
        readState,
        changedFiles: createChangedFiles(readState),
        places: { workingDirectory: parts.cwd, home: parts.home },
        nestedMemory,
        announcements,
        tools: () => new Map(tools.list().map((tool) => [tool.definition.name, tool])),
        reminders: (live) => planReminder(live, state.planMode, id),
        agentId: id,
        agentType: type.name,
        transcriptPath,
      };
      return yield* noticing(query(agent, `${contexts}${prompt}`, { signal }), parts.onNotice);
    } finally {
      if (begun !== undefined) parts.onEnding(parts.remember(begun.ttl));
      // Nobody waits for its notes; what they cost is still to come.
      if (begun?.notes === undefined) await writer.close();
      else parts.onEnding(begun.notes.idle().finally(() => writer.close()));
    }
  };
}

/** What a subagent's hooks, and what cuts its answers off, have to say to the person is told like that of the main thread. */
async function* noticing(
  events: AsyncGenerator<AgentEvent, AgentResult>,
  tell: (text: string) => void,
): AsyncGenerator<AgentEvent, AgentResult> {
  try {
    let next = await events.next();
    for (; next.done !== true; next = await events.next()) {
      if (next.value.kind === "notice") tell(next.value.text);
      yield next.value;
    }
    return next.value;
  } finally {
    await events.return(undefined as never);
  }
}
const hasTool = ({ list }: ListedTools, name: string): boolean =>
  list().some(({ definition }) => definition.name === name);

/** What subagents say is marked as theirs. */
const sidechain = (writer: TranscriptWriter): TranscriptWriter => ({
  append: (messages) =>
    writer.append(messages.map((message): Message => ({ ...message, isSidechain: true }))),
  close: () => writer.close(),
});
