import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { dataDirectory } from "../../agent/session/session-folder.js";
import { isMode, modeNames, type Mode } from "../../gateway/http/mode.js";
import { isLoopbackName } from "../../simulator/http/local-host.js";
import type { GatewayInspector } from "../gateway-inspector.js";
import { registeredTelemetry } from "../registered-telemetry.js";
import { receiptFileProblem } from "../receipt-file-problem.js";
import { recordFolderProblem } from "../record-folder-problem.js";
import { createProgress, printable, type Terminal } from "../terminal.js";
import { readPort } from "../read-port.js";

interface GatewayFlags {
  readonly upstream?: string;
  readonly upstreamOpenai?: string;
  readonly port: number;
  readonly host: string;
  readonly mode: Mode;
  readonly receipt?: string;
  readonly record?: string;
  readonly inspect?: boolean;
}

/** What paths have to begin with; several with commas between them. */
const TOKENS = "PALIMPSEST_GATEWAY_TOKEN";
const SHORTEST_TOKEN = 16;

/** `finish` is told the exit code of the command that ran. */
export function addGatewayCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  const gateway = program
    .command("gateway")
    .helpCommand(false)
    .description("watches what an agent that you already use sends and pays, without changing a byte of it")
    .argument("[command...]", "after --: a command to start, which then goes through the gateway")
    .option(
      "--upstream <url>",
      "where the Messages API is (default: ANTHROPIC_BASE_URL, or the vendor's)",
      readUrl,
    )
    .option(
      "--upstream-openai <url>",
      "where the OpenAI API is (default: OPENAI_BASE_URL, or the vendor's)",
      readUrl,
    )
    .option("--port <number>", "the port to listen on; 0 for any free one", readPort, 0)
    .option(
      "--host <address>",
      `the address to listen on; others than this machine's need ${TOKENS}`,
      "127.0.0.1",
    )
    .option(
      "--mode <mode>",
      "observe: watch and price; off: pass on and look at nothing",
      readMode,
      "observe",
    )
    .option("--receipt <file>", "write the receipt to this file, as JSON")
    .option(
      "--record <folder>",
      "write conversations to this folder, contents and all, for replay and analyze",
    )
    .option(
      "--inspect",
      "show what goes through in a browser, request by request, until it ends; records, for this run or with --record to keep",
    )
    .addHelpText(
      "after",
      [
        "",
        "Example:",
        "  $ palimpsest gateway -- claude",
        '  $ palimpsest gateway --receipt receipt.json -- pi -p "fix the tests"',
        "  $ palimpsest gateway --port 8787     (then ANTHROPIC_BASE_URL=http://127.0.0.1:8787/anthropic your-agent)",
        "  $ curl http://127.0.0.1:8787/__gateway/stats",
        "",
        "With a command: it runs on this terminal, with addresses of the gateway in its own environment alone; its exit code",
        "is that of the gateway, and the receipt is printed to stderr at its end. Without one: serves until SIGINT or SIGTERM.",
        "Known agents: claude, pi, opencode, codex, qwen. See docs/gateway.md.",
      ].join("\n"),
    )
    .action(async (given: readonly string[], flags: GatewayFlags, command: Command) => {
      const { env } = terminal;
      if (given[0] === "") return command.error("the command after -- is empty");
      for (const [name, url] of [
        ["--upstream", flags.upstream],
        ["--upstream-openai", flags.upstreamOpenai],
      ] as const) {
        if (url !== undefined && hasPassword(url))
          return command.error(`${name} is an address without a name and a password in it`);
      }
      const tokens = tokensIn(env, command);
      if (!isLoopbackName(flags.host.toLowerCase()) && tokens.length === 0) {
        return command.error(
          `--host ${printable(flags.host)} lets others in: set ${TOKENS} to a token of at least ${SHORTEST_TOKEN} characters`,
        );
      }
      const problem =
        (flags.record === undefined ? undefined : await recordFolderProblem(flags.record)) ??
        (flags.receipt === undefined ? undefined : await receiptFileProblem(flags.receipt));
      if (problem !== undefined) return command.error(printable(problem));
      if (flags.inspect === true && flags.mode === "off") {
        return command.error("--inspect has nothing to show with --mode off");
      }
      const [{ runGateway, VENDORS }, { receiptLines }] = await Promise.all([
        import("../../gateway/launch/run-gateway.js"),
        import("../../gateway/receipt/receipt-text.js"),
      ]);
      const say = (sentence: string): void =>
        void terminal.stderr.write(`palimpsest: ${printable(sentence)}\n`);
      const telemetry = await registeredTelemetry(env);
      const progress = createProgress(terminal.stderr);
      const { [TOKENS]: _own, ...rest } = env;
      const named = flags.record === undefined ? undefined : resolve(flags.record);
      const inspector = flags.inspect === true ? await inspectorOf(named, env) : undefined;
      if (inspector !== undefined) say(`inspecting at ${inspector.url}`);
      const recordFolder = inspector?.recordFolder ?? named;
      const running = runGateway({
        upstream: flags.upstream ?? addressIn(env, "ANTHROPIC_BASE_URL") ?? VENDORS.anthropic,
        upstreamOpenai: flags.upstreamOpenai ?? addressIn(env, "OPENAI_BASE_URL") ?? VENDORS.openai,
        host: flags.host,
        port: flags.port,
        mode: flags.mode,
        tokens,
        command: given,
        ...(flags.receipt === undefined ? {} : { receiptFile: await linkedFile(flags.receipt) }),
        ...(recordFolder === undefined ? {} : { recordFolder, isRecordingBrief: named === undefined }),
        lockFolder: lockFolderIn(env),
        ...(telemetry === undefined ? {} : { telemetry }),
        env: rest,
        onListening: (url) => void terminal.stdout.write(`listening on ${url}\n`),
        say,
        onWaiting(isWaiting) {
          if (isWaiting)
            progress.show("finding out what other policies would have cost (Ctrl-C: without it)");
          else progress.clear();
        },
        showReceipt(receipt) {
          for (const line of receiptLines(receipt)) say(line);
          if (inspector !== undefined && named !== undefined) {
            say(`to look at it again: palimpsest inspect ${named}`);
          }
        },
      });
      const exitCode = await running.finally(() => inspector?.close());
      finish(exitCode);
    });
  gateway
    .command("status-line")
    .description("prints the receipt so far in one line: the command of a status line of Claude Code")
    .addHelpText(
      "after",
      '\nExample, in the settings of Claude Code:\n  "statusLine": { "type": "command", "command": "palimpsest gateway status-line" }\n\n' +
        "Prints nothing where Claude Code does not go through a gateway.",
    )
    .action(async () => {
      const [{ askStats }, { statusLine }] = await Promise.all([
        import("../../gateway/launch/ask-stats.js"),
        import("../../gateway/receipt/status-line.js"),
      ]);
      const { env } = terminal;
      const receipt = await askStats(env["ANTHROPIC_BASE_URL"] ?? "", lockFolderIn(env));
      if (receipt !== undefined) terminal.stdout.write(`${printable(statusLine(receipt))}\n`);
    });
}

