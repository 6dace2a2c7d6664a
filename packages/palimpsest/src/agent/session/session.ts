import { branches } from "@palimpsest/core/branches";
import { createConversation, TranscriptError, type Message, type ModelProvider } from "@palimpsest/core";
import { createDefaultEstimator } from "@palimpsest/core/engine";
import { createMemoryReadState, type FileExclusions, restore } from "@palimpsest/core/restore";
import { keepNotes } from "@palimpsest/core/notes";
import { totals } from "@palimpsest/core/totals";
import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { createCalibrationFile } from "../../stores/calibration-file.js";
import { checkConversationId } from "../../stores/conversation-id.js";
import { createGapHistoryFile } from "../../stores/gap-history-file.js";
import { createJsonlStore } from "../../stores/jsonl/store.js";
import { createNotesFile } from "../../stores/notes-file.js";
import { replaceFile } from "../../stores/replace-file.js";
import { createKeyHider, hidingFiles, hidingProvider, hidingWriter } from "./key-hider.js";
import { keysIn } from "../base/key-variables.js";
import { createChangedFiles } from "../loop/changed-files.js";
import { projectDirectories } from "../base/project-directories.js";
import { createPathGuard, type PathGuard } from "../base/path-guard.js";
import { createSubagents, type Subagents } from "../subagents/subagents.js";
import { createBackgroundCommands } from "../tools/background-commands.js";
import { createSpill } from "../tools/spill.js";
import { createCompactionProgress } from "./compaction-progress.js";
import { sessionOrigins } from "./branch-session.js";
import { createClearOnDemand } from "./clear-on-demand.js";
import { findMessage } from "./find-message.js";
import { backgroundTasks } from "./background-tasks.js";
import { withEarlierCalls } from "./earlier-calls.js";
import { ownPaths, scratchpadOf, withOwnFiles } from "./own-files.js";
import { planReminder } from "./plan-reminder.js";
import { announcementsOf } from "./session-announcements.js";
import { createSessionCalibrations } from "./session-calibrations.js";
import { createSessionBreaks } from "./session-breaks.js";
import { createSessionEvents, type TellEngineEvent } from "./session-events.js";
import { openSessionGaps } from "./session-gaps.js";
import { outputFolder, projectFolder, sessionFolder } from "./session-folder.js";
import { createSessionHooks } from "./session-hooks.js";
import { createSessionInstructions } from "./session-instructions.js";
import type { SessionOptions } from "./session-options.js";
import { createSessionPauses } from "./session-pauses.js";
import { createSessionPermissions } from "./session-permissions.js";
import { createSessionPrompts } from "./session-prompts.js";
import { openSessionState } from "./session-state.js";
import { createSessionTools, offeredTool } from "./session-tools.js";
import { compactHooks, modelOptions, recallOptions, sharedConversation } from "./shared-conversation.js";
import { recordSession } from "./recorded-session.js";
import { createSubagentStart } from "./start-subagent.js";
import { takeUp } from "./take-up.js";
import type { Session } from "./opened-session.js";
import { tellingSent } from "./sent-requests.js";
import { sessionTelemetry } from "./session-telemetry.js";
import { undoLastCompaction } from "./undo-last-compaction.js";

export type { Session };

