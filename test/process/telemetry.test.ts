import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentArguments, linesOf, makeFolders, runCommand, type Folders } from "./agent-command.js";
import { AGENT } from "./gateway-stage.js";
import { startScriptedApi, type ScriptedApi } from "./scripted-api.js";

const SDK = pathToFileURL(join(import.meta.dirname, "register-otel.mjs")).href;

interface Told {
  readonly kind: "span" | "metric";
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status?: { readonly code: number };
  readonly value?: unknown;
  readonly spanId?: string;
  readonly parent?: string;
  readonly traceId?: string;
}

let at: Folders;
let api: ScriptedApi | undefined;
beforeEach(async () => {
  at = await makeFolders("telemetry");
});
afterEach(async () => {
  await api?.close();
  api = undefined;
  await at.remove();
});

const file = (): string => join(at.root, "told.jsonl");
const withSdk = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${SDK}`,
  OTEL_TEST_FILE: file(),
  ...more,
});
const told = async (): Promise<readonly Told[]> =>
  linesOf(await readFile(file(), "utf8")) as unknown as readonly Told[];
const sum = (list: readonly Told[], name: string): number =>
  list.filter((one) => one.name === name).reduce((total, { value }) => total + Number(value), 0);

const reads = (name: string) => ({
  text: "I look at it.",
  calls: [{ tool: "Read", input: { file_path: join(at.work, name) } }],
});

describe("the command with an SDK of OpenTelemetry that is registered", () => {
  it("-p tells each prompt as a trace of its calls and tools, and what they cost, without what was said", async () => {
    await writeFile(join(at.work, "notes.txt"), "marmalade\n");
    api = await startScriptedApi([reads("notes.txt"), reads("nowhere.txt"), "It says marmalade."]);
    const args = ["-p", "What does notes.txt say of marmalade?", ...agentArguments(api)];
    const { code, stdout } = await runCommand(at, args, withSdk());
    expect(code).toBe(0);
    const result = linesOf(stdout).at(-1) as { session_id: string; total_cost_usd: number };
    const all = await told();
    const spans = all.filter(({ kind }) => kind === "span");
    const turn = spans.find(({ name }) => name === "invoke_agent palimpsest");
    expect(turn?.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "palimpsest",
      "gen_ai.conversation.id": result.session_id,
    });
    const calls = spans.filter(({ name }) => name === "chat claude-sonnet-5");
    expect(calls).toHaveLength(3);
    const tools = spans.filter(({ name }) => name === "execute_tool Read");
    expect(tools.map(({ status }) => status?.code)).toEqual([0, 2]);
    const prepared = spans.filter(({ name }) => name === "prepare");
    expect(prepared.length).toBeGreaterThanOrEqual(3);
    for (const span of [...calls, ...tools, ...prepared]) expect(span.traceId).toBe(turn?.traceId);
    for (const span of [...calls, ...tools]) expect(span.parent).toBe(turn?.spanId);
    for (const { attributes } of calls) {
      expect(attributes["gen_ai.conversation.id"]).toBe(result.session_id);
      expect(attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(0);
    }
    expect(sum(all, "palimpsest.cost")).toBeCloseTo(result.total_cost_usd, 6);
    expect(JSON.stringify(all)).not.toContain("marmalade");
  });

  it("-p tells what was said where the variable of the conventions asks for it, and no key", async () => {
    api = await startScriptedApi(["Marmalade it is."]);
    const key = "sk-ant-api03-telemetry-test-key-0123456789";
    await runCommand(
      at,
      ["-p", `Say marmalade, and keep ${key} to yourself.`, ...agentArguments(api)],
      withSdk({
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
        ANTHROPIC_API_KEY: key,
      }),
    );
    const all = JSON.stringify(await told());
    expect(all).toContain("Say marmalade");
    expect(all).toContain("Marmalade it is.");
    expect(all).not.toContain(key);
  });

  it("gateway tells the calls of the agent that it serves", async () => {
    api = await startScriptedApi(["An answer."]);
    const { code, stderr } = await runCommand(
      at,
      ["gateway", "--upstream", api.url, "--", process.execPath, "-e", AGENT],
      withSdk(),
      "a question\n",
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const all = await told();
    const [call, ...others] = all.filter(({ kind }) => kind === "span");
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      name: "chat claude-haiku-4-5",
      attributes: { "gen_ai.provider.name": "anthropic", "palimpsest.source": "api-key" },
    });
    expect(call?.attributes["gen_ai.usage.output_tokens"]).toBeGreaterThan(0);
    expect(sum(all, "palimpsest.cost")).toBe(call?.attributes["palimpsest.cost.usd"]);
    expect(JSON.stringify(all)).not.toContain("a question");
  });
});
