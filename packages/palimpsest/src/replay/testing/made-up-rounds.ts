import { createUserMessage, type Message, type UserBlock } from "@palimpsest/core";
import { overviewOf } from "../rounds/overview.js";
import type { RecordedConversation, RecordedResponse, RecordedRound } from "../rounds/recorded-round.js";
import type { AnswerBlock } from "../../simulator/player.js";

const MINUTE = 60_000;
export const START = Date.parse("2026-11-15T10:00:00.000Z");

export const text = (value: string): { readonly type: "text"; readonly text: string } => ({
  type: "text",
  text: value,
});
export const call = (id: string, input: Readonly<Record<string, unknown>> = {}): AnswerBlock => ({
  type: "tool_use",
  id,
  name: "Read",
  input,
});
export const thinking = (value: string): AnswerBlock => ({ type: "thinking", thinking: value });
export const result = (id: string, content: string): UserBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});

/** What a person said, or what came back. */
export function incoming(content: string | readonly UserBlock[], uuid = "in"): Message {
  const origin = {
    clock: { now: () => START },
    ids: { next: () => uuid },
    sessionId: "s",
    parentUuid: null,
  };
  return createUserMessage(origin, { content });
}

export interface MadeUpRound {
  readonly in?: string | readonly UserBlock[];
  readonly out: readonly AnswerBlock[];
  readonly usage?: NonNullable<RecordedResponse["usage"]>;
  readonly model?: string;
  /** Minutes since the round before. Default 1. */
  readonly after?: number;
}

/** Rounds a minute apart, each with what came in and what the model said. */
export function madeUpRounds(rounds: readonly MadeUpRound[], model = ""): readonly RecordedRound[] {
  let at = START;
  return rounds.map((round, index) => {
    at += (round.after ?? 1) * MINUTE;
    return {
      incoming: round.in === undefined ? [] : [incoming(round.in, `in-${index + 1}`)],
      at,
      response: {
        id: `response-${index + 1}`,
        model: round.model ?? model,
        at: at + 1000,
        content: round.out,
        ...(round.usage === undefined ? {} : { usage: round.usage }),
      },
    };
  });
}

export async function madeUpConversation(
  rounds: readonly MadeUpRound[],
  model = "",
): Promise<RecordedConversation> {
  const recorded = madeUpRounds(rounds, model);
  async function* all(): AsyncGenerator<RecordedRound> {
    yield* recorded;
  }
  return {
    overview: {
      format: "claude-code",
      repository: "made-up",
      ...(await overviewOf(all())),
      undoneCompactions: 0,
      keptCompactions: 0,
      damagedLines: 0,
    },
    rounds: all,
  };
}

/** A file's worth of words: `word0 word1 …`. */
export const words = (count: number, word = "word"): string =>
  Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ");

/** Rounds of one call each, whose results are that many words long. */
export const readingRounds = (count: number, resultWords: number): readonly MadeUpRound[] =>
  Array.from({ length: count }, (_, at) => ({
    in: at === 0 ? "please read the files" : [result(`t${at}`, words(resultWords, `r${at}x`))],
    out: [thinking(`on to file ${at + 1}`), call(`t${at + 1}`, { file_path: `src/file${at + 1}.ts` })],
  }));
