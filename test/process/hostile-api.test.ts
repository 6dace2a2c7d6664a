import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCommand, type Ended, type Folders } from "./agent-command.js";
import type { Answer } from "./hostile-server.js";
import { createStage } from "./hostile-stage.js";

const setUp = createStage("hostile");

const sse = { "content-type": "text/event-stream" };
const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const begun = [
  event("message_start", {
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }),
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
].join("");

const words = "word ".repeat(13_000);

/** Sends the same again and again, until nobody listens any more. */
const endless =
  (status: number, headers: Readonly<Record<string, string>>, head: string, more: string): Answer =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.write(head);
    const go = (): void => {
      while (!response.destroyed && response.write(more));
      if (!response.destroyed) response.once("drain", go);
    };
    go();
  };

const lines = ({ stderr }: Ended): readonly string[] => stderr.split("\n").filter((line) => line !== "");

describe("an answer without end", () => {
  it.each([
    [
      "of deltas",
      endless(
        200,
        sse,
        begun,
        event("content_block_delta", { index: 0, delta: { type: "text_delta", text: words } }),
      ),
    ],
    ["in one line", endless(200, sse, `${begun}data: `, words)],
  ])("%s is one sentence, asked for once", async (_, answer) => {
    const { at, api } = await setUp([answer]);
    const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
    expect(ended.code).toBe(1);
    expect(lines(ended)).toEqual([
      expect.stringContaining("the server sent more than 64 MiB for one answer"),
    ]);
    expect(api.bodies).toHaveLength(1);
  });

  it("that is an error is cut off", async () => {
    const head = '{"type":"error","error":{"type":"invalid_request_error","message":"';
    const { at, api } = await setUp([endless(400, { "content-type": "application/json" }, head, words)]);
    const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
    expect(ended.code).toBe(1);
    expect(lines(ended)).toHaveLength(1);
    expect(ended.stderr).toContain("word word");
    expect(ended.stderr.length).toBeLessThan(3000);
    expect(api.bodies).toHaveLength(1);
  });

  it("of pings alone is one sentence", async () => {
    const { at, api } = await setUp([
      (_request, response) => {
        response.writeHead(200, sse);
        response.write(begun);
        const timer = setInterval(() => response.write(event("ping")), 50);
        response.on("close", () => clearInterval(timer));
      },
    ]);
    const ended = await runCommand(at, ["-p", "go", "--base-url", api.url], {
      PALIMPSEST_RESPONSE_STALL_MS: "400",
    });
    expect(ended.code).toBe(1);
    expect(lines(ended)).toEqual([
      expect.stringContaining("the server sent signs of life for 0.4 seconds, and nothing of an answer"),
    ]);
    // On a busy machine it is given up before it has come here.
    expect(api.bodies.length).toBeLessThanOrEqual(1);
  });
});

describe("an input without end", () => {
  const main = fileURLToPath(new URL("../../packages/palimpsest/bin/palimpsest.mjs", import.meta.url));

  /** The command at the end of a pipe. */
  async function piped(at: Folders, source: string, args: string): Promise<Ended> {
    const command = `${source} | "${process.execPath}" "${main}" ${args}; exit $?`;
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: at.work,
      env: { PATH: process.env["PATH"], HOME: at.root, PALIMPSEST_HOME: at.data },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }

  it.each([
    ["yes", "-p x", "the input is longer than 32 MiB"],
    [
      "tr '\\0' x < /dev/zero",
      "-p --embedded --input-format stream-json",
      "line 1 of the input is longer than 32 MiB",
    ],
  ])("%s | palimpsest %s: one sentence, wrong usage", async (source, args, sentence) => {
    const { at } = await setUp([[{ text: "done" }]]);
    const ended = await piped(at, source, args);
    expect(ended.code).toBe(2);
    expect(lines(ended).at(-1)).toContain(sentence);
    expect(ended.stdout).toBe("");
  });
});

describe("what a server says besides answers", () => {
  it("a redirect is told with its host, and not tried again", async () => {
    const { at, api } = await setUp([
      (_request, response) => {
        response.writeHead(307, { location: "https://user:word@other.example/v1?key=abcdefgh" });
        response.end();
      },
    ]);
    const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
    expect(ended.code).toBe(1);
    expect(lines(ended)).toEqual([
      expect.stringContaining("the server redirects to other.example (status 307), which is not followed"),
    ]);
    expect(ended.stderr).not.toMatch(/abcdefgh|user|word/);
    expect(api.bodies).toHaveLength(1);
  });

  it.each([["Fri, 31 Dec 2099 23:59:59 GMT", /asks to wait [\d,]+ days/]])(
    "a retry-after of %s is told, and not waited for",
    async (value, sentence) => {
      const { at, api } = await setUp([
        (_request, response) => {
          response.writeHead(429, { "content-type": "application/json", "retry-after": value });
          const error = { type: "rate_limit_error", message: "Too much." };
          response.end(JSON.stringify({ type: "error", error }));
        },
      ]);
      const ended = await runCommand(at, ["-p", "go", "--base-url", api.url]);
      expect(ended.code).toBe(1);
      expect(lines(ended)).toHaveLength(1);
      expect(ended.stderr).toMatch(sentence);
      expect(api.bodies).toHaveLength(1);
    },
  );
});
