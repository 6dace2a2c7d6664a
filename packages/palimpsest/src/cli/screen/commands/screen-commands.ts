import type { TalkHandle } from "../talk/talk-handle.js";
import { models } from "@palimpsest/core";
import { listCommands } from "../../../agent/commands/list-commands.js";
import { permissionModes, type PermissionMode } from "../../../agent/permissions/mode.js";
import { answerRecall } from "../../../agent/recall/answer.js";
import { listSessions } from "../../../agent/session/list-sessions.js";
import { modelNamed } from "../../../agent/session/model-name.js";
import { plural } from "../../terminal.js";
import { resultText } from "../state/call-words.js";
import { verbosities } from "../state/state.js";
import { askAside } from "./ask-aside.js";
import { exportConversation } from "./export-conversation.js";
import { inspectInScreen } from "./inspect-in-screen.js";
import { pinInScreen } from "./pin-in-screen.js";
import { rewindInScreen } from "./rewind-in-screen.js";
import type { ScreenCommand } from "./screen-command.js";

const rows = (list: readonly string[], otherwise: string): string =>
  list.length === 0 ? otherwise : list.join("\n");

/** What the screen does beside the commands of the agent. */
export const screenCommands: readonly ScreenCommand[] = [
  {
    name: "help",
    description: "Shows the commands and keys.",
    isBeside: true,
    async run(_args, talk) {
      const agents = listCommands(talk.session.skills.skills);
      const all = [...screenCommands, ...agents].toSorted((a, b) => a.name.localeCompare(b.name));
      const widest = Math.max(...all.map(({ name }) => name.length));
      const lines = all.map(({ name, argumentHint = "", description }) => {
        const hint = name === "compact" ? `${argumentHint} [--review]` : argumentHint;
        // What may follow stands before what it does, so that it is read with the name.
        return `/${name.padEnd(widest)}  ${hint === "" ? "" : `${hint}: `}${description}`;
      });
      talk.output([...lines, "", KEYS].join("\n"));
    },
  },
  {
    name: "rewind",
    description: "Goes back to an earlier message: the conversation, and on request files.",
    run: (_args, talk, signal) => rewindInScreen(talk, signal),
  },
  {
    name: "pin",
    description: "Keeps a message, a file or a sentence word for word through every compaction.",
    argumentHint: "[@FILE | WORDS]",
    run: (args, talk) => pinInScreen(args, talk),
  },
  {
    name: "btw",
    description: "A question beside the conversation: it reads its cache, and never enters it.",
    argumentHint: "QUESTION",
    isBeside: true,
    run: (args, talk, signal) => askAside(args, talk, signal),
  },
  {
    name: "resume",
    description: "Goes on with another conversation of this directory.",
    argumentHint: "[ID]",
    async run(args, talk) {
      const { dataDirectory, cwd } = talk.parts;
      const id = args !== "" ? args : await pickSession(talk, await listSessions({ dataDirectory, cwd }));
      if (id !== undefined) await talk.switchTo({ resume: id }, "resume");
    },
  },
  {
    name: "recall",
    description: "Searches what compactions and clearings took out, in the transcript.",
    argumentHint: "WORDS",
    isBeside: true,
    async run(args, talk, signal) {
      const { transcriptPath } = talk.session;
      const { content } = await answerRecall({ query: args }, { transcriptPath, isSidechain: false, signal });
      talk.output(resultText(content));
    },
  },
  {
    name: "memory",
    description: "Lists the memory files in use.",
    isBeside: true,
    async run(_args, talk) {
      const { loadMemoryFiles } = await import("../../../agent/memory-files/load-memory-files.js");
      const { cwd, home, configDirectory } = talk.parts;
      const { files, problems } = await loadMemoryFiles({ cwd, home, configDirectory });
      const lines = files.map(
        ({ path, kind, content }) => `${path}  ${kind.toLowerCase()}, ${plural(content.length, "character")}`,
      );
      talk.output(rows(lines, "There are no memory files: write an AGENTS.md."));
      if (problems.length > 0)
        talk.notice(`${plural(problems.length, "memory file")} could not be used as they stand.`, "warn");
    },
  },
  {
    name: "hooks",
    description: "Lists the hooks in use.",
    isBeside: true,
    async run(_args, talk) {
      const lines = Object.entries(talk.opened.settings.hooks).flatMap(([event, groups]) =>
        groups.flatMap(({ hooks }) => hooks.map(({ where }) => `${event}  ${where}`)),
      );
      talk.output(rows(lines, "There are no hooks."));
    },
  },
  {
    name: "mcp",
    description: "Shows how MCP servers stand.",
    isBeside: true,
    async run(_args, talk) {
      const lines = talk.opened
        .servers()
        .map(
          ({ name, state, toolCount, reason }) =>
            `${name}  ${state}, ${plural(toolCount, "tool")}${reason === "" ? "" : `: ${reason}`}`,
        );
      talk.output(rows(lines, "There are no MCP servers."));
    },
  },
  {
    name: "agents",
    description: "Lists the kinds of subagents, and those at work.",
    isBeside: true,
    async run(_args, talk) {
      const running = await talk.session.subagents.agents(undefined);
      talk.output(
        [
          ...talk.opened.agents.map(({ name, description }) => `${name}  ${description}`),
          ...running.map(({ id, description, status }) => `${id}  ${status}: ${description}`),
        ].join("\n"),
      );
    },
  },
  {
    name: "skills",
    description: "Lists the skills and command files.",
    isBeside: true,
    async run(_args, talk) {
      const lines = talk.session.skills.skills.map(({ name, description }) => `/${name}  ${description}`);
      talk.output(rows(lines, "There are no skills."));
    },
  },
  {
    name: "plan",
    description: "Turns plan mode on or off: the agent only reads, and hands in a plan.",
    async run(_args, talk) {
      const isOn = talk.session.agent.permissionMode() === "plan";
      talk.session.setPermissionMode(isOn ? "default" : "plan");
      talk.notice(isOn ? "Plan mode is off." : "Plan mode is on: the agent only reads, and hands in a plan.");
      talk.showStatus();
    },
  },
  {
    name: "model",
    description: "Goes on with another model.",
    argumentHint: "[NAME]",
    async run(args, talk) {
      const items = models.map(({ id, prices }) => ({
        value: id,
        label: id,
        description: `$${prices.input} in, $${prices.output} out`,
      }));
      const name = args !== "" ? args : await talk.surface.pick({ title: "which model?", items });
      if (name === undefined) return;
      const model = modelNamed(name);
      await talk.session.switchModel(model);
      talk.notice(`Requests go to ${model} from now on; its cache begins empty.`);
      talk.showStatus();
    },
  },
  {
    name: "permissions",
    description: "Shows the mode and the rules; with a mode, changes it.",
    argumentHint: "[MODE]",
    async run(args, talk) {
      const mode = permissionModes.find((one) => one === args);
      if (args !== "" && mode === undefined)
        return talk.notice(`There are the modes ${permissionModes.join(", ")}.`, "bad");
      if (mode !== undefined) return changeMode(mode, talk);
      const { allow, ask, deny } = talk.opened.settings.permissions;
      const listed = (word: string, list: typeof allow): readonly string[] =>
        list.map(({ rule, source = "" }) => `${word}  ${rule}  ${source}`.trimEnd());
      const lines = [...listed("deny", deny), ...listed("ask", ask), ...listed("allow", allow)];
      talk.output(
        [`mode ${talk.session.agent.permissionMode()}`, rows(lines, "There are no rules.")].join("\n"),
      );
    },
  },
  {
    name: "export",
    description: "Writes the conversation into a file, as markdown.",
    argumentHint: "[FILE]",
    run: (args, talk) => exportConversation(args, talk),
  },
  {
    name: "inspect",
    description: "Shows this conversation in a browser, request by request, and what it cost.",
    isBeside: true,
    run: (_args, talk) => inspectInScreen(talk),
  },
  {
    name: "details",
    description: "Opens the whole output of tools, and what compactions did (ctrl-o).",
    isBeside: true,
    run: async (_args, talk) => talk.surface.showDetails(),
  },
  {
    name: "verbosity",
    description: "How much is shown of what the agent does.",
    argumentHint: verbosities.join(" | "),
    isBeside: true,
    async run(args, talk) {
      const verbosity = verbosities.find((one) => one === args);
      if (verbosity === undefined) return talk.notice(`It is one of ${verbosities.join(", ")}.`, "bad");
      talk.surface.dispatch({ kind: "verbosity", verbosity });
    },
  },
  {
    name: "exit",
    description: "Leaves. The conversation stays stored.",
    isBeside: true,
    run: async (_args, talk) => talk.leave(),
  },
];

