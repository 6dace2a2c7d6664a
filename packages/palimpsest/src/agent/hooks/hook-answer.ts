import type { HookName, HookOutput } from "./hooks.js";
import { mergeHookOutputs } from "./merge-hook-outputs.js";
import { plainText } from "../base/plain-text.js";
import { createFieldReader, spoken, type FieldReader } from "./field-reader.js";
import { isAbsent, isFields, type Fields } from "../base/fields.js";
import { readHookStdout } from "./hook-stdout.js";
import { readPermission, readPermissionAnswer } from "./permission-answer.js";

/** What a command left behind that ended by itself. */
export interface EndedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command said, and what of it could not be understood. */
export interface HookAnswer<Name extends HookName> {
  readonly output: HookOutput<Name>;
  readonly problems: readonly string[];
}

/** What an event makes of what a command says; nothing where it is left out. */
interface Understanding {
  /** Of text on stdout that is no JSON. */
  readonly text?: "contexts" | "instructions" | "message";
  /** Of `additionalContext`. */
  readonly context?: "contexts" | "instructions";
  /** Of exit code 2 and `decision: "block"`. */
  readonly block?: "block" | "permission" | "answer" | "message";
}

const understandings: Readonly<Record<HookName, Understanding>> = {
  PreCompact: { text: "instructions", context: "instructions", block: "block" },
  PostCompact: { text: "message", context: "contexts", block: "message" },
  SessionStart: { text: "contexts", context: "contexts", block: "message" },
  InstructionsLoaded: {},
  SessionEnd: { block: "message" },
  Stop: { context: "contexts", block: "block" },
  SubagentStart: { context: "contexts", block: "message" },
  SubagentStop: { context: "contexts", block: "block" },
  UserPromptSubmit: { text: "contexts", context: "contexts", block: "block" },
  PreToolUse: { context: "contexts", block: "permission" },
  PostToolUse: { context: "contexts", block: "block" },
  PermissionRequest: { block: "answer" },
};

const NO_REASON = "A hook blocked this and gave no reason.";

/** Exit code 2 blocks; any other is taken for 0, so whoever calls leaves out those that are no answer. */
export function readHookAnswer<Name extends HookName>(
  name: Name,
  { code, stdout, stderr }: EndedCommand,
): HookAnswer<Name> {
  if (name === "InstructionsLoaded") return { output: {}, problems: [] };
  const understanding = understandings[name];
  const said = readHookStdout(stdout);
  if (code === 2) {
    const { reason } = said.kind === "json" ? said.fields : {};
    const inJson = typeof reason === "string" ? spoken(reason) : undefined;
    return { output: blocked(understanding, spoken(stderr) ?? inJson), problems: [] };
  }
  if (said.kind === "bad") return { output: {}, problems: [said.message] };
  if (said.kind === "text") return { output: worded(understanding.text, spoken(said.text)), problems: [] };
  const reader = createFieldReader();
  const output = mergeHookOutputs<Name>([
    readCommon(said.fields, reader),
    readDecision(name, said.fields, reader),
    readSpecific(name, said.fields["hookSpecificOutput"], reader),
  ]);
  return { output, problems: reader.problems };
}

function readCommon(fields: Fields, reader: FieldReader) {
  const message = reader.text(fields, "systemMessage");
  const goesOn = fields["continue"];
  if (!isAbsent(goesOn) && typeof goesOn !== "boolean") reader.wrong("continue", "true or false");
  return {
    ...(message === undefined ? {} : { message }),
    ...(goesOn === false ? { endTurn: reader.text(fields, "stopReason") ?? "" } : {}),
  };
}

/** Words of the first hooks, `approve` among them, are still understood. */
function readDecision(name: HookName, fields: Fields, reader: FieldReader) {
  const { decision } = fields;
  const reason = reader.text(fields, "reason");
  if (decision === "block") return blocked(understandings[name], reason);
  if (decision === "approve" && name === "PreToolUse") {
    return { permission: { behavior: "allow" as const, ...(reason === undefined ? {} : { reason }) } };
  }
  if (!isAbsent(decision) && decision !== "approve") reader.wrong("decision", "block");
  return {};
}

function readSpecific(name: HookName, specific: unknown, reader: FieldReader) {
  if (isAbsent(specific)) return {};
  if (!isFields(specific)) {
    reader.wrong("hookSpecificOutput", "an object");
    return {};
  }
  const event = specific["hookEventName"];
  if (!isAbsent(event) && event !== name) {
    reader.wrong("hookSpecificOutput.hookEventName", name);
    return {};
  }
  return {
    ...worded(understandings[name].context, reader.text(specific, "additionalContext")),
    ...(name === "PreToolUse" ? readPermission(specific, reader) : {}),
    ...(name === "PermissionRequest" ? readPermissionAnswer(specific["decision"], reader) : {}),
    ...(name === "PostToolUse" ? readUpdatedOutput(specific) : {}),
  };
}

function readUpdatedOutput({ updatedToolOutput, updatedMCPToolOutput }: Fields) {
  const given = updatedToolOutput ?? updatedMCPToolOutput;
  if (isAbsent(given)) return {};
  return { updatedOutput: typeof given === "string" ? plainText(given) : given };
}

const worded = (as: Understanding["text"], text: string | undefined) =>
  as === undefined || text === undefined ? {} : { [as]: as === "contexts" ? [text] : text };

function blocked({ block }: Understanding, reason = NO_REASON) {
  if (block === "permission") return { permission: { behavior: "deny" as const, reason } };
  if (block === "answer") return { answer: { behavior: "deny" as const, message: reason } };
  return block === undefined ? {} : { [block]: reason };
}
