import { describe, expect, it } from "vitest";
import { arrangementFor, type Environment } from "./known-agents.js";

const addresses = { anthropic: "http://127.0.0.1:1/anthropic", openai: "http://127.0.0.1:1/openai/v1" };
const arrange = (command: string, env: Environment = {}, isVendor = true) =>
  arrangementFor({ command, args: [] }, { addresses, env, isVendor, fileAt: (name) => `/tmp/x/${name}` });

describe("how a command is started", () => {
  it("claude: its address, and the tool search that it gives up with it", () => {
    const given = { ANTHROPIC_BASE_URL: addresses.anthropic };
    expect(arrange("/usr/bin/claude").env).toEqual({ ...given, ENABLE_TOOL_SEARCH: "true" });
    // What a person has chosen stays, and what was not there before the gateway is not given.
    expect(arrange("claude", { ENABLE_TOOL_SEARCH: "false" }).env).toEqual(given);
    expect(arrange("claude", {}, false)).toMatchObject({ env: given, differs: [] });
    expect(arrange("claude").differs).toHaveLength(1);
  });

  it("pi: an extension of this run", () => {
    const { args, file, env } = arrange("pi");
    expect({ args, env }).toEqual({ args: ["--extension", "/tmp/x/pi-extension.js"], env: {} });
    expect(file?.text).toContain(
      'registerProvider("anthropic", { baseUrl: "http://127.0.0.1:1/anthropic" })',
    );
  });

  it("opencode: its settings of one run, those that a person gives in this way kept", () => {
    const own = { theme: "x", provider: { anthropic: { options: { timeout: 1 }, models: {} }, other: {} } };
    const { env } = arrange("opencode", { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) });
    expect(JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "")).toEqual({
      theme: "x",
      provider: {
        anthropic: { options: { timeout: 1, baseURL: `${addresses.anthropic}/v1` }, models: {} },
        other: {},
        openai: { options: { baseURL: addresses.openai } },
      },
    });
    expect(arrange("opencode", { OPENCODE_CONFIG_CONTENT: "{" }).env["OPENCODE_CONFIG_CONTENT"]).toContain(
      "baseURL",
    );
  });

  it("codex by a flag, qwen by its variables, any other program by those that most read", () => {
    expect(arrange("codex")).toMatchObject({
      env: {},
      args: ["-c", `openai_base_url="${addresses.openai}"`],
    });
    const both = { ANTHROPIC_BASE_URL: addresses.anthropic, OPENAI_BASE_URL: addresses.openai };
    expect(arrange("qwen").env).toEqual(both);
    expect(arrange("my-agent").env).toEqual(both);
    expect(arrange("constructor").env).toEqual(both);
  });

  it.each([
    ["npx", ["pi", "-p", "x"], 1],
    ["npx", ["-y", "@earendil-works/pi-coding-agent@0.87.1", "-p", "x"], 2],
    ["/usr/bin/bunx", ["pi@latest"], 1],
    ["pnpm", ["dlx", "pi", "x"], 2],
    ["pi", ["npx"], 0],
  ])("by what starts it: %s %j", (command, args, before) => {
    const facts = { addresses, env: {}, isVendor: true, fileAt: (name: string) => `/tmp/x/${name}` };
    expect(arrangementFor({ command, args }, facts)).toMatchObject({
      args: [...args.slice(0, before), "--extension", "/tmp/x/pi-extension.js", ...args.slice(before)],
      env: {},
    });
  });

  it("what starts nothing that is known is left as it is", () => {
    const facts = { addresses, env: {}, isVendor: true, fileAt: (name: string) => `/tmp/x/${name}` };
    for (const [command, args] of [
      ["npx", ["--package", "pi", "my-agent"]],
      ["npx", []],
      ["pnpm", ["test", "pi"]],
      ["node", ["pi"]],
    ] as const) {
      const arranged = arrangementFor({ command, args }, facts);
      expect(arranged.args).toEqual(args);
      expect(arranged.env).toHaveProperty("ANTHROPIC_BASE_URL");
    }
  });

  it("the way to this machine goes through no proxy", () => {
    expect(arrange("qwen", { HTTPS_PROXY: "http://p:1", NO_PROXY: "a.example" }).env).toMatchObject({
      NO_PROXY: "a.example,127.0.0.1,localhost",
      no_proxy: "a.example,127.0.0.1,localhost",
    });
    expect(arrange("qwen", { NO_PROXY: "a.example" }).env).not.toHaveProperty("NO_PROXY");
  });
});
