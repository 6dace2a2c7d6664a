import { estimator } from "../../clear/testing/context.js";
import { defaultSettings } from "../../settings/settings.js";
import { createMemoryAnnouncements } from "../ports/announcement-source.js";
import { createMemoryBackgroundAgents } from "../ports/background-agents.js";
import { createMemoryFileAccess, type MemoryFile } from "../ports/memory-file-access.js";
import { createMemoryInvokedSkills } from "../ports/invoked-skills.js";
import { createMemoryPlan } from "../ports/plan-source.js";
import { createMemoryTodos } from "../ports/todo-source.js";
import type { RestoreOptions } from "../restore-state.js";
import { readStateWith } from "./read-states.js";

export const RESTORED_AT = 1_000_000;

/** Options for a restore in which these files were read, the first one first, and nothing else is known. */
export function restoring(
  files: Readonly<Record<string, MemoryFile>>,
  change: Partial<RestoreOptions> = {},
): RestoreOptions {
  return {
    ports: { files: createMemoryFileAccess(files) },
    readState: readStateWith(Object.keys(files)).snapshot(),
    estimator,
    settings: defaultSettings,
    clock: { now: () => RESTORED_AT },
    ...change,
  };
}

/** Ports in which every channel has something to say. */
export function fullPorts(files: Readonly<Record<string, MemoryFile>>): RestoreOptions["ports"] {
  const skills = createMemoryInvokedSkills();
  skills.note({ name: "review", path: "/skills/review.md", content: "Look twice.", invokedAt: 1 });
  return {
    files: createMemoryFileAccess(files),
    backgroundAgents: createMemoryBackgroundAgents([
      { id: "bg", description: "counts", status: "running", progress: "at 3" },
    ]),
    todos: createMemoryTodos([{ content: "tidy", status: "pending" }]),
    plan: createMemoryPlan({ path: "/plans/p.md", content: "# Plan", isPlanMode: true }),
    skills,
    announcements: createMemoryAnnouncements({
      deferredTools: [{ name: "Cron", description: "" }],
      agents: [{ name: "explore", description: "looks around" }],
      mcpInstructions: [{ name: "docs", description: "Ask first." }],
    }),
  };
}
