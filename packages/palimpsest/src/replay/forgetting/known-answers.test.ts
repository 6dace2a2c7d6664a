import type { RequestMessage } from "@palimpsest/core";
import { describe, expect, it } from "vitest";
import { incoming, result, text } from "../testing/made-up-rounds.js";
import type { AnswerBlock } from "../../simulator/player.js";
import { createRecallJudge, createContextReader } from "../measures/recall.js";
import { judgeTurn } from "./blind-turn.js";
import { createContextLines, createLineFinder } from "./context-lines.js";
import { createNeedsJudge, type TurnNeeds } from "./needs.js";

/** What came in (a text of a person, or results by the ids of their calls) and what the model said to it. */
interface Round {
  readonly in: string | Readonly<Record<string, string>>;
  readonly out: readonly AnswerBlock[];
}

type Lines = readonly string[];
type Missing = readonly [kind: string, label: string, lines: Lines, paths?: Lines];

interface Answers {
  /** Each source of which something was missing: its class, its label, its missing lines and paths. */
  readonly missing: readonly Missing[];
  readonly edits: number;
  readonly blindEdits: number;
  readonly isBlind: boolean;
  readonly needed?: number;
  readonly unreadEdits?: number;
}

interface Row {
  readonly name: string;
  readonly rounds: readonly Round[];
  /** What the model is given at the last round: `all` of it, what a person said, or messages. */
  readonly context: string | readonly RequestMessage[];
  /** Files that the host says it holds; left out: those whose calls stand in the context. */
  readonly held?: readonly string[];
  readonly answers: Answers;
}

const call = (id: string, name: string, input: Readonly<Record<string, unknown>>): AnswerBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
const read = (id: string, path: string): AnswerBlock => call(id, "Read", { file_path: path });
const bash = (id: string, command: string): AnswerBlock => call(id, "Bash", { command });
const edit = (id: string, path: string, old: string, now = "gone"): AnswerBlock =>
  call(id, "Edit", { file_path: path, old_string: old, new_string: now });
