/** A recording as Claude Code writes them, made up: nothing in it was ever said. The same for the same options. */
export interface RecordingShape {
  readonly rounds: number;
  /** A compaction after so many rounds, again and again; none where it is left out. */
  readonly compactsAfter?: number;
  /** Stands in texts, names, calls and results. */
  readonly spice?: string;
}

interface Line {
  readonly [field: string]: unknown;
}

const START = Date.UTC(2026, 9, 12, 8, 0);
const MODEL = "claude-opus-4-5-20251101";
const TASKS = [
  "Make the parser stop at the end of a line",
  "Now the tests, please",
  "And say it in the docs",
];

export function* recordingLines(shape: RecordingShape): Generator<string> {
  const { rounds, compactsAfter = Infinity, spice = "" } = shape;
  let parent: string | null = null;
  let context = 21_000;
  let at = START;
  let written = 0;
  const line = (fields: Line): string => {
    const uuid = `00000000-0000-4000-8000-${String(written).padStart(12, "0")}`;
    written += 1;
    const text = JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: "/home/somebody/project",
      sessionId: "11111111-2222-4333-8444-555555555555",
      version: "2.0.1",
      uuid,
      timestamp: new Date(at).toISOString(),
      ...fields,
    });
    parent = uuid;
    return text;
  };
  const user = (content: unknown, more: Line = {}): string =>
    line({ type: "user", message: { role: "user", content }, ...more });

  for (let round = 0; round < rounds; round += 1) {
    if (round % 12 === 0)
      yield user(`${TASKS[(round / 12) % TASKS.length]}${round === 0 ? "" : ` (${round})`} ${spice}`);
    at += round % 17 === 16 ? 900_000 : 21_000;
    const isCold = round === 0 || round % 17 === 16;
    const result =
      `export const part${round % 23} = ${round};\n`.repeat(
        round % 13 === 5 ? 900 : 20 + ((round * 37) % 160),
      ) + spice;
    const said = `Step ${round}: I look at part ${round % 23} of it. ${spice}${" The loop ends where the line does, and what follows is left to the caller.".repeat((round * 11) % 29)}`;
    const fresh = 140 + Math.ceil((result.length + said.length) / 3.4);
    const before = context;
    context += fresh;
    const id = `toolu_${String(round).padStart(6, "0")}`;
    yield line({
      type: "assistant",
      requestId: `req_${round}`,
      message: {
        id: `msg_${round}`,
        type: "message",
        role: "assistant",
        model: MODEL,
        content: [
          { type: "text", text: said },
          {
            type: "tool_use",
            id,
            name: round % 3 === 0 ? "Bash" : "Read",
            input: { file_path: `src/part-${round % 23}.ts`, note: spice },
          },
        ],
        stop_reason: "tool_use",
        stop_sequence: null,
        usage: {
          input_tokens: 6,
          cache_creation_input_tokens: isCold ? context - 6 : fresh,
          cache_read_input_tokens: isCold ? 0 : before - 6,
          cache_creation: {
            ephemeral_5m_input_tokens: isCold ? context - 6 : fresh,
            ephemeral_1h_input_tokens: 0,
          },
          output_tokens: 90 + (round % 40),
        },
      },
    });
    at += 2_000;
    yield user([
      {
        type: "tool_result",
        tool_use_id: id,
        content: result,
      },
    ]);
    if (round > 0 && round % compactsAfter === 0) {
      yield line({
        type: "system",
        subtype: "compact_boundary",
        content: "Conversation compacted",
        isMeta: false,
        compactMetadata: { trigger: "auto", preTokens: context },
      });
      yield user(
        `This conversation goes on from an earlier one. Its summary: the parser stops now. ${spice}`,
        {
          isCompactSummary: true,
          isVisibleInTranscriptOnly: true,
        },
      );
      context = 24_500;
    }
  }
}