const KEYS = [
  "enter sends, ctrl-j or \\ and enter begin a new line, @ completes files, ! runs a command",
  "esc interrupts, esc esc goes back, ctrl-o opens outputs, ctrl-r searches what you said",
  "shift-tab changes the mode, ctrl-z suspends, ctrl-c twice or ctrl-d leaves",
].join("\n");

function changeMode(mode: PermissionMode, talk: TalkHandle): void {
  if (mode === "bypassPermissions" && !talk.session.mayBypass) {
    return talk.notice(
      "bypassPermissions has to be chosen at the start: --permission-mode bypassPermissions.",
      "bad",
    );
  }
  talk.session.setPermissionMode(mode);
  talk.notice(`The mode is ${mode} from now on.`);
  talk.showStatus();
}

type Sessions = Awaited<ReturnType<typeof listSessions>>;

/** A conversation of this directory, found by its first words. */
export async function pickSession(
  { surface }: Pick<TalkHandle, "surface">,
  sessions: Sessions,
): Promise<string | undefined> {
  const items = sessions.map(({ id, title, updatedAt, messages }) => ({
    value: id,
    label: title === "" ? id : title,
    description: `${new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ")}, ${plural(messages, "line")}`,
  }));
  if (items.length === 0) {
    surface.dispatch({
      kind: "notice",
      text: "There is no conversation of this directory yet.",
      tone: "plain",
    });
    return undefined;
  }
  return surface.pick({ title: "which conversation?", items });
}
