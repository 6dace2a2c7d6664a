import {
  createConversation,
  type GivenSettings,
  type PreparedRequest,
  type ToolDefinition,
} from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { droppedHint, RECALL_TOOL, recallHint, recallTool } from "@palimpsest/core/engine";
import { keepNotes } from "@palimpsest/core/notes";
import { watchForgotten } from "../world/watch-forgotten.js";
import { createRecordedWorld } from "../world/recorded-world.js";
import { playedBlocks } from "./played-blocks.js";
import type { Policy, PolicyEdit } from "./policy.js";

export interface PalimpsestOptions {
  readonly settings?: GivenSettings;
}

/** This project's engine, as it is configured. */
export function createPalimpsestPolicy({ settings = {} }: PalimpsestOptions = {}): Policy {
  return {
    name: "palimpsest",
    description: "this project's engine",
    ttls: ["auto"],
    start(host) {
      const world = createRecordedWorld();
      const forgotten = watchForgotten(world.state.readState);
      let ids = 0;
      const tools = withRecall(host.tools).map((definition) => ({ definition }));
      const conversation = createConversation({
        model: host.model,
        maxTokens: host.maxTokens,
        sessionId: host.sessionId,
        clock: { now: host.now },
        ids: { next: () => `engine-${(ids += 1)}` },
        compaction,
        notes: keepNotes(),
        source: "repl_main_thread",
        provider: host.provider,
        ...(host.writer === undefined ? {} : { writer: host.writer }),
        settings: { ...settings, window: host.window },
        system: { custom: host.system },
        tools: () => tools,
        ...(host.thinking === undefined ? {} : { parameters: { thinking: host.thinking } }),
        state: { ...world.state, readState: forgotten.watched },
        transcriptPath: "transcript.jsonl",
        recallHint,
        droppedHint,
        account: () => ({ isEligible: true, isInOverage: false }),
      });
      let sent: PreparedRequest | undefined;
      return {
        async append(messages) {
          world.note(messages, host.now());
          await conversation.append(...messages);
        },
        async prepare() {
          const prepared = await conversation.prepare();
          const edits = prepared.steps.map(editOf);
          if (prepared.kind === "held") return { kind: "held", message: prepared.message, edits };
          sent = prepared;
          return { kind: "request", call: prepared.call, edits };
        },
        async answered(response) {
          if (sent === undefined) return [];
          world.noteResponse(playedBlocks(response.content), host.now());
          const observed = await conversation.observe(sent, { kind: "response", response });
          return observed.kind === "retry" ? [editOf(observed.step)] : [];
        },
        async refused(failure) {
          if (sent === undefined) return { next: "end", edits: [] };
          const observed = await conversation.observe(sent, { kind: "failure", failure });
          return observed.kind === "retry"
            ? { next: "retry", edits: [editOf(observed.step)] }
            : { next: "end", edits: [] };
        },
        holdsFile: (path) => !forgotten.has(path),
      };
    },
  };
}

/** Recordings of this project's agent have it; for all others it is added. */
const withRecall = (tools: readonly ToolDefinition[]): readonly ToolDefinition[] =>
  tools.some(({ name }) => name === RECALL_TOOL) ? tools : [...tools, recallTool];

const editOf = ({ tier, tokensBefore, tokensAfter }: PolicyEdit): PolicyEdit => ({
  tier,
  tokensBefore,
  tokensAfter,
});