const patch = (id: string, ...lines: readonly string[]): AnswerBlock =>
  call(id, "apply_patch", { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

const said = (words: string): RequestMessage => ({ role: "user", content: [text(words)] });
const resultsIn = (results: Readonly<Record<string, string>>) =>
  Object.entries(results).map(([id, content]) => result(id, content));

const asMessages = ({ in: came, out }: Round): readonly RequestMessage[] => [
  typeof came === "string" ? said(came) : { role: "user", content: resultsIn(came) },
  { role: "assistant", content: out } as RequestMessage,
];

function answersOf({ rounds, context, held }: Row): Answers {
  const recall = createRecallJudge();
  const judge = createNeedsJudge();
  const needs = rounds.map((round): TurnNeeds => {
    const came = typeof round.in === "string" ? round.in : resultsIn(round.in);
    const recorded = {
      incoming: [incoming(came)],
      at: 0,
      response: { id: "r", model: "", at: 0, content: round.out },
    };
    const shown = asMessages(round).slice(0, 1);
    return judge.turn({ ...recorded, shown, references: recall.turn(recorded) });
  });
  const last = needs.at(-1);
  if (last === undefined) throw new Error("there is a round");
  const given: readonly RequestMessage[] =
    context === "all"
      ? [...rounds.slice(0, -1).flatMap(asMessages), ...rounds.slice(-1).flatMap(asMessages).slice(0, 1)]
      : typeof context === "string"
        ? [said(context)]
        : context;
  const wanted = new Set([
    ...last.lines.map(({ key }) => key),
    ...last.edits.flatMap(({ file }) => (file === undefined ? [] : [file.key])),
  ]);
  const missed = createContextReader().missing(last.references, given);
  const judged = judgeTurn(last, {
    lines: createContextLines(createLineFinder(wanted, judge.names)).of(given, []),
    isPathMissing: (path) => missed.some((one) => one.kind === "path" && one.text === path),
    holdsFile: held === undefined ? undefined : (path) => held.includes(path),
  });
  return {
    missing: judged.missing.map((one) => {
      const lines = one.lines.map(({ line }) => line);
      return one.paths.length === 0
        ? [one.class, one.label, lines]
        : [one.class, one.label, lines, one.paths];
    }),
    edits: judged.edits,
    blindEdits: judged.blindEdits,
    isBlind: judged.isBlind,
    needed: new Set(last.lines.map(({ key }) => key)).size,
    unreadEdits: judged.unreadEdits,
  };
}

const LAMP = "/work/lamp.ts";
const line = "export const wick = trimmed(lamp);";
const other = "export const flame = lit(wick, 41);";
const readLamp: readonly Round[] = [
  { in: "mend the lamp", out: [read("t1", LAMP)] },
  { in: { t1: `     1→${line}\n     2→${other}` }, out: [text("I have seen it.")] },
];
const none = { missing: [], edits: 1, blindEdits: 0, isBlind: false } as const;
/** The path stands in what is said, so that only lines are judged. */
const PATHS = `the files are ${LAMP} and /work/oil.ts`;

const rows: readonly Row[] = [
  {
    name: "nothing was forgotten",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, line)] }],
    context: "all",
    answers: { ...none, needed: 1, unreadEdits: 0 },
  },
  {
    name: "the line to be replaced is nowhere: a blind edit, from a file",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, line)] }],
    context: PATHS,
    held: [LAMP],
    answers: { missing: [["disk", LAMP, [line]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "the line stands in a summary, with other white space and a number before it",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, line)] }],
    context: `${PATHS}\nIt says:\n  12:   export const  wick =\ttrimmed(lamp);`,
    held: [LAMP],
    answers: none,
  },
  {
    name: "a part of the line is not the line",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, line)] }],
    context: `${PATHS}\nexport const wick = trimmed(lamp)`,
    held: [LAMP],
    answers: { missing: [["disk", LAMP, [line]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "the line was shown since the response before: nobody had to remember it",
    rounds: [...readLamp, { in: line, out: [edit("t2", LAMP, line)] }],
    context: PATHS,
    held: [LAMP],
    answers: { ...none, needed: 0 },
  },
  {
    name: "the line was never there: it is missing on an unlimited window too",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, "export const oil = poured(by, hand);")] }],
    context: PATHS,
    held: [LAMP],
    answers: { ...none, needed: 0 },
  },
  {
    name: "a line that is too short, or has no word, is nothing to remember",
    rounds: [
      { in: "mend it", out: [read("t1", LAMP)] },
      { in: { t1: "const a = 1;\n}\n======================\n" }, out: [text("seen")] },
      { in: "go on", out: [edit("t2", LAMP, "const a = 1;\n}\n======================")] },
    ],
    context: PATHS,
    held: [LAMP],
    answers: { ...none, needed: 0 },
  },
  {
    name: "a string of one line that is not to be replaced needs no line",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, "never seen before here", line)] }],
    context: PATHS,
    held: [LAMP],
    answers: { ...none, needed: 0 },
  },
  {
    name: "moved code: two lines that are written elsewhere are needed from where they stood, and no edit is blind",
    rounds: [
      ...readLamp,
      {
        in: "go on",
        out: [call("t2", "Write", { file_path: "/work/oil.ts", content: `${line}\n${other}\n` })],
      },
    ],
    context: PATHS,
    answers: { missing: [["disk", LAMP, [line, other]]], edits: 0, blindEdits: 0, isBlind: true },
  },
  {
    name: "moved code: from then on it is from where it was written",
    rounds: [
      ...readLamp,
      {
        in: "go on",
        out: [call("t2", "Write", { file_path: "/work/oil.ts", content: `${line}\n${other}\n` })],
      },
      { in: { t2: "done" }, out: [edit("t3", "/work/oil.ts", other)] },
    ],
    context: PATHS,
    held: ["/work/oil.ts"],
    answers: { missing: [["disk", "/work/oil.ts", [other]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "an own write is a source: a file that was never read",
    rounds: [
      { in: "write it", out: [call("t1", "Write", { file_path: LAMP, content: `${line}\n${other}` })] },
      { in: { t1: "done" }, out: [edit("t2", LAMP, other)] },
    ],
    context: PATHS,
    held: [LAMP],
    answers: { missing: [["disk", LAMP, [other]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "an own edit is a source: its new text",
    rounds: [
      ...readLamp,
      { in: "go on", out: [edit("t2", LAMP, line, "export const wick = doubled(lamp);")] },
      { in: { t2: "done" }, out: [edit("t3", LAMP, "export const wick = doubled(lamp);")] },
    ],
    context: `${PATHS}\n${line}`,
    held: [LAMP],
    answers: {
      missing: [["disk", LAMP, ["export const wick = doubled(lamp);"]]],
      edits: 1,
      blindEdits: 1,
      isBlind: true,
    },
  },
  {
    name: "a file that a shell writes word for word is a file",
    rounds: [
      { in: "write it", out: [bash("t1", `cat > ${LAMP} <<'EOF'\n${line}\n${other}\nEOF`)] },
      { in: { t1: "" }, out: [edit("t2", LAMP, other)] },
    ],
    context: PATHS,
    held: [LAMP],
    answers: { missing: [["disk", LAMP, [other]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "lines from two sources count, and are from the latest",
    rounds: [
      ...readLamp,
      { in: "go on", out: [bash("t2", "git show HEAD")] },
      { in: { t2: line }, out: [text("seen")] },
      { in: "go on", out: [edit("t3", LAMP, line)] },
    ],
    context: PATHS,
    held: [LAMP],
    answers: { missing: [["again", "git show HEAD", [line]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "a line from three sources is nobody's memory",
    rounds: [
      ...readLamp,
      { in: "go on", out: [bash("t2", "git show HEAD"), read("t3", "/work/oil.ts")] },
      { in: { t2: line, t3: line }, out: [text("seen")] },
      { in: "go on", out: [edit("t4", LAMP, line)] },
    ],
    context: PATHS,
    held: [LAMP],
    answers: { ...none, needed: 0 },
  },
  {
    name: "one file that was read three times is one source, however it was read",
    rounds: [
      ...readLamp,
      { in: "go on", out: [read("t2", LAMP), bash("t3", `sed -n '1,40p' ${LAMP}`)] },
      { in: { t2: line, t3: line }, out: [bash("t4", `cd /work && cat lamp.ts | head -20`)] },
      { in: { t4: line }, out: [text("seen")] },
      { in: "go on", out: [edit("t5", LAMP, line)] },
    ],
    context: PATHS,
    held: [LAMP],
    answers: { missing: [["disk", "lamp.ts", [line]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "what a command printed can be run again",
    rounds: [
      { in: "look", out: [bash("t1", "rg wick")] },
      { in: { t1: line }, out: [text("seen")] },
      { in: "go on", out: [edit("t2", LAMP, line)] },
    ],
    context: PATHS,
    answers: { missing: [["again", "rg wick", [line]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "a person's words stand in the transcript alone",
    rounds: [
      { in: `please use this:\n${line}`, out: [text("I will.")] },
      { in: "go on", out: [call("t1", "Write", { file_path: LAMP, content: `${line}\n${other}` })] },
    ],
    context: PATHS,
    answers: { missing: [["transcript", "what was said", [line]]], edits: 0, blindEdits: 0, isBlind: true },
  },
  {
    name: "so do the agent's own words, a page and a subagent's report",
    rounds: [
      {
        in: "look",
        out: [text(`I plan:\n${line}`), call("t1", "WebFetch", { url: "x" }), call("t2", "Task", {})],
      },
      { in: { t1: other, t2: "the lamp is made of brass" }, out: [text("seen")] },
      {
        in: "go on",
        out: [
          call("t3", "Write", { file_path: LAMP, content: `${line}\n${other}\nthe lamp is made of brass` }),
        ],
      },
    ],
    context: PATHS,
    answers: {
      missing: [
        ["transcript", "the agent's own words", [line]],
        ["transcript", "an answer to WebFetch", [other]],
        ["transcript", "an answer to Task", ["the lamp is made of brass"]],
      ],
      edits: 0,
      blindEdits: 0,
      isBlind: true,
    },
  },
  {
    name: "a patch: its context and what goes have to be known, what comes is not text to be replaced",
    rounds: [
      { in: "look", out: [bash("t1", `cat ${LAMP}`)] },
      { in: { t1: `${line}\n${other}` }, out: [text("seen")] },
      {
        in: "go on",
        out: [
          patch("t2", `*** Update File: ${LAMP}`, "@@", ` ${line}`, `-${other}`, "+export const flame = 0;"),
        ],
      },
    ],
    context: PATHS,
    answers: { missing: [["disk", LAMP, [line, other]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "a patch that only adds a file is no edit",
    rounds: [
      ...readLamp,
      { in: "go on", out: [patch("t2", "*** Add File: /work/oil.ts", "+oil for the lamp")] },
    ],
    context: PATHS,
    answers: { missing: [], edits: 0, blindEdits: 0, isBlind: false },
  },
  {
    name: "a patch in a shell's here document, and in a script's quoted string",
    rounds: [
      ...readLamp,
      {
        in: "go on",
        out: [
          bash(
            "t2",
            `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${LAMP}\n@@\n-${line}\n*** End Patch\nEOF`,
          ),
          call("t3", "exec", {
            input: `const patch = ${JSON.stringify(`*** Begin Patch\n*** Update File: ${LAMP}\n@@\n-${other}\n*** End Patch`)};\nawait tools.apply_patch(patch);`,
          }),
        ],
      },
    ],
    context: PATHS,
    answers: { missing: [["disk", LAMP, [line, other]]], edits: 2, blindEdits: 2, isBlind: true },
  },
  {
    name: "a unified diff: its context and what goes",
    rounds: [
      ...readLamp,
      {
        in: "go on",
        out: [
          bash(
            "t2",
            `git apply <<'EOF'\n--- a/lamp.ts\n+++ b/lamp.ts\n@@ -1,2 +1,2 @@\n ${line}\n-${other}\n+${other} // lit\nEOF`,
          ),
        ],
      },
    ],
    context: PATHS,
    answers: { missing: [["disk", LAMP, [line, other]]], edits: 1, blindEdits: 1, isBlind: true },
  },
  {
    name: "a patch in the context shows its lines",
    rounds: [
      ...readLamp,
      {
        in: "go on",
        out: [patch("t2", `*** Update File: ${LAMP}`, "@@", `-${line}`, `+${line} // lit again`)],
      },
      { in: { t2: "Done!" }, out: [edit("t3", LAMP, `${line} // lit again`)] },
    ],
    context: [
      said(PATHS),
      {
        role: "assistant",
        content: [patch("t2", `*** Update File: ${LAMP}`, `+${line} // lit again`)],
      } as never,
    ],
    answers: { ...none, unreadEdits: 0 },
  },
  {
    name: "several replacements in one call are one edit",
    rounds: [
      ...readLamp,
      {
        in: "go on",
        out: [
          call("t2", "MultiEdit", {
            file_path: LAMP,
            edits: [
              { old_string: line, new_string: "x" },
              { old_string: other, new_string: "y" },
            ],
          }),
          call("t3", "edit", { path: LAMP, oldText: line, newText: "z" }),
        ],
      },
    ],
    context: `${PATHS}\n${line}`,
    held: [LAMP],
    answers: { missing: [["disk", LAMP, [other]]], edits: 2, blindEdits: 1, isBlind: true },
  },
  {
    name: "text that JSON wrote in one line of the context is there",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, line)] }],
    context: `${PATHS}\n${JSON.stringify({ new_string: `first\n${line}\nlast` })}`,
    held: [LAMP],
    answers: none,
  },
  {
    name: "the host no longer holds the file: the edit is refused, although its line stands in a summary",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, line)] }],
    context: `${PATHS}\n${line}`,
    held: [],
    answers: { missing: [["disk", LAMP, []]], edits: 1, blindEdits: 0, isBlind: false, unreadEdits: 1 },
  },
  {
    name: "without a word of the host, it holds the files whose calls stand in the context",
    rounds: [...readLamp, { in: "go on", out: [edit("t2", LAMP, line)] }],
    context: [
      { role: "assistant", content: [read("t1", LAMP)] } as never,
      { role: "user", content: [result("t1", "[cleared]"), { type: "text", text: line }] },
    ],
    answers: { ...none, unreadEdits: 0 },
  },
  {
    name: "a file that no call ever named is not held on an unlimited window either",
    rounds: [
      { in: `it says\n${line}`, out: [text("seen")] },
      { in: "go on", out: [edit("t2", LAMP, line)] },
    ],
    context: `${PATHS}\n${line}`,
    held: [],
    answers: { ...none, unreadEdits: 0 },
  },
  {
    name: "a path that is missing makes a blind turn, and no blind edit",
    rounds: [
      { in: "look", out: [bash("t1", "find src -name '*.ts'")] },
      { in: { t1: "src/deep/match.ts" }, out: [text("seen")] },
      { in: "go on", out: [read("t2", "src/deep/match.ts")] },
    ],
    context: "nothing of the kind",
    answers: {
      missing: [["again", "find src -name '*.ts'", [], ["src/deep/match.ts"]]],
      edits: 0,
      blindEdits: 0,
      isBlind: true,
    },
  },
  {
    name: "another name that is missing counts in recall only",
    rounds: [
      { in: "look", out: [bash("t1", "env")] },
      { in: { t1: "flameLevel32" }, out: [text("seen")] },
      { in: "go on", out: [bash("t2", "echo flameLevel32")] },
    ],
    context: "nothing of the kind",
    answers: { missing: [], edits: 0, blindEdits: 0, isBlind: false },
  },
];

describe("known answers, found by hand", () => {
  it.each(rows.map((row) => [row.name, row] as const))("%s", (_, row) => {
    expect(answersOf(row)).toMatchObject(row.answers);
  });
});
