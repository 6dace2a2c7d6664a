import type { AssistantMessage, EngineStep, ModelRequest, RequestMessage } from "@palimpsest/core";
import { asFields } from "@palimpsest/core/engine";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Session } from "../../agent/session/session.js";
import { sessionFolder } from "../../agent/session/session-folder.js";
import { collapseSpace } from "../../replay/measures/collapse-space.js";
import { createUserWordsReader } from "../../replay/measures/user-words.js";
import { plural } from "../terminal.js";
import type { Check } from "./check.js";
import { createFileStateCheck } from "./file-state-check.js";
import { newestTodos, sameTodos } from "./seen-todos.js";
import type { DemoWorkspace } from "./demo-workspace.js";

export interface DemoChecks {
  /** Before the request that follows it. */
  readonly noteStep: (step: EngineStep) => void;
  /** Every request of the main conversation with its response, before its calls are made. */
  readonly noteRequest: (request: ModelRequest, response: AssistantMessage) => Promise<void>;
  /** At the end; `path` is where programs are. */
  readonly judge: (last: ModelRequest | undefined, path: string) => Promise<readonly Check[]>;
}

export interface CheckOptions {
  readonly workspace: DemoWorkspace;
  readonly session: Session;
  /** What the person says, in order. */
  readonly said: readonly string[];
}

interface WrittenFile {
  readonly path: string;
  /** A compaction stood between the instruction and this file. */
  readonly isLate: boolean;
  readonly isBehindSkill: boolean;
}

