/**
 * The least that an agent in Node has to do for a turn, for `turn-cpu.mjs`: asks over Node's own HTTP client on one connection,
 * reads the stream, runs the command or reads the file, and appends what was said to a file. It keeps the newest messages as the
 * texts that it sends, and nothing else: no tokens are counted, nothing is checked, permitted, compacted or told.
 *
 *   node least-agent.mjs PROMPT FILE
 */
import { spawn } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import { Agent, request } from "node:http";

/** So that its requests are about as long as those of the agents beside it. */
const MOST_MESSAGES = 80;

const [prompt, path] = process.argv.slice(2);
const url = new URL("/v1/messages", process.env.ANTHROPIC_BASE_URL);
const connection = new Agent({ keepAlive: true });
const transcript = await open(path, "a");
const tool = (name, input) => ({
  name,
  description: "as any tool has one".repeat(100),
  input_schema: { type: "object", properties: { [input]: { type: "string" } }, required: [input] },
});
const beginning = `{"model":"claude-haiku-4-5","max_tokens":32000,"stream":true,"tools":${JSON.stringify([
  tool("Bash", "command"),
  tool("Read", "file_path"),
])},"messages":[`;
const [first, ...messages] = [JSON.stringify({ role: "user", content: prompt })];

for (;;) {
  const content = await answer(`${beginning}${[first, ...messages].join(",")}]}`);
  await say({ role: "assistant", content });
  const call = content.find(({ type }) => type === "tool_use");
  if (call === undefined) break;
  const result =
    call.name === "Bash" ? await run(call.input.command) : await readFile(call.input.file_path, "utf8");
  await say({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: result }] });
  messages.splice(0, Math.max(0, messages.length - MOST_MESSAGES));
}
connection.destroy();
await transcript.close();

async function say(message) {
  const text = JSON.stringify(message);
  messages.push(text);
  await transcript.appendFile(`${text}\n`);
}

async function answer(body) {
  const bytes = Buffer.from(body);
  const response = await new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": bytes.length };
    const asked = request(url, { method: "POST", agent: connection, headers }, resolve);
    asked.on("error", reject);
    asked.end(bytes);
  });
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  const blocks = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6));
    if (event.type === "content_block_start") blocks.push({ ...event.content_block, json: "" });
    if (event.type !== "content_block_delta") continue;
    const block = blocks[event.index];
    if (event.delta.type === "text_delta") block.text += event.delta.text;
    else block.json += event.delta.partial_json;
  }
  return blocks.map(({ json, ...block }) => (json === "" ? block : { ...block, input: JSON.parse(json) }));
}

function run(command) {
  return new Promise((resolve) => {
    const shell = spawn("bash", ["-c", `exec 2>&1\n${command}`], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const chunks = [];
    shell.stdout.on("data", (chunk) => chunks.push(chunk));
    shell.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}
