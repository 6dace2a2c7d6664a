import { excerpt, oneLine } from "../../../../messages/plain-text.js";
import { newestThatFit, type Allowance } from "./allowance.js";
import { commandOf, resultText, subjectOf, type Call } from "./call.js";
import { tellingLines } from "./failure.js";
import type { Entry, Survey } from "./survey.js";

const SUBJECT_CHARACTERS = 160;
const SAID_CHARACTERS = 200;
const EXCERPT = { maxLines: 3, maxCharacters: 200, indent: "       " };
/** So many entries after a failure, what a person says is an answer to it. */
const ANSWER_WITHIN = 3;

/** A call that failed, the call that did the same later and worked, and what the person said to it. */
interface FailedCall {
  readonly call: Call;
  readonly fixed: Call | undefined;
  readonly answer: string | undefined;
}

/** Section 4: calls that failed, what the result said, what worked later, what the person said to it. */
export function errorsSection({ entries }: Survey, allowance: Allowance): readonly string[] {
  const worked = new Map<string, Call>();
  const failed: FailedCall[] = [];
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (entry?.kind !== "call") continue;
    const { call } = entry;
    if (call.failure !== undefined) {
      failed.push({ call, fixed: worked.get(keyOf(call)), answer: answerTo(entries, at) });
    } else if (call.result !== undefined) {
      worked.set(keyOf(call), call);
    }
  }
  return newestThatFit(failed.toReversed(), allowance, describe);
}

function describe({ call, fixed, answer }: FailedCall): readonly string[] {
  const subject = oneLine(subjectOf(call), SUBJECT_CHARACTERS);
  const verb = call.failure === "rejected" ? "was turned down by the user" : "failed";
  const lines = [`   - ${oneLine(call.name, 60)} ${subject} ${verb}:`];
  lines.push(...excerpt(tellingLines(resultText(call.result)), EXCERPT));
  if (fixed !== undefined) {
    const how = oneLine(subjectOf(fixed), SUBJECT_CHARACTERS);
    lines.push(how === subject ? "     Later it succeeded." : `     Later this succeeded: ${how}`);
  }
  if (answer !== undefined) lines.push(`     The user said: ${oneLine(answer, SAID_CHARACTERS)}`);
  return lines;
}

function answerTo(entries: readonly Entry[], index: number): string | undefined {
  const next = entries.slice(index + 1, index + 1 + ANSWER_WITHIN).find(({ kind }) => kind === "human");
  return next?.kind === "human" ? next.text : undefined;
}

/** Calls with the same key try the same thing: the same tool on the same file, or the same program. */
function keyOf(call: Call): string {
  const file = call.changes[0] ?? call.reads[0];
  if (file !== undefined) return `${call.name} ${file}`;
  if (call.kind !== "shell") return `${call.name} ${subjectOf(call).slice(0, 200)}`;
  const command = commandOf(call)
    .slice(0, 2000)
    .replace(/^\s*(?:cd [^&;\n]{1,400}(?:&&|;|\n)\s*)+/, "");
  return `${call.name} ${command.trim().split(/\s+/, 3).join(" ")}`;
}
