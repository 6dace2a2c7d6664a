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

/**
 * An upstream as a program for `node -e`, on the port of its first argument or a free one: an answer comes in events, 20 ms apart, and
 * says what was asked last. It has used 10 tokens and 5 for each message.
 */
export const STREAMING_UPSTREAM = `
const { setTimeout: sleep } = require("node:timers/promises");
const event = (type, more) => "event: " + type + "\\ndata: " + JSON.stringify({ type, ...more }) + "\\n\\n";
const server = require("node:http").createServer(async (incoming, outgoing) => {
  let body = "";
  for await (const part of incoming.setEncoding("utf8")) body += part;
  const { model, messages } = JSON.parse(body);
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  const id = "msg_" + process.hrtime.bigint();
  const usage = { input_tokens: 10 + 5 * messages.length, output_tokens: 1 };
  outgoing.write(event("message_start", { message: { id, type: "message", role: "assistant", model, content: [], usage } }));
  outgoing.write(event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
  for (const piece of ("You said: " + messages.at(-1).content).match(/.{1,2}/g)) {
    outgoing.write(event("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece } }));
    await sleep(20);
  }
  outgoing.write(event("content_block_stop", { index: 0 }));
  outgoing.write(event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } }));
  outgoing.end(event("message_stop", {}));
});
server.listen(Number(process.argv[1] ?? 0), "127.0.0.1", () => console.log(server.address().port));
`;

/**
 * A client of it that keeps one conversation: says when an answer begins, and what it was; one that breaks off is asked for again. At the
 * end of its stdin it says goodbye.
 */
export const STREAMING_AGENT = `
const { setTimeout: sleep } = require("node:timers/promises");
const messages = [];
const ask = async () => {
  for (;;) {
    let text = "";
    try {
      const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
        method: "POST",
        headers: { "x-api-key": "any", "anthropic-version": "2023-06-01", "content-type": "application/json" },
        body: JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 50, stream: true, messages }),
      });
      for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
        if (text === "" && part.includes("message_start")) console.log("begins");
        text += part;
      }
    } catch {}
    if (text.includes("message_stop"))
      return [...text.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, piece]) => piece).join("");
    await sleep(30);
  }
};
const say = async (line) => {
  messages.push({ role: "user", content: line });
  const text = await ask();
  messages.push({ role: "assistant", content: [{ type: "text", text }] });
  console.log(text);
};
const main = async () => {
  console.log("ready " + process.pid + " " + process.env.ANTHROPIC_BASE_URL);
  for await (const line of require("node:readline").createInterface({ input: process.stdin })) await say(line);
  await say("goodbye");
  process.exit(0);
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