export function createDemoChecks({ workspace, session, said }: CheckOptions): DemoChecks {
  const { work, data, ledger, keptLine, reviewedLine } = workspace;
  const files = createFileStateCheck(work);
  const written: WrittenFile[] = [];
  const tiers = new Set<string>();
  let compactions = 0;
  let hasSkill = false;
  /** How many compactions there were before the agent in the background. */
  let startedAt = 0;
  let ledgerSearches = 0;
  let ledgerUses = 0;
  const folder = sessionFolder(data, session.id);

  const noteCall = (name: string, input: Readonly<Record<string, unknown>>): void => {
    if (name === "Skill") hasSkill = true;
    if (name === "Agent") startedAt = compactions;
    if (name === "Glob" && String(input["pattern"]).startsWith("fixtures/")) ledgerSearches += 1;
    if (name === "Bash" && String(input["command"]).includes(ledger)) ledgerUses += 1;
    if (name !== "Write" || typeof input["file_path"] !== "string") return;
    written.push({ path: input["file_path"], isLate: compactions > 0, isBehindSkill: hasSkill });
  };

  const instruction = async (): Promise<Check> => {
    const late = written.filter(({ isLate }) => isLate);
    const bad = await linesThatDiffer(late, (text) => text.split("\n")[0] === keptLine);
    return {
      name: "the instruction",
      holds: late.length > 0 && bad.length === 0,
      detail:
        bad.length === 0
          ? `${plural(late.length, "file")} written after a compaction, all begin with ${keptLine}`
          : `${bad.length} of ${plural(late.length, "file")} written after a compaction do not begin with ${keptLine}`,
    };
  };

  const skill = async (messages: readonly RequestMessage[]): Promise<Check> => {
    const modules = written.filter(({ path, isBehindSkill }) => isBehindSkill && /\/\d\d-/.test(path));
    const bad = await linesThatDiffer(modules, (text) => text.trimEnd().endsWith(reviewedLine));
    const isShown = holdsText(messages, reviewedLine);
    return {
      name: "the skill",
      holds: modules.length > 0 && bad.length === 0 && isShown,
      detail:
        bad.length === 0
          ? `${plural(modules.length, "module")} follow it${isShown ? "" : ", but its text is gone"}`
          : `${bad.length} of ${plural(modules.length, "module")} do not follow it${isShown ? "" : ": its text is gone"}`,
    };
  };

  const linesThatDiffer = async (
    list: readonly WrittenFile[],
    isGood: (text: string) => boolean,
  ): Promise<readonly string[]> => {
    const texts = await Promise.all(
      list.map(({ path }) => readFile(join(work, path), "utf8").catch(() => "")),
    );
    return list.flatMap(({ path }, index) => (isGood(texts[index] ?? "") ? [] : [path]));
  };

  const words = (messages: readonly RequestMessage[]): Check => {
    const lost = said.filter(
      (text) => createUserWordsReader({ said: [[collapseSpace(text)]] }).present(messages) === 0,
    );
    return {
      name: "the person's words",
      holds: lost.length === 0,
      detail:
        lost.length === 0
          ? `${said.length} of ${said.length} messages stand in the last request word for word`
          : `${lost.length} of ${said.length} messages are lost: “${lost[0]?.slice(0, 40) ?? ""}…”`,
    };
  };

  const plan = async (messages: readonly RequestMessage[]): Promise<Check> => {
    const text = await readFile(join(folder, "plan.md"), "utf8").catch(() => undefined);
    const holds = text !== undefined && holdsText(messages, text);
    const lines = text === undefined ? 0 : text.split("\n").length;
    return {
      name: "the plan",
      holds,
      detail: holds ? `all ${lines} lines stand in the last request` : "it is not in the last request",
    };
  };

  const todos = async (messages: readonly RequestMessage[]): Promise<Check> => {
    const stored: unknown = JSON.parse(await readFile(join(folder, "todos.json"), "utf8").catch(() => "[]"));
    const shown = newestTodos(messages);
    const holds = sameTodos(stored, shown);
    return {
      name: "the to-do list",
      holds,
      detail: holds
        ? `${plural(shown?.length ?? 0, "item")} as they are on the disk`
        : shown === undefined
          ? "it is not in the last request"
          : "the last request shows another one than the disk",
    };
  };

  const background = async (): Promise<Check> => {
    const agents = await session.subagents.agents(undefined);
    const open = agents.filter(({ isRetrieved }) => !isRetrieved);
    return {
      name: "the background agent",
      holds: agents.length > 0 && open.length === 0,
      detail:
        open.length === 0
          ? `its answer was fetched ${plural(compactions - startedAt, "compaction")} after it was started`
          : "its answer was never fetched: nobody knew its name any more",
    };
  };

  const names = (): Check => ({
    name: "names in use",
    holds: ledgerSearches === 1 && ledgerUses > 1,
    detail:
      ledgerSearches === 1
        ? `${ledger} was found once and used ${ledgerUses} times`
        : `${ledger} had to be searched for ${ledgerSearches} times`,
  });

  return {
    noteStep(step) {
      tiers.add(step.tier);
      if (step.compacted === undefined) return;
      compactions += 1;
      files.noteCompaction();
    },
    async noteRequest(request, response) {
      await files.noteRequest(request.messages);
      for (const block of response.message.content) {
        if (block.type === "tool_use") noteCall(block.name, asFields(block.input));
      }
    },
    async judge(last, path) {
      const messages = last?.messages ?? [];
      return [
        {
          name: "put to the test",
          holds: compactions > 0 && tiers.size > 1,
          detail: `${plural(compactions, "compaction")}, by these tiers: ${[...tiers].join(", ")}`,
        },
        await instruction(),
        words(messages),
        await plan(messages),
        await todos(messages),
        files.judge(),
        await skill(messages),
        await background(),
        names(),
        await tests(work, path),
      ];
    },
  };
}

const holdsText = (messages: readonly RequestMessage[], text: string): boolean =>
  createUserWordsReader({ said: [[collapseSpace(text)]] }).present(messages) === 1;

const run = promisify(execFile);

/** The agent's own test, once more: nobody has to believe what it said. */
async function tests(work: string, path: string): Promise<Check> {
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${path}` };
  const args = ["--test", "--test-reporter=tap", "inventory/inventory.test.mjs"];
  const { stdout } = await run(process.execPath, args, { cwd: work, env }).catch(
    (error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? "" }),
  );
  const count = (what: string): number => Number(new RegExp(`^# ${what} (\\d+)`, "m").exec(stdout)?.[1] ?? 0);
  const [passed, failed] = [count("pass"), count("fail")];
  return {
    name: "the work",
    holds: passed > 0 && failed === 0,
    detail: `${plural(passed, "test")} of what it wrote pass${failed === 0 ? "" : `, ${failed} fail`}`,
  };
}
