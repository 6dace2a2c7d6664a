import type { InvokedSkill, InvokedSkills } from "@palimpsest/core/restore";
import { asText } from "../readers/recording.js";
import type { RecordedCall } from "./recorded-call.js";

/** The skills that a recording invokes. */
export interface RecordedSkills {
  readonly source: InvokedSkills;
  readonly answered: (call: RecordedCall) => void;
  /** What the program itself said: a skill's text, for the call of this id where it names one. */
  readonly said: (text: string, about: { readonly callId: string; readonly at: number }) => void;
}

const MOST_SKILLS = 50;
const MOST_CHARACTERS = 400_000;

const DIRECTORY = /^Base directory for this skill: ([^\n]{1,4096})\n+/;
/** The answer to a call whose text follows in a message of its own. */
const LAUNCHING = /^Launching skill: /;

export function createRecordedSkills(): RecordedSkills {
  /** By name, the last invoked last. */
  const skills = new Map<string, InvokedSkill>();
  /** Names of invoked skills whose text has not come yet, by the ids of their calls. */
  const awaited = new Map<string, string>();

  const note = (name: string, text: string, invokedAt: number): void => {
    const head = DIRECTORY.exec(text);
    const directory = head?.[1] ?? name;
    const separator = directory.includes("\\") ? "\\" : "/";
    const content = text.slice(head?.[0].length ?? 0).slice(0, MOST_CHARACTERS);
    skills.delete(name);
    skills.set(name, { name, path: `${directory}${separator}SKILL.md`, content, invokedAt });
    dropOldest(skills);
  };
  return {
    source: {
      invoked: async (agentId) => (agentId === undefined ? [...skills.values()] : []),
    },
    answered({ id, name, input, text = "", isError, at }) {
      if (isError || (name !== "Skill" && name !== "skill")) return;
      const skill = (asText(input["skill"]) || asText(input["name"]) || asText(input["command"])).slice(
        0,
        200,
      );
      if (skill === "") return;
      if (!LAUNCHING.test(text) && text.trim() !== "") return note(skill, text, at);
      awaited.set(id, skill);
      dropOldest(awaited);
    },
    said(text, { callId, at }) {
      const directory = DIRECTORY.exec(text)?.[1];
      if (directory === undefined) return;
      const name = awaited.get(callId) ?? namedLike(directory, awaited) ?? baseName(directory);
      awaited.delete(callId);
      if (name !== "") note(name, text, at);
    },
  };
}

/** The awaited skill that this directory belongs to: `plugin:name` stands in `name`. */
function namedLike(directory: string, awaited: ReadonlyMap<string, string>): string | undefined {
  const last = baseName(directory);
  return [...awaited.values()].find((name) => name === last || name.endsWith(`:${last}`));
}

const baseName = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== "") ?? "";

function dropOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= MOST_SKILLS) return;
    map.delete(key);
  }
}
