import { findModel } from "../../models/table.js";
import { compactionBlockRules, compactionRequestRules } from "./compaction-rules.js";
import { Cursor, emptyNotes, isObject } from "./cursor.js";
import { imageRules } from "./image-rules.js";
import { findMalformedJson } from "./json-walk.js";
import {
  combineTurns,
  isCompactionRequest,
  setting,
  type JudgedRequest,
  type PlacedMessage,
  type RequestRule,
} from "./judged-request.js";
import { thinkingFirstRule, thinkingLastRule } from "./last-turn-thinking.js";
import { markerRules } from "./marker-rules.js";
import { factsOf, type MessageFacts } from "./message-facts.js";
import { emptyMessageRule, firstRoleRule, prefillRules, systemRoleRules } from "./message-order.js";
import { placeFinding, type Finding, type JudgeOptions, type Problem } from "./problem.js";
import { requestShape } from "./request-shape.js";
import { serverToolPairRules } from "./server-tool-pairs.js";
import { settle, settledPrefixOf, type SettledPrefix } from "./settled-prefix.js";
import { clearThinkingRule, maxTokensRules, thinkingRules, toolChoiceRules } from "./setting-rules.js";
import { toolPairRules, uniqueToolUseRule } from "./tool-pairs.js";
import { toolReferenceRule } from "./tool-reference-rule.js";

/** The rules over the whole request, in the order in which they are met. */
const requestRules: readonly RequestRule[] = [
  maxTokensRules,
  thinkingRules,
  toolChoiceRules,
  clearThinkingRule,
  compactionRequestRules,
  systemRoleRules,
  emptyMessageRule,
  firstRoleRule,
  compactionBlockRules,
  prefillRules,
  toolPairRules,
  uniqueToolUseRule,
  serverToolPairRules,
  toolReferenceRule,
  thinkingFirstRule,
  thinkingLastRule,
  markerRules,
  imageRules,
];

/**
 * Everything for which the Messages API would refuse this request, as far as the request alone shows it, in
 * the order in which the API meets it: what is not JSON, then shape, then the rules across messages. Empty
 * for a request that it accepts. Never throws, whatever it is given.
 *
 * What is found in a message is remembered per message object, and so is a beginning of a conversation that
 * was in order: messages must not change once judged. Judging a conversation that grew costs what is new.
 */
export function findProblems(request: unknown, options: JudgeOptions = {}): readonly Problem[] {
  const list: unknown = isObject(request) ? request["messages"] : undefined;
  const known = Array.isArray(list) && !looksBack(request) ? settledPrefixOf(list) : undefined;
  if (Array.isArray(list) && known !== undefined) {
    const rest = placeMessages(list, known.length);
    if (rest.every(({ facts }) => isPlain(facts, known))) {
      const [first] = placeMessages(list.slice(0, 1), 0);
      const messages = first === undefined ? rest : [first, ...rest];
      const problems = judge(request, messages, options);
      if (problems.length === 0) settle(list, known);
      return problems;
    }
  }
  const problems = judge(request, Array.isArray(list) ? placeMessages(list, 0) : [], options);
  if (Array.isArray(list) && problems.length === 0) settle(list, undefined);
  return problems;
}

function placeMessages(list: readonly unknown[], from: number): readonly PlacedMessage[] {
  const placed: PlacedMessage[] = [];
  for (let index = from; index < list.length; index += 1) {
    placed.push({ index, facts: factsOf(list[index]) });
  }
  return placed;
}

/** Whether a setting makes rules look at more than the end of the conversation. */
function looksBack(request: unknown): boolean {
  return (
    isObject(request) && (setting(request, "thinking", "type") === "enabled" || isCompactionRequest(request))
  );
}

/** Whether a message can be judged without what is settled before it. */
function isPlain(facts: MessageFacts, known: SettledPrefix): boolean {
  return (
    (facts.role === "user" || facts.role === "assistant") &&
    !facts.isEmpty &&
    facts.compactions.length === 0 &&
    facts.notes.images.length === 0 &&
    !facts.toolUses.some(({ id }) => known.hasCall(id))
  );
}

/** The problems of a request whose messages are these; those that are settled may be left out. */
function judge(
  request: unknown,
  messages: readonly PlacedMessage[],
  options: JudgeOptions,
): readonly Problem[] {
  const notes = emptyNotes();
  requestShape(new Cursor({ value: request, notes }));
  const settings = isObject(request) ? withoutMessages(request) : request;
  const list: unknown = isObject(request) ? request["messages"] : undefined;
  const malformedList = Array.isArray(list) ? [] : findMalformedJson(list, 2);

  const problems: Problem[] = [];
  const place = (findings: readonly Finding[], prefix: string): void => {
    for (const finding of findings) {
      const problem = placeFinding(finding, { prefix, options });
      if (problem !== undefined) problems.push(problem);
    }
  };
  place(findMalformedJson(settings, 1), "");
  place(malformedList, "messages");
  for (const { index, facts } of messages) place(facts.malformed, `messages.${index}`);
  place(notes.findings, "");
  for (const { index, facts } of messages) place(facts.notes.findings, `messages.${index}`);

  if (isObject(request)) {
    const name = request["model"];
    const judged: JudgedRequest = {
      request,
      notes,
      messages,
      turns: combineTurns(messages),
      model: typeof name === "string" ? findModel(name) : undefined,
      options,
    };
    for (const rule of requestRules) for (const problem of rule(judged)) problems.push(problem);
  }
  return problems;
}

function withoutMessages(request: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { messages: _, ...settings } = request;
  return settings;
}
