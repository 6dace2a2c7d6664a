import type { BackgroundCommand, BackgroundCommands, BackgroundStatus } from "./background-commands.js";
import type { AgentTool, ToolContext } from "../base/tool.js";

const MAX_BYTES = 30_000;
const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;

/** Shows what a command in the background has said since the last look, and how it stands. */
export function createBashOutputTool({ background }: { readonly background: BackgroundCommands }): AgentTool {
  return {
    definition: {
      name: "BashOutput",
      description:
        "Gives what a command in the background has printed since you last asked, and whether it still runs. With block it waits for the end.",
      input_schema: {
        type: "object",
        properties: {
          bash_id: { type: "string", description: "The id that Bash gave, such as bash_1." },
          block: { type: "boolean", description: "Wait for the command to end. Default false." },
          timeout: {
            type: "integer",
            minimum: 1,
            maximum: MAX_WAIT_MS,
            description: `With block: milliseconds to wait at most. Default ${DEFAULT_WAIT_MS}.`,
          },
        },
        required: ["bash_id"],
        additionalProperties: false,
      },
    },
    isReadOnly: () => true,
    subject: () => ({ kind: "none" }),
    async run(input, context) {
      const id = String(input["bash_id"]);
      const command = background.get(id);
      if (command === undefined) return { content: unknownCommand(id, background), isError: true };
      if (input["block"] === true && command.status().kind === "running") {
        const wanted = Number(input["timeout"] ?? DEFAULT_WAIT_MS);
        await waitForEnd(
          command,
          Math.min(Math.max(1, Number.isFinite(wanted) ? wanted : 1), MAX_WAIT_MS),
          context,
        );
      }
      return { content: await report(command) };
    },
  };
}

async function report(command: BackgroundCommand): Promise<string> {
  const { head, tail, left } = await command.takeNew(MAX_BYTES);
  const dropped = command.dropped();
  const text =
    left === 0
      ? head.trimEnd()
      : `${head}\n[… ${left.toLocaleString("en-US")} bytes left out …]\n${tail.trimEnd()}`;
  return [
    `${command.id}: ${statusText(command.status())}. The whole output stands in ${command.outputPath}.`,
    dropped > 0 ? `${dropped.toLocaleString("en-US")} bytes were too many to keep and are in no file.` : "",
    text === "" ? "Nothing new was printed." : text,
  ]
    .filter((line) => line !== "")
    .join("\n\n");
}

function waitForEnd(command: BackgroundCommand, ms: number, { signal }: ToolContext): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) return done();
    void command.ended.then(done);
  });
}

export function statusText(status: BackgroundStatus): string {
  switch (status.kind) {
    case "running":
      return "still running";
    case "exited":
      return `ended with exit code ${status.code}`;
    case "killed":
      return `ended by ${status.signal}`;
    default:
      return `could not be started (${status.message})`;
  }
}

/** What to tell a model that asks for a command that is not there. */
export function unknownCommand(id: string, background: BackgroundCommands): string {
  const known = background.list().map((command) => command.id);
  const there = known.length === 0 ? "There are none." : `There are: ${known.join(", ")}.`;
  return `No command in the background has the id ${JSON.stringify(id.slice(0, 100))}. ${there}`;
}
