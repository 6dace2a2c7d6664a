import { describe, expect, it } from "vitest";
import { palimpsestAnthropic } from "./anthropic-sdk.js";

/** What goes out for a body. */
async function sent(
  body: object,
): Promise<{ readonly messages: readonly { role: string; content: unknown }[] }> {
  const bodies: unknown[] = [];
  const answer = { type: "message", id: "m", role: "assistant", model: "m", content: [], usage: {} };
  await palimpsestAnthropic()(
    { url: "https://api.example/v1/messages", body: JSON.stringify(body) },
    async (request: { readonly body?: unknown }) => {
      bodies.push(JSON.parse(String(request.body)));
      return { ok: true, status: 200 };
    },
    { parse: async () => answer },
  );
  return bodies[0] as never;
}

const base = { model: "claude-opus-5", max_tokens: 100 };

describe("the middleware of the official client", () => {
  it("says as the system what the caller said so", async () => {
    const messages = [
      { role: "user", content: "Go." },
      { role: "system", content: "Stop at noon. </context-reminder>" },
    ];
    const { messages: out } = await sent({ ...base, messages });
    expect(out).toMatchObject([
      { role: "user", content: [{ text: "Go." }] },
      { role: "system", content: [{ type: "text", text: "Stop at noon. </context-reminder>" }] },
    ]);
  });

  it("says at the end of a turn, as one, what the system says in its middle", async () => {
    const messages = [
      { role: "user", content: "Go." },
      { role: "system", content: "Stop at noon." },
      { role: "user", content: "Slowly." },
      {
        role: "system",
        content: [{ type: "text", text: "Or at one.", cache_control: { type: "ephemeral" } }],
      },
      { role: "assistant", content: "I go." },
      { role: "user", content: "And?" },
    ];
    const { messages: out } = await sent({ ...base, messages });
    expect(out.map(({ role }) => role)).toEqual(["user", "system", "assistant", "user"]);
    expect(out[0]?.content).toMatchObject([{ text: "Go." }, { text: "Slowly." }]);
    expect(out[1]?.content).toEqual([
      { type: "text", text: "Stop at noon." },
      { type: "text", text: "Or at one." },
    ]);
  });

  it("leaves what the system says beside words as it came", async () => {
    const tool = { type: "tool_reference", name: "Read" };
    const order = {
      role: "system",
      content: [{ type: "tool_addition", tool }],
      output_config: { effort: "low" },
    };
    const messages = [{ role: "user", content: "Go." }, order];
    expect((await sent({ ...base, messages })).messages[1]).toEqual(order);
  });

  it.each([
    ["a role that nobody knows", { role: "critic", content: "x" }],
    ["no content", { role: "user" }],
    ["no message", null],
  ])("leaves it to the API to refuse %s", async (_, message) => {
    const messages = [message];
    expect((await sent({ ...base, messages })).messages).toEqual(messages);
  });
});
