import { readFileSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "./agent-command.js";

/** What an agent that nobody here wrote does, as a program for `node -e`: it asks, and asks again where nobody answers. */
export const AGENT = `
const { setTimeout: sleep } = require("node:timers/promises");
const ask = async (text) => {
  for (;;) {
    try {
      const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
        method: "POST",
        headers: { "x-api-key": "any", "anthropic-version": "2023-06-01", "content-type": "application/json" },
        body: JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 50, messages: [{ role: "user", content: text }] }),
      });
      if (response.status === 200) return (await response.json()).content[0].text;
      if (response.status < 500) throw Object.assign(new Error(await response.text()), { isFinal: true });
    } catch (error) {
      if (error.isFinal) throw error;
    }
    await sleep(30);
  }
};
// A line on stdin is a question; the end of stdin is the end.
const main = async () => {
  console.log("ready " + process.pid + " " + process.env.ANTHROPIC_BASE_URL);
  for await (const line of require("node:readline").createInterface({ input: process.stdin })) console.log(await ask(line));
  process.exit(Number(process.env.EXIT_CODE ?? 0));
};
main();
`;

export interface Lock {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  readonly path: string;
}

/** The lock files of the gateways of a test. */
export async function locksOf({ data }: Folders): Promise<readonly Lock[]> {
  const folder = join(data, "gateway");
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { ...(JSON.parse(await readFile(path, "utf8")) as Omit<Lock, "path">), path };
    }),
  );
}

/** The processes that a process has started and that run, by their command lines. */
const childrenOf = (pid: number): readonly { readonly pid: number; readonly command: string }[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter((text) => text !== "")
    .map((text) => ({
      pid: Number(text),
      command: readFileSync(`/proc/${text}/cmdline`, "utf8").replaceAll("\0", " "),
    }));

/** The proxy that a launcher has running. */
export const proxyOf = (launcher: number): number | undefined =>
  childrenOf(launcher).find(({ command }) => command.includes("proxy-process"))?.pid;
