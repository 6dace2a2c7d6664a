import {
  modelProviderContract,
  type CreateProviderHarness,
  type ProviderHarness,
} from "@palimpsest/core/testing";
import { describe, it } from "vitest";
import { createSimulator } from "../simulator/core/create-simulator.js";
import { createSimulatorApp } from "../simulator/http/app.js";
import { startSimulatorServer } from "../simulator/http/node-server.js";
import { createAnthropicProvider } from "./anthropic.js";
import { createEmbeddedProvider } from "./embedded.js";
import { quickRetries, simulateScript } from "./testing/simulator-harness.js";

const model = "claude-opus-5";

const harnesses: Readonly<Record<string, CreateProviderHarness>> = {
  async anthropic(script): Promise<ProviderHarness> {
    const { player, faults, wrap, requests } = simulateScript(script);
    const app = createSimulatorApp({ simulator: createSimulator({ player }), faults });
    const server = await startSimulatorServer({ app: wrap(app) });
    const provider = createAnthropicProvider({
      apiKey: "sk-ant-test",
      baseUrl: server.url,
      ...quickRetries,
    });
    return { provider, model, requests, close: () => server.close() };
  },
  async embedded(script): Promise<ProviderHarness> {
    const { player, faults, wrap, requests } = simulateScript(script);
    const provider = createEmbeddedProvider({ player, faults, wrap, clock: "manual", ...quickRetries });
    return { provider, model, requests, close: async () => {} };
  },
};

describe.each(Object.entries(harnesses))("model provider contract: %s", (_name, create) => {
  for (const requirement of modelProviderContract) {
    it(requirement.name, () => requirement.run(create));
  }
});
