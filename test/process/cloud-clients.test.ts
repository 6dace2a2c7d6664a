import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createConversation } from "@palimpsest/core";
import { palimpsestMiddleware } from "@palimpsest/core/anthropic-sdk";
import { compaction } from "@palimpsest/core/compaction";
import { createAnthropicProvider, type SdkClient } from "../../packages/palimpsest/src/providers/index.js";
import {
  createEchoPlayer,
  createFaultPlan,
  createSimulator,
  createSimulatorApp,
  parseFaults,
  startSimulatorServer,
  withSummaries,
  type RequestRecord,
  type SimulatorServer,
} from "../../packages/palimpsest/src/simulator/index.js";

import { agentArguments, makeFolders, runCommand } from "./agent-command.js";
import { startScriptedApi } from "./scripted-api.js";

/** The official clients for other platforms, which no package here needs: .ci/run installs them beside. */
const beside = fileURLToPath(new URL("../../.clients/", import.meta.url));
const isThere = ["bedrock-sdk", "vertex-sdk"].every((name) =>
  existsSync(`${beside}node_modules/@anthropic-ai/${name}`),
);

interface Message {
  readonly content: readonly unknown[];
  readonly usage: { readonly cache_read_input_tokens: number | null };
}

/** As much of a client as is used here. */
interface Client extends SdkClient {
  readonly messages: {
    create(body: object): Promise<Message>;
    stream(body: object): { finalMessage(): Promise<Message> };
    countTokens?(body: object): Promise<{ readonly input_tokens: number }>;
  };
}

type ClientClass = new (options: object) => Client;

async function create(name: string, className: string, options: object): Promise<Client> {
  const path = createRequire(beside).resolve(`@anthropic-ai/${name}`);
  const classes = (await import(pathToFileURL(path).href)) as Readonly<Record<string, ClientClass>>;
  const Class = classes[className];
  if (Class === undefined) throw new Error(`${name} has no ${className}`);
  return new Class({ maxRetries: 0, ...options });
}

let server: SimulatorServer;
let records: RequestRecord[];
let bodies: Readonly<Record<string, unknown>>[];
const faults = createFaultPlan();
beforeEach(async () => {
  records = [];
  bodies = [];
  faults.reset();
  const simulator = createSimulator({ player: withSummaries(createEchoPlayer()), window: 30_000 });
  const app = createSimulatorApp({
    simulator,
    window: 30_000,
    faults,
    onRequest: (record) => records.push(record),
  });
  server = await startSimulatorServer({
    app: async (request) => {
      if (request.method === "POST") bodies.push((await request.clone().json()) as (typeof bodies)[number]);
      return app(request);
    },
  });
});
afterEach(() => server.close());

const aws = { awsRegion: "us-east-1", awsAccessKey: "AKIAEXAMPLE" };

/** Signs nothing that anybody would believe: a token of its own for each request. */
const googleAuth = {
  getRequestHeaders: () => Promise.resolve(new Headers({ authorization: "Bearer dummy" })),
};

const clients: readonly {
  readonly name: string;
  readonly model: string;
  readonly path: RegExp;
  readonly open: (url: string, more?: object) => Promise<Client>;
}[] = [
  {
    name: "AnthropicBedrock",
    model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
    path: /^\/model\/us\.anthropic\.claude-opus-4-5-20251101-v1(?::|%3A)0\/invoke/,
    open: (baseURL, more) =>
      create("bedrock-sdk", "AnthropicBedrock", { ...aws, awsSecretKey: "dummy", baseURL, ...more }),
  },
  {
    name: "AnthropicBedrockMantle",
    model: "anthropic.claude-opus-4-5",
    path: /^\/anthropic\/v1\/messages$/,
    open: (url, more) =>
      create("bedrock-sdk", "AnthropicBedrockMantle", {
        ...aws,
        awsSecretAccessKey: "dummy",
        baseURL: `${url}/anthropic`,
        ...more,
      }),
  },
  {
    name: "AnthropicVertex",
    model: "claude-opus-4-5@20251101",
    path: /^\/v1\/projects\/p\/locations\/us-east5\/publishers\/anthropic\/models\/claude-opus-4-5(?:@|%40)20251101:/,
    open: (url, more) =>
      create("vertex-sdk", "AnthropicVertex", {
        projectId: "p",
        region: "us-east5",
        baseURL: `${url}/v1`,
        authClient: googleAuth,
        ...more,
      }),
  },
];

const hello = { max_tokens: 100, messages: [{ role: "user", content: "hello" }] };

const reason = isThere
  ? ""
  : " (not installed: npm install --no-save --prefix .clients @anthropic-ai/bedrock-sdk @anthropic-ai/vertex-sdk)";

