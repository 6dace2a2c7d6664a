import { isThinkingBlock } from "../../messages/predicates.js";
import { isFields, type Fields } from "../../messages/fields.js";
import { originOf } from "../../messages/list-origin.js";
import {
  blocksOf,
  markerOf,
  messageFacts,
  sharedMessages,
  type MessageFacts,
  type MessageMarker,
} from "./message-list.js";
import type { WatchedCall, WatchedFacts, WatchedSection } from "./watched-call.js";

/** Everything in the cache key of one request, read apart. It holds the parts themselves, not copies of them. */
export interface SentRequest {
  readonly at: number;
  readonly model: string;
  readonly speed: unknown;
  /** Tools that are part of the prompt: deferred ones are not. */
  readonly tools: readonly unknown[];
  readonly system: readonly unknown[];
  readonly sections: readonly WatchedSection[] | undefined;
  readonly markers: {
    readonly tools: readonly Fields[];
    readonly system: readonly Fields[];
    readonly messages: readonly MessageMarker[];
  };
  readonly betas: readonly string[];
  readonly effort: unknown;
  readonly thinking: unknown;
  /** Further fields of the body that are part of the key, by name; defaults are left out. */
  readonly body: ReadonlyMap<string, unknown>;
  readonly facts: WatchedFacts;
  readonly messages: readonly unknown[];
  readonly messageFacts: MessageFacts;
  /** It named the message before and so asked the provider for its own word. */
  readonly asksDiagnosis: boolean;
}

/** Fields that are looked at on their own, and after them those that no prefix depends on. */
const APART: ReadonlySet<string> = new Set(
  (
    "model speed tools system messages cache_control thinking output_config output_format tool_choice " +
    "max_tokens stream metadata diagnostics stop_sequences service_tier container compaction " +
    "temperature top_p top_k"
  ).split(" "),
);

/** Reads a call apart. Costs its head and the messages that `before` did not have. */
export function readCall(call: WatchedCall, before: SentRequest | undefined): SentRequest {
  const request: Fields = isFields(call.request) ? call.request : {};
  const given = listOf(request["messages"]);
  // A list that nobody answers for may still change: a copy stays what was sent.
  const messages = originOf(given) === undefined ? given.slice() : given;
  const shared = before === undefined ? 0 : sharedMessages(before.messages, messages);
  const facts = messageFacts(
    messages,
    before === undefined ? undefined : { facts: before.messageFacts, shared },
  );
  const tools = listOf(request["tools"]).filter(
    (tool) => !(isFields(tool) && tool["defer_loading"] === true),
  );
  const system = systemBlocks(request["system"]);
  const outputConfig = isFields(request["output_config"]) ? request["output_config"] : {};
  const diagnostics = request["diagnostics"];
  return {
    at: call.at,
    model: typeof request["model"] === "string" ? request["model"] : "",
    speed: request["speed"] ?? "standard",
    tools,
    system,
    sections: sectionsOf(call.sections),
    markers: {
      tools: markersIn(tools),
      system: markersIn(system),
      messages: [...facts.markers, ...automaticMarker(request, messages)],
    },
    betas: [...new Set(listOf(call.betas).filter((name) => typeof name === "string"))].toSorted(),
    effort: outputConfig["effort"] ?? "high",
    thinking: withoutBinding(request["thinking"]),
    body: bodyOf(request, outputConfig),
    facts: isFields(call.facts) ? call.facts : {},
    messages,
    messageFacts: facts,
    asksDiagnosis: isFields(diagnostics) && typeof diagnostics["previous_message_id"] === "string",
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What has no name or no text is no section. */
function sectionsOf(sections: unknown): readonly WatchedSection[] | undefined {
  if (!Array.isArray(sections)) return undefined;
  return sections.flatMap((section: unknown) => {
    if (!isFields(section)) return [];
    const { name, text, volatileBecause } = section;
    if (typeof name !== "string" || typeof text !== "string") return [];
    return [{ name, text, ...(typeof volatileBecause === "string" ? { volatileBecause } : {}) }];
  });
}

function systemBlocks(system: unknown): readonly unknown[] {
  if (typeof system !== "string") return listOf(system);
  return system === "" ? [] : [{ type: "text", text: system }];
}

const markersIn = (parts: readonly unknown[]): readonly Fields[] =>
  parts.flatMap((part) => {
    const marker = isFields(part) ? markerOf(part) : undefined;
    return marker === undefined ? [] : [marker];
  });

/** The marker of the whole request stands on its last block that can hold one. */
function automaticMarker(request: Fields, messages: readonly unknown[]): readonly MessageMarker[] {
  const marker = markerOf(request);
  if (marker === undefined) return [];
  for (let message = messages.length - 1; message >= 0; message -= 1) {
    const block = blocksOf(messages[message]).findLastIndex((value) => !isThinkingBlock(value));
    if (block >= 0) return [{ message, block, marker }];
  }
  return [];
}

/** How the server is to treat thinking of another prefix changes no prefix. */
function withoutBinding(thinking: unknown): unknown {
  if (!isFields(thinking)) return thinking ?? undefined;
  const { block_binding: _binding, ...rest } = thinking;
  return rest;
}

/** What is written out although it is the default is the same as what is left out. */
function bodyOf(request: Fields, { effort: _effort, format, ...outputConfig }: Fields): SentRequest["body"] {
  const { type = "auto", disable_parallel_tool_use: isSerial, ...choice } = toolChoice(request);
  const fields: readonly (readonly [string, unknown])[] = [
    ["tool_choice", { type, ...choice, ...(isSerial === true ? { isSerial } : {}) }],
    ["output_config.format", format ?? request["output_format"]],
    ...Object.entries(outputConfig).map(([name, value]) => [`output_config.${name}`, value] as const),
    ...Object.entries(request).filter(([name]) => !APART.has(name)),
  ];
  return new Map(fields.filter(([, value]) => value !== undefined && value !== null));
}

const toolChoice = ({ tool_choice: choice }: Fields): Fields => (isFields(choice) ? choice : {});
