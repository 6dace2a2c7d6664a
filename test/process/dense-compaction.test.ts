import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { projectFolder } from "../../packages/palimpsest/src/agent/session/session-folder.js";
import { textKinds } from "../../packages/palimpsest/src/bench/text-kinds/text-kinds.js";
import { linesOf, makeFolders, runCommand, startSimulate, type Line } from "./agent-command.js";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

const dense = textKinds.find(({ name }) => name === "amharic");
const base = { sessionId: "dense", timestamp: "2026-11-15T10:00:00.000Z", isSidechain: false };
const said = Array.from({ length: 6 }, (_, at) => ({
  ...base,
  type: "user",
  uuid: `u${at}`,
  parentUuid: at === 0 ? null : `u${at - 1}`,
  message: { role: "user", content: dense?.make(6000, at) },
}));
/** By a program with a longer prompt than ours; dense text has more tokens than anybody estimates. */
const answered = {
  ...base,
  type: "assistant",
  uuid: "a",
  parentUuid: "u5",
  message: {
    id: "m",
    role: "assistant",
    model: "claude-sonnet-5",
    content: [{ type: "text", text: "Read." }],
    stop_reason: "end_turn",
    usage: { input_tokens: 133_000, output_tokens: 4 },
  },
};

it("a session of dense text that another program wrote: the size told after /compact is that of the next request", async () => {
  const at = await makeFolders("dense");
  opened.push(at.remove);
  const script = join(at.root, "script.json");
  await writeFile(script, JSON.stringify({ steps: [], closing: "All done." }));
  const api = await startSimulate(["--player", `script:${script}`]);
  opened.unshift(api.stop);
  const folder = projectFolder(at.data, at.work);
  await mkdir(folder, { recursive: true });
  const lines = [...said, answered].map((line) => `${JSON.stringify(line)}\n`);
  await writeFile(join(folder, "dense.jsonl"), lines.join(""));
  const prompts = ["/compact", "And now?"].map((content) =>
    JSON.stringify({ type: "user", message: { role: "user", content } }),
  );
  const { stdout } = await runCommand(
    at,
    `-p --resume dense --base-url ${api.url} --model claude-sonnet-5 --input-format stream-json --output-format stream-json`.split(
      " ",
    ),
    { PALIMPSEST_CLEAR_IDLE_MINUTES: "1000000000" },
    `${prompts.join("\n")}\n`,
  );
  const result = linesOf(stdout).find(({ type }) => type === "result");
  const { tokensBefore, tokensAfter } = (result?.["command"] ?? {}) as Line;
  expect(Number(tokensBefore)).toBeGreaterThan(130_000);
  const next = linesOf(stdout).findLast(({ type }) => type === "assistant")?.["message"] as Line;
  const {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  } = next["usage"] as Readonly<Record<string, number>>;
  const actual = (input ?? 0) + (read ?? 0) + (written ?? 0);
  expect(Number(tokensAfter) / actual).toBeGreaterThan(0.75);
  expect(Number(tokensAfter) / actual).toBeLessThan(1.25);
});
