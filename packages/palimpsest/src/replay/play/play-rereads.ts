import { createFileNames } from "../forgetting/file-names.js";
import { NOTHING_NEEDED } from "../forgetting/needs.js";
import { looksOf, rereadWindows, type RereadWindow, type RoundLooks } from "../forgetting/reread-windows.js";
import { compareRereads, type Rereads } from "../results/rereads.js";
import type { RecordedConversation } from "../rounds/recorded-round.js";
import { createPlayableRounds } from "./playable-round.js";
import type { PlayedWith } from "./policy-conversation.js";
import { createRecordedSources } from "./recorded-sources.js";
import { RegainPlay } from "./regain-play.js";
import { studyConversation } from "./study-conversation.js";
import { withoutRereads } from "./without-rereads.js";

/** What was read again around a recording's compactions, and what an agent that forgot as much is expected to. */
export async function playRereads(
  conversation: RecordedConversation,
  playedWith: PlayedWith,
): Promise<Rereads> {
  const windows = conversation.overview.undoneCompactions === 0 ? [] : await windowsOf(conversation);
  const [first] = windows;
  if (first === undefined) return compareRereads([], []);
  const without = withoutRereads(conversation, windows);
  const { finder, needs, blocks } = await studyConversation(without);
  const sources = createRecordedSources(blocks);
  const play = new RegainPlay({ ...playedWith, finder, sources, firstForgotten: first.start });
  const playable = createPlayableRounds();
  const end = Math.max(...windows.map(endOf));
  let turn = 0;
  for await (const round of without.rounds()) {
    if (turn >= end) break;
    sources.incoming(round);
    await play.turn(playable.next(round), turn, needs[turn] ?? NOTHING_NEEDED);
    sources.answered(round);
    turn += 1;
  }
  const reached = play.endedAtTurn ?? end;
  return compareRereads(
    windows.filter((window) => endOf(window) <= reached),
    play.calls,
  );
}

const endOf = ({ start, length }: RereadWindow): number => start + length;

async function windowsOf(conversation: RecordedConversation): Promise<readonly RereadWindow[]> {
  const names = createFileNames();
  const rounds: RoundLooks[] = [];
  for await (const { response, compacted } of conversation.rounds()) {
    rounds.push(looksOf(response.content, { names, isCompacted: compacted !== undefined }));
  }
  return rereadWindows(rounds);
}
