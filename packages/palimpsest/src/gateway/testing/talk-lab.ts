import { expect } from "vitest";
import {
  createEchoPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  type Simulator,
} from "../../simulator/index.js";
import { ownIdPrefix } from "../../simulator/own-id-prefix.js";
import { startProxy, type Proxy } from "../launch/start-proxy.js";
import { emptyReceipt } from "../receipt/receipt.js";
import { createExchangeReader, type ReaderOptions } from "../watch/exchange-reader.js";

/** A gateway in this process before the simulated API, on the simulator's time. */
export interface TalkLab {
  readonly simulator: Simulator;
  readonly proxy: Proxy;
  readonly close: () => Promise<void>;
}

export async function createTalkLab(options: ReaderOptions = {}): Promise<TalkLab> {
  const simulator = createSimulator({ player: createEchoPlayer(), idPrefix: ownIdPrefix() });
  const server = await startSimulatorServer({ app: createSimulatorApp({ simulator, clock: "manual" }) });
  const proxy = await startProxy(
    {
      upstream: server.url,
      upstreamOpenai: server.url,
      host: "127.0.0.1",
      port: 0,
      mode: "observe",
      tokens: [],
      controlToken: "t",
      receipt: emptyReceipt(0),
    },
    { reader: createExchangeReader(options), env: {}, now: () => simulator.now() },
  );
  return {
    simulator,
    proxy,
    async close() {
      await proxy.close();
      await server.close();
    },
  };
}

type Json = Readonly<Record<string, unknown>>;
export const marker = { cache_control: { type: "ephemeral" } };
export const words = (text: string, times: number): string => `${text} `.repeat(times);

/** A conversation as a client holds it. */
export interface Talk {
  model: string;
  system: Json[];
  tools: Json[];
  messages: { role: string; content: unknown }[];
  headers: Record<string, string>;
  /** No marker on the last block. */
  isUnmarked?: boolean;
}

export const talk = (topic: string, headers: Record<string, string> = {}): Talk => ({
  model: "claude-opus-5",
  system: [
    { type: "text", text: "You are an agent." },
    { type: "text", text: words(`the rules of ${topic}`, 1500), ...marker },
  ],
  tools: [tool("read"), tool("write")],
  messages: [],
  headers,
});

export const tool = (name: string): Json => ({
  name,
  description: words(`${name} a file`, 300),
  input_schema: { type: "object" },
});

/** Sends one more prompt, the last block marked, and keeps the answer. Gives the body that was sent. */
export async function say(
  { proxy }: Pick<TalkLab, "proxy">,
  one: Talk,
  text: string,
  times = 800,
): Promise<string> {
  one.messages.push({ role: "user", content: words(text, times) });
  const sent = one.messages.map(({ role, content }, index) =>
    index === one.messages.length - 1 && one.isUnmarked !== true
      ? { role, content: [{ type: "text", text: content, ...marker }] }
      : { role, content },
  );
  const { model, system, tools, headers } = one;
  const body = JSON.stringify({ model, max_tokens: 100, system, tools, messages: sent });
  const response = await fetch(`http://127.0.0.1:${proxy.port}/anthropic/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "k", "anthropic-version": "2023-06-01", ...headers },
    body,
  });
  expect(response.status).toBe(200);
  const { content } = (await response.json()) as { content: unknown };
  one.messages.push({ role: "assistant", content });
  await proxy.settled();
  return body;
}
