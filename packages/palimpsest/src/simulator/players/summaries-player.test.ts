import { describe, expect, it } from "vitest";
import type { RequestMessage, ModelRequest, ToolDefinition } from "@palimpsest/core";
import type { Answer, PlayerPrompt } from "../player.js";
import { createEchoPlayer } from "./echo-player.js";
import { withSummaries, type SummariesOptions } from "./summaries-player.js";

const string = { type: "string" };
const tools: readonly ToolDefinition[] = [
  { name: "Bash", input_schema: { type: "object", properties: { command: string }, required: ["command"] } },
  {
    name: "Edit",
    input_schema: {
      type: "object",
      properties: { file_path: string, old_string: string, new_string: string },
      required: ["file_path", "old_string", "new_string"],
    },
  },
];

const user = (text: string): RequestMessage => ({ role: "user", content: [{ type: "text", text }] });

const history: readonly RequestMessage[] = [
  user("Fix the login form in src/login.ts, please."),
  ...Array.from({ length: 40 }, (_, index): readonly RequestMessage[] => [
    {
      role: "assistant",
      content: [
        { type: "text", text: `Step ${index}: I look at src/part-${index}.ts.` },
        {
          type: "tool_use",
          id: `toolu_sim_abc_${index}_0`,
          name: "Bash",
          input: { command: `cat src/part-${index}.ts` },
        },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: `toolu_sim_abc_${index}_0`,
          content: `export const part = ${index};\n`.repeat(20),
          is_error: index % 10 === 3,
        },
        ...(index % 8 === 0
          ? [{ type: "text" as const, text: `A remark of mine, number ${index}. `.repeat(10) }]
          : []),
      ],
    },
  ]).flat(),
  { role: "assistant", content: [{ type: "text", text: "All parts are read." }] },
];

const instruction =
  "Text only, no tool calls. Create a detailed summary of the conversation so far: <analysis>, then <summary>.";

function ask(
  last: string | readonly RequestMessage[],
  options?: SummariesOptions,
  extra: Partial<PlayerPrompt> = {},
): Answer {
  const messages = [...history, ...(typeof last === "string" ? [user(last)] : last)];
  const request: ModelRequest = { model: "m", max_tokens: 1000, tools, messages };
  const prompt: PlayerPrompt = { request, messages, kind: "message", now: 0, sequence: 7, ...extra };
  return withSummaries(createEchoPlayer(), options).answer(prompt, undefined).answer;
}

const textOf = (answer: Answer): string =>
  answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");

describe("a mediocre summary", () => {
  it("has the nine sections, the first request, some files, the last action, and where it stood", () => {
    const text = textOf(ask(instruction));
    expect(text).toMatch(/^<analysis>\n[\s\S]+<\/analysis>\n\n<summary>\n[\s\S]+\n<\/summary>$/);
    for (let section = 1; section <= 9; section += 1) expect(text).toContain(`\n${section}. `);
    expect(text).toContain("Fix the login form in src/login.ts, please.");
    expect(text).toContain("src/part-0.ts");
    expect(text).toContain("toolu_sim_abc_39_0");
    expect(text.length).toBeGreaterThan(2000);
    expect(text.length).toBeLessThan(5500);
  });

  it("is deterministic, and as long as it is told", () => {
    expect(ask(instruction)).toEqual(ask(instruction));
    expect(textOf(ask(instruction, { characters: 1000 })).length).toBeLessThan(2000);
  });

  it("comes in the form that was asked for", () => {
    const sure = "You are performing a CONTEXT CHECKPOINT COMPACTION.";
    expect(textOf(ask("Now generate the <state_snapshot>."))).toMatch(
      /^<state_snapshot>\n<overall_goal>[\s\S]+<\/state_snapshot>$/,
    );
    expect(textOf(ask(`${sure}\n## Goal\n## Progress`))).toMatch(
      /^## Goal\nThe user asked: [\s\S]+## Progress\n- /,
    );
    expect(textOf(ask(`${sure} <observations>`))).toMatch(/^<observations>\n\* /);
    expect(textOf(ask(sure))).toMatch(/^Goal:\n/);
    expect(textOf(ask("anything", {}, { kind: "compaction" }))).toMatch(/^Goal:\n/);
  });

  it("reads a transcript that is handed over in the message", () => {
    const messages = [
      user(
        "<conversation>\n[User]: Build the mill in src/mill.ts\n[Assistant]: ok\n</conversation>\nThe messages above are a conversation to summarize.",
      ),
    ];
    const request: ModelRequest = { model: "m", max_tokens: 1000, messages };
    const prompt: PlayerPrompt = { request, messages, kind: "message", now: 0, sequence: 0 };
    const text = textOf(withSummaries(createEchoPlayer()).answer(prompt, undefined).answer);
    expect(text).toContain("Build the mill");
    expect(text).toContain("src/mill.ts");
  });
});

