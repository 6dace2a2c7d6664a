import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, runCommand, startSimulate, type Folders } from "./agent-command.js";
import type { Answer, HostileServer } from "./hostile-server.js";
import { createStage, put } from "./hostile-stage.js";

const setUp = createStage("keys");

const KEY = 'sk-ant-leak-7f3a"quoted+/=0123456789';
const MARK = "leak-7f3a";
const encoded = Buffer.from(`user:${KEY}`).toString("base64");
/** A part of the key in Base64 that nothing else holds. */
const ENCODED_MARK = encoded.slice(12, 40);

/** Every file of the data folder that holds the key in some form. */
async function leaks(at: Folders): Promise<readonly string[]> {
  const files = await filesBelow(at.data);
  return Object.entries(files)
    .filter(([, text]) => text.includes(MARK) || text.includes(ENCODED_MARK))
    .map(([path]) => path);
}

const args = (api: HostileServer, format: string): readonly string[] => [
  "--base-url",
  api.url,
  "--permission-mode",
  "bypassPermissions",
  "--output-format",
  format,
];

describe("the key that is used", () => {
  const skill = `---\nname: deploy\ndescription: Deploys with ${KEY}.\n---\nUse the key ${KEY} to deploy.`;

  async function prepare(at: Folders): Promise<void> {
    await put(join(at.work, ".env"), `API_KEY=${KEY}\nBASIC=${encoded}\n`);
    await put(join(at.work, "config.json"), JSON.stringify({ key: KEY }));
    await put(join(at.work, "long.txt"), `${KEY}\n`.repeat(3000));
    await put(join(at.work, "AGENTS.md"), `The key is ${KEY}.`);
    await put(join(at.work, "sub/AGENTS.md"), `Below it is ${KEY} too.`);
    await put(join(at.work, "sub/x.txt"), "x");
    await put(join(at.work, ".claude/skills/deploy/SKILL.md"), skill);
    await put(
      join(at.work, ".claude/agents/helper.md"),
      `---\nname: helper\ndescription: Knows ${KEY}\n---\nSay ${KEY}.`,
    );
  }

  const reading: Answer = [
    { tool: "Read", input: { file_path: ".env" } },
    { tool: "Read", input: { file_path: "config.json" } },
    { tool: "Read", input: { file_path: "sub/x.txt" } },
    { tool: "Grep", input: { pattern: "sk-ant|BASIC", output_mode: "content" } },
    { tool: "Skill", input: { skill: "deploy" } },
    { tool: "Bash", input: { command: "cat long.txt" } },
    { tool: "Bash", input: { command: "cat .env config.json", run_in_background: true } },
    // Servers are sent the key: this one repeats it in a call.
    { tool: "Bash", input: { command: `echo '${KEY}' > taken.txt` } },
    { tool: "Agent", input: { description: "help", prompt: `say ${KEY}`, subagent_type: "helper" } },
    { tool: `no-${KEY}`, input: {} },
  ];

  it.each(["text", "json", "stream-json"])(
    "is in no stored file, no line and no request, whatever reads it (%s)",
    async (format) => {
      const { at, api } = await setUp([
        reading,
        [{ text: `the key is ${KEY}, or ${encoded}` }],
        [{ tool: "BashOutput", input: { bash_id: "bash_1", block: true } }],
        streamInPieces(`I was sent ${KEY}!`),
      ]);
      await prepare(at);
      const ended = await runCommand(at, ["-p", `use ${KEY}`, ...args(api, format)], {
        ANTHROPIC_API_KEY: KEY,
      });
      expect(ended.code).toBe(0);
      expect(await leaks(at)).toEqual([]);
      for (const told of [ended.stdout, ended.stderr, api.bodies.join("\n")]) {
        expect(told).not.toContain(MARK);
        expect(told).not.toContain(ENCODED_MARK);
      }
      expect(ended.stdout).toContain("I was sent [secret]!");
      // The attacks were made, and the files are as they were.
      const shown = api.bodies.join("\n");
      for (const sign of [
        "API_KEY=[secret]",
        "Use the key [secret]",
        "The key is [secret]",
        "use [secret]",
        "Below it is [secret]",
      ])
        expect(shown).toContain(sign);
      expect(await readFile(join(at.work, "taken.txt"), "utf8")).toBe("[secret]\n");
      expect(await readFile(join(at.work, ".env"), "utf8")).toContain(KEY);
    },
  );

  it("survives edits of a file that was shown without it", async () => {
    const { at, api } = await setUp([
      [{ tool: "Read", input: { file_path: ".env" } }],
      [
        {
          tool: "Edit",
          input: { file_path: ".env", old_string: "API_KEY=[secret]", new_string: "API_KEY=x" },
        },
        { tool: "Write", input: { file_path: ".env", content: "API_KEY=[secret]\nMORE=1\n" } },
        { tool: "Edit", input: { file_path: ".env", old_string: "BASIC=", new_string: "OTHER=" } },
      ],
      [{ text: "done" }],
    ]);
    await put(join(at.work, ".env"), `API_KEY=${KEY}\nBASIC=1\n`);
    await runCommand(at, ["-p", "go", ...args(api, "text")], { ANTHROPIC_API_KEY: KEY });
    const last = api.bodies.at(-1) ?? "";
    expect(last).toContain("[secret] stands for a key, which is not shown");
    expect(last).toContain("writing that would destroy it");
    expect(await readFile(join(at.work, ".env"), "utf8")).toBe(`API_KEY=${KEY}\nOTHER=1\n`);
  });

  it("in a header of its own, or in the address, is hidden too", async () => {
    const { at, api } = await setUp([[{ tool: "Read", input: { file_path: "a.txt" } }], [{ text: "done" }]]);
    const own = { header: "header-1234567890", password: "password-1234567890" };
    await put(join(at.work, "a.txt"), `${own.header} ${own.password}`);
    const url = api.url.replace("//", `//user:${own.password}@`);
    await runCommand(at, ["-p", "go", "--permission-mode", "bypassPermissions", "--base-url", url], {
      ANTHROPIC_CUSTOM_HEADERS: `x-own-key: ${own.header}`,
    });
    expect(api.bodies.at(-1)).toContain("[secret] [secret]");
    expect(JSON.stringify(await filesBelow(at.data))).not.toMatch(/header-123|password-123/);
  });
});