/** A link stays one: what it leads to is written. */
const linkedFile = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

async function inspectorOf(named: string | undefined, env: Terminal["env"]): Promise<GatewayInspector> {
  const { startGatewayInspector } = await import("../gateway-inspector.js");
  return startGatewayInspector(named, env);
}

const lockFolderIn = (env: Terminal["env"]): string =>
  join(dataDirectory({ home: env["HOME"] ?? homedir(), env }), "gateway");

function tokensIn(env: Terminal["env"], command: Command): readonly string[] {
  const tokens = (env[TOKENS] ?? "")
    .split(",")
    .map((token) => token.trim())
    .filter((token) => token !== "");
  const isGood = tokens.every((token) => token.length >= SHORTEST_TOKEN && /^[\w.~-]+$/.test(token));
  if (isGood) return tokens;
  return command.error(
    `${TOKENS} must be ${SHORTEST_TOKEN} or more letters, digits, dots, hyphens, tildes or underscores`,
  );
}

function addressIn(env: Terminal["env"], name: string): string | undefined {
  const text = env[name]?.trim() ?? "";
  if (text === "") return undefined;
  if (!isAddress(text))
    throw new Error(`the variable ${name} must be an address, such as https://api.example.com`);
  if (hasPassword(text))
    throw new Error(`the variable ${name} must be an address without a name and a password in it`);
  return text;
}

const isAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).search === "";

/** They would go nowhere: what a client sends is what goes upstream. */
const hasPassword = (address: string): boolean => {
  const { username, password } = new URL(address);
  return username !== "" || password !== "";
};

function readUrl(text: string): string {
  if (!isAddress(text)) throw new InvalidArgumentError("It is an address, such as https://api.example.com.");
  return text;
}

function readMode(text: string): Mode {
  if (!isMode(text)) throw new InvalidArgumentError(`It is one of ${modeNames.join(", ")}.`);
  return text;
}
