import { homedir } from "node:os";
import { resolve } from "node:path";
import { join } from "node:path";
import { withoutKeys } from "../../agent/base/key-variables.js";
import { earlierPrompts } from "../../agent/session/earlier-prompts.js";
import { dataDirectory, sessionFolder } from "../../agent/session/session-folder.js";
import { configDirectory } from "../../agent/settings/settings-files.js";
import { createTrustStore } from "../../agent/trust/trust-store.js";
import { claimLine, type UntrustedClaims } from "../../agent/trust/untrusted-claims.js";
import { openAgent, type AgentFlags, type OpenedAgent } from "../headless/open-agent.js";
import { NoKeyError, StartError } from "../headless/start-error.js";
import { pickSession, screenCommands } from "./commands/screen-commands.js";
import { createCompletions } from "./input/completions.js";
import { createSurface } from "./surface/create-surface.js";
import type { Surface, SurfaceHandlers } from "./surface/surface.js";
import type { ScreenIo } from "./surface/screen-io.js";
import { createKeptCopies, type KeptCopies } from "./talk/kept-copies.js";
import { keepRule, ownSettingsFile } from "./talk/kept-rule.js";
import { createQuestions } from "./talk/questions.js";
import { createScreenInspector, type ScreenInspector } from "./talk/screen-inspector.js";
import type { Review } from "./talk/review.js";
import { Talk } from "./driver/talk.js";
import { shownLine } from "./text/shown-text.js";
import { wrapLines } from "./text/width.js";

export interface ScreenFlags extends Omit<AgentFlags, "resume"> {
  /** What to begin with. */
  readonly prompt?: string;
  /** The conversation to go on with; true where it is to be picked. */
  readonly resume?: string | boolean;
  readonly fullScreen?: boolean;
}

const ExitCode = { done: 0, failed: 1, usage: 2 } as const;

/** The agent in the terminal. Gives the exit code; the terminal is what it was, however this ends. */
export async function runScreen(flags: ScreenFlags, io: ScreenIo): Promise<number> {
  const { env } = io.terminal;
  const home = env["HOME"] || homedir();
  const cwd = resolve(flags.cwd ?? process.cwd());
  const config = configDirectory({ home, env });
  const data = dataDirectory({ home, env });
  let talk: Talk | undefined;
  const stop = new AbortController();
  /** What was said before anybody could hear it. */
  const early: string[] = [];
  const handlers: SurfaceHandlers = {
    onSubmit(text) {
      if (talk === undefined) early.push(text);
      else talk.submit(text);
    },
    onInterrupt: () => talk?.interrupt() ?? false,
    onRewind: () => talk?.rewind(),
    onMode: () => talk?.nextMode(),
    onLeave() {
      if (talk === undefined) stop.abort();
      else talk.leave();
    },
    takeQueued: () => talk?.takeQueued(),
    onPaste: (text) => talk?.pictures.take(text),
    earlierPrompts: () => earlierPrompts({ dataDirectory: data, cwd, except: talk?.session.id }),
  };
  const surface = await createSurface({
    io,
    handlers,
    configDirectory: config,
    wantsFullScreen: flags.fullScreen,
    hide: withoutKeys(env),
    completions: createCompletions({ cwd, commands: () => listed(talk), own: screenCommands }),
  });
  const onSignal = (): void => {
    stop.abort();
    talk?.leave();
    surface.cancel();
  };
  const stopInterrupts = io.onInterrupt(() => {
    if (!handlers.onInterrupt()) onSignal();
  });
  io.signal.addEventListener("abort", onSignal, { once: true });
  try {
    const review: Review = { current: undefined };
    const inspector = createScreenInspector({ dataDirectory: data, env });
    const { onSent } = inspector;
    const open = opener({ io, surface, config, data, cwd, home, review, stop, onSent, talk: () => talk });
    const first = await start(flags, { io, surface, open, data, cwd });
    if (typeof first === "number") return first;
    talk = new Talk(
      {
        surface,
        open: (next) => open({ ...afresh(first.flags), ...next }),
        review,
        inspector,
        cwd,
        home,
        dataDirectory: data,
        configDirectory: config,
        env,
        now: Date.now,
      },
      first,
    );
    try {
      if (!stop.signal.aborted)
        await talk.run([...(flags.prompt === undefined ? [] : [flags.prompt]), ...early]);
    } finally {
      await talk.end();
      if (talk.session.conversation.live.length > 0)
        talk.notice(`To go on with this conversation: palimpsest --resume ${talk.session.id}`);
    }
    return io.signal.aborted ? 130 : ExitCode.done;
  } catch (error) {
    surface.close();
    if (!isStartFailure(error)) throw error;
    for (const line of error.message.split("\n"))
      io.terminal.stderr.write(`palimpsest: ${shownLine(line)}\n`);
    return error.name === "UsageError" ? ExitCode.usage : ExitCode.failed;
  } finally {
    io.signal.removeEventListener("abort", onSignal);
    stopInterrupts();
    surface.close();
  }
}

