import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setScreen } from "./screen-stage.js";
import type { startPty } from "./pty-terminal.js";

/** What a terminal would obey, each with words that have to be seen. */
const HOSTILE = [
  "\u001b]52;c;c3RvbGVu\u0007clipboard",
  "\u001b]8;;http://evil.test\u001b\\link\u001b]8;;\u001b\\",
  "\u001b]0;owned title\u0007title",
  "\u001bP1$r0m\u001b\\dcs",
  "\u001b[2J\u001b[3J\u001b[Hcleared",
  "\u009b2Jeight-bit\u009d0;owned\u009c",
  "\u001b[?1049halternate",
  "\u001b[?1000hmouse",
  "\u001bcreset",
  "half \ud83d surrogate",
  `storm a${"\u0301".repeat(200)}`,
  "turned \u202earound",
  "tag \u{e0041}\u{e0042}",
].join("\n");

/** Sequences that this program itself writes, and no others. */
const OWN =
  /\u001b\[[\d;]*m|\u001b\[\d*[ABCJK]|\u001b\[\?(?:7|25|2004|2026)[hl]|\u001b\]11;\?\u0007|[\r\n\u0007]/g;

function expectHarmless(screen: ReturnType<typeof startPty>): void {
  const rest = screen.raw().replaceAll(OWN, "");
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  expect(rest.match(/[\u0000-\u001f\u007f-\u009f]/g)).toBeNull();
  expect(screen.raw()).not.toMatch(/\u001b\[[23]J/);
  expect(screen.title()).toBe("");
  expect(rest).not.toMatch(/\p{Surrogate}|\u202e|\u0301{10}/u);
}

describe("texts that would steer a terminal are shown, and never obeyed", () => {
  it("of a model", async () => {
    const { open } = await setScreen([{ text: `${HOSTILE}\n\n&#27;[31m entity\n\nThe end.` }]);
    const screen = await open();
    await screen.say("hello");
    await screen.until("The end.");
    await screen.until("cleared");
    expect(screen.all()).toContain("\\u001b]52;c;c3RvbGVu\\u0007clipboard");
    expect(screen.all()).toMatch(/\(\+\d+ marks\)/);
    expectHarmless(screen);
  });

  it("of a tool, in its output and in the question before it", async () => {
    const command = `printf '%b' '\\033]0;owned\\007from a tool\\n\\0233 2J\\n'`;
    const { open } = await setScreen([
      { text: "", calls: [{ tool: "Bash", input: { command: `${command} # \u001b]0;owned\u0007` } }] },
      { text: "The end." },
    ]);
    const screen = await open();
    await screen.say("run it");
    await screen.untilScreen("May it use Bash?");
    await screen.untilScreen("yes, once");
    screen.type("1");
    await screen.until("The end.");
    expect(screen.all()).toContain("\\u001b]0;owned\\u0007from a tool");
    expectHarmless(screen);
  });

  it("of a file's name, a hook and a server", async () => {
    const { at, open } = await setScreen([
      { text: "", calls: [{ tool: "Glob", input: { pattern: "*" } }] },
      { text: "", calls: [{ tool: "mcp__hostile__talk", input: {} }] },
      { text: "The end." },
    ]);
    await writeFile(join(at.work, "a\u001b]0;owned\u0007b"), "x");
    await mkdir(join(at.work, ".claude"));
    const said = JSON.stringify({ systemMessage: "hook \u001b]0;owned\u0007 \u009b2J says" });
    const hook = { type: "command", command: `echo '${said}'` };
    await writeFile(
      join(at.work, ".claude/settings.json"),
      JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } }),
    );
    await writeFile(join(at.root, "server.mjs"), SERVER);
    const server = { command: process.execPath, args: [join(at.root, "server.mjs")] };
    await writeFile(join(at.work, ".mcp.json"), JSON.stringify({ mcpServers: { hostile: server } }));
    const screen = await open({ args: ["--permission-mode", "bypassPermissions"] });
    await screen.say("look");
    await screen.until("The end.");
    expect(screen.all()).toMatch(/hook .*2J says/);
    expect(screen.all()).toMatch(/● mcp__hostile__talk\s+└ .*server/);
    await screen.say("/mcp");
    await screen.until(/hostile {2}ready/);
    screen.type("look at @");
    await screen.untilScreen("a\\u001b]0;owned\\u0007b");
    expectHarmless(screen);
  });
});

const SERVER = `
import { createInterface } from "node:readline";
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x\\u001b]0;owned\\u0007", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "talk", description: "\\u001b]0;owned\\u0007", inputSchema: { type: "object", properties: {} } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "\\u001b]0;owned\\u0007server\\n\\u009b2J" }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: result ?? {} }));
});
`;
