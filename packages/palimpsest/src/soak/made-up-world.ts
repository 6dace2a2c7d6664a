import type { RestoreSources, ToolUseBlock, UserBlock } from "@palimpsest/core";
import {
  createMemoryFileAccess,
  createMemoryAnnouncements,
  createMemoryBackgroundAgents,
  createMemoryInvokedSkills,
  createMemoryPlan,
  createMemoryReadState,
  createMemoryTodos,
  restore,
} from "@palimpsest/core/restore";
import { asFields } from "@palimpsest/core/engine";
import type { Answer, AnswerBlock, Player } from "../simulator/index.js";

const WORDS =
  "the quick parser reads a token then walks the tree and writes what it found into the cache before it returns to its caller while other threads wait for the lock that guards the table of names".split(
    " ",
  );

/** About `bytes` bytes of lines that differ, the same for the same seed. */
export function output(seed: number, bytes: number): string {
  const lines: string[] = [];
  let length = 0;
  let state = seed * 2_654_435_761 + 12_345;
  while (length < bytes) {
    const words: string[] = [];
    for (let word = 0; word < 9; word += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      words.push(WORDS[state % WORDS.length] ?? "");
    }
    const line = `${lines.length}: ${words.join(" ")} ${state.toString(36)}`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n");
}

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const tools = ["Read", "Edit", "Bash", "TodoWrite", "mcp__db__query", "mcp__db__insert"].map(
  (name) => ({
    definition: {
      name,
      description: `${name}: ${output(name.length, 600)}`,
      input_schema: { type: "object", properties: {} },
    },
  }),
);

/** An agent at work: reads, edits, commands, todos, parallel calls, now and then words. */
export function worker(isThinking: boolean): Player {
  const call = (name: string, input: Record<string, unknown>): AnswerBlock => ({
    type: "tool_use",
    name,
    input,
  });
  const callsOf = (turn: number): readonly AnswerBlock[] => {
    if (turn % 20 === 19)
      return [call("TodoWrite", { todos: [{ content: `todo of turn ${turn}`, status: "pending" }] })];
    if (turn % 7 === 3)
      return [0, 1, 2].map((index) => call("Read", { file_path: `/work/p-${turn}-${index}.ts` }));
    if (turn % 4 === 1)
      return [call("Edit", { file_path: `/work/f-${turn - 1}.ts`, old_string: "a", new_string: "b" })];
    if (turn % 11 === 5) return [call("Bash", { command: `npm test -- ${turn}` })];
    return [call("Read", { file_path: `/work/f-${turn}.ts` })];
  };
  return {
    answer(_prompt, memory) {
      const turn = typeof memory === "number" ? memory : 0;
      const answer: Answer = {
        content: [
          ...(isThinking ? [{ type: "thinking" as const, thinking: output(turn, 300) }] : []),
          ...(turn % 10 === 0 ? [{ type: "text" as const, text: `I go on with step ${turn}.` }] : []),
          ...callsOf(turn),
        ],
      };
      return { answer, memory: turn + 1 };
    },
  };
}

/**
 * State of a host, as the engine sees it through its ports, and tools that change it. `otherBytes` is what tools
 * other than Read and Bash answer.
 */
export function createWorld(resultBytes: number, otherBytes = 200) {
  const files = createMemoryFileAccess();
  const readState = createMemoryReadState();
  const skills = createMemoryInvokedSkills();
  for (const [index, name] of ["review", "release", "migrate"].entries()) {
    skills.note({
      name,
      path: `/skills/${name}/SKILL.md`,
      content: `# ${name}\n${output(index, 3000)}`,
      invokedAt: index,
    });
  }
  const todos = createMemoryTodos([{ content: "the first todo", status: "pending" }]);
  const plan = createMemoryPlan({
    path: "/work/plan.md",
    content: `# Plan\n${output(99, 2000)}`,
    isPlanMode: false,
  });
  const state: RestoreSources = {
    restore,
    readState,
    ports: {
      files,
      skills,
      todos,
      plan,
      backgroundAgents: createMemoryBackgroundAgents([
        {
          id: "a1",
          description: "looks through the logs",
          status: "running",
          progress: "half way",
          isRetrieved: false,
        },
        { id: "a2", description: "counts the tests", status: "completed", isRetrieved: false },
      ]),
      announcements: createMemoryAnnouncements({
        deferredTools: [{ name: "WebFetch", description: "fetches a page" }],
        mcpInstructions: [{ name: "db", description: "Ask before you insert." }],
      }),
    },
  };
  let results = 0;
  return {
    state,
    readState,
    runTool({ id, name, input: given }: ToolUseBlock, now: number): UserBlock {
      const input = asFields(given);
      results += 1;
      const path = typeof input["file_path"] === "string" ? input["file_path"] : "";
      if (name === "TodoWrite") todos.set(input["todos"] as { content: string; status: string }[]);
      if (name === "Read") {
        const content = output(results, resultBytes);
        files.write(path, { content, mtime: now });
        readState.remember(path, { content, timestamp: now, mtime: now });
        return { type: "tool_result", tool_use_id: id, content };
      }
      const text = {
        type: "text" as const,
        text: output(results, name === "Bash" ? resultBytes : otherBytes),
      };
      const image = {
        type: "image" as const,
        source: { type: "base64" as const, media_type: "image/png", data: pixel },
      };
      return { type: "tool_result", tool_use_id: id, content: results % 40 === 0 ? [text, image] : [text] };
    },
  };
}
