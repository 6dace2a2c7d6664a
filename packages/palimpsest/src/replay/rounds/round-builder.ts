import type { AssistantMessage, Message, Usage, UserBlock } from "@palimpsest/core";
import type { AnswerBlock } from "../../simulator/player.js";
import { isFields } from "../readers/recording.js";
import { answerBlocks, playableId } from "./answer-blocks.js";
import { asSent } from "./as-sent.js";
import type { RecordedCompactionOfRound, RecordedRound } from "./recorded-round.js";
import { isPiece, responseIdOf } from "./skeleton.js";

/** What a compaction kept word for word, counted from its place back. */
export type KeptMessages = Pick<RecordedCompactionOfRound, "keptResponses" | "keptMessages">;

interface OpenRound {
  readonly id: string;
  readonly incoming: readonly Message[];
  readonly compacted: RecordedCompactionOfRound | undefined;
  readonly cleared: readonly string[];
  readonly pieces: AssistantMessage[];
  readonly isAfterCompaction: boolean;
  isComplete: boolean;
}

/**
 * Puts messages together to rounds, in the order in which their responses began. It holds no more than the rounds
 * whose responses are not complete yet. What no response follows is never handed out.
 */
export class RoundBuilder {
  #open: OpenRound[] = [];
  #incoming: Message[] = [];
  /** Of responses that said nothing: it belongs to the next one. */
  #unanswered: readonly Message[] = [];
  #unansweredCompaction: RecordedCompactionOfRound | undefined;
  #compacted: RecordedCompactionOfRound | undefined;
  #cleared: readonly string[] = [];
  #unansweredCleared: readonly string[] = [];
  #clock: number | undefined;
  #isAfterCompaction = false;

  /** The recorded conversation was compacted here: what begins from now on comes after it. */
  compacted(): void {
    this.#isAfterCompaction = true;
  }

  /** The rounds that the next message completes; `endsResponse` says that no further piece of its response comes. */
  take(message: Message, endsResponse: boolean): readonly RecordedRound[] {
    if (!isPiece(message)) {
      this.#incoming.push(withPlayableIds(asSent(message)));
      return [];
    }
    const round = this.#roundOf(responseIdOf(message));
    round.pieces.push(message);
    round.isComplete = endsResponse;
    return this.#complete();
  }

  /** A recorded compaction that is not played, and what it kept. */
  compact(kept: KeptMessages): void {
    this.#compacted = { after: this.#incoming.length, messages: [], ...kept };
  }

  /** A message that the last of them put in. */
  replace(message: Message): void {
    const { messages, ...compacted } = this.#compacted ?? {
      after: this.#incoming.length,
      messages: [],
      keptResponses: 0,
      keptMessages: 0,
    };
    const sent = withPlayableIds(asSent(message));
    this.#compacted = { ...compacted, messages: [...messages, sent] };
  }

  /** The recording cleared the results of these calls here. */
  clear(ids: readonly string[]): void {
    this.#cleared = [...this.#cleared, ...ids.map(playableId)];
  }

  #roundOf(id: string): OpenRound {
    const known = this.#open.find((round) => round.id === id);
    if (known !== undefined) return known;
    const round = {
      id,
      incoming: this.#incoming,
      compacted: this.#compacted,
      cleared: this.#cleared,
      pieces: [],
      isAfterCompaction: this.#isAfterCompaction,
      isComplete: false,
    };
    this.#incoming = [];
    this.#compacted = undefined;
    this.#cleared = [];
    this.#open.push(round);
    return round;
  }

  #complete(): readonly RecordedRound[] {
    const firstOpen = this.#open.findIndex((round) => !round.isComplete);
    const complete = firstOpen < 0 ? this.#open : this.#open.slice(0, firstOpen);
    this.#open = firstOpen < 0 ? [] : this.#open.slice(firstOpen);
    return complete.flatMap((round) => this.#build(round) ?? []);
  }

  #build({
    id,
    incoming: own,
    compacted: ownCompaction,
    cleared: ownCleared,
    pieces,
    isAfterCompaction,
  }: OpenRound): RecordedRound | undefined {
    const content: readonly AnswerBlock[] = pieces.flatMap(({ message }) =>
      answerBlocks(message.content, message.model),
    );
    const incoming = this.#unanswered.length === 0 ? own : [...this.#unanswered, ...own];
    const compacted =
      ownCompaction === undefined
        ? this.#unansweredCompaction
        : { ...ownCompaction, after: ownCompaction.after + this.#unanswered.length };
    const cleared = [...this.#unansweredCleared, ...ownCleared];
    this.#unansweredCleared = content.length === 0 ? cleared : [];
    this.#unanswered = content.length === 0 ? incoming : [];
    this.#unansweredCompaction = content.length === 0 ? compacted : undefined;
    if (content.length === 0) return undefined;
    const at = this.#advance(incoming);
    const model: unknown = pieces[0]?.message.model;
    const usage = usageOf(pieces);
    const isUsageFinal = pieces.some(({ message }) => typeof message.stop_reason === "string");
    return {
      incoming,
      at,
      ...(compacted && { compacted }),
      ...(cleared.length === 0 ? {} : { cleared }),
      response: {
        id,
        model: typeof model === "string" ? model : "",
        at: this.#advance(pieces),
        content,
        ...(usage && { usage, isUsageFinal }),
      },
      ...(isAfterCompaction ? { isAfterCompaction } : {}),
    };
  }

  /** The newest of the times; never one before that of what came earlier. */
  #advance(messages: readonly Message[]): number {
    for (const { timestamp } of messages) {
      const time = Date.parse(timestamp);
      if (Number.isFinite(time)) this.#clock = Math.max(this.#clock ?? time, time);
    }
    return this.#clock ?? 0;
  }
}

/** Every piece repeats it; the output is only final where the reason to stop stands. */
function usageOf(pieces: readonly AssistantMessage[]): Usage | undefined {
  const withUsage = pieces.filter(({ message }) => isFields(message.usage));
  const last = withUsage.findLast(({ message }) => typeof message.stop_reason === "string");
  return (last ?? withUsage.at(-1))?.message.usage;
}

/** Results point to their calls by the ids that those are played with. */
function withPlayableIds(message: Message): Message {
  if (message.type !== "user" || !Array.isArray(message.message?.content)) return message;
  const { content } = message.message;
  const played = content.map((block: UserBlock) => {
    if (!isFields(block) || block.type !== "tool_result" || typeof block.tool_use_id !== "string")
      return block;
    const id = playableId(block.tool_use_id);
    return id === block.tool_use_id ? block : { ...block, tool_use_id: id };
  });
  const isSame = played.every((block, at) => block === content[at]);
  return isSame ? message : { ...message, message: { ...message.message, content: played } };
}
