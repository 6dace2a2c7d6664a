import {
  createPositionedPlayer,
  notOffered,
  type ObservingPlayer,
  type PlannedBlock,
  type PlannedFault,
  type PlannedResponse,
} from "./positioned-player.js";
import { PlayerError } from "../player-error.js";
import type { ErrorStep, ResponseStep, Script, ScriptStep } from "./script.js";

export interface ScriptPlayerOptions {
  /** In place of the script's own closing text. */
  readonly closing?: string;
}

/**
 * Plays a script, every conversation from its beginning and at its own pace: see `createPositionedPlayer`. Steps
 * that leave nothing in a conversation (errors, empty answers) come as often as they say, and then the next.
 */
export function createScriptPlayer(script: Script, options: ScriptPlayerOptions = {}): ObservingPlayer {
  if (!Array.isArray((script as Partial<Script> | undefined)?.steps)) {
    throw new PlayerError(
      "bad-script",
      "createScriptPlayer: the script must have `steps`, as parseScript gives it",
    );
  }
  const { responses, faults } = compile(script);
  return createPositionedPlayer({
    responseAt: (index) => responses[index],
    faultsBefore: (index) => faults[index] ?? [],
    closing: options.closing ?? script.closing ?? "That was the whole script.",
    substitute: (call) => ({ type: "text", text: notOffered(call) }),
  });
}

function compile(script: Script): {
  readonly responses: readonly PlannedResponse[];
  readonly faults: readonly (readonly PlannedFault[])[];
} {
  const responses: PlannedResponse[] = [];
  const faults: PlannedFault[][] = [[]];
  for (const step of script.steps) {
    const fault = asFault(step);
    if (fault !== undefined) {
      faults.at(-1)?.push(fault);
      continue;
    }
    const response = asResponse(step, responses.at(-1));
    if (response === undefined) continue;
    responses.push(response);
    faults.push([]);
  }
  return { responses, faults };
}

function asFault(step: ScriptStep): PlannedFault | undefined {
  if (typeof step === "string" || "pause" in step) return undefined;
  const { times = 1, delivery } = step;
  const travel = delivery === undefined ? {} : { delivery };
  if (isErrorStep(step)) return { answer: { content: [], error: step.error, ...travel }, times };
  if (blocksOf(step).length > 0) return undefined;
  const stop = step.stopReason === undefined ? {} : { stopReason: step.stopReason };
  return { answer: { content: [], ...stop, ...travel }, times };
}

const isErrorStep = (step: ResponseStep | ErrorStep): step is ErrorStep => "error" in step;

function asResponse(step: ScriptStep, previous: PlannedResponse | undefined): PlannedResponse | undefined {
  if (typeof step === "string") return { blocks: [{ type: "text", text: step }] };
  if ("pause" in step) {
    const open = previous?.blocks.some((block) => block.type === "call") ?? false;
    const text = step.pause === true ? "Over to you." : step.pause;
    return open || previous === undefined ? { blocks: [{ type: "text", text }] } : undefined;
  }
  if (isErrorStep(step)) return undefined;
  const { delivery, stopReason } = step;
  const breaks = delivery?.cutAfterEvents !== undefined || delivery?.errorAfterEvents !== undefined;
  const times = step.times ?? (breaks ? 1 : undefined);
  return {
    blocks: blocksOf(step),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(times === undefined ? {} : { deliveryTimes: times }),
  };
}

function blocksOf(step: ResponseStep): readonly PlannedBlock[] {
  if (step.blocks !== undefined) return step.blocks;
  const { thinking, text, calls = [] } = step;
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ...calls.map((call) => ({ type: "call" as const, call })),
  ];
}
