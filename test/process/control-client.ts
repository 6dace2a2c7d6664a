import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Folders, Line } from "./agent-command.js";

const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

/** Undefined for no answer. */
type Decide = (request: Line) => object | undefined;

/** A program that speaks the protocol: requests and their responses, permissions, prompts and their results. */
export class Client {
  readonly lines: Line[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;
  #wake = (): void => {};
  #requests = 0;
  /** What it answers when it is asked for a permission. */
  decide: Decide = () => ({ behavior: "deny", message: "No." });
  stderr = "";

  constructor({ root, work, data }: Folders, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const streams = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
    this.#child = spawn(process.execPath, [main, ...streams, ...args], {
      cwd: work,
      env: { PATH: process.env["PATH"], HOME: root, PALIMPSEST_HOME: data, ANTHROPIC_API_KEY: "any", ...env },
    });
    this.#ended = once(this.#child, "close");
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    createInterface(this.#child.stdout).on("line", (text) => {
      const line = JSON.parse(text) as Line;
      this.lines.push(line);
      if (line["type"] === "control_request") this.#answer(line);
      this.#wake();
    });
    void this.#ended.then(() => this.#wake());
  }

  write(line: object): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  #answer({ request_id, request }: Line): void {
    const response = this.decide(request as Line);
    if (response === undefined) return;
    this.write({ type: "control_response", response: { subtype: "success", request_id, response } });
  }

  /** The first line that suits, as soon as it is there. */
  async next(suits: (line: Line) => boolean): Promise<Line> {
    for (let at = 0; ;) {
      const found = this.lines.slice(at).find(suits);
      if (found !== undefined) return found;
      at = this.lines.length;
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.stderr}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async request(request: object): Promise<Line> {
    const id = `req_${(this.#requests += 1)}`;
    this.write({ type: "control_request", request_id: id, request });
    const line = await this.next(
      ({ type, response }) => type === "control_response" && (response as Line)["request_id"] === id,
    );
    return line["response"] as Line;
  }

  prompt(content: string): void {
    const message = { role: "user", content };
    this.write({ type: "user", message, parent_tool_use_id: null, session_id: "default" });
  }

  /** The result of the nth prompt. */
  async result(nth: number): Promise<Line> {
    const results = (): readonly Line[] => this.lines.filter(({ type }) => type === "result");
    await this.next(() => results().length >= nth);
    return results()[nth - 1] ?? {};
  }

  async end(): Promise<number | null> {
    this.#child.stdin.end();
    await this.#ended;
    return this.#child.exitCode;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
