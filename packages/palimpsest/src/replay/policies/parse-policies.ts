import { PalimpsestError, resolveSettings, settingDefinitions } from "@palimpsest/core";
import { createAsRecordedPolicy } from "./as-recorded.js";
import { createCheatLinesPolicy } from "./cheat-lines.js";
import { createCheatPathsPolicy } from "./cheat-paths.js";
import { createClassicPolicy } from "./classic.js";
import { createClearToolUsesPolicy } from "./clear-tool-uses.js";
import { createCodexPolicy } from "./codex.js";
import { createMaskPolicy } from "./mask.js";
import { nonePolicy } from "./none.js";
import { createPalimpsestPolicy } from "./palimpsest.js";
import { createPiPolicy } from "./pi.js";
import type { Policy } from "./policy.js";
import { createSummariseAllPolicy } from "./summarise-all.js";
import { createTruncatePolicy } from "./truncate.js";

/** Why a list of policies cannot be used, in one sentence. */
export class PolicyError extends PalimpsestError<"bad_option"> {
  override readonly name = "PolicyError";

  constructor(message: string) {
    super("bad_option", message);
  }
}

type Options = ReadonlyMap<string, string>;
type Environment = Readonly<Record<string, string | undefined>>;

interface KnownPolicy {
  /** The options it has, with what is allowed. */
  readonly options: Readonly<Record<string, "share" | "count">> | "settings";
  readonly create: (options: Options, env: Environment) => Policy;
}

const number = (options: Options, name: string): number | undefined =>
  options.has(name) ? Number(options.get(name)) : undefined;

const numbers = <const Name extends string>(
  options: Options,
  names: readonly Name[],
): Partial<Record<Name, number>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = number(options, name);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Record<Name, number>>;

const known: Readonly<Record<string, KnownPolicy>> = {
  palimpsest: { options: "settings", create: palimpsestFrom },
  none: { options: {}, create: () => nonePolicy },
  truncate: { options: { at: "share" }, create: (given) => createTruncatePolicy(numbers(given, ["at"])) },
  mask: {
    options: { keep: "count", batch: "count" },
    create: (given) => createMaskPolicy(numbers(given, ["keep", "batch"])),
  },
  "clear-tool-uses": {
    options: { at: "count", keep: "count", least: "count" },
    create: (given) => createClearToolUsesPolicy(numbers(given, ["at", "keep", "least"])),
  },
  "summarise-all": {
    options: { at: "share" },
    create: (given) => createSummariseAllPolicy(numbers(given, ["at"])),
  },
  classic: { options: {}, create: createClassicPolicy },
  pi: { options: {}, create: createPiPolicy },
  codex: { options: {}, create: createCodexPolicy },
  "as-recorded": { options: {}, create: createAsRecordedPolicy },
  "cheat-lines": { options: {}, create: createCheatLinesPolicy },
  "cheat-paths": { options: {}, create: createCheatPathsPolicy },
};

export const policyNames: readonly string[] = Object.keys(known);

/**
 * `palimpsest,none,mask(keep=20;batch=10)`: names, each with options of its own in brackets. Throws `PolicyError`.
 * Settings of the engine come from the environment too.
 */
export function parsePolicies(text: string, env: Environment = {}): readonly Policy[] {
  const names = new Set<string>();
  return text.split(",").map((part) => {
    const { name, options } = parsePolicy(part.trim());
    const policy = Object.hasOwn(known, name) ? known[name] : undefined;
    if (policy === undefined) {
      throw new PolicyError(`there is no policy "${name}" (known are ${policyNames.join(", ")})`);
    }
    checkOptions(name, policy, options);
    const label = part.trim();
    if (names.has(label)) throw new PolicyError(`the policy "${label}" is named twice`);
    names.add(label);
    return { ...policy.create(options, env), name: label };
  });
}

function parsePolicy(part: string): { readonly name: string; readonly options: Options } {
  const match = /^([a-z][a-z-]*)(?:\(([^()]*)\))?$/.exec(part);
  if (match === null) {
    throw new PolicyError(`"${part}" is not a policy: write a name, or name(option=value;option=value)`);
  }
  const [, name = "", inside] = match;
  const options = new Map<string, string>();
  for (const pair of inside === undefined || inside.trim() === "" ? [] : inside.split(";")) {
    const [key = "", value] = pair.split("=", 2).map((word) => word.trim());
    if (value === undefined || value === "")
      throw new PolicyError(`${name}: "${pair.trim()}" is not option=value`);
    options.set(key, value);
  }
  return { name, options };
}

function checkOptions(name: string, { options: allowed }: KnownPolicy, options: Options): void {
  for (const [key, value] of options) {
    if (allowed === "settings") {
      const definition = settingCalled(key);
      if (definition === undefined)
        throw new PolicyError(`${name} has no setting "${key}" (see docs/settings.md)`);
      if (definition.read(value) === undefined) {
        throw new PolicyError(`${name}: ${key} cannot be "${value}": ${definition.allowed} is expected`);
      }
      continue;
    }
    const kind = Object.hasOwn(allowed, key) ? allowed[key] : undefined;
    if (kind === undefined) {
      const names = Object.keys(allowed);
      throw new PolicyError(
        `${name} has no option "${key}" (${names.length === 0 ? "it has none" : names.join(", ")})`,
      );
    }
    const figure = Number(value);
    const isFine = kind === "share" ? figure > 0 && figure <= 1 : Number.isInteger(figure) && figure >= 1;
    if (!isFine) {
      const expected = kind === "share" ? "a number above 0, at most 1" : "a whole number, 1 or more";
      throw new PolicyError(`${name}: ${key} cannot be "${value}": ${expected} is expected`);
    }
  }
}

function palimpsestFrom(options: Options, env: Environment): Policy {
  const content = Object.fromEntries(options);
  const { settings } = resolveSettings({
    env: withoutOverridden(env, options),
    files: [{ name: "policy", content }],
  });
  return createPalimpsestPolicy({ settings });
}

/** By its name, or by the one it had before. */
const settingCalled = (key: string) =>
  Object.values(settingDefinitions).find(({ keys }) => keys.includes(key));

/** What stands with the policy itself wins over the environment. */
function withoutOverridden(env: Environment, options: Options): Environment {
  const names = [...options.keys()].flatMap((key) => settingCalled(key)?.env ?? []);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.some((taken) => taken === name)));
}