describe("a name of somebody else's that leads to this machine", () => {
  /** What the server answers to a request under a `Host`. */
  async function under(port: number, host: string, path: string): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => (received += text));
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nx-api-key: k\r\nanthropic-version: 2023-06-01\r\nConnection: close\r\n\r\n`,
    );
    await once(socket, "close");
    return received;
  }

  it("gets no answer of the simulated API, and an impossible one gets a sentence", async () => {
    const simulator = await startSimulate(["--port", "0"]);
    try {
      const port = Number(new URL(simulator.url).port);
      for (const host of ["localhost", `127.0.0.1:${port}`, "127.9.9.9", "[::1]", "a.localhost"])
        expect(await under(port, host, "/v1/models")).toMatch(/^HTTP\/1\.1 200 /);
      for (const host of [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "10.0.0.1",
      ]) {
        const answer = await under(port, host, "/v1/models");
        expect(answer).toMatch(/^HTTP\/1\.1 403 /);
        expect(answer).toContain("under a name of this machine only");
      }
      const impossible = await under(port, "127.999.999.999", "/v1/models");
      expect(impossible).toMatch(/^HTTP\/1\.1 400 /);
      expect(impossible).toContain("the request has no Host that could be one");
    } finally {
      await simulator.stop();
    }
  });

  it("is answered where the simulator was told to be there for others", async () => {
    const simulator = await startSimulate(["--port", "0", "--remote-control"]);
    try {
      const answer = await under(Number(new URL(simulator.url).port), "simulator.lan", "/v1/models");
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    } finally {
      await simulator.stop();
    }
  });
});

/** A text with one character a delta: no chunk holds the key. */
function streamInPieces(text: string): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (type: string, fields: object): void =>
      void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: "m", type: "message", role: "assistant", model: "x", content: [], usage };
    send("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } });
    send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    for (const piece of text)
      send("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece } });
    send("content_block_stop", { index: 0 });
    send("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
    send("message_stop", {});
    response.end();
  };
}
