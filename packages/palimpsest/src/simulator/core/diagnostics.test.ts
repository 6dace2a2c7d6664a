import { describe, expect, it } from "vitest";
import { assistant, createClient, marked, prose, text, user } from "../testing/client.js";
import { createEnvironment } from "./environment.js";
import { respond } from "./respond.js";
import { initialState } from "./state.js";
import { createBpeCounter } from "../tokens/bpe-counter.js";
import { cannedPlayer } from "../testing/client.js";

const base = (change: object = {}) => ({
  model: "claude-opus-5",
  max_tokens: 100,
  tools: [{ name: "Read", description: prose("tool"), input_schema: { type: "object" } }],
  system: [text(prose("system"))],
  messages: [user(text(prose("question"), marked))],
  ...change,
});

describe("cache diagnostics", () => {
  const after = (change: object, minutes = 0) => {
    const client = createClient();
    const { id } = client.message(base({ diagnostics: { previous_message_id: null } }));
    client.simulator.advance(minutes * 60_000);
    const grown = [...base().messages, assistant(text("a")), user(text("b", marked))];
    return client.message(base({ messages: grown, diagnostics: { previous_message_id: id }, ...change }))
      .diagnostics;
  };

  it.each<[string, object, string]>([
    ["model", { model: "claude-opus-4-8" }, "model_changed"],
    ["speed", { speed: "fast" }, "model_changed"],
    ["system", { system: [text("other")] }, "system_changed"],
    ["tools", { tools: [] }, "tools_changed"],
    ["messages", { messages: [user(text("other", marked))] }, "messages_changed"],
    ["settings", { output_config: { effort: "low" } }, "unavailable"],
    ["an unknown id", { diagnostics: { previous_message_id: "msg_nobody" } }, "previous_message_not_found"],
  ])("%s", (_, change, type) => {
    expect(after(change)).toMatchObject({ cache_miss_reason: { type } });
  });

  it("nothing to explain", () => {
    expect(after({})).toBeNull();
    expect(createClient().message(base()).diagnostics).toBeUndefined();
    expect(
      createClient().message(base({ diagnostics: { previous_message_id: null } })).diagnostics,
    ).toBeNull();
  });

  it("an expired entry is no change", () => {
    expect(after({}, 6)).toBeNull();
  });
});

describe("the pure core", () => {
  it("the same state, call and time give the same outcome, whatever happened in between", () => {
    const environment = createEnvironment({ player: cannedPlayer(), counter: createBpeCounter() });
    const call = (messages: object[]) => ({
      endpoint: "messages" as const,
      body: base({ messages }),
      workspace: "k",
      betas: [],
      apiVersion: "2026-10-21",
    });
    const start = base().messages;
    const first = respond(initialState, call(start), { now: 0, environment });
    const grown = [...start, assistant(text("a")), user(text("b", marked))];
    const second = respond(first.state, call(grown), { now: 1000, environment });
    respond(second.state, call([user(text("else"))]), { now: 2000, environment });
    expect(respond(first.state, call(grown), { now: 1000, environment })).toEqual(second);
    const fresh = createEnvironment({ player: cannedPlayer(), counter: createBpeCounter() });
    expect(
      respond(first.state, call(structuredClone(grown)), { now: 1000, environment: fresh }).outcome,
    ).toEqual(second.outcome);
  });

  it("expired entries are swept out", () => {
    const client = createClient();
    for (let index = 0; index < 3000; index += 1) {
      client.simulator.advance(1000);
      client.send(base({ tools: [], system: [], messages: [user(text(prose(`q${index}`, 600), marked))] }));
    }
    expect(client.send(base()).promptTokens).toBeGreaterThan(0);
  });
});
