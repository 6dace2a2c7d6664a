import type { Command } from "commander";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { plural, printable, printableJson, type Terminal } from "../terminal.js";

interface TrustFlags {
  readonly list?: boolean;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `finish` is told the exit code of the command that ran. */
export function addTrustCommand(
  program: Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  program
    .command("trust")
    .description(
      "keeps that you trust a folder: its hooks, servers, allow rules and variables hold from now on",
    )
    .argument("[folder]", "the folder, with all below it (default: this one)")
    .option("--dry-run", "only show what would be trusted")
    .option("--list", "list the folders that you have trusted")
    .option("--remove", "trust the folder no longer")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      [
        "",
        "What is trusted is what the folder asks for now. What comes in later, or says something else later, is asked",
        "for again. The programs that hooks and servers start are not looked into.",
        "",
        "Example:",
        "  $ palimpsest trust --dry-run",
        "  $ palimpsest trust",
      ].join("\n"),
    )
    .action(async (folder: string | undefined, flags: TrustFlags) => {
      const say = (text: string): void => {
        if (flags.json !== true) terminal.stdout.write(`${printable(text)}\n`);
      };
      const document = await trust(folder, { flags, terminal, say });
      if (flags.json === true) terminal.stdout.write(`${printableJson(document)}\n`);
      finish(0);
    });
}

interface TrustParts {
  readonly flags: TrustFlags;
  readonly terminal: Terminal;
  readonly say: (text: string) => void;
}

async function trust(given: string | undefined, { flags, terminal, say }: TrustParts): Promise<object> {
  const { configDirectory } = await import("../../agent/settings/settings-files.js");
  const { createTrustStore } = await import("../../agent/trust/trust-store.js");
  const { env } = terminal;
  const home = env["HOME"] || homedir();
  const store = createTrustStore(configDirectory({ home, env }));
  if (flags.list === true) {
    const folders = await store.list();
    if (folders.length === 0) say("You have trusted no folder yet.");
    for (const { folder, trustedAt, claims } of folders)
      say(`${trustedAt.slice(0, 16).replace("T", " ")}  ${plural(claims.length, "thing")}  ${folder}`);
    return { folders: folders.map((one) => ({ ...one, claims: one.claims.length })) };
  }
  const cwd = resolve(given ?? process.cwd());
  if (flags.remove === true) {
    const { realPathOf } = await import("../../agent/base/real-path.js");
    const folder = realPathOf(cwd);
    const isRemoved = await store.remove(folder);
    if (!isRemoved) throw new Error(`${folder} is not among the folders that you have trusted`);
    say(`${folder} is trusted no longer.`);
    return { folder, removed: isRemoved };
  }
  if ((await stat(cwd).catch(() => undefined))?.isDirectory() !== true)
    throw new Error(`${cwd} is not a directory`);
  const { claimsBelow } = await import("../../agent/trust/claims-below.js");
  const { claimLine } = await import("../../agent/trust/untrusted-claims.js");
  const { folder, claims, isIncomplete } = await claimsBelow({ cwd, home, env });
  for (const claim of claims) say(claimLine(folder)(claim));
  if (isIncomplete)
    say("There are too many folders below to look into all of them; what they ask for is not trusted.");
  const trustedAt = new Date().toISOString();
  if (flags.dryRun !== true)
    await store.add({ folder, trustedAt, claims: claims.map(({ digest }) => digest) });
  const found =
    claims.length === 0 ? "It asks for nothing yet." : `It asks for ${plural(claims.length, "thing")}.`;
  say(`${folder} ${flags.dryRun === true ? "would be" : "is"} trusted. ${found}`);
  return {
    folder,
    ...(flags.dryRun === true ? {} : { trustedAt }),
    claims: claims.map(({ file, what }) => ({ file, what })),
    isComplete: !isIncomplete,
  };
}
