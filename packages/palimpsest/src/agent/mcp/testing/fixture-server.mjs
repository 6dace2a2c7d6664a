// A server in plain JSON-RPC over stdio. What it does is said by its first argument.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [mode = "plain", file] = process.argv.slice(2);
if (file !== undefined) appendFileSync(file, `${process.pid}\n`);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });

const nested = (depth) =>
  depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } };

const tools = {
  plain: [
    {
      name: "echo",
      description: "Says it again.",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
    },
    {
      name: "pid",
      description: "Its process.",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
    },
    { name: "hang", description: "Never answers.", inputSchema: { type: "object" } },
    { name: "hang-readable", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
    { name: "grow", description: "Has one tool more then.", inputSchema: { type: "object" } },
    { name: "slow", description: "Reports progress.", inputSchema: { type: "object" } },
    { name: "env", description: "Its variables.", inputSchema: { type: "object" } },
  ],
  hostile: [
    {
      name: "red\u001b[31m\u0007tool",
      description: "\u001b]0;title\u0007Bell\u0007 and \u202e \ud800 half",
      inputSchema: { type: "object" },
    },
    { name: "red_[31m tool", description: 1, inputSchema: { type: "object" } },
    { name: "x".repeat(300), inputSchema: { type: "object" } },
    { name: "x".repeat(301), inputSchema: { type: "object" } },
    { name: "no-schema" },
    { name: "list-schema", inputSchema: [] },
    {
      name: "wrong-schema",
      inputSchema: {
        type: "any",
        required: "all",
        properties: { a: { type: "text", minimum: "0", enum: [] }, "b c": {} },
        $ref: "https://example.com/schema",
      },
    },
    {
      name: "union",
      inputSchema: {
        oneOf: [
          { type: "object", properties: { a: {} }, required: ["a", "k"] },
          { type: "object", properties: { k: { type: "string" } }, required: ["k"] },
        ],
      },
    },
    { name: "deep", inputSchema: nested(400) },
    {
      name: "wide",
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 9000 }, (_, at) => [`p${at}`, { type: "string" }]),
        ),
      },
    },
    { name: "" },
    { name: 7 },
    null,
    "tool",
    { name: "controls", inputSchema: { type: "object" } },
    { name: "huge", inputSchema: { type: "object" } },
    { name: "endless", inputSchema: { type: "object" } },
    { name: "nonsense", inputSchema: { type: "object" } },
    { name: "images", inputSchema: { type: "object" } },
    { name: "fails", inputSchema: { type: "object" } },
    { name: "refuses", inputSchema: { type: "object" } },
    { name: "leaks", inputSchema: { type: "object" } },
  ],
};

const calls = {
  echo: ({ text: said }) => text(String(said)),
  pid: () => text(String(process.pid)),
  env: () => text(JSON.stringify(process.env)),
  grow: () => {
    tools.plain.push({ name: `grown${tools.plain.length}`, inputSchema: { type: "object" } });
    send({ method: "notifications/tools/list_changed" });
    return text("done");
  },
  controls: () => text("a\u001b[2Jb\u0000c\r\nd\te\u009bf\ud800g"),
  huge: () => text("y".repeat(3_000_000)),
  endless: () => text("z".repeat(40_000_000)),
  nonsense: () => ({
    content: [7, null, { type: "hologram", beams: 3 }, { type: "text" }],
    structuredContent: { a: 1 },
  }),
  images: () => ({
    content: [
      {
        type: "image",
        data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
        mimeType: "text/html",
      },
      { type: "image", data: "bm90IGFuIGltYWdl", mimeType: "image/png" },
      { type: "image", data: "###", mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a.txt", text: "inside" } },
      {
        type: "resource",
        resource: { uri: "file:///b.bin", blob: "AAAAAAAA", mimeType: "application/octet-stream" },
      },
      { type: "resource_link", uri: "file:///c", name: "c", description: "a link" },
    ],
  }),
  fails: () => ({
    isError: true,
    content: [
      { type: "text", text: "it failed\u0007" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ],
  }),
  leaks: () => text(`the key is ${process.env.SERVICE_TOKEN}`),
};

if (mode === "exits") {
  process.stderr.write("cannot open /etc/thing with key secret-value-123\n");
  process.exit(3);
}
if (mode === "silent" || mode === "stubborn") process.on("SIGTERM", () => {});
if (mode === "parent")
  spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" }).unref();
if (mode === "garbage")
  process.stdout.write('Listening on port 3000\n{"half": \n{"jsonrpc":"2.0"}\n[1,2]\n\u0000\u0001\n');
if (mode === "stubborn") setInterval(() => {}, 1000);

tools.many = Array.from({ length: 700 }, (_, at) => ({
  name: `tool${at}`,
  description: "d".repeat(3000),
  inputSchema: { type: "object" },
}));
const listed = () => tools[mode] ?? tools.plain;

function answer({ id, method, params = {} }) {
  if (mode === "silent" || id === undefined) return;
  if (mode === "flapping" && method === "tools/list") setTimeout(() => process.exit(1), 20);
  switch (method) {
    case "initialize":
      send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "fixture", version: "1" },
          instructions: mode === "hostile" ? `\u001b[1mRead${"!".repeat(9000)}` : `How to use ${mode}.`,
        },
      });
      return;
    case "tools/list":
      if (mode === "listless") return;
      send({ id, result: { tools: listed(), ...(mode === "hostile" ? { nextCursor: "again" } : {}) } });
      return;
    case "tools/call":
      call(id, params);
      return;
    default:
      send({ id, error: { code: -32601, message: "Method not found" } });
  }
}

function call(id, { name, arguments: input, _meta }) {
  if (name === "refuses") return send({ id, error: { code: -32000, message: "no\u001b[31m way" } });
  if (name === "slow") {
    let step = 0;
    const timer = setInterval(() => {
      step += 1;
      send({
        method: "notifications/progress",
        params: { progressToken: _meta?.progressToken, progress: step },
      });
      if (step < 6) return;
      clearInterval(timer);
      send({ id, result: text("slow and done") });
    }, 200);
    return;
  }
  const run = calls[name];
  if (run !== undefined) send({ id, result: run(input) });
}

createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
if (mode === "hostile") process.stdout.write("not json\n");
