import { defaultSettings, type Settings } from "@palimpsest/core";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createEmbeddedProvider, type EmbeddedProvider } from "../../../providers/embedded.js";
import type { Player } from "../../../simulator/player.js";
import { createScriptPlayer } from "../../../simulator/players/script-player.js";
import type { ScriptStep } from "../../../simulator/players/script.js";
import { withSummaries } from "../../../simulator/players/summaries-player.js";
import type { AgentEvent, AgentResult } from "../../base/agent-event.js";
import { query } from "../../loop/query.js";
import { loadSkills } from "../../skills/load-skills.js";
import { loadAgentTypes } from "../../subagents/agent-types.js";
import { openSession, type Session } from "../session.js";
import type { SessionOptions } from "../session-options.js";

/** Folders of one test: a project, a home, and what sessions keep. */
export interface Workplace {
  readonly cwd: string;
  readonly home: string;
  readonly data: string;
  readonly write: (path: string, text: string) => Promise<string>;
  readonly open: (
    player: readonly ScriptStep[] | Player,
    options?: Partial<SessionOptions> & { readonly engine?: Partial<Settings> },
  ) => Promise<OpenedSession>;
  readonly remove: () => Promise<void>;
}

interface OpenedSession extends Session {
  readonly provider: EmbeddedProvider;
  /** Bodies of all requests, as they were sent. */
  readonly requests: readonly SentRequest[];
  readonly say: (prompt: string | undefined, signal?: AbortSignal) => Promise<Said>;
}

interface Said {
  readonly result: AgentResult;
  readonly events: readonly AgentEvent[];
}

interface SentRequest {
  readonly model: string;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

let sessions = 0;

export async function createWorkplace(): Promise<Workplace> {
  const root = await mkdtemp(join(tmpdir(), "palimpsest-session-"));
  const [cwd, home, data] = [join(root, "project"), join(root, "home"), join(root, "data")];
  await mkdir(cwd);
  await mkdir(home);
  const places = { cwd, home, configDirectory: join(home, ".config", "palimpsest") };
  return {
    cwd,
    home,
    data,
    async write(path, text) {
      const file = join(cwd, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    async open(player, { engine, ...options } = {}) {
      const requests: SentRequest[] = [];
      const provider = createEmbeddedProvider({
        player: isPlayer(player) ? player : withSummaries(createScriptPlayer({ steps: player })),
        ...(engine?.window === undefined || engine.window === 0 ? {} : { window: engine.window }),
        wrap: (app) => async (request) => {
          requests.push((await request.clone().json()) as SentRequest);
          return app(request);
        },
      });
      const session = await openSession({
        ...places,
        dataDirectory: data,
        env: { PATH: process.env["PATH"] },
        settings: {
          engine: { ...defaultSettings, ...engine },
          hooks: {},
          permissions: { allow: [], ask: [], deny: [], additionalDirectories: [] },
          env: {},
          files: [],
          warnings: [],
        },
        skills: await loadSkills(places),
        agentTypes: await loadAgentTypes(places),
        style: { name: "default", text: "", keepsCodingInstructions: true },
        provider,
        model: "claude-sonnet-5",
        mode: "bypassPermissions",
        id: `session-${(sessions += 1)}`,
        isResumed: false,
        source: "sdk",
        ...options,
      });
      return {
        ...session,
        provider,
        requests,
        async say(prompt, signal = new AbortController().signal) {
          const events: AgentEvent[] = [];
          const running = query(session.agent, prompt, { signal });
          let next = await running.next();
          while (next.done !== true) {
            events.push(next.value);
            next = await running.next();
          }
          return { result: next.value, events };
        },
      };
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const isPlayer = (player: readonly ScriptStep[] | Player): player is Player => "answer" in player;
