import type { AnswerBlock, Player, PlayerPrompt } from "../simulator/index.js";

/** A call that the model wants made until it has succeeded. */
export interface Job {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** How it is done where a first try may have had its effect. Default: in the same way. */
  readonly again?: Job;
}

interface Plan {
  /** How many there are: asked again before each. */
  readonly steps: () => number;
  readonly jobsAt: (step: number) => readonly Job[];
}

export interface CarefulPlayer extends Player {
  /** The step that is under way. */
  readonly step: () => number;
}

/**
 * A model that goes through steps of parallel calls, and does again whatever it has not seen succeed: the agent may
 * have ended before a call did. It remembers where it stands, whatever the conversation still shows.
 */
export function createCarefulPlayer({ steps, jobsAt }: Plan): CarefulPlayer {
  let step = 0;
  let answers = 0;
  let done = new Set<number>();
  let failed = new Set<number>();

  const learn = (prompt: PlayerPrompt): void => {
    for (const { id, isError } of newestResults(prompt)) {
      const [, at, job] = /^toolu_careful_(\d+)_(\d+)_\d+$/.exec(id) ?? [];
      if (Number(at) !== step) continue;
      if (isError) failed.add(Number(job));
      else done.add(Number(job));
    }
    if (step >= steps() || jobsAt(step).some((_, job) => !done.has(job))) return;
    step += 1;
    done = new Set();
    failed = new Set();
  };

  return {
    step: () => step,
    answer(prompt, memory) {
      learn(prompt);
      answers += 1;
      if (step >= steps()) {
        return { answer: { content: [{ type: "text", text: "All steps are done." }] }, memory };
      }
      const calls = jobsAt(step).flatMap((job, index): readonly AnswerBlock[] => {
        if (done.has(index)) return [];
        const { tool, input } = failed.has(index) ? (job.again ?? job) : job;
        return [{ type: "tool_use", id: `toolu_careful_${step}_${index}_${answers}`, name: tool, input }];
      });
      const thinking = `Step ${step} is next; I have answered ${answers - 1} times.`;
      const text = `This is step ${step} of the work, and it takes a few words to say so.`;
      return {
        answer: {
          content: [{ type: "thinking", thinking }, { type: "text", text }, ...calls],
          delivery: { delayMs: 5, eventDelayMs: 2 },
        },
        memory,
      };
    },
  };
}

interface SeenResult {
  readonly id: string;
  readonly isError: boolean;
}

/** The results after the last response. */
function newestResults({ messages }: PlayerPrompt): readonly SeenResult[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(last + 1).flatMap(({ content }) =>
    (Array.isArray(content) ? content : []).flatMap((block: unknown) => {
      const { type, tool_use_id: id, is_error: isError } = block as Readonly<Record<string, unknown>>;
      return type === "tool_result" ? [{ id: String(id), isError: isError === true }] : [];
    }),
  );
}
