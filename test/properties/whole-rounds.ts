import fc from "fast-check";
import type { Message } from "@palimpsest/core";

const base = (uuid: string) => ({
  uuid,
  parentUuid: null,
  timestamp: "2026-11-15T10:00:00.000Z",
  sessionId: "s",
});

const assistantPiece = (round: string, index: number, block: unknown): Message =>
  ({
    ...base(`${round}-a${index}`),
    type: "assistant",
    message: { id: `msg_${round}`, role: "assistant", model: "claude-opus-5", content: [block] },
  }) as unknown as Message;

const userMessage = (uuid: string, content: unknown): Message =>
  ({ ...base(uuid), type: "user", message: { role: "user", content } }) as unknown as Message;

interface RoundShape {
  readonly thinking: boolean;
  readonly text: boolean;
  readonly calls: number;
  /** Each result right after its call, instead of all after the last. */
  readonly interleaved: boolean;
  readonly attachment: boolean;
  readonly says: boolean;
  /** Reuses tool ids of other rounds. */
  readonly reusesIds: boolean;
}

const shape: fc.Arbitrary<RoundShape> = fc.record({
  thinking: fc.boolean(),
  text: fc.boolean(),
  calls: fc.nat({ max: 3 }),
  interleaved: fc.boolean(),
  attachment: fc.boolean(),
  says: fc.boolean(),
  reusesIds: fc.boolean(),
});

function buildRound(name: string, round: RoundShape): readonly Message[] {
  const out: Message[] = [];
  let piece = 0;
  const add = (block: unknown): void => {
    out.push(assistantPiece(name, piece, block));
    piece += 1;
  };
  if (round.thinking) add({ type: "thinking", thinking: "hm", signature: "sig" });
  if (round.text || round.calls === 0) add({ type: "text", text: `answer of ${name}` });
  const results: Message[] = [];
  for (let call = 0; call < round.calls; call += 1) {
    const id = round.reusesIds ? `toolu_${call}` : `toolu_${name}_${call}`;
    add({ type: "tool_use", id, name: "Read", input: { call } });
    const result = userMessage(`${name}-r${call}`, [{ type: "tool_result", tool_use_id: id, content: "ok" }]);
    (round.interleaved ? out : results).push(result);
  }
  out.push(...results);
  if (round.attachment) {
    out.push({
      ...base(`${name}-t`),
      type: "attachment",
      attachment: { type: "hook_additional_context", content: "note" },
    });
  }
  if (round.says || round.calls === 0) out.push(userMessage(`${name}-u`, `prompt after ${name}`));
  return out;
}

/** Rounds in good order, one list each: a response with all its pieces, its results, a user message. */
export const wholeRounds: fc.Arbitrary<readonly (readonly Message[])[]> = fc
  .array(shape, { minLength: 1, maxLength: 5 })
  .map((shapes) => shapes.map((round, index) => buildRound(`round${index}`, round)));
