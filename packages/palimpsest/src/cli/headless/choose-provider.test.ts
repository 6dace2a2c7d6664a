import { describe, expect, it } from "vitest";
import { chooseProvider, type ProviderChoice } from "./choose-provider.js";

const chosen = async (choice: ProviderChoice, env: Readonly<Record<string, string>>) => {
  const { provider, apiKeySource } = await chooseProvider(choice, env);
  return `${provider.name} ${apiKeySource}`;
};

describe("chooseProvider", () => {
  it.each<readonly [ProviderChoice, Readonly<Record<string, string>>, string]>([
    [{}, { ANTHROPIC_API_KEY: "k" }, "anthropic ANTHROPIC_API_KEY"],
    [{}, { ANTHROPIC_API_KEY: " ", ANTHROPIC_AUTH_TOKEN: "t" }, "anthropic ANTHROPIC_AUTH_TOKEN"],
    [{ baseUrl: "https://gateway.test" }, { ANTHROPIC_API_KEY: "k" }, "anthropic ANTHROPIC_API_KEY"],
    [{ baseUrl: "https://llm.test" }, { OPENAI_API_KEY: "k" }, "openai-compatible OPENAI_API_KEY"],
    [{ baseUrl: "http://127.0.0.1:9" }, {}, "anthropic none"],
    [{ baseUrl: "http://localhost:9" }, { ANTHROPIC_API_KEY: "" }, "anthropic none"],
    [{}, { ANTHROPIC_BASE_URL: "http://[::1]:9" }, "anthropic none"],
    [{ baseUrl: "https://gateway.test" }, { ANTHROPIC_CUSTOM_HEADERS: "X-Own: k" }, "anthropic none"],
    [{ embedded: true }, { ANTHROPIC_API_KEY: "k" }, "embedded none"],
  ])("%j with %j is %s", async (choice, env, expected) => {
    expect(await chosen(choice, env)).toBe(expected);
  });

  it.each<readonly [ProviderChoice, Readonly<Record<string, string>>]>([
    [{}, {}],
    [{}, { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "" }],
    [{}, { ANTHROPIC_API_KEY: " \n" }],
    [{}, { OPENAI_API_KEY: "k" }],
    [{ embedded: false }, {}],
    [{ baseUrl: "https://127.0.0.1.test" }, {}],
    [{ baseUrl: "https://api.test" }, {}],
    [{ baseUrl: "no address" }, {}],
    [{}, { ANTHROPIC_BASE_URL: "https://api.test", ANTHROPIC_API_KEY: "" }],
  ])("%j with %j is refused in one sentence", async (choice, env) => {
    const refused = chosen(choice, env);
    await expect(refused).rejects.toThrow(
      /^(?:there is no key|the variable ANTHROPIC_API_KEY is empty): set ANTHROPIC_API_KEY.*--base-url or ANTHROPIC_BASE_URL.*--embedded/,
    );
    await expect(refused).rejects.toMatchObject({ name: "StartError" });
  });

  it("refuses a proxy that is none, for the provider that would need it", async () => {
    const env = { ANTHROPIC_API_KEY: "k", HTTPS_PROXY: "socks5://x" };
    await expect(chosen({}, env)).rejects.toMatchObject({ name: "StartError" });
    expect(await chosen({ baseUrl: "http://127.0.0.1:9" }, env)).toBe("anthropic ANTHROPIC_API_KEY");
  });
});
