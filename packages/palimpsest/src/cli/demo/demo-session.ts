import type { ModelProvider, Settings } from "@palimpsest/core";
import { randomUUID } from "node:crypto";
import { dirname, delimiter } from "node:path";
import { openSession, type Session } from "../../agent/session/session.js";
import { readSettingsFiles } from "../../agent/settings/read-settings.js";
import { defaultOutputStyle } from "../../agent/settings/output-style.js";
import { configDirectory } from "../../agent/settings/settings-files.js";
import { loadSkills } from "../../agent/skills/load-skills.js";
import { loadAgentTypes } from "../../agent/subagents/agent-types.js";
import type { DemoPart } from "./demo-parts.js";
import { TEST_COMMAND } from "./demo-player.js";
import type { DemoWorkspace } from "./demo-workspace.js";

const switchedOff: Readonly<Record<DemoPart, Partial<Settings>>> = {
  restoration: { compactRestore: false },
  verification: { compactVerify: false },
  "work-record": { compactNamesTokens: 0 },
  early: { compactEarly: false },
};

export interface DemoSessionOptions {
  readonly workspace: DemoWorkspace;
  readonly without: ReadonlySet<DemoPart>;
  readonly provider: ModelProvider;
  readonly model: string;
  readonly window: number;
  /** Where programs are. */
  readonly path: string;
  /** Where the conversation and its requests are recorded. */
  readonly recordFolder?: string | undefined;
  readonly now: () => number;
}

/** A session of the real agent, with nothing of this person's settings, variables and files. */
export async function openDemoSession(options: DemoSessionOptions): Promise<Session> {
  const { workspace, without, provider, model, window, now } = options;
  const { work: cwd, home, data } = workspace;
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${options.path}`, HOME: home };
  const places = { cwd, home, configDirectory: configDirectory({ home, env }) };
  const flags: Partial<Settings> = Object.assign(
    { window },
    ...[...without].map((part) => switchedOff[part]),
  ) as Partial<Settings>;
  const settings = await readSettingsFiles({ cwd, home, env, flags });
  const [skills, agentTypes] = await Promise.all([loadSkills(places), loadAgentTypes(places)]);
  const rule = { rule: `Bash(${TEST_COMMAND})`, base: cwd, source: "the demo" };
  return openSession({
    ...places,
    dataDirectory: data,
    env,
    settings: {
      ...settings,
      permissions: { ...settings.permissions, allow: [...settings.permissions.allow, rule] },
    },
    skills,
    agentTypes,
    style: defaultOutputStyle,
    provider,
    model,
    mode: "acceptEdits",
    id: randomUUID(),
    isResumed: false,
    source: "sdk",
    ...(options.recordFolder === undefined ? {} : { recordFolder: options.recordFolder }),
    now,
  });
}