describe("bad answers", () => {
  it("empty", () => expect(ask(instruction, { mode: "empty" })).toEqual({ content: [] }));

  it("tool-call, and then a summary once it is denied", () => {
    const answer = ask(instruction, { mode: "tool-call" });
    expect(answer.content.at(-1)).toEqual({
      type: "tool_use",
      id: "toolu_summaries_7_0",
      name: "Bash",
      input: { command: "true" },
    });
    const denied = ask(
      [
        user(instruction),
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_summaries_7_0", name: "Bash", input: {} }],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_summaries_7_0", content: "denied", is_error: true },
          ],
        },
      ],
      { mode: "tool-call" },
    );
    expect(textOf(denied)).toContain("</summary>");
  });

  it("truncated", () => {
    const answer = ask(instruction, { mode: "truncated" });
    expect(answer.stopReason).toBe("max_tokens");
    expect(textOf(ask(instruction)).startsWith(textOf(answer))).toBe(true);
    expect(textOf(answer)).not.toContain("</summary>");
  });

  it("inflated: longer than all that was sent, and otherwise in order", () => {
    const text = textOf(ask(instruction, { mode: "inflated" }));
    expect(text.length).toBeGreaterThan(JSON.stringify(history).length);
    expect(text.endsWith("</summary>")).toBe(true);
  });

  it("api-error-text", () =>
    expect(textOf(ask(instruction, { mode: "api-error-text" }))).toMatch(/^API Error: 529 /));

  it("no-tags", () => {
    const text = textOf(ask(instruction, { mode: "no-tags" }));
    expect(text).not.toMatch(/<\/?(analysis|summary)>/);
    expect(text).toContain("Fix the login form");
  });

  it("unclosed", () => {
    const answer = ask(instruction, { mode: "unclosed" });
    expect(textOf(answer)).toMatch(/<summary>\n/);
    expect(textOf(answer)).not.toContain("</summary>");
    expect(answer.stopReason).toBeUndefined();
  });

  it("refusal", () => expect(ask(instruction, { mode: "refusal" }).stopReason).toBe("refusal"));

  it("only so often, where told", () => {
    const player = withSummaries(createEchoPlayer(), { mode: "empty", times: 1 });
    const messages = [...history, user(instruction)];
    const prompt: PlayerPrompt = {
      request: { model: "m", max_tokens: 1, messages },
      messages,
      kind: "message",
      now: 0,
      sequence: 0,
    };
    const first = player.answer(prompt, undefined);
    expect(first.answer.content).toEqual([]);
    expect(textOf(player.answer(prompt, first.memory).answer)).toContain("</summary>");
  });
});

describe("notes", () => {
  const notes =
    "# Session title\n_A short title_\n\n# Current state\n_What is going on_\n\nReading.\n\n# Learnings\n_What was learnt_\n\n# Worklog\n_Step by step_\n";
  const update = `This message is not part of the conversation. Update the session notes /d/summary.md from the conversation above with the Edit tool, then stop.\n<current_notes_content>\n${notes}</current_notes_content>`;

  it("are edited through the offered tool, headings and italic lines kept", () => {
    const calls = ask(update).content;
    expect(calls.map((block) => (block.type === "tool_use" ? [block.id, block.name] : []))).toEqual([
      ["toolu_summaries_7_0", "Edit"],
      ["toolu_summaries_7_1", "Edit"],
      ["toolu_summaries_7_2", "Edit"],
    ]);
    let edited = notes;
    for (const block of calls) {
      if (block.type !== "tool_use") continue;
      const { file_path: path, old_string: old, new_string: replacement } = block.input;
      expect(path).toBe("/d/summary.md");
      expect(edited.split(String(old))).toHaveLength(2);
      edited = edited.replace(String(old), () => String(replacement));
    }
    expect(edited.match(/^(#|_).*$/gm)).toEqual(notes.match(/^(#|_).*$/gm));
    expect(edited).toContain("Fix the login form");
    expect(edited).not.toContain("Reading.");
  });

  it("end with a word once the edits are made", () => {
    const done = ask([
      user(update),
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_summaries_7_0", name: "Edit", input: {} }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_summaries_7_0", content: "ok" }] },
    ]);
    expect(textOf(done)).toBe("The notes are up to date.");
  });
});

it("leaves everything else to the inner player", () => {
  expect(textOf(ask("Summarise src/login.ts for me"))).toBe("You said: Summarise src/login.ts for me");
});