describe.skipIf(!isThere)(`the official clients for Bedrock and Vertex${reason}`, () => {
  describe.each(clients)("$name", ({ model, path, open }) => {
    it("gets whole answers and streams from the simulator", async () => {
      const client = await open(server.url);
      const whole = await client.messages.create({ ...hello, model });
      expect(whole.content).toEqual([{ type: "text", text: "You said: hello" }]);
      const streamed = await client.messages.stream({ ...hello, model }).finalMessage();
      expect(streamed.content).toMatchObject([{ type: "text", text: "You said: hello" }]);
      expect(records.map(({ status, stream }) => ({ status, stream }))).toEqual([
        { status: 200, stream: false },
        { status: 200, stream: true },
      ]);
      for (const record of records) {
        expect(record.path).toMatch(path);
        expect(record.model).toBe(model);
        expect(record.workspace).not.toBeNull();
      }
    });

    it("a conversation goes through it: cached, compacted, nothing refused, nothing asked for that is not offered", async () => {
      const provider = createAnthropicProvider({ client: await open(server.url), longCache: false });
      const conversation = createConversation({
        model,
        maxTokens: 1000,
        compaction,
        provider,
        settings: { window: 30_000, reserve: 4000, autoCompactBuffer: 2000 },
        system: { custom: "Name what is wrong. ".repeat(900) },
      });
      let compactions = 0;
      for (let turn = 0; turn < 24; turn += 1) {
        const { steps } = await conversation.ask(`Question ${turn}: ${"what about this? ".repeat(200)}`);
        compactions += steps.filter(({ tier }) => tier === "full").length;
      }
      expect(compactions).toBeGreaterThan(0);
      expect(records.filter(({ status }) => status !== 200)).toEqual([]);
      const read = records.reduce((sum, { verdict }) => sum + (verdict?.cacheRead ?? 0), 0);
      const all = records.reduce((sum, { verdict }) => sum + (verdict?.promptTokens ?? 0), 0);
      expect(read / all).toBeGreaterThan(0.6);
      for (const body of bodies) {
        expect(Object.keys(body)).not.toContain("diagnostics");
        expect(Object.keys(body)).not.toContain("context_management");
        expect(JSON.stringify(body)).not.toContain('"1h"');
      }
    });

    it("the middleware of the SDK keeps a loop within its window there too", async () => {
      const settings = { window: 30_000, reserve: 4000, autoCompactBuffer: 2000 };
      const client = await open(server.url, { middleware: [palimpsestMiddleware({ settings })] });
      const messages: object[] = [];
      for (let turn = 0; turn < 24; turn += 1) {
        messages.push({ role: "user", content: `Question ${turn}: ${"what about this? ".repeat(300)}` });
        const { content } = await client.messages.create({
          model,
          max_tokens: 1000,
          messages: [...messages],
        });
        messages.push({ role: "assistant", content });
      }
      expect(records.filter(({ status }) => status !== 200)).toEqual([]);
      expect(Math.max(...records.map(({ verdict }) => verdict?.promptTokens ?? 0))).toBeLessThan(30_000);
      expect(records.some(({ verdict }) => (verdict?.cacheRead ?? 0) > 5000)).toBe(true);
      expect(bodies.filter((body) => "diagnostics" in body || "context_management" in body)).toEqual([]);
    });

    it("lifetimes of an hour are for those who ask for them", async () => {
      const ttls = async (longCache: boolean) =>
        createAnthropicProvider({ client: await open(server.url), longCache }).capabilities(model).ttls;
      expect(await ttls(false)).toEqual(["5m"]);
      expect(await ttls(true)).toEqual(["5m", "1h"]);
    });

    it("errors are told as those of the API, and tried again as those", async () => {
      const provider = createAnthropicProvider({
        client: await open(server.url),
        ports: { sleep: () => Promise.resolve() },
        maxRetries: 1,
      });
      const outputsOf = async (text: string) => {
        const request = {
          model,
          max_tokens: 100,
          messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }],
        };
        const kinds: unknown[] = [];
        for await (const output of provider.stream({ request })) {
          kinds.push(output.kind === "error" ? output.failure.kind : output.kind);
        }
        return kinds.at(-1);
      };
      expect(await outputsOf("word ".repeat(40_000))).toBe("context-overflow");
      const rules = parseFaults("529@+1");
      if (rules.kind === "rules") faults.set(rules.rules);
      expect(await outputsOf("hello")).toBe("message");
      expect(records.slice(-2).map(({ status }) => status)).toEqual([529, 200]);
    });
  });

  it("Bedrock and Vertex refuse what they do not know, as the real ones do", async () => {
    for (const { name, model, open } of clients) {
      const client = await open(server.url);
      const sent = client.messages.create({ ...hello, model, diagnostics: { previous_message_id: null } });
      if (name === "AnthropicBedrockMantle") await sent;
      else await expect(sent).rejects.toThrow("diagnostics: Extra inputs are not permitted");
    }
  });

  it("Vertex counts tokens", async () => {
    const counts = clients.filter(({ name }) => name === "AnthropicVertex");
    for (const { model, open } of counts) {
      const client = await open(server.url);
      expect(await client.messages.countTokens?.({ model, messages: hello.messages })).toMatchObject({
        input_tokens: expect.any(Number) as number,
      });
    }
  });
});

it("the command asks Bedrock's and Vertex's models for nothing that they do not know", async () => {
  const folders = await makeFolders("clouds");
  try {
    for (const [model, isApi] of [
      ["us.anthropic.claude-opus-4-5-20251101-v1:0", false],
      ["claude-opus-4-5@20251101", false],
      ["claude-opus-4-5", true],
    ] as const) {
      const api = await startScriptedApi(["An answer."]);
      const { code, stdout } = await runCommand(folders, [
        "-p",
        "hello",
        ...agentArguments({ url: api.url, model }),
      ]);
      await api.close();
      expect(code).toBe(0);
      expect(stdout).toContain("An answer.");
      expect(api.bodies.map((body) => "diagnostics" in body)).toEqual([isApi]);
    }
  } finally {
    await folders.remove();
  }
});