/** Opens a session, new or resumed. Rejects with a `TranscriptError` for one that is not there or in use. */
export async function openSession(given: SessionOptions): Promise<Session> {
  const hider = createKeyHider([
    ...keysIn({ ...given.settings.env, ...given.env }, given.hiddenVariables),
    ...(given.secrets ?? []),
  ]);
  const { id, cwd, home, isResumed } = given;
  checkConversationId(id);
  const now = given.now ?? Date.now;
  const transcripts = projectFolder(given.dataDirectory, cwd);
  const folder = sessionFolder(given.dataDirectory, id);
  const transcriptPath = join(transcripts, `${id}.jsonl`);
  const scratchpad = scratchpadOf(given.settings, folder);
  const own = { folder, transcriptPath, scratchpad };
  const traced = sessionTelemetry(given.telemetry, id);
  const options: SessionOptions = {
    ...given,
    provider: traced.provider(hidingProvider(given.provider, hider)),
    settings: withOwnFiles(given.settings, own),
  };
  const { settings } = options;
  // What is not there yet cannot be told from what lies outside. Where the disk refuses, the transcript says so.
  await mkdir(scratchpad ?? folder, { recursive: true, mode: 0o700 }).catch(() => {});
  const state = await openSessionState(folder, options.mode);
  const { planMode } = state;
  // Messages that a branch began with name outputs of the conversation that it comes from.
  const origins = (await sessionOrigins(folder)).map((origin) =>
    outputFolder(sessionFolder(options.dataDirectory, origin)),
  );
  const folders = [folder, ...origins];
  const { isDenied, setMode, ...permissions } = createSessionPermissions(options, { planMode, folders });
  const allowed = createPathGuard({
    roots: [cwd, ...settings.permissions.additionalDirectories, ...folders],
    readable: [transcriptPath],
    workingDirectory: cwd,
    home,
    // Searches come across files that no call names.
    isDenied: (path) => isDenied(path, "read"),
  });
  const guard: PathGuard = {
    ...allowed,
    files: hidingFiles(allowed.files, hider),
    ...(options.beforeEdit === undefined ? {} : { beforeSave: options.beforeEdit }),
  };
  const hooks = createSessionHooks(options, transcriptPath);
  const spill = createSpill({ directory: outputFolder(folder), hide: hider.text });
  const background = createBackgroundCommands({ directory: outputFolder(folder) });
  const told = new Set<string>();
  const tell = (message: string): void => {
    if (!told.has(message)) options.onNotice?.(message);
    told.add(message);
  };
  const recording =
    options.recordFolder === undefined
      ? undefined
      : recordSession({ folder: options.recordFolder, sessionId: id, hider, now, tell });
  const { onSent } = options;
  const recorded = recording?.provider(options.provider) ?? options.provider;
  const telling = (of: ModelProvider): ModelProvider =>
    onSent === undefined ? of : tellingSent(of, { hide: hider.text, onSent });
  const provider = telling(recorded);
  const prompts = createSessionPrompts(options, {
    hooks,
    now,
    hide: hider.text,
    isDenied: (path) => isDenied(path, "read"),
    groups: background.groups,
    scratchpad,
    tell,
  });
  const calibrations = await createSessionCalibrations(
    createCalibrationFile(join(options.dataDirectory, "estimator.json")),
    [options.model, ...options.agentTypes.flatMap(({ model }) => model ?? [])],
  );
  const gaps = await openSessionGaps(createGapHistoryFile(join(options.dataDirectory, "gaps.json")));
  const shared = {
    ...sharedConversation(options, { now, folder }),
    calibrations,
    ...(gaps.history === undefined ? {} : { gapHistory: gaps.history }),
  };
  // What comes back by other ways: the session's own state, and what the prompt shows. Long outputs are files like any.
  const real = await realpath(folder).catch(() => folder);
  const exclude = (): FileExclusions => ({
    ownPaths: [...ownPaths(own), ...ownPaths({ ...own, folder: real })],
    memoryPaths: prompts.memoryPaths(),
  });
  const { onEngineEvent } = options;
  const tellEvent: TellEngineEvent | undefined =
    onEngineEvent && ((told) => onEngineEvent({ ...told, event: hider.value(told.event) }));
  const memoryFor = createSessionInstructions(options, {
    directories: await projectDirectories(cwd, home),
    hooks,
    hider,
    isDenied: (path) => isDenied(path, "read"),
    now,
    tell,
  });

  const store = createJsonlStore({ directory: transcripts });
  if (!isResumed && existsSync(transcriptPath)) {
    throw new TranscriptError(
      "bad_id",
      `There is a conversation ${id} already: resume it, or choose another id.`,
    );
  }
  const history = async (): Promise<readonly Message[]> => (await store.readAll(id)).messages;
  const live = isResumed
    ? await withEarlierCalls((await store.readLive(id)).messages, {
        source: options.source,
        bytes: statSync(transcriptPath).size,
        readAll: history,
        onNotice: (text) => options.onNotice?.(text),
      })
    : [];
  // From here on the conversation is ours, and only the disk can fail before it is handed out.
  const opened = await store.open(id);
  if (isResumed) recording?.begin(await history());
  const writer = hidingWriter(recording?.writer(opened) ?? opened, hider);

  const tools = createSessionTools(options, { guard, state, spill, background, hider });
  const common = {
    provider,
    hooks,
    now,
    hide: hider.text,
    ...traced.agent,
    ...permissions,
    ...(options.ask === undefined ? {} : { ask: options.ask }),
  };
  const endings: Promise<void>[] = [];
  const subagents: Subagents = createSubagents({
    types: () => options.agentTypes,
    start: createSubagentStart({
      directory: join(folder, "agents"),
      model: options.model,
      cwd,
      home,
      guard,
      state,
      tools,
      announcementsOf: (listed) => announcementsOf(options, listed, { hider, isMain: false }),
      background,
      prompts,
      hider,
      memoryFor,
      exclude,
      shared,
      ...(recording === undefined ? {} : { recording }),
      agent: { ...common, provider: telling(options.provider) },
      onBilled: (call) => void conversation.charge(call),
      onEnding: (ending) => void endings.push(ending),
      onNotice: (text) => options.onNotice?.(hider.text(text)),
      events: (agentId) => createSessionEvents(tellEvent, { sessionId: id, agentId }),
      remember: gaps.remember,
      traced: traced.conversation,
    }),
    nextId: () => `agent-${randomUUID().slice(0, 8)}`,
    estimator: createDefaultEstimator({ model: options.model }),
    resultTokens: () => settings.engine.subagentResultTokens,
    async keep(text, name) {
      const path = join(outputFolder(folder), `${name}.txt`);
      await replaceFile(path, hider.text(text));
      return path;
    },
  });

  const readState = createMemoryReadState();
  const events = createSessionEvents(tellEvent, { sessionId: id });
  const nestedMemory = memoryFor({ readState, events });
  events.on("window_learned", ({ model, window }) => {
    options.onNotice?.(
      `The window of ${model} has ${window.toLocaleString("en-US")} tokens, as the API says.`,
    );
  });
  const tasks = backgroundTasks(subagents, background, hider);
  const main = tools.main({ subagents, transcriptPath });
  const clearing = createClearOnDemand({ keep: settings.engine.clearSizeKeep });
  const announcements = announcementsOf(options, main, { hider, isMain: true });
  const breaks = createSessionBreaks(folder, settings.engine, hider);
  const progress = createCompactionProgress({
    now,
    contextTokens: () => conversation.size().tokens,
    tell: (told) => options.onCompaction?.(told),
  });
  const prompt = prompts.of({ hasSkills: true });
  const perModel = modelOptions(options.model);
  const pauses = createSessionPauses(() => conversation, {
    provider,
    settings: settings.engine,
    now,
    onNotice: (sentence) => options.onNotice?.(sentence),
    ...(options.reviewSummary === undefined ? {} : { reviewSummary: options.reviewSummary }),
  });
  const made = createConversation(
    {
      ...shared,
      provider,
      ...recallOptions(shared),
      compaction: pauses.stage,
      ...perModel,
      ...compactHooks(hooks, { tell: (message) => options.onNotice?.(hider.text(message)) }),
      onStatus: progress.onStatus,
      every: progress.every,
      diffs: breaks.diffs,
      source: options.source,
      keptWarmAt: pauses.lastAt,
      watched: () => ({
        autoMode: permissions.permissionMode() === "bypassPermissions",
        scopeStrategy: provider.capabilities(options.model).cacheScopes ? "static" : "none",
      }),
      events,
      writer,
      branches: branches({ history }),
      stages: clearing.stages,
      totals,
      transcriptPath,
      system: { prompt },
      tools: () => main.list().map(offeredTool),
      continuation: settings.prompt?.autonomous === true ? "autonomous" : "continue",
      notes: keepNotes({ store: createNotesFile(join(folder, "session-memory", "summary.md")) }),
      state: {
        restore,
        readState,
        nestedMemory,
        workingDirectory: cwd,
        resolvePath: guard.absolute,
        exclude,
        ports: {
          files: guard.files,
          memory: nestedMemory,
          todos: state.todos,
          plan: state.planMode,
          skills: state.invoked,
          backgroundAgents: tasks,
          announcements,
        },
      },
      cleanup: {
        promptSections: () => {
          prompts.noteCompaction();
          main.deferral.reset(conversation.live);
        },
      },
    },
    live,
  );
  const conversation = traced.conversation(made);
  if (isResumed && options.at !== undefined) {
    const found = findMessage(await history(), options.at);
    const outcome = found.kind === "found" ? await conversation.rewind(found.uuid) : found;
    if (outcome.kind !== "rewound") {
      await writer.close();
      throw new TranscriptError("not_found", outcome.message);
    }
  }
  main.deferral.reset(conversation.live);
  if (isResumed) await takeUp(conversation, { planMode, readState, guard });
  return {
    id,
    transcriptPath,
    conversation,
    events,
    isResumed,
    subagents,
    tools: main.list,
    cacheBreakFile: ({ diffId: id, at }) => (id === undefined ? undefined : breaks.pathOf({ id, at })),
    skills: options.skills,
    noteSkill: (skill) => state.invoked.note(hider.value(skill)),
    guard,
    judgeWith(allow) {
      const rules = { ...settings.permissions, allow: [...settings.permissions.allow, ...allow] };
      const allowing = { ...options, settings: { ...settings, permissions: rules } };
      return createSessionPermissions(allowing, { planMode, folders }).judge;
    },
    history,
    clearResults: () => clearing.clear(conversation),
    canCompact: !settings.engine.disableCompact,
    undo: () => undoLastCompaction({ conversation, history }),
    turn: traced.turn,
    whileWaiting: pauses.during,
    keptWarmAt: pauses.lastAt,
    setPermissionMode: setMode,
    mayBypass: options.mode === "bypassPermissions",
    async switchModel(model) {
      const { maxTokens, parameters } = modelOptions(model);
      await conversation.switchModel(model, { maxTokens });
      // The engine reads them anew for every request.
      Object.assign(perModel.parameters, { thinking: undefined }, parameters);
    },
    agent: {
      ...common,
      conversation,
      readState,
      changedFiles: createChangedFiles(readState),
      places: { workingDirectory: cwd, home },
      nestedMemory,
      announcements,
      takeUp: pauses.takeUp,
      refreshPrompt: prompt.refresh,
      reminders: (live) => planReminder(live, state.planMode),
      tools: () => new Map(main.list().map((tool) => [tool.definition.name, tool])),
    },
    async close() {
      await Promise.allSettled([subagents.close(), background.close(), options.mcp?.close()]);
      await Promise.allSettled([
        state.idle(),
        ...endings,
        calibrations.save(),
        gaps.remember(conversation.ttl),
      ]);
      await conversation.flush();
      await writer.close();
    },
  };
}
