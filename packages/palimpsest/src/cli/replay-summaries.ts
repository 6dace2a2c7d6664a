import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { dataDirectory } from "../agent/session/session-folder.js";
import type { ReplayOptions } from "../replay/replay-files.js";
import type { ProviderSummaries } from "../replay/summaries/provider-summaries.js";
import { confirm, type TextSource } from "./confirm.js";
import { plural, printable, type Terminal } from "./terminal.js";

export interface SummaryFlags {
  readonly summaries?: "simulated" | "provider";
  readonly answers?: string;
  readonly yes?: boolean;
  readonly maxCost?: number;
}

export interface SummaryArguments {
  readonly files: readonly string[];
  readonly options: ReplayOptions;
  readonly flags: SummaryFlags;
  readonly terminal: Terminal;
  readonly stdin: TextSource;
}

/**
 * Who writes the summaries, once it is known what that costs and somebody has agreed. An exit code where nobody
 * does: why stands on stderr.
 */
export async function chooseSummaries(given: SummaryArguments): Promise<ProviderSummaries | number> {
  const { files, options, flags, terminal } = given;
  const refuse = (why: string): number => {
    terminal.stderr.write(`palimpsest: ${printable(why)}\n`);
    return 2;
  };
  const { env } = terminal;
  if (!env["ANTHROPIC_API_KEY"] && !env["ANTHROPIC_AUTH_TOKEN"] && !env["OPENAI_API_KEY"]) {
    return refuse("--summaries provider needs a key: set ANTHROPIC_API_KEY");
  }
  const folder = resolve(flags.answers ?? join(dataDirectory({ home: homedir(), env }), "replay-summaries"));
  const { createProviderSummaries, planSummaries } =
    await import("../replay/summaries/provider-summaries.js");
  const { replayFiles } = await import("../replay/replay-files.js");
  const plan = planSummaries(folder);
  await replayFiles(files, { ...options, series: false, missing: false, summaries: plan });
  const expected = `about ${plural(plan.calls(), "summary", "summaries")} for about $${plan.dollars().toFixed(2)}`;
  const { maxCost } = flags;
  if (maxCost !== undefined && plan.dollars() > maxCost) {
    return refuse(
      `the provider would be asked for ${expected}, more than the $${maxCost.toFixed(2)} of --max-cost`,
    );
  }
  if (plan.calls() > 0 && flags.yes !== true && maxCost === undefined) {
    const answer = await confirm(`The provider will be asked for ${expected}. Go on?`, {
      stdin: given.stdin,
      stderr: terminal.stderr,
    });
    if (answer === undefined) {
      return refuse(
        `the provider would be asked for ${expected}: agree with --yes, or with --max-cost DOLLARS`,
      );
    }
    if (!answer) return refuse("nothing was asked for");
  }
  const { chooseProvider } = await import("./headless/choose-provider.js");
  const { provider } = await chooseProvider({}, env);
  return createProviderSummaries({ provider, folder, ...(maxCost === undefined ? {} : { maxCost }) });
}

/** One line about what was asked for. */
export function describeSummaries(summaries: ProviderSummaries): string {
  const { asked, dollars, kept } = summaries.figures();
  return `\nSummaries by the provider: ${asked} asked for ($${dollars.toFixed(2)}), ${kept} kept from before\n`;
}