const START_FAILURES: ReadonlySet<string> = new Set([
  "StartError",
  "UsageError",
  "SettingsError",
  "PermissionRuleError",
]);
const isStartFailure = (error: unknown): error is Error =>
  error instanceof Error && START_FAILURES.has(error.name);

const listed = (talk: Talk | undefined): OpenedAgent["commands"] => talk?.opened.commands ?? [];

/** The same flags for another conversation. */
function afresh({
  resume: _resume,
  continue: _continue,
  at: _at,
  branch: _branch,
  sessionId: _id,
  ...rest
}: AgentFlags): AgentFlags {
  return rest;
}

interface OpenerParts extends Pick<ScreenInspector, "onSent"> {
  readonly io: ScreenIo;
  readonly surface: Surface;
  readonly config: string;
  readonly data: string;
  readonly cwd: string;
  readonly home: string;
  readonly review: Review;
  readonly stop: AbortController;
  readonly talk: () => Talk | undefined;
}

interface Opened {
  readonly opened: OpenedAgent;
  readonly copies: KeptCopies;
}

type Open = (flags: AgentFlags) => Promise<Opened>;

function opener(parts: OpenerParts): Open {
  const { io, surface, config, data, cwd, review, stop, onSent, talk } = parts;
  let current: OpenedAgent | undefined;
  const questions = createQuestions({
    surface: () => surface,
    session: () => (talk()?.opened ?? current)?.session,
    keepRule: (rule) => keepRule(config, rule),
    settingsFile: ownSettingsFile(config),
  });
  return async (flags) => {
    let copies: KeptCopies | undefined;
    const opened = await openAgent(flags, {
      terminal: io.terminal,
      source: "repl_main_thread",
      onNotice(text) {
        surface.dispatch({ kind: "notice", text, tone: "plain" });
        // It may tell that the cache was kept warm.
        talk()?.showStatus();
      },
      onCompaction: (progress) => surface.dispatch({ kind: "compaction", progress, at: Date.now() }),
      signal: stop.signal,
      more: {
        ...questions,
        onSent,
        beforeEdit: async (path) => copies?.keep(path),
        reviewSummary: () => review.current,
      },
      askTrust: (untrusted) => askTrust(untrusted, { surface, config, cwd }),
    });
    current = opened;
    const folder = sessionFolder(data, opened.session.id);
    copies = createKeptCopies(join(folder, "edits"), {
      now: Date.now,
      isOurs: (path) => path.startsWith(`${folder}/`),
    });
    return { opened, copies };
  };
}

interface StartParts {
  readonly io: ScreenIo;
  readonly surface: Surface;
  readonly open: Open;
  readonly data: string;
  readonly cwd: string;
}

