import type { AssistantMessage, Message } from "@palimpsest/core";
import { asFields, SYNTHETIC_MODEL } from "@palimpsest/core/engine";
import { PlayerError } from "../player-error.js";
import {
  createPositionedPlayer,
  type ObservingPlayer,
  type PlannedBlock,
  type PlannedResponse,
} from "./positioned-player.js";
import type { WantedCall } from "./tool-mapping.js";

export interface RecordingPlayerOptions {
  /** Said whenever a conversation goes on after the end of the recording. */
  readonly closing?: string;
}

/**
 * Plays the assistant side of a recorded conversation, response by response: see `createPositionedPlayer`. Pieces
 * that share a `message.id` are one response, also where results stand between them. Thinking is played as text
 * (the simulator signs it); what the provider's own tools did, subagents' messages and errors that the program
 * wrote are left out. The messages are those of one branch, in order: whoever reads the recording picks it.
 *
 * Commands are played as they were recorded: a client that carries out tool calls carries them out.
 */
export function createRecordingPlayer(
  messages: readonly Message[],
  options: RecordingPlayerOptions = {},
): ObservingPlayer {
  if (!Array.isArray(messages)) {
    throw new PlayerError(
      "bad-player",
      "createRecordingPlayer: takes a list of messages, as a recording has them",
    );
  }
  const responses = responsesOf(messages);
  return createPositionedPlayer({
    responseAt: (index) => responses[index],
    faultsBefore: () => [],
    closing: options.closing ?? "That was the whole recording.",
    substitute: standIn,
  });
}

/** The responses of a recording that say something, in the order in which they began. */
export function responsesOf(messages: readonly Message[]): readonly PlannedResponse[] {
  const byId = new Map<string, { readonly blocks: PlannedBlock[]; stopReason?: string }>();
  const seen = new Set<string>();
  for (const message of messages) {
    if (!isPlayed(message) || seen.has(message.uuid)) continue;
    seen.add(message.uuid);
    const { id, content, stop_reason: stopReason } = message.message;
    const response = byId.get(id) ?? { blocks: [] };
    byId.set(id, response);
    response.blocks.push(...content.flatMap(plannedBlock));
    if (typeof stopReason === "string") response.stopReason = stopReason;
  }
  return [...byId.values()].flatMap(({ blocks, stopReason }) => {
    if (blocks.length === 0) return [];
    // The other reasons follow from the content, or from the limits of the client that is played to.
    return [{ blocks, ...(stopReason === "refusal" ? { stopReason } : {}) }];
  });
}

const isPlayed = (message: Message): message is AssistantMessage =>
  message.type === "assistant" &&
  message.isSidechain !== true &&
  message.isApiErrorMessage !== true &&
  message.message.model !== SYNTHETIC_MODEL;

function plannedBlock(block: AssistantMessage["message"]["content"][number]): readonly PlannedBlock[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking":
      return block.thinking.trim() === "" ? [] : [{ type: "thinking", thinking: block.thinking }];
    case "tool_use":
      return [{ type: "call", call: { tool: block.name, input: asFields(block.input) } }];
    default:
      return [];
  }
}

/** A call that nobody here can carry out becomes a word in the shell, so that the turn does not end early. */
function standIn(call: WantedCall): PlannedBlock {
  const name = (call.tool ?? call.kind ?? "tool").replaceAll(/[^\w.-]/g, "_");
  return {
    type: "call",
    call: {
      ...(call.tool === undefined ? {} : { tool: call.tool }),
      kind: "shell",
      input: { command: `echo 'not offered here: ${name}'` },
    },
  };
}
