import { describe, expect, it } from "vitest";
import type { ModelOutput, ModelProvider } from "../../ports/model-provider.js";
import { askModel } from "./ask-model.js";

const providing = (stream: ModelProvider["stream"]): ModelProvider => ({
  name: "test",
  capabilities: () => {
    throw new Error("nobody asks");
  },
  stream,
});

const request = { model: "m", max_tokens: 1, messages: [] };

describe("asking a model", () => {
  it("says how it failed where the provider throws or never says how it ended", async () => {
    const throwing = providing(() => {
      throw new Error("not today");
    });
    expect(await askModel(throwing, { request })).toMatchObject({ failure: { message: "not today" } });
    const silent = providing(async function* () {});
    expect(await askModel(silent, { request })).toMatchObject({
      failure: { kind: "api", message: "the answer never came" },
    });
  });

  it("ends when it is called off, although the provider goes on, and hears nothing more of it", async () => {
    const controller = new AbortController();
    let goOn: () => void = () => {};
    let isLeft = false;
    const deaf = providing(async function* (): AsyncGenerator<ModelOutput> {
      try {
        yield { kind: "text", index: 0, text: "one" };
        await new Promise<void>((resolve) => (goOn = resolve));
        yield { kind: "text", index: 0, text: "two" };
      } finally {
        isLeft = true;
      }
    });
    const texts: string[] = [];
    const onText = (text: string): void => {
      texts.push(text);
      if (text === "one") queueMicrotask(() => controller.abort());
    };
    const answer = await askModel(deaf, { request }, { signal: controller.signal, onText });
    expect(answer).toMatchObject({ kind: "failure", failure: { kind: "aborted" } });
    goOn();
    for (let tick = 0; tick < 10; tick += 1) await Promise.resolve();
    expect({ texts, isLeft }).toEqual({ texts: ["one"], isLeft: true });
  });
});