/** The first conversation, or the exit code where there is none. */
async function start(
  { resume, prompt: _prompt, fullScreen: _full, ...rest }: ScreenFlags,
  { io, surface, open, data, cwd }: StartParts,
): Promise<(Opened & { readonly flags: AgentFlags }) | number> {
  let flags: AgentFlags = { ...rest, ...(typeof resume === "string" ? { resume } : {}) };
  if (resume === true) {
    const { listSessions } = await import("../../agent/session/list-sessions.js");
    const id = await pickSession({ surface }, await listSessions({ dataDirectory: data, cwd }));
    if (id !== undefined) flags = { ...flags, resume: id };
  }
  for (;;) {
    try {
      return { ...(await open(flags)), flags };
    } catch (error) {
      if (error instanceof TrustDeclined) {
        if (error.answer === "without") flags = { ...flags, settingSources: ["user"] };
        else throw error;
        continue;
      }
      if (!(error instanceof NoKeyError)) throw error;
      const choice = await chooseWithoutKey(surface);
      if (choice === "embedded") {
        flags = { ...flags, embedded: true };
        continue;
      }
      surface.close();
      if (choice === "demo") return io.demo();
      io.terminal.stderr.write(
        "palimpsest: set ANTHROPIC_API_KEY in your shell, and start again: export ANTHROPIC_API_KEY=…\n",
      );
      return ExitCode.failed;
    }
  }
}

async function chooseWithoutKey(surface: Surface): Promise<string | undefined> {
  const chosen = await surface.ask({
    about: ({ theme, width }) => [
      ...wrapLines("There is no key: ANTHROPIC_API_KEY is not set, and nobody can answer yet.", width).map(
        theme.bold,
      ),
      ...wrapLines("Nothing that you choose here is stored.", width),
    ],
    choices: [
      {
        value: "key",
        label: "use a key",
        description: "set the variable ANTHROPIC_API_KEY, and start again",
      },
      { value: "embedded", label: "try it without one", description: "an echo in this process answers" },
      { value: "demo", label: "watch the demo" },
    ],
  });
  return chosen?.values[0];
}

/** The person does not trust the folder. */
class TrustDeclined extends StartError {
  readonly answer: "without" | "no";

  constructor(answer: "without" | "no") {
    super("this folder is not trusted, and nothing was started");
    this.answer = answer;
  }
}

async function askTrust(
  { claims, isChanged }: UntrustedClaims,
  { surface, config, cwd }: { readonly surface: Surface; readonly config: string; readonly cwd: string },
): Promise<boolean> {
  surface.ring("A folder wants to be trusted");
  const chosen = await surface.ask({
    about: ({ theme, width }) => [
      ...wrapLines(
        isChanged
          ? "This folder has changed since you trusted it. It asks for more:"
          : "Do you trust whoever wrote what is in this folder? It asks for:",
        width,
      ).map(theme.bold),
      ...claims.map((claim) => shownLine(claimLine(cwd)(claim))),
      ...wrapLines("Until you say yes none of it runs or is permitted.", width).map(theme.dim),
    ],
    choices: [
      { value: "keep", label: "yes, and keep the answer" },
      { value: "now", label: "yes, this time" },
      { value: "without", label: "start without its settings" },
      { value: "no", label: "no" },
    ],
  });
  const answer = chosen?.values[0];
  if (answer !== "keep" && answer !== "now") throw new TrustDeclined(answer === "without" ? "without" : "no");
  if (answer === "keep") {
    const { realPathOf } = await import("../../agent/base/real-path.js");
    const store = createTrustStore(config);
    const folder = realPathOf(cwd);
    const before = (await store.list()).find((one) => one.folder === folder)?.claims ?? [];
    const digests = [...new Set([...before, ...claims.map(({ digest }) => digest)])];
    await store.add({ folder, trustedAt: new Date().toISOString(), claims: digests });
  }
  return true;
}
