import type { AssistantMessage } from "@palimpsest/core";
import { createLineFinder, type LineFinder } from "../forgetting/context-lines.js";
import { createNeedsJudge, type TurnNeeds } from "../forgetting/needs.js";
import { createRecallJudge } from "../measures/recall.js";
import type { RecordedConversation } from "../rounds/recorded-round.js";
import { requestTail, spokenMessage } from "./playable-round.js";

/** What a conversation's recorded responses had to remember, whatever the policies. */
export interface StudiedConversation {
  /** By turn. */
  readonly needs: readonly TurnNeeds[];
  readonly finder: LineFinder;
  /** The blocks that somebody may have to be shown again. */
  readonly blocks: ReadonlySet<number>;
}

/** Goes through all rounds once; of their texts it keeps what was needed later. */
export async function studyConversation(conversation: RecordedConversation): Promise<StudiedConversation> {
  const recall = createRecallJudge();
  const judge = createNeedsJudge();
  const needs: TurnNeeds[] = [];
  const wanted = new Set<number>();
  const blocks = new Set<number>();
  let before: AssistantMessage | undefined;
  for await (const round of conversation.rounds()) {
    const shown = requestTail(before, round.incoming).filter(({ role }) => role === "user");
    before = spokenMessage(round.response);
    const turn = judge.turn({ ...round, shown, references: recall.turn(round) });
    for (const { key, from } of turn.lines) {
      wanted.add(key);
      blocks.add(from.block);
    }
    for (const { from } of turn.paths) if (from !== undefined) blocks.add(from.block);
    for (const { file } of turn.edits) {
      if (file === undefined) continue;
      wanted.add(file.key);
      blocks.add(file.from.block);
    }
    needs.push(turn);
  }
  return { needs, finder: createLineFinder(wanted, judge.names), blocks };
}
